package jpeg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
)

// Errors of this package match one of these.
var (
	// ErrFormat reports data that is not a JPEG or is damaged.
	ErrFormat = errors.New("damaged JPEG")

	// ErrTruncated reports a JPEG that ends too early.
	ErrTruncated = fmt.Errorf("the JPEG is truncated: %w", ErrFormat)

	// ErrUnsupported reports a JPEG of a kind that this package cannot read.
	ErrUnsupported = errors.New("unsupported kind of JPEG")
)

// The markers of T.81, table B.1, by their second byte.
const (
	markerSOF0  = 0xc0 // baseline
	markerSOF1  = 0xc1 // extended sequential
	markerSOF2  = 0xc2 // progressive
	markerDHT   = 0xc4
	markerJPG   = 0xc8
	markerDAC   = 0xcc
	markerSOF15 = 0xcf
	markerRST0  = 0xd0
	markerRST7  = 0xd7
	markerSOI   = 0xd8
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerDQT   = 0xdb
	markerDRI   = 0xdd
	markerAPP0  = 0xe0
	markerAPP1  = 0xe1
	markerAPP2  = 0xe2
	markerAPP14 = 0xee
)

// Limits on the headers of one file.
const (
	maxSegments   = 1 << 20
	maxExifBlocks = 8
	maxProfile    = 4 << 20
	maxStray      = 1 << 20 // bytes between two segments
)

// A Header is the metadata before the pixels of a JPEG.
type Header struct {
	Width, Height int
	Components    int
	Progressive   bool

	Exif    [][]byte // Exif blocks without their marker, in file order
	Profile []byte   // ICC profile, or nil

	sof        byte // marker of the frame
	comps      []component
	quant      [4][]byte // DQT entries as stored: precision and id, then values
	huff       [2][4]*huffSpec
	interval   int // MCUs between restart markers; 0 means none
	jfif       bool
	adobe      []byte // APP14 segment, or nil
	chunks     profileChunks
	scan       []scanComponent
	dataOffset int64 // of the first entropy-coded byte
}

// A component is a component of the frame (T.81, section B.2.2).
type component struct {
	id, sampling byte
	h, v         int // sampling factors in effect in the scan
	quant        byte
}

// A scanComponent says which tables a component of the scan uses (T.81,
// section B.2.3).
type scanComponent struct {
	index  int // in Header.comps
	dc, ac byte
}

// mcu returns the size in pixels of a minimum coded unit.
func (h *Header) mcu() image.Point {
	return image.Pt(8*h.comps[0].h, 8*h.comps[0].v)
}

// headerReader walks over the segments before the pixels.
type headerReader struct {
	r    io.ReaderAt
	size int64
	pos  int64
	h    *Header
}

// Size returns the dimensions of a JPEG of size bytes. It reads nothing after the frame
// header. Errors are as for [Open].
func Size(r io.ReaderAt, size int64) (width, height int, err error) {
	h, err := readHeader(r, size, true)
	if err != nil {
		return 0, 0, err
	}
	return h.Width, h.Height, nil
}

// IsProgressive reports whether a JPEG of size bytes is progressive; a decoder must
// then hold all its coefficients. It reads nothing after the frame header.
func IsProgressive(r io.ReaderAt, size int64) (bool, error) {
	h, err := readHeader(r, size, true)
	return err == nil && h.Progressive, err
}

// readHeader reads everything up to the first scan, or only up to the size.
func readHeader(r io.ReaderAt, size int64, sizeOnly bool) (*Header, error) {
	hr := &headerReader{r: &window{r: r}, size: size, pos: 2, h: &Header{}}
	var soi [2]byte
	if err := hr.readAt(soi[:], 0); err != nil {
		return nil, err
	}
	if soi != [2]byte{0xff, markerSOI} {
		return nil, fmt.Errorf("no start of image marker: %w", ErrFormat)
	}
	for range maxSegments {
		marker, err := hr.nextMarker()
		if err != nil {
			return nil, err
		}
		if marker >= markerRST0 && marker <= markerRST7 {
			continue
		}
		if marker == markerEOI {
			return nil, fmt.Errorf("it ends before any pixels: %w", ErrFormat)
		}
		done, err := hr.segment(marker)
		if err != nil {
			return nil, err
		}
		if sizeOnly && hr.h.sof != 0 {
			return hr.h, nil
		}
		if done {
			hr.h.Profile = hr.h.chunks.join()
			hr.h.dataOffset = hr.pos
			return hr.h, nil
		}
	}
	return nil, fmt.Errorf("more than %d segments before the pixels: %w", maxSegments, ErrFormat)
}

