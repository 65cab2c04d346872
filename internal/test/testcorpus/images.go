package testcorpus

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// page draws lines of text on a white page.
func page(lines ...string) draw.Image {
	img := image.NewGray(image.Rect(0, 0, 1224, 1584))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	for i, line := range lines {
		write(img, 96, 192+96*i, line)
	}
	return img
}

// write writes a line of text below a point.
func write(img draw.Image, x, y int, line string) {
	const size = 34
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		panic(err)
	}
	d := font.Drawer{Dst: img, Src: image.Black, Face: face}
	d.Dot = fixed.P(x, y+size)
	d.DrawString(line)
}

func colourJPEG(img image.Image) []byte {
	colour := image.NewRGBA(img.Bounds())
	draw.Draw(colour, img.Bounds(), img, img.Bounds().Min, draw.Src)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, colour, &jpeg.Options{Quality: 90}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// scene returns a picture without text or symmetry: hills of colour.
func scene(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			fx, fy := float64(x)/float64(width), float64(y)/float64(height)
			wave := func(a, b, c float64) uint8 { return uint8(127.5 + 127.4*math.Sin(a*fx*6+b*fy*5+c*fx*fy*4)) }
			img.SetNRGBA(x, y, color.NRGBA{wave(1, 2, 0.5), wave(2.3, -1, 1), wave(-1.2, 0.7, 3), 255})
		}
	}
	return img
}

