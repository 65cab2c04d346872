package image_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	stdimage "image"
	"image/color"
	"image/gif"
	stdjpeg "image/jpeg"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/image"
)

// hostileImages returns images that cost much more than they hold, if nothing
// bounds that. They are larger at night: what is asserted by day, reads and errors, is
// the same for smaller ones.
func hostileImages(t *testing.T) map[string][]byte {
	part := 4
	if sharedtest.Long() {
		part = 1
	}
	files := make(map[string][]byte)
	small := samples(t)

	plain := small["a.png"]
	chunks := func(kind string, data []byte, n int) []byte {
		return slices.Concat(plain[:33], bytes.Repeat(pngChunk(kind, data), n), plain[33:])
	}
	files["PNG of 900,000 texts"] = chunks("tEXt", []byte("a\x00b"), 900_000)
	files["PNG of many profiles"] = chunks("zTXt", append([]byte("Raw profile type exif\x00\x00"), deflated(1<<20)...), 5_000)
	files["PNG of many XMP packets"] = chunks("iTXt", append([]byte("XML:com.adobe.xmp\x00\x01\x00\x00\x00"), deflated(4<<20)...), 1_000/part)
	files["PNG of many colour profiles"] = chunks("iCCP", append([]byte("icc\x00\x00"), deflated(4<<20)...), 5_000)
	files["PNG of zeros"] = pngOfRows(30_000/part, 8_000, 8, 2)
	files["PNG of 16 bits"] = pngOfRows(10_000/part, 10_000, 16, 6)

	files["JPEG of a million segments"] = slices.Concat(small["a.jpg"][:2], bytes.Repeat(jpegSegment(0xe3, []byte("x")), 1_000_000), small["a.jpg"][2:])
	files["JPEG of many XMP packets"] = slices.Concat(small["a.jpg"][:2],
		bytes.Repeat(jpegSegment(0xe1, append([]byte("http://ns.adobe.com/xap/1.0/\x00"), strings.Repeat("<a b='c'/>", 6000)...)), 800/part), small["a.jpg"][2:])
	files["JPEG of a million restarts"] = restartedJPEG(t, 8000, 8000)
	files["JPEG of many scans"] = scannedJPEG(t, 7000, 7000, 5000)

	files["BMP from above"] = bmpFromAbove(1_000_000)

	files["TIFF of one strip many times"] = sharedStrips(9700, 9700, 8)
	files["TIFF of rows of one strip"] = sharedStrips(1000, 1_000_000/part, 1)
	files["TIFF of tiles of a pixel"] = onePixelTiles(1000)
	files["TIFF of tiles of a pixel by LZW"] = tinyLZWTiles(1000)
	files["TIFF of a directory in itself"] = append(tiffOf(64, 64, 0, 0), bytes.Repeat([]byte{8, 0, 0, 0}, 100_000)...)

	frame := paletted(1, 1)
	many := &gif.GIF{}
	for range 9_999 {
		many.Image, many.Delay = append(many.Image, frame), append(many.Delay, 0)
	}
	files["GIF of 9,999 frames"] = encoded(t, func(w io.Writer) error { return gif.EncodeAll(w, many) })
	files["GIF of large frames"] = largeFrames(t, 4000/part, 4000, 9)
	files["WebP of large codes"] = webpOfCodes(2_600)
	files["WebP of too many codes"] = webpOfCodes(40_000)
	return files
}

// pngOfRows returns a PNG of rows that differ little.
func pngOfRows(width, height int, depth, colour byte) []byte {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	row := make([]byte, 1+width*int(depth)/8*map[byte]int{0: 1, 2: 3, 6: 4}[colour])
	row[0] = 1
	for range height {
		z.Write(row)
	}
	z.Close()
	return pngOf(width, height, depth, colour, b.Bytes())
}

// pngOf returns a PNG of pixels that are deflated.
func pngOf(width, height int, depth, colour byte, pixels []byte) []byte {
	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = append(binary.BigEndian.AppendUint32(header, uint32(height)), depth, colour, 0, 0, 0)
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", header), pngChunk("IDAT", pixels), pngChunk("IEND", nil))
}

// bmpFromAbove returns a BMP of one pixel a row, whose first row is the top one.
func bmpFromAbove(height int) []byte {
	b := append([]byte("BM"), make([]byte, 52)...)
	put := binary.LittleEndian.PutUint32
	put(b[10:], 54)
	put(b[14:], 40)
	put(b[18:], 1)
	put(b[22:], uint32(-int32(height)))
	b[26], b[28] = 1, 24
	return append(b, make([]byte, 4*height)...)
}

