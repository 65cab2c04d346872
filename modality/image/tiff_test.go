package image_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	stdimage "image"
	stdjpeg "image/jpeg"
	"io"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/image"
)

// A tiffCase says how a TIFF is stored.
type tiffCase struct {
	order       binary.ByteOrder
	bits        int
	samples     int
	photometric uint32
	compression uint32
	predictor   uint32
	planar      bool
	tile        int // size of a tile; 0 for strips of 3 rows
	fillOrder   uint32
	format      uint32 // of samples
	orientation uint32
}

const (
	tiffWidth  = 37
	tiffHeight = 23
)

func (c tiffCase) name() string {
	return fmt.Sprintf("%v %d x %d bits, photometric %d, compression %d, predictor %d, planar %v, tile %d, fill order %d, format %d, orientation %d",
		c.order, c.samples, c.bits, c.photometric, c.compression, c.predictor, c.planar, c.tile, c.fillOrder, c.format, c.orientation)
}

// sample returns the value of a sample.
func (c tiffCase) sample(x, y, i int) uint64 {
	v := uint64(x*7919+y*104729+i*1299709) * 2654435761 >> 7
	if x/5%2 == 0 {
		v = uint64(y + i) // something that packs
	}
	return v & (1<<c.bits - 1)
}

// pack returns values as rows of samples are stored, padded to a byte.
func (c tiffCase) pack(values []uint64) []byte {
	out := make([]byte, (len(values)*c.bits+7)/8)
	for i, v := range values {
		switch c.bits {
		case 16:
			c.order.PutUint16(out[2*i:], uint16(v))
		case 32:
			c.order.PutUint32(out[4*i:], uint32(v))
		default:
			at := i * c.bits
			out[at/8] |= byte(v) << (8 - c.bits - at%8)
		}
	}
	return out
}

// region returns the packed samples of pixels, those outside zero.
func (c tiffCase) region(r stdimage.Rectangle, first, end int) []byte {
	var out []byte
	for y := r.Min.Y; y < r.Max.Y; y++ {
		var row []uint64
		for x := r.Min.X; x < r.Max.X; x++ {
			for i := first; i < end; i++ {
				v := uint64(0)
				if x < tiffWidth && y < tiffHeight {
					v = c.sample(x, y, i)
				}
				row = append(row, v)
			}
		}
		out = append(out, c.pack(row)...)
	}
	return out
}

// block returns a strip or tile as it is stored.
func (c tiffCase) block(r stdimage.Rectangle, first, end int) []byte {
	rows := c.region(r, first, end)
	switch c.predictor {
	case 2:
		c.predict(rows, len(rows)/r.Dy(), end-first)
	case 3:
		c.predictFloat(rows, len(rows)/r.Dy(), end-first)
	}
	switch c.compression {
	case 5:
		rows = tiffLZW(rows)
	case 8:
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		z.Write(rows)
		z.Close()
		rows = b.Bytes()
	case 32773:
		rows = packBits(rows)
	}
	if c.fillOrder == 2 {
		for i, b := range rows {
			rows[i] = bits.Reverse8(b)
		}
	}
	return rows
}

// predictFloat puts the bytes of samples apart, the highest ones first, and
// makes each relative to the one of the pixel before.
func (c tiffCase) predictFloat(rows []byte, length, samples int) {
	size := c.bits / 8
	for ; len(rows) > 0; rows = rows[length:] {
		apart := make([]byte, length)
		for i, b := range rows[:length] {
			k := i % size
			if c.order == binary.LittleEndian {
				k = size - 1 - k
			}
			apart[k*length/size+i/size] = b
		}
		for i := range length {
			rows[i] = apart[i]
			if i >= samples {
				rows[i] -= apart[i-samples]
			}
		}
	}
}

// predict makes samples relative to those of the pixel before.
func (c tiffCase) predict(rows []byte, length, samples int) {
	for ; len(rows) > 0; rows = rows[length:] {
		for i := length/(c.bits/8) - 1; i >= samples; i-- {
			if c.bits == 8 {
				rows[i] -= rows[i-samples]
			} else {
				c.order.PutUint16(rows[2*i:], c.order.Uint16(rows[2*i:])-c.order.Uint16(rows[2*(i-samples):]))
			}
		}
	}
}