func (hr *headerReader) readAt(p []byte, off int64) error {
	n, err := hr.r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == io.EOF || err == nil {
		return ErrTruncated
	}
	return err
}

// A window reads ahead for small reads that move forward.
type window struct {
	r  io.ReaderAt
	b  []byte
	at int64 // offset of b
}

// ReadAt implements [io.ReaderAt].
func (w *window) ReadAt(p []byte, off int64) (int, error) {
	const ahead = 16 << 10
	if len(p) > ahead/4 {
		return w.r.ReadAt(p, off)
	}
	if off < w.at || off+int64(len(p)) > w.at+int64(len(w.b)) {
		if w.b == nil {
			w.b = make([]byte, ahead)
		}
		n, err := w.r.ReadAt(w.b[:ahead], off)
		w.b, w.at = w.b[:n], off
		if n < len(p) {
			return copy(p, w.b), err
		}
	}
	return copy(p, w.b[off-w.at:]), nil
}

// nextMarker returns the next marker. It ignores stray bytes and fill bytes before it
// (T.81, section B.1.1.2).
func (hr *headerReader) nextMarker() (byte, error) {
	var buf [64]byte
	previous := byte(0)
	for range maxStray / len(buf) {
		n := min(int64(len(buf)), hr.size-hr.pos)
		if n <= 0 {
			return 0, ErrTruncated
		}
		if err := hr.readAt(buf[:n], hr.pos); err != nil {
			return 0, err
		}
		for _, b := range buf[:n] {
			hr.pos++
			if previous == 0xff && b != 0xff && b != 0 {
				return b, nil
			}
			previous = b
		}
	}
	return 0, fmt.Errorf("%d bytes without a marker: %w", maxStray, ErrFormat)
}

// segment reads one marker segment. It reports whether the pixels follow.
func (hr *headerReader) segment(marker byte) (done bool, err error) {
	var length [2]byte
	if err := hr.readAt(length[:], hr.pos); err != nil {
		return false, err
	}
	n := int64(binary.BigEndian.Uint16(length[:])) - 2
	if n < 0 {
		return false, fmt.Errorf("a segment of negative length: %w", ErrFormat)
	}
	start := hr.pos + 2
	hr.pos = start + n
	if hr.pos > hr.size {
		return false, ErrTruncated
	}
	if !hr.wanted(marker) {
		return false, unreadable(marker)
	}
	p := make([]byte, n)
	if err := hr.readAt(p, start); err != nil {
		return false, err
	}
	switch h := hr.h; marker {
	case markerSOF0, markerSOF1, markerSOF2:
		return false, h.readFrame(marker, p)
	case markerDHT:
		return false, h.readHuffman(p)
	case markerDQT:
		return false, h.readQuant(p)
	case markerDRI:
		return false, h.readInterval(p)
	case markerSOS:
		return true, h.readScan(p)
	default:
		h.readApp(marker, p)
		return false, nil
	}
}

func (hr *headerReader) wanted(marker byte) bool {
	switch marker {
	case markerSOF0, markerSOF1, markerSOF2, markerDHT, markerDQT, markerDRI, markerSOS,
		markerAPP0, markerAPP14:
		return true
	case markerAPP1:
		return len(hr.h.Exif) < maxExifBlocks
	case markerAPP2:
		return true
	}
	return false
}

// unreadable returns an error if pixels are coded in a way that this package cannot
// read. Other segments can be skipped.
func unreadable(marker byte) error {
	switch {
	case marker == markerDAC:
		return fmt.Errorf("arithmetic coding: %w", ErrUnsupported)
	case marker > markerSOF2 && marker <= markerSOF15 && marker != markerDHT && marker != markerJPG:
		return fmt.Errorf("lossless, hierarchical or arithmetic coding (SOF%d): %w", marker-markerSOF0, ErrUnsupported)
	}
	return nil
}