// restartedJPEG returns a JPEG of one colour with a restart marker after each
// of its blocks.
func restartedJPEG(t *testing.T, width, height int) []byte {
	t.Helper()
	data := encoded(t, func(w io.Writer) error { return stdjpeg.Encode(w, stdimage.NewGray(stdimage.Rect(0, 0, 8, 8)), nil) })
	sof, sos := bytes.Index(data, []byte{0xff, 0xc0}), bytes.Index(data, []byte{0xff, 0xda})
	binary.BigEndian.PutUint16(data[sof+5:], uint16(height))
	binary.BigEndian.PutUint16(data[sof+7:], uint16(width))
	scan := sos + 2 + int(binary.BigEndian.Uint16(data[sos+2:]))
	block := data[scan : len(data)-2]
	out := slices.Concat(data[:sos], jpegSegment(0xdd, []byte{0, 1}), data[sos:scan])
	for i := range (width + 7) / 8 * ((height + 7) / 8) {
		if i > 0 {
			out = append(out, 0xff, 0xd0+byte((i-1)%8))
		}
		out = append(out, block...)
	}
	return append(out, 0xff, 0xd9)
}

// scannedJPEG returns a progressive JPEG of many scans without content.
func scannedJPEG(t *testing.T, width, height, scans int) []byte {
	t.Helper()
	data := restartedJPEG(t, 8, 8)
	sof, sos := bytes.Index(data, []byte{0xff, 0xc0}), bytes.Index(data, []byte{0xff, 0xda})
	data[sof+1] = 0xc2
	binary.BigEndian.PutUint16(data[sof+5:], uint16(height))
	binary.BigEndian.PutUint16(data[sof+7:], uint16(width))
	out := slices.Clone(data[:sos])
	for range scans {
		out = append(out, jpegSegment(0xda, []byte{1, 1, 0, 1, 63, 0})...)
		out = append(out, 0)
	}
	return append(out, 0xff, 0xd9)
}

// sharedStrips returns a TIFF of RGBA whose strips are one strip of zeros.
func sharedStrips(width, height, rows int) []byte {
	strip := deflated(4 * width * rows)
	n := (height + rows - 1) / rows
	return tiffOfBlocks(width, height, 4, 8, strip, n, [2]uint32{278, uint32(rows)}, 273, 279)
}

func onePixelTiles(side int) []byte {
	return tiffOfBlocks(side, side, 1, 8, deflated(1), side*side, [2]uint32{322, 1}, 324, 325)
}

func tinyLZWTiles(side int) []byte {
	return tiffOfBlocks(side, side, 1, 5, tiffLZW([]byte{7}), side*side, [2]uint32{322, 1}, 324, 325)
}

// tiffOfBlocks returns a TIFF of 8 bits whose n blocks are all the same.
func tiffOfBlocks(width, height, samples, compression int, block []byte, n int, division [2]uint32, offsets, counts uint32) []byte {
	le := binary.LittleEndian
	tags := [][3]uint32{{256, 1, uint32(width)}, {257, 1, uint32(height)}, {258, 1, 8}, {259, 1, uint32(compression)}, {262, 1, 1},
		{277, 1, uint32(samples)}, {division[0], 1, division[1]}}
	if samples > 1 {
		tags[4][2] = 2
	}
	if offsets == 324 {
		tags = append(tags, [3]uint32{323, 1, division[1]})
	}
	at := uint32(8 + 2 + 12*(len(tags)+2) + 4)
	tags = append(tags, [3]uint32{offsets, uint32(n), at}, [3]uint32{counts, uint32(n), at + 4*uint32(n)})
	out := le.AppendUint16([]byte("II*\x00\x08\x00\x00\x00"), uint16(len(tags)))
	for _, tag := range tags {
		out = le.AppendUint32(le.AppendUint32(le.AppendUint16(le.AppendUint16(out, uint16(tag[0])), 4), tag[1]), tag[2])
	}
	out = le.AppendUint32(out, 0)
	for range n {
		out = le.AppendUint32(out, at+8*uint32(n))
	}
	for range n {
		out = le.AppendUint32(out, uint32(len(block)))
	}
	return append(out, block...)
}

func largeFrames(t *testing.T, width, height, n int) []byte {
	t.Helper()
	m := stdimage.NewPaletted(stdimage.Rect(0, 0, width, height), color.Palette{color.Black, color.White})
	g := &gif.GIF{}
	for range n {
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, 0)
	}
	return encoded(t, func(w io.Writer) error { return gif.EncodeAll(w, g) })
}

// A bitString is written from the low end (RFC 9649, section 3.2).
type bitString struct {
	out []byte
	n   int
}

func (b *bitString) put(v uint32, n int) {
	for i := range n {
		if b.n%8 == 0 {
			b.out = append(b.out, 0)
		}
		b.out[b.n/8] |= byte(v>>i&1) << (b.n % 8)
		b.n++
	}
}