// tiffLZW stores every byte as a code of nine bits, and begins anew before
// codes get longer.
func tiffLZW(data []byte) []byte {
	const clearCode, endCode, most = 256, 257, 200
	var out []byte
	acc, n := uint32(0), 0
	put := func(code uint32) {
		acc, n = acc<<9|code, n+9
		for ; n >= 8; n -= 8 {
			out = append(out, byte(acc>>(n-8)))
		}
	}
	for i, b := range data {
		if i%most == 0 {
			put(clearCode)
		}
		put(uint32(b))
	}
	put(endCode)
	return append(out, byte(acc<<(8-n)))
}

func packBits(data []byte) (out []byte) {
	for len(data) > 0 {
		n := 1
		for n < len(data) && n < 128 && data[n] == data[0] {
			n++
		}
		if n > 1 {
			out = append(out, byte(1-n), data[0])
		} else {
			out = append(out, 0, data[0])
		}
		data = data[n:]
		if len(out)%7 == 0 {
			out = append(out, 0x80) // says nothing
		}
	}
	return out
}

// file returns the TIFF.
func (c tiffCase) file() []byte {
	var blocks [][]byte
	sets := [][2]int{{0, c.samples}}
	if c.planar {
		sets = nil
		for i := range c.samples {
			sets = append(sets, [2]int{i, i + 1})
		}
	}
	for _, set := range sets {
		if c.tile == 0 {
			for y := 0; y < tiffHeight; y += 3 {
				blocks = append(blocks, c.block(stdimage.Rect(0, y, tiffWidth, min(y+3, tiffHeight)), set[0], set[1]))
			}
			continue
		}
		for y := 0; y < tiffHeight; y += c.tile {
			for x := 0; x < tiffWidth; x += c.tile {
				blocks = append(blocks, c.block(stdimage.Rect(x, y, x+c.tile, y+c.tile), set[0], set[1]))
			}
		}
	}
	return c.write(blocks)
}

// write puts blocks into a file, with the directory in front of them.
func (c tiffCase) write(blocks [][]byte) []byte {
	perSample := func(v uint32) []uint32 { return slices.Repeat([]uint32{v}, c.samples) }
	planar := uint32(1)
	if c.planar {
		planar = 2
	}
	tags := map[uint16][]uint32{
		256: {tiffWidth}, 257: {tiffHeight}, 258: perSample(uint32(c.bits)), 259: {c.compression}, 262: {c.photometric},
		277: {uint32(c.samples)}, 284: {planar}, 317: {max(1, c.predictor)}, 266: {max(1, c.fillOrder)}, 274: {max(1, c.orientation)}, 339: perSample(max(1, c.format)),
	}
	offsets, counts := uint16(273), uint16(279)
	if c.tile > 0 {
		offsets, counts = 324, 325
		tags[322], tags[323] = []uint32{uint32(c.tile)}, []uint32{uint32(c.tile)}
	} else {
		tags[278] = []uint32{3}
	}
	if usual := map[uint32]int{2: 3, 5: 4}[c.photometric]; usual > 0 && c.samples > usual {
		tags[338] = slices.Repeat([]uint32{0}, c.samples-usual)
	}
	tags[offsets], tags[counts] = make([]uint32, len(blocks)), make([]uint32, len(blocks))
	keys := make([]uint16, 0, len(tags))
	at := uint32(8 + 2 + 12*len(tags) + 4)
	for tag, values := range tags {
		keys = append(keys, tag)
		if len(values) > 1 {
			at += uint32(4 * len(values))
		}
	}
	slices.Sort(keys)
	for i, b := range blocks {
		tags[offsets][i], tags[counts][i] = at, uint32(len(b))
		at += uint32(len(b))
	}
	head := []byte("II*\x00")
	if c.order == binary.BigEndian {
		head = []byte("MM\x00*")
	}
	put16 := func(b []byte, v uint16) []byte { return c.order.(binary.AppendByteOrder).AppendUint16(b, v) }
	put32 := func(b []byte, v uint32) []byte { return c.order.(binary.AppendByteOrder).AppendUint32(b, v) }
	out := put16(put32(head, 8), uint16(len(tags)))
	more := []byte{}
	for _, tag := range keys {
		out = put32(put16(put16(out, tag), 4), uint32(len(tags[tag])))
		if len(tags[tag]) == 1 {
			out = put32(out, tags[tag][0])
			continue
		}
		out = put32(out, uint32(8+2+12*len(tags)+4+len(more)))
		for _, v := range tags[tag] {
			more = put32(more, v)
		}
	}
	return slices.Concat(append([][]byte{put32(out, 0), more}, blocks...)...)
}

