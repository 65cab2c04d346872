package image

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/image/internal/exif"
)

func tiffFormat() *format {
	return &format{
		name:      "TIFF",
		mediaType: "image/tiff",
		ext:       ".tiff",
		id:        "tiff",
		open:      openTIFF,
		crop:      cropTIFF,
		read:      readTIFF,
		readMemory: func(_ *Resolver, p *picture, region image.Rectangle) int64 {
			return p.tiff.memory(region)
		},
		size:  sizeTIFF,
		cards: tiffCards,
	}
}

// The tags of TIFF 6.0 that are read.
const (
	tagWidth           = 256
	tagHeight          = 257
	tagBitsPerSample   = 258
	tagCompression     = 259
	tagPhotometric     = 262
	tagFillOrder       = 266
	tagStripOffsets    = 273
	tagOrientation     = 274
	tagSamplesPerPixel = 277
	tagRowsPerStrip    = 278
	tagStripByteCounts = 279
	tagXResolution     = 282
	tagYResolution     = 283
	tagPlanar          = 284
	tagResolutionUnit  = 296
	tagPredictor       = 317
	tagColorMap        = 320
	tagTileWidth       = 322
	tagTileHeight      = 323
	tagTileOffsets     = 324
	tagTileByteCounts  = 325
	tagInkSet          = 332
	tagExtraSamples    = 338
	tagSampleFormat    = 339
	tagSMinSampleValue = 340
	tagSMaxSampleValue = 341
	tagJPEGTables      = 347
	tagYCbCrCoeffs     = 529
	tagSubSampling     = 530
	tagReferenceWhite  = 532
	tagICCProfile      = 34675
)

// maxEntries is the maximum number of entries of a directory, and maxBlocks
// that of the strips or tiles of an image.
const (
	maxEntries = 4096
	maxBlocks  = 1 << 20
)

// A directory is the first directory of a TIFF, which describes the first page
// (TIFF 6.0, section 2).
type directory struct {
	in      *input
	order   binary.ByteOrder
	entries map[uint16][12]byte
}

func readDirectory(in *input) (*directory, error) {
	var head [8]byte
	if err := in.full(head[:], 0); err != nil {
		return nil, err
	}
	d := &directory{in: in, order: binary.LittleEndian, entries: make(map[uint16][12]byte)}
	if head[0] == 'M' {
		d.order = binary.BigEndian
	}
	at := int64(d.order.Uint32(head[4:]))
	var count [2]byte
	if err := in.full(count[:], at); err != nil {
		return nil, err
	}
	n := int(d.order.Uint16(count[:]))
	if n > maxEntries {
		return nil, fmt.Errorf("a directory of %d entries: %w", n, citekit.ErrTooLarge)
	}
	raw := make([]byte, 12*n)
	if err := in.full(raw, at+2); err != nil {
		return nil, err
	}
	for ; len(raw) > 0; raw = raw[12:] {
		d.entries[d.order.Uint16(raw)] = [12]byte(raw)
	}
	return d, nil
}

// number returns value i of a tag, or def if it is missing.
func (d *directory) number(tag uint16, i, def int64) (int64, error) {
	e, ok := d.entries[tag]
	if !ok || i >= int64(d.order.Uint32(e[4:])) {
		return def, nil
	}
	size := int64(4)
	switch d.order.Uint16(e[2:]) {
	case 1:
		size = 1
	case 3:
		size = 2
	case 4:
	default:
		return 0, fmt.Errorf("tag %d is not a number: %w", tag, citekit.ErrFormat)
	}
	value := e[8:]
	if size*int64(d.order.Uint32(e[4:])) > 4 {
		value = make([]byte, size)
		if err := d.in.full(value, int64(d.order.Uint32(e[8:]))+i*size); err != nil {
			return 0, err
		}
	} else {
		value = value[i*size:]
	}
	switch size {
	case 1:
		return int64(value[0]), nil
	case 2:
		return int64(d.order.Uint16(value)), nil
	}
	return int64(d.order.Uint32(value)), nil
}