// readFrame reads a frame header (T.81, section B.2.2).
func (h *Header) readFrame(marker byte, p []byte) error {
	if h.sof != 0 {
		return fmt.Errorf("two frames: %w", ErrFormat)
	}
	if len(p) < 6 || len(p) != 6+3*int(p[5]) {
		return fmt.Errorf("a frame header of %d bytes: %w", len(p), ErrFormat)
	}
	if p[0] != 8 {
		return fmt.Errorf("%d bits per sample, only 8 are read: %w", p[0], ErrUnsupported)
	}
	h.sof = marker
	h.Progressive = marker == markerSOF2
	h.Height = int(binary.BigEndian.Uint16(p[1:]))
	h.Width = int(binary.BigEndian.Uint16(p[3:]))
	h.Components = int(p[5])
	if h.Width == 0 || h.Height == 0 {
		return fmt.Errorf("a size of %dx%d pixels: %w", h.Width, h.Height, ErrFormat)
	}
	if h.Components != 1 && h.Components != 3 && h.Components != 4 {
		return fmt.Errorf("%d colour components: %w", h.Components, ErrUnsupported)
	}
	for c := p[6:]; len(c) > 0; c = c[3:] {
		hv := component{id: c[0], sampling: c[1], h: int(c[1] >> 4), v: int(c[1] & 15), quant: c[2]}
		if hv.h < 1 || hv.h > 4 || hv.v < 1 || hv.v > 4 || hv.quant > 3 {
			return fmt.Errorf("sampling factors %dx%d: %w", hv.h, hv.v, ErrFormat)
		}
		if h.Components == 1 {
			hv.h, hv.v = 1, 1 // a single component is not interleaved (section A.2.2)
		}
		h.comps = append(h.comps, hv)
	}
	return nil
}

// readQuant keeps quantization tables as stored (T.81, section B.2.4.1).
func (h *Header) readQuant(p []byte) error {
	for len(p) > 0 {
		n := 1 + 64*(1+int(p[0]>>4))
		if p[0]>>4 > 1 || p[0]&15 > 3 || len(p) < n {
			return fmt.Errorf("a quantization table of %d bytes: %w", len(p), ErrFormat)
		}
		h.quant[p[0]&15] = p[:n:n]
		p = p[n:]
	}
	return nil
}

func (h *Header) readHuffman(p []byte) error {
	for len(p) > 0 {
		spec, n, err := readHuffSpec(p)
		if err != nil {
			return err
		}
		h.huff[p[0]>>4][p[0]&15] = spec
		p = p[n:]
	}
	return nil
}

func (h *Header) readInterval(p []byte) error {
	if len(p) != 2 {
		return fmt.Errorf("a restart interval of %d bytes: %w", len(p), ErrFormat)
	}
	h.interval = int(binary.BigEndian.Uint16(p))
	return nil
}

// readScan reads a scan header (T.81, section B.2.3).
func (h *Header) readScan(p []byte) error {
	if h.sof == 0 {
		return fmt.Errorf("pixels before the frame header: %w", ErrFormat)
	}
	if len(p) < 1 || p[0] < 1 || p[0] > 4 || len(p) != 4+2*int(p[0]) {
		return fmt.Errorf("a scan header of %d bytes: %w", len(p), ErrFormat)
	}
	for i := range int(p[0]) {
		id, tables := p[1+2*i], p[2+2*i]
		sc := scanComponent{index: -1, dc: tables >> 4, ac: tables & 15}
		for k, c := range h.comps {
			if c.id == id {
				sc.index = k
			}
		}
		if sc.index < 0 || sc.dc > 3 || sc.ac > 3 {
			return fmt.Errorf("a scan of an unknown component: %w", ErrFormat)
		}
		h.scan = append(h.scan, sc)
	}
	return nil
}

func (h *Header) readApp(marker byte, p []byte) {
	switch {
	case marker == markerAPP0 && len(p) >= 5:
		h.jfif = bytes.HasPrefix(p, []byte("JFIF\x00"))
	case marker == markerAPP1 && bytes.HasPrefix(p, []byte("Exif\x00\x00")):
		h.Exif = append(h.Exif, p[6:])
	case marker == markerAPP2 && bytes.HasPrefix(p, []byte(profileMark)):
		h.chunks.add(p[len(profileMark):])
	case marker == markerAPP14 && len(p) >= 12 && bytes.HasPrefix(p, []byte("Adobe")):
		h.adobe = p[:12]
	}
}