// cutSamples reads the samples of what the room writes, and its tags.
func cutSamples(t *testing.T, data []byte) (samples []byte, tags map[uint16][]uint32) {
	t.Helper()
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 'M' {
		order = binary.BigEndian
	}
	tags = make(map[uint16][]uint32)
	at := order.Uint32(data[4:])
	for e := data[at+2:][:12*int(order.Uint16(data[at:]))]; len(e) > 0; e = e[12:] {
		size := map[uint16]uint32{1: 1, 3: 2, 4: 4}[order.Uint16(e[2:])]
		n := order.Uint32(e[4:])
		values := e[8:12]
		if size*n > 4 {
			values = data[order.Uint32(e[8:]):][:size*n]
		}
		for i := range n {
			switch size {
			case 2:
				tags[order.Uint16(e)] = append(tags[order.Uint16(e)], uint32(order.Uint16(values[2*i:])))
			case 4:
				tags[order.Uint16(e)] = append(tags[order.Uint16(e)], order.Uint32(values[4*i:]))
			}
		}
	}
	for i, offset := range tags[273] {
		z, err := zlib.NewReader(bytes.NewReader(data[offset:][:tags[279][i]]))
		if err != nil {
			t.Fatal(err)
		}
		part, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, part...)
	}
	return samples, tags
}

// tiffCases are kinds of TIFF that are read.
func tiffCases() (all []tiffCase) {
	little, big := binary.ByteOrder(binary.LittleEndian), binary.ByteOrder(binary.BigEndian)
	for _, compression := range []uint32{1, 5, 8, 32773} {
		for _, planar := range []bool{false, true} {
			for _, tile := range []int{0, 16} {
				all = append(all,
					tiffCase{order: little, bits: 8, samples: 3, photometric: 2, compression: compression, planar: planar, tile: tile},
					tiffCase{order: big, bits: 16, samples: 3, photometric: 2, compression: compression, planar: planar, tile: tile},
					tiffCase{order: little, bits: 8, samples: 4, photometric: 5, compression: compression, planar: planar, tile: tile})
			}
		}
		for _, n := range []int{1, 2, 4} {
			all = append(all, tiffCase{order: little, bits: n, samples: 1, photometric: 1, compression: compression, tile: 16},
				tiffCase{order: big, bits: n, samples: 1, photometric: 0, compression: compression})
		}
		all = append(all, tiffCase{order: little, bits: 1, samples: 1, photometric: 0, compression: compression, fillOrder: 2})
	}
	for _, planar := range []bool{false, true} {
		for _, compression := range []uint32{5, 8} {
			all = append(all, tiffCase{order: little, bits: 8, samples: 3, photometric: 2, compression: compression, predictor: 2, planar: planar},
				tiffCase{order: big, bits: 16, samples: 4, photometric: 5, compression: compression, predictor: 2, planar: planar, tile: 16})
		}
	}
	for o := uint32(2); o <= 8; o++ {
		all = append(all, tiffCase{order: big, bits: 8, samples: 4, photometric: 5, compression: 8, orientation: o, planar: o%2 == 0})
	}
	return append(all,
		tiffCase{order: little, bits: 8, samples: 3, photometric: 8, compression: 8},
		tiffCase{order: little, bits: 32, samples: 1, photometric: 1, compression: 8, format: 3},
		tiffCase{order: little, bits: 32, samples: 3, photometric: 2, compression: 8, format: 3, predictor: 3},
		tiffCase{order: big, bits: 32, samples: 3, photometric: 2, compression: 5, format: 3, predictor: 3, tile: 16},
		tiffCase{order: big, bits: 16, samples: 1, photometric: 1, compression: 5, format: 3, predictor: 3},
		tiffCase{order: little, bits: 32, samples: 3, photometric: 2, compression: 8, format: 3, predictor: 3, planar: true},
		tiffCase{order: little, bits: 8, samples: 6, photometric: 5, compression: 8, planar: true})
}

// TestTIFF checks that a region has the samples of the source, of all kinds
// that are read, and that vips sees them too, where it is installed.
func TestTIFF(t *testing.T) {
	sharedtest.NotShort(t)
	vips, _ := exec.LookPath("vips")
	for _, c := range tiffCases() {
		t.Run(c.name(), func(t *testing.T) {
			data := c.file()
			src := source(data, c.name())
			loc := box(0.11, 0.2, 0.8, 0.9)
			got, x, err := resolve(t, &image.Resolver{}, src, loc)
			if err != nil {
				t.Fatal(err)
			}
			samples, tags := cutSamples(t, got)
			if x.MediaType != "image/tiff" || tags[262][0] != c.photometric || int(tags[258][0]) != c.bits || int(tags[277][0]) != c.samples {
				t.Errorf("%s with tags %v", x.MediaType, tags)
			}
			if c.orientation <= 1 {
				x1, y1, x2, y2 := loc.Box.Pixels(tiffWidth, tiffHeight)
				if want := c.region(stdimage.Rect(x1, y1, x2, y2), 0, c.samples); !bytes.Equal(samples, want) {
					t.Errorf("%d bytes of samples are not the %d of the source", len(samples), len(want))
				}
			}
			if vips != "" && c.bits >= 8 && !(c.planar && c.tile > 0) && !(c.format == 3 && c.bits == 16) { // which vips does not read
				compareVips(t, vips, data, got, loc, c)
			}
		})
	}
}