// webpOfCodes returns a lossless WebP with many groups of codes (RFC 9649,
// section 3.7). Each takes far more memory than bytes.
func webpOfCodes(groups int) []byte {
	var b bitString
	b.put(0x2f, 8)
	b.put(63, 14)
	b.put(63, 14)
	b.put(0, 1+3) // no alpha, version
	b.put(0, 1+1) // no transform, no cache
	b.put(1, 1)   // an image of groups
	b.put(0, 3)   // for blocks of 4x4 pixels
	b.put(0, 1)   // without cache
	simple := func(symbol uint32) {
		b.put(1, 1)
		b.put(0, 1)
		b.put(1, 1)
		b.put(symbol, 8)
	}
	// Every block has the last group.
	for _, symbol := range []uint32{uint32(groups-1) & 0xff, uint32(groups-1) >> 8, 0, 0, 0} {
		simple(symbol)
	}
	for range groups {
		for tree := range 4 { // 256 codes of 8 bits, as one that is repeated
			b.put(0, 1)
			b.put(5, 4)
			for _, length := range []uint32{0, 1, 0, 0, 0, 0, 0, 0, 1} { // of 17, 18, 0 to 5, 16
				b.put(length, 3)
			}
			b.put(0, 1)
			for range 42 {
				b.put(0, 1)
				b.put(3, 2)
			}
			b.put(0, 1)
			b.put(1, 2)
			if tree == 0 { // green has 24 more
				b.put(1, 1)
				b.put(13, 7)
			}
		}
		simple(0)
	}
	b.put(0, 64)
	data := b.out
	if len(data)%2 != 0 {
		data = append(data, 0)
	}
	head := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(4+8+len(data)))
	head = binary.LittleEndian.AppendUint32(append(head, "WEBPVP8L"...), uint32(len(data)))
	return append(head, data...)
}

// A countingReader counts reads.
type countingReader struct {
	io.ReaderAt
	reads atomic.Int64
}

func (r *countingReader) ReadAt(p []byte, off int64) (int, error) {
	r.reads.Add(1)
	return r.ReaderAt.ReadAt(p, off)
}

// TestCost maps hostile images and takes regions of them: memory and reads stay
// within bounds.
func TestCost(t *testing.T) {
	sharedtest.NotShort(t)
	for name, data := range hostileImages(t) {
		t.Run(name, func(t *testing.T) {
			r := &image.Resolver{Tesseract: "/nowhere/tesseract"}
			reader := &countingReader{ReaderAt: bytes.NewReader(data)}
			src := citekit.NewSource(reader, citekit.SourceInfo{Name: name, Size: int64(len(data)), Identity: name})
			peak := watchHeap(t)
			defer peak(name)
			jobs := map[string]func() error{
				"whole": func() error { return take(t.Context(), r, src, citekit.Location{Modality: citekit.Image}) },
				"map": func() error {
					_, err := r.Map(t.Context(), src, imageRequest)
					return err
				},
				"middle": func() error { return take(t.Context(), r, src, box(0.4, 0.4, 0.6, 0.6)) },
			}
			if sharedtest.Long() {
				jobs["most"] = func() error { return take(t.Context(), r, src, box(0.1, 0.1, 0.9, 0.9)) }
			}
			for kind, job := range jobs {
				reader.reads.Store(0)
				err := job()
				reads := reader.reads.Load()
				t.Logf("%s: %d reads of %d bytes, error %v", kind, reads, len(data), err)
				if most := 2000 + int64(len(data))/1000; kind != "whole" && reads > most {
					t.Errorf("%s: %d reads of %d bytes, want at most %d", kind, reads, len(data), most)
				}
				if err != nil && (kind == "whole" || strings.Contains(err.Error(), "panic")) {
					t.Errorf("%s: %v", kind, err)
				}
			}
		})
	}
}

func take(ctx context.Context, r citekit.Resolver, src *citekit.Source, loc citekit.Location) error {
	x, err := r.Resolve(ctx, src, citekit.Request{Location: loc})
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, x.Body)
	x.Body.Close()
	return err
}

// watchHeap looks how large the heap gets. What it returns checks that.
func watchHeap(t *testing.T) func(name string) {
	t.Helper()
	runtime.GC()
	var start, now runtime.MemStats
	runtime.ReadMemStats(&start)
	stop, stopped := make(chan struct{}), make(chan struct{})
	most := uint64(0)
	go func() {
		defer close(stopped)
		for {
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func(name string) {
		close(stop)
		<-stopped
		grown := int64(most) - int64(start.HeapAlloc)
		t.Logf("the heap grew by %d MB", grown>>20)
		if grown > 480<<20 && sharedtest.Long() { // the collector may be late
			t.Errorf("%s: the heap grew by %d MB", name, grown>>20)
		}
	}
}