// numbers reads the first values of several tags; a tag without one has def.
func (d *directory) numbers(def int64, tags ...uint16) ([]int64, error) {
	values := make([]int64, len(tags))
	for i, tag := range tags {
		v, err := d.number(tag, 0, def)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

// sizeTIFF reads the size of the first page.
func sizeTIFF(in *input) (width, height int, err error) {
	d, err := readDirectory(in)
	if err != nil {
		return 0, 0, err
	}
	v, err := d.numbers(0, tagWidth, tagHeight)
	if err != nil {
		return 0, 0, err
	}
	return int(v[0]), int(v[1]), nil
}

// openTIFF reads the directory of the first page.
func openTIFF(ctx context.Context, _ *Resolver, src *citekit.Source) (*picture, error) {
	in := newInput(ctx, src)
	d, err := readDirectory(in)
	if err != nil {
		return nil, in.blame(tiffFormat(), err)
	}
	v, err := d.numbers(0, tagWidth, tagHeight, tagOrientation)
	if err != nil {
		return nil, in.blame(tiffFormat(), err)
	}
	p := &picture{width: int(v[0]), height: int(v[1]), orientation: exif.Orientation(v[2]), tiff: &tiffPage{}}
	if p.width <= 0 || p.height <= 0 {
		return p, nil
	}
	if err := p.tiff.read(d); err != nil {
		return nil, in.blame(tiffFormat(), err)
	}
	return p, nil
}

// A tiffPage describes how the samples of a page are stored.
type tiffPage struct {
	width, height int
	bits          int // of a sample
	samples       int // of a pixel
	photometric   int64
	compression   int64
	predictor     int64
	fillOrder     int64
	float         bool
	planar        bool // a set of blocks for each sample

	tiled        bool
	blockWidth   int
	blockHeight  int
	across, down int // blocks of a set

	order binary.ByteOrder
	tags  []tiffTag // tags that a region keeps
	why   error     // why no region can be read, or nil
}

// The named values of tags.
const (
	compressionNone       = 1
	compressionRLE        = 2
	compressionG3         = 3
	compressionG4         = 4
	compressionLZW        = 5
	compressionOldJPEG    = 6
	compressionJPEG       = 7
	compressionDeflate    = 8
	compressionPackBits   = 32773
	compressionDeflateOld = 32946

	photometricWhiteIsZero = 0
	photometricBlackIsZero = 1
	photometricRGB         = 2
	photometricPalette     = 3
	photometricCMYK        = 5
	photometricYCbCr       = 6
	photometricLab         = 8

	predictorDifference = 2
	predictorFloat      = 3

	sampleFloat   = 3
	sampleComplex = 5

	maxBits    = 64
	maxSamples = 64
)

// read reads the description of the samples in the directory. It sets why if
// the samples cannot be read: the size of the page is still valid.
func (t *tiffPage) read(d *directory) error {
	v, err := d.numbers(0, tagWidth, tagHeight, tagBitsPerSample, tagSamplesPerPixel, tagTileWidth, tagTileHeight, tagRowsPerStrip,
		tagSampleFormat, tagPlanar)
	if err != nil {
		return err
	}
	t.order = d.order
	t.width, t.height, t.bits, t.samples = int(v[0]), int(v[1]), int(max(1, v[2])), int(max(1, v[3]))
	t.float, t.planar = v[7] == sampleFloat, v[8] == 2 && v[3] > 1
	if t.bits > maxBits || t.samples > maxSamples || t.width > 1<<28 || t.height > 1<<28 {
		return fmt.Errorf("%dx%d pixels of %d samples of %d bits: %w", t.width, t.height, t.samples, t.bits, citekit.ErrTooLarge)
	}
	w, err := d.numbers(1, tagCompression, tagPredictor, tagFillOrder, tagPhotometric)
	if err != nil {
		return err
	}
	t.compression, t.predictor, t.fillOrder, t.photometric = w[0], w[1], w[2], w[3]
	if err := t.setBlocks(v[4], v[5], v[6]); err != nil {
		return err
	}
	if t.why = t.check(d, v[7]); t.why != nil {
		return nil
	}
	t.tags = d.keptTags()
	return nil
}

// setBlocks computes how the page is divided into strips or tiles.
func (t *tiffPage) setBlocks(tileWidth, tileHeight, rowsPerStrip int64) error {
	bw, bh := int64(t.width), int64(t.height)
	if t.tiled = tileWidth != 0; t.tiled {
		bw, bh = tileWidth, tileHeight
	} else if rowsPerStrip > 0 {
		bh = min(bh, rowsPerStrip)
	}
	if bw < 1 || bh < 1 || bw > 1<<34/bh {
		return fmt.Errorf("blocks of %dx%d pixels: %w", bw, bh, citekit.ErrFormat)
	}
	across, down := (int64(t.width)+bw-1)/bw, (int64(t.height)+bh-1)/bh
	if across > maxBlocks/down {
		return fmt.Errorf("%dx%d blocks, and at most %d are read: %w", across, down, maxBlocks, citekit.ErrTooLarge)
	}
	t.blockWidth, t.blockHeight, t.across, t.down = int(bw), int(bh), int(across), int(down)
	return nil
}

// check returns why no region of the page can be read, or nil.
func (t *tiffPage) check(d *directory, format int64) error {
	for i := range int64(t.samples) {
		if bits, err := d.number(tagBitsPerSample, i, int64(t.bits)); err != nil || int(bits) != t.bits {
			return unreadTIFF("samples of different sizes")
		}
	}
	switch t.compression {
	case compressionNone, compressionLZW, compressionDeflate, compressionDeflateOld, compressionPackBits:
	case compressionG3, compressionG4:
		if t.bits*t.samples != 1 {
			return unreadTIFF("fax compression of more than one bit")
		}
	case compressionJPEG:
		return t.checkJPEG()
	case compressionRLE:
		return unreadTIFF("modified Huffman compression")
	case compressionOldJPEG:
		return unreadTIFF("JPEG compression of the old style")
	default:
		return unreadTIFF(fmt.Sprintf("compression %d", t.compression))
	}
	switch {
	case format >= sampleComplex:
		return unreadTIFF("complex samples")
	case t.predictor > predictorFloat, t.predictor == predictorFloat && (!t.float || t.bits%8 != 0),
		t.predictor == predictorDifference && !slices.Contains([]int{8, 16, 32, 64}, t.bits):
		return unreadTIFF(fmt.Sprintf("predictor %d for samples of %d bits", t.predictor, t.bits))
	case t.planar && t.bits%8 != 0:
		return unreadTIFF(fmt.Sprintf("separate planes of samples of %d bits", t.bits))
	case t.photometric == photometricYCbCr:
		return t.checkSubsampling(d)
	}
	return nil
}

// checkJPEG checks that a JPEG in a TIFF is of a kind that can be read.
func (t *tiffPage) checkJPEG() error {
	colour := t.samples == 3 && (t.photometric == photometricYCbCr || t.photometric == photometricRGB)
	if t.bits != 8 || t.planar || !colour && t.samples != 1 {
		return unreadTIFF(fmt.Sprintf("JPEG compression of %d samples of %d bits", t.samples, t.bits))
	}
	return nil
}

// checkSubsampling checks that every pixel has its own chrominance.
func (t *tiffPage) checkSubsampling(d *directory) error {
	h, err := d.number(tagSubSampling, 0, 2)
	if err != nil {
		return err
	}
	v, err := d.number(tagSubSampling, 1, 2)
	if err != nil {
		return err
	}
	if h != 1 || v != 1 {
		return unreadTIFF(fmt.Sprintf("chrominance for %dx%d pixels together", h, v))
	}
	return nil
}

func unreadTIFF(what string) error {
	return fmt.Errorf("a TIFF with %s cannot be cropped; cite the whole image, or convert it to PNG or JPEG first: %w", what, errors.ErrUnsupported)
}

// pixelBits returns the size of a pixel.
func (t *tiffPage) pixelBits() int { return t.bits * t.samples }

// planes returns the number of sets of blocks, and the bits of a pixel in each.
func (t *tiffPage) planes() (sets, bits int) {
	if t.planar {
		return t.samples, t.bits
	}
	return 1, t.pixelBits()
}

// A tiffTag is an entry of a directory with its value.
type tiffTag struct {
	tag, kind uint16
	count     uint32
	value     []byte
}

// keptTags returns the entries that define the meaning of samples.
func (d *directory) keptTags() []tiffTag {
	var kept []tiffTag
	for _, tag := range []uint16{
		tagXResolution, tagYResolution, tagResolutionUnit, tagColorMap, tagInkSet, tagExtraSamples, tagSampleFormat,
		tagSMinSampleValue, tagSMaxSampleValue, tagYCbCrCoeffs, tagReferenceWhite, tagICCProfile,
	} {
		if t, ok := d.tag(tag); ok {
			kept = append(kept, t)
		}
	}
	return kept
}

// The sizes of the types of values (TIFF 6.0, section 2).
var tiffSizes = [...]int64{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8}

// tag returns an entry with its value, if it is not too large.
func (d *directory) tag(tag uint16) (tiffTag, bool) {
	e, ok := d.entries[tag]
	if !ok {
		return tiffTag{}, false
	}
	t := tiffTag{tag: tag, kind: d.order.Uint16(e[2:]), count: d.order.Uint32(e[4:])}
	if t.kind == 0 || int(t.kind) >= len(tiffSizes) {
		return t, false
	}
	size := tiffSizes[t.kind] * int64(t.count)
	if size <= 4 {
		t.value = append(t.value, e[8:8+size]...)
		return t, size > 0
	}
	t.value = d.in.read(int64(d.order.Uint32(e[8:])), size)
	return t, t.value != nil
}