// compareVips compares the samples of a region with what vips cuts.
func compareVips(t *testing.T, vips string, data, got []byte, loc citekit.Location, c tiffCase) {
	t.Helper()
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), vips, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("vips does not read it: %v %s", err, out)
		}
	}
	for name, b := range map[string][]byte{"source.tiff": data, "region.tiff": got} {
		sharedtest.Write(t, filepath.Join(dir, name), b)
	}
	width, height := tiffWidth, tiffHeight
	if c.orientation >= 5 {
		width, height = height, width
	}
	x1, y1, x2, y2 := loc.Box.Pixels(width, height)
	upright := "source.tiff"
	if c.orientation > 1 {
		upright = "upright.v"
		run("autorot", "source.tiff", upright)
	}
	run("crop", upright, "want.raw", fmt.Sprint(x1), fmt.Sprint(y1), fmt.Sprint(x2-x1), fmt.Sprint(y2-y1))
	run("copy", "region.tiff", "got.raw")
	want := sharedtest.Read(t, filepath.Join(dir, "want.raw"))
	have, err := os.ReadFile(filepath.Join(dir, "got.raw"))
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("vips sees other samples (%v)", err)
	}
}

// TestTIFFNamed checks that what is not read is named, and not called damaged,
// and is there as a whole.
func TestTIFFNamed(t *testing.T) {
	le := binary.ByteOrder(binary.LittleEndian)
	for want, c := range map[string]tiffCase{
		"JPEG compression of the old style":       {order: le, bits: 8, samples: 3, photometric: 6, compression: 6},
		"modified Huffman compression":            {order: le, bits: 1, samples: 1, compression: 2},
		"compression 34887":                       {order: le, bits: 8, samples: 1, compression: 34887},
		"predictor 3 for samples of 8 bits":       {order: le, bits: 8, samples: 1, photometric: 1, compression: 8, predictor: 3},
		"complex samples":                         {order: le, bits: 32, samples: 1, photometric: 1, compression: 1, format: 6},
		"chrominance for 2x2 pixels together":     {order: le, bits: 8, samples: 3, photometric: 6, compression: 1},
		"separate planes of samples of 4 bits":    {order: le, bits: 4, samples: 3, photometric: 2, compression: 1, planar: true},
		"JPEG compression of 4 samples of 8 bits": {order: le, bits: 8, samples: 4, photometric: 5, compression: 7},
		"fax compression of more than one bit":    {order: le, bits: 8, samples: 1, photometric: 0, compression: 4},
		"strips or tiles that are left out":       {order: le, bits: 8, samples: 1, photometric: 1, compression: 1, tile: 16},
	} {
		c.predictor = max(c.predictor, 1)
		blocks := [][]byte{{0}}
		if c.tile > 0 {
			blocks = nil
		}
		data := c.write(blocks)
		src := source(data, want)
		_, _, err := resolve(t, &image.Resolver{}, src, box(0, 0, 0.5, 0.5))
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(fmt.Sprint(err), "a TIFF with "+want) || strings.Contains(fmt.Sprint(err), "damaged") {
			t.Errorf("%s: error %v", want, err)
		}
		if got, _, err := resolve(t, &image.Resolver{}, src, citekit.Location{Modality: citekit.Image}); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s as a whole: error %v", want, err)
		}
		s, err := (&image.Resolver{}).Map(t.Context(), src, imageRequest)
		if err != nil || s.Metadata["width"] != tiffWidth {
			t.Errorf("%s: map %+v, error %v", want, s, err)
		}
	}
}

// TestProgressiveInTIFF has a JPEG in a TIFF that a decoder takes more memory
// for than TIFF allows.
func TestProgressiveInTIFF(t *testing.T) {
	data := tiffOfBlocks(64, 128, 1, 7, scannedJPEG(t, 64, 64, 1), 2, [2]uint32{278, 64}, 273, 279)
	_, _, err := resolve(t, &image.Resolver{}, source(data, "progressive.tiff"), box(0, 0, 0.5, 0.5))
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "progressive") {
		t.Errorf("error %v", err)
	}
}