func pngOf(img image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func (m *maker) images() {
	m.jpegs()
	m.pngs()
	m.otherImages()
	m.damagedImages()
	m.remove("scene.png", "small.png")
}

func (m *maker) convert(args ...string) { m.run(convert(), args...) }

func (m *maker) jpegs() {
	m.write("scene.png", pngOf(scene(1800, 1200)))
	m.write("small.png", pngOf(scene(150, 103)))
	for n := 1; n <= 8; n++ {
		name := fmt.Sprintf("image/exif-orientation-%d.jpg", n)
		size := "1800x1200!"
		if n > 4 {
			size = "1200x1800!"
		}
		m.convert("scene.png", "-resize", size, "-quality", "88", name)
		m.run("exiftool", "-q", "-overwrite_original", "-n", fmt.Sprintf("-Orientation=%d", n), name)
	}
	m.convert("scene.png", "-resize", "280x360!", "-quality", "90", "-sampling-factor", "4:2:0", "image/baseline.jpeg")
	m.convert("scene.png", "-resize", "650x470!", "-quality", "85", "-interlace", "JPEG", "image/progressive.jpg")
	m.convert("scene.png", "-resize", "100x100!", "-colorspace", "CMYK", "-quality", "92", "image/jpeg-cmyk-adobe.jpg")
	m.convert("scene.png", "-resize", "200x200!", "-quality", "90", "plain.jpg")
	plain := m.read("plain.jpg")
	m.remove("plain.jpg")
	if m.err != nil {
		return
	}
	bad := []byte("Exif\x00\x00MM\x00\x2a\xff\xff\xff\xff\x00\x01\x02")
	m.write("image/exif-invalid.jpg", withApp1(plain, bad))
	good := []byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00")
	m.write("image/exif-multiple-blocks.jpg", withApp1(withApp1(plain, good), good))
}

// withApp1 inserts a metadata segment after the start of a JPEG.
func withApp1(data, segment []byte) []byte {
	head := append([]byte("\xff\xd8\xff\xe1"), binary.BigEndian.AppendUint16(nil, uint16(len(segment)+2))...)
	return append(append(head, segment...), data[2:]...)
}

func (m *maker) pngs() {
	m.convert("scene.png", "-resize", "900x600!", "-depth", "16", "image/png-16bit.png")
	m.convert("small.png", "-resize", "109x96!", "-colorspace", "Gray", "-alpha", "set", "-channel", "A", "-fx", "i/w", "+channel", "-depth", "16", "-define", "png:color-type=4", "image/png-16bit-grey-alpha.png")
	deep := image.NewNRGBA64(image.Rect(0, 0, 32, 32))
	for i := range 32 * 32 {
		deep.SetNRGBA64(i%32, i/32, color.NRGBA64{uint16(i * 61), uint16(i * 17), uint16(65535 - i*31), 65535})
	}
	m.write("image/png-trns-16.png", withChunk(pngOf(deep), "tRNS", []byte{0, 61, 0, 17, 0xff, 0xe0}))
	m.convert("small.png", "-colors", "200", "-define", "png:color-type=3", "image/png-palette.png")
	alpha := scene(1024, 768)
	for i := 3; i < len(alpha.Pix); i += 4 {
		alpha.Pix[i] = uint8(i / 4 % 1024 / 4)
	}
	m.write("image/png-alpha.png", pngOf(alpha))
	m.convert("scene.png", "-resize", "512x512!", "-strip", "turned.png")
	if plain := m.read("turned.png"); m.err == nil {
		profile := fmt.Sprintf("Raw profile type exif\x00\nexif\n%8d\n%x\n", len(turnedExif), turnedExif)
		m.write("image/png-exif-orientation.png", withChunk(plain, "tEXt", []byte(profile)))
	}
	m.remove("turned.png")
	m.run("ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=100x100:rate=10", "-frames:v", "20", "-f", "apng", "image/apng-20-frames.png")
}

// turnedExif is Exif data that asks viewers to rotate the picture by a quarter turn.
const turnedExif = "Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"

// extended returns a WebP with [turnedExif] after its picture.
func extended(webp []byte, width, height int) []byte {
	le := binary.LittleEndian
	chunk := func(kind string, data []byte) []byte {
		return append(le.AppendUint32([]byte(kind), uint32(len(data))), data...)
	}
	head := []byte{0x08, 0, 0, 0, byte(width - 1), byte((width - 1) >> 8), 0, byte(height - 1), byte((height - 1) >> 8), 0}
	out := append([]byte("RIFF\x00\x00\x00\x00WEBP"), chunk("VP8X", head)...)
	out = append(append(out, webp[12:]...), chunk("EXIF", []byte(turnedExif))...)
	le.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

// withChunk inserts a chunk before the pixels of a PNG.
func withChunk(data []byte, kind string, content []byte) []byte {
	at := bytes.Index(data, []byte("IDAT")) - 4
	chunk := append(append(u32(uint32(len(content))), kind...), content...)
	chunk = append(chunk, u32(crc32.ChecksumIEEE(chunk[4:]))...)
	return append(append(bytes.Clone(data[:at]), chunk...), data[at:]...)
}

func (m *maker) otherImages() {
	var animation gif.GIF
	palette := color.Palette{color.Transparent}
	for i := range 200 {
		palette = append(palette, color.NRGBA{uint8(i), uint8(i * 7), uint8(255 - i), 255})
	}
	for n := range 6 {
		bounds := image.Rect(0, 0, 370, 285)
		if n > 0 {
			bounds = image.Rect(20*n, 10*n, 20*n+150, 10*n+120)
		}
		frame := image.NewPaletted(bounds, palette)
		for i := range frame.Pix {
			frame.Pix[i] = uint8((i/3 + n*17) % 201)
		}
		animation.Image = append(animation.Image, frame)
		animation.Delay = append(animation.Delay, 10)
		animation.Disposal = append(animation.Disposal, []byte{gif.DisposalNone, gif.DisposalBackground, gif.DisposalPrevious}[n%3])
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &animation); err != nil {
		panic(err)
	}
	m.write("image/gif-animated.gif", b.Bytes())
	m.run("ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=80x80:rate=10", "-frames:v", "8", "-c:v", "libwebp_anim", "image/webp-animated.webp")
	m.convert("image/png-alpha.png", "-resize", "400x301!", "-define", "webp:lossless=false", "image/webp-alpha.webp")
	m.convert("scene.png", "-resize", "386x395!", "-define", "webp:lossless=true", "image/webp-lossless.webp")
	m.convert("scene.png", "-resize", "128x128!", "-strip", "turned.webp")
	if plain := m.read("turned.webp"); m.err == nil {
		m.write("image/webp-exif-orientation-6.webp", extended(plain, 128, 128))
	}
	m.remove("turned.webp")
	m.convert("small.png", "-define", "tiff:tile-geometry=64x64", "-compress", "LZW", "image/tiff-tiled.tiff")
	m.convert("small.png", "-depth", "16", "-compress", "Zip", "image/tiff-16bit.tiff")
	fax := page()
	for _, block := range []struct {
		x, y  int
		lines []string
	}{
		{60, 60, []string{"TELEFAX MESSAGE"}}, {60, 300, []string{"From the harbour office", "to the customs house"}}, {700, 300, []string{"Tuesday morning,", "the third of May"}},
		{60, 600, []string{"The ship that was to come on Monday has", "not been seen. We expect it before the", "evening and ask you to wait for it."}},
		{60, 1000, []string{"Its papers are in order and were", "sent to you by letter last week."}}, {700, 1300, []string{"Yours faithfully,", "the harbour master"}},
	} {
		for j, line := range block.lines {
			write(fax, block.x, block.y+60*j, line)
		}
	}
	m.write("fax.png", pngOf(fax))
	m.convert("fax.png", "fax.png", "-threshold", "50%", "-compress", "Group4", "image/tiff-multipage-fax.tif")
	m.remove("fax.png")
	m.convert("small.png", "-resize", "96x73!", "-colors", "128", "-type", "Palette", "-compress", "None", "BMP3:image/bmp-8bpp.bmp")
	m.write("image/avif.avif", avif(4096, 800))
}

// avif returns an AVIF file without its coded picture.
func avif(width, height uint32) []byte {
	full := func(kind string, content ...[]byte) []byte {
		return box(kind, append([]byte{0, 0, 0, 0}, bytes.Join(content, nil)...))
	}
	properties := box("ipco", bytes.Join([][]byte{
		full("ispe", u32(width, height)),
		full("pixi", []byte{3, 8, 8, 8}),
		box("av1C", []byte{0x81, 0, 0x0c, 0}),
	}, nil))
	associated := full("ipma", u32(1), []byte{0, 1, 3, 1, 2, 0x83})
	meta := full("meta",
		full("hdlr", u32(0), []byte("pict"), make([]byte, 13)),
		full("pitm", []byte{0, 1}),
		full("iinf", []byte{0, 1}, box("infe", append([]byte{2, 0, 0, 0, 0, 1, 0, 0}, "av01\x00"...))),
		full("iloc", []byte{0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1}, u32(0, 16)),
		box("iprp", append(properties, associated...)))
	return append(append(box("ftyp", []byte("avif\x00\x00\x00\x00avifmif1miaf")), meta...), box("mdat", make([]byte, 64))...)
}

func (m *maker) damagedImages() {
	m.write("image/bomb.gif", []byte("GIF89a\x20\x00\x20\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x05\x00\x8f")) // a frame larger than the canvas
	var deflated bytes.Buffer
	deflated.WriteString("Comment\x00\x00")
	deflated.Write(zeros(50 << 20))
	m.write("image/bomb-text-chunk.png", withChunk(pngOf(scene(1, 1)), "zTXt", deflated.Bytes()))
	if photo := m.read("image/exif-orientation-1.jpg"); m.err == nil {
		m.write("image/truncated.jpg", photo[:len(photo)/3])
		header := bytes.Clone(photo)
		at := bytes.Index(header, []byte{0xff, 0xc0})
		copy(header[at+2:], []byte{0, 3, 8})
		m.write("image/corrupt-header.jpg", header[:at+5])
	}
	whole := pngOf(scene(294, 240))
	m.write("image/truncated.png", whole[:len(whole)/2])
}