// TestLargeFax cuts a region at the end of a large strip, which takes little
// memory.
func TestLargeFax(t *testing.T) {
	sharedtest.NotShort(t)
	side := 12_000
	if sharedtest.Long() { // and the heap is watched
		side = 48_000
	}
	white := bytes.Repeat([]byte{0xff}, side/2/8) // each row as the one above
	data := tiffOfBlocks(side, side, 1, 4, white, 2, [2]uint32{278, uint32(side) / 2}, 273, 279)
	data[8+2+2*12+8] = 1 // bit for a sample
	peak := watchHeap(t)
	got, _, err := resolve(t, &image.Resolver{}, source(data, "fax.tiff"), box(0.9, 0.99, 0.91, 1))
	peak("fax")
	if err != nil {
		t.Fatal(err)
	}
	samples, _ := cutSamples(t, got)
	if want := make([]byte, side/100*(side/100)/8); !bytes.Equal(samples, want) {
		t.Errorf("%d bytes of samples, want %d zeros", len(samples), len(want))
	}
}

// TestTIFFOfOthers compares regions of TIFFs that other programs wrote with
// ImageMagick's.
func TestTIFFOfOthers(t *testing.T) {
	convert := imageMagick(t)
	for name, args := range map[string][]string{
		"Group 4":       {"-threshold", "50%", "-compress", "Group4"},
		"JPEG":          {"-compress", "JPEG", "-quality", "95"},
		"planar":        {"-interlace", "plane", "-compress", "LZW"},
		"CMYK":          {"-colorspace", "CMYK", "-compress", "Zip"},
		"palette":       {"-colors", "13", "-type", "Palette", "-compress", "RLE"},
		"grey and tile": {"-colorspace", "Gray", "-define", "tiff:tile-geometry=32x32"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), convert, append(append([]string{"-size", "150x90", "plasma:navy-orange", "-seed", "7"}, args...), "tiff:-")...)
			data, err := cmd.Output()
			if err != nil {
				t.Skip("ImageMagick does not write it:", err)
			}
			label := name + ".tiff"
			if name == "JPEG" {
				label = name + ".jpg" // some is lost
			}
			src, r := source(data, label), &image.Resolver{}
			loc := box(0.2, 0.3, 0.75, 0.9)
			got, x, err := resolve(t, r, src, loc)
			if err != nil {
				t.Fatal(err)
			}
			compareRegion(t, r, src, data, loc, got, x)
		})
	}
}

// TestTablesInFirstStrip has JPEG strips of which only the first has the Huffman
// tables.
func TestTablesInFirstStrip(t *testing.T) {
	c := tiffCase{order: binary.LittleEndian, bits: 8, samples: 1, photometric: 1, compression: 7}
	var whole, first [][]byte
	for y := 0; y < tiffHeight; y += 3 { // as many rows as a strip has
		m := stdimage.NewGray(stdimage.Rect(0, 0, tiffWidth, min(3, tiffHeight-y)))
		for i := range m.Pix {
			m.Pix[i] = byte(7*i + 11*y)
		}
		whole = append(whole, encoded(t, func(w io.Writer) error { return stdjpeg.Encode(w, m, nil) }))
		strip := bytes.Clone(whole[len(whole)-1])
		for y > 0 {
			at := bytes.Index(strip, []byte{0xff, 0xc4}) // in front of the scan, whose data has no such bytes
			if at < 0 {
				break
			}
			strip = slices.Delete(strip, at, at+2+int(strip[at+2])<<8+int(strip[at+3]))
		}
		first = append(first, strip)
	}
	for _, loc := range []citekit.Location{box(0.1, 0.5, 0.9, 0.9), box(0, 0, 0.5, 0.2)} {
		want, _, err := resolve(t, &image.Resolver{}, source(c.write(whole), "whole.tiff"), loc)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := resolve(t, &image.Resolver{}, source(c.write(first), "first.tiff"), loc)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %d bytes, want %d, error %v", loc.Box, len(got), len(want), err)
		}
	}
	if _, _, err := resolve(t, &image.Resolver{}, source(c.write(first[1:]), "none.tiff"), box(0, 0, 0.5, 0.5)); !errors.Is(err, citekit.ErrFormat) {
		t.Errorf("no tables at all: error %v", err)
	}
}
