package archive

import (
	"bufio"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit/modality/document/internal/inflate"
)

// errPacked reports a compressed file that is damaged or truncated. [flow] adds the
// format.
var errPacked = errors.New("damaged")

// pointEvery is the number of bytes of content between two restart points of a gzip
// file.
const pointEvery = 16 << 20

// A point is a place where reading a gzip file can restart.
type point struct {
	offset int64 // offset in the content
	at     int64 // offset of the header of the gzip member, or of its data if deep is set
	deep   *inflate.Point
}

// bytes returns the approximate memory of a point.
func (p *point) bytes() int64 {
	if p.deep == nil {
		return 32
	}
	return 32 + p.deep.Bytes()
}

// A gzipReader reads the content of a gzip file (RFC 1952): its members concatenated.
// It checks each.
type gzipReader struct {
	src  io.ReaderAt
	size int64

	name   string // file name in the first member, or ""
	points []point

	at     int64 // offset in src of the next header, or of the next data if a member is open
	base   int64 // bytes of content before the open member
	open   bool
	whole  bool // whether the open member is read from its beginning
	data   *inflate.Reader
	sum    uint32 // checksum of the data read from the open member
	length uint32 // length of that data, modulo 2^32

	members int
}

// newGzip returns a reader of a gzip file, from a point unless that is nil. It
// records points only if it reads from the beginning.
func newGzip(src io.ReaderAt, size int64, from *point) *gzipReader {
	g := &gzipReader{src: &window{r: src, size: size}, size: size}
	switch {
	case from == nil:
		g.data = inflate.NewReader(nil)
		g.data.Every = pointEvery
	case from.deep == nil:
		g.data, g.at, g.base, g.members = inflate.NewReader(nil), from.at, from.offset, 1
	default:
		g.at, g.base, g.open, g.members = from.at, from.offset-from.deep.Offset, true, 1
		g.data = inflate.NewReaderAt(g.stream(), from.deep)
	}
	return g
}

// stream returns the data of the open member and everything after it.
func (g *gzipReader) stream() io.ReaderAt { return io.NewSectionReader(g.src, g.at, g.size-g.at) }

// Read implements [io.Reader]. Errors match [errPacked] or [inflate.ErrCorrupt],
// or are those of the reader of the file.
func (g *gzipReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		if !g.open {
			if err := g.begin(); err != nil {
				return 0, err
			}
		}
		n, err := g.data.Read(p)
		g.sum = crc32.Update(g.sum, crc32.IEEETable, p[:n])
		g.length += uint32(n)
		if err == io.EOF {
			err = g.finish()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// begin reads the header of the next member. It returns [io.EOF] if there is none.
func (g *gzipReader) begin() error {
	if g.members > 0 {
		if end, err := g.isEnd(); err != nil {
			return err
		} else if end {
			return io.EOF
		}
	}
	start := g.at
	name, length, err := readHeader(io.NewSectionReader(g.src, g.at, g.size-g.at))
	if err != nil {
		return err
	}
	if g.members == 0 {
		g.name = name
	}
	if g.data.Every > 0 && g.base-g.lastPoint() >= g.data.Every {
		g.points = append(g.points, point{offset: g.base, at: start})
	}
	g.members++
	g.at += length
	g.open, g.whole, g.sum, g.length = true, true, 0, 0
	g.data.Reset(g.stream())
	return nil
}

func (g *gzipReader) lastPoint() int64 {
	if len(g.points) == 0 {
		return 0
	}
	return g.points[len(g.points)-1].offset
}

// isEnd reports whether the last member ends the file. Zero padding after it is
// allowed.
func (g *gzipReader) isEnd() (bool, error) {
	if g.at >= g.size {
		return true, nil
	}
	var next [512]byte
	n, err := g.src.ReadAt(next[:min(int64(len(next)), g.size-g.at)], g.at)
	if err != nil && err != io.EOF {
		return false, err
	}
	return len(bytes.Trim(next[:n], "\x00")) == 0, nil
}

// finish checks the data of the member against its trailer.
func (g *gzipReader) finish() error {
	const sumLen, trailerLen = 4, 8
	for i := range g.data.Points {
		p := &g.data.Points[i]
		g.points = append(g.points, point{offset: g.base + p.Offset, at: g.at, deep: p})
	}
	end := g.at + g.data.End()
	var trailer [trailerLen]byte
	n, err := g.src.ReadAt(trailer[:], end)
	switch {
	case n < trailerLen && (err == nil || err == io.EOF):
		return errPacked
	case n < trailerLen:
		return err
	case g.whole && (g.sum != little(trailer[:sumLen]) || g.length != little(trailer[sumLen:])):
		return errPacked
	}
	g.base += g.data.Offset()
	g.at, g.open = end+trailerLen, false
	return nil
}

// A window keeps the last part of a file that was read, as headers, data and trailers of
// small members lie in the same few bytes.
type window struct {
	r    io.ReaderAt
	size int64
	at   int64
	data []byte
}

const windowBytes = 64 << 10

// ReadAt implements [io.ReaderAt].
func (w *window) ReadAt(p []byte, off int64) (int, error) {
	if len(p) > windowBytes/4 {
		return w.r.ReadAt(p, off)
	}
	end := min(off+int64(len(p)), w.size)
	if off < w.at || end > w.at+int64(len(w.data)) {
		if w.data == nil {
			w.data = make([]byte, 0, windowBytes)
		}
		w.at, w.data = off, w.data[:max(min(windowBytes, w.size-off), 0)]
		n, err := w.r.ReadAt(w.data, off)
		w.data = w.data[:n]
		if err != nil && err != io.EOF && int64(n) < end-off {
			w.data = w.data[:0]
			return 0, err
		}
	}
	n := 0
	if start := off - w.at; start < int64(len(w.data)) {
		n = copy(p, w.data[start:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func little(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// readHeader reads the header of a member (RFC 1952, section 2.3). It returns the
// original file name, or "", and the length of the header.
func readHeader(r io.Reader) (name string, length int64, err error) {
	const (
		fixed     = 10
		maxLength = 128 << 10 // room for two texts, each as long as the longest extra field

		hasSum, hasExtra, hasName, hasComment, reserved = 1 << 1, 1 << 2, 1 << 3, 1 << 4, 0xe0
	)
	h := header{r: bufio.NewReaderSize(io.LimitReader(r, maxLength), 512)}
	start := h.take(fixed)
	if h.err == nil && (start[0] != 0x1f || start[1] != 0x8b || start[2] != 8 || start[3]&reserved != 0) {
		return "", 0, errPacked
	}
	var flags byte
	if h.err == nil {
		flags = start[3]
	}
	if flags&hasExtra != 0 {
		if n := h.take(2); h.err == nil {
			h.take(int(n[0]) | int(n[1])<<8)
		}
	}
	if flags&hasName != 0 {
		name = h.text()
	}
	if flags&hasComment != 0 {
		h.text()
	}
	if flags&hasSum != 0 {
		h.take(2)
	}
	if h.err == io.EOF || h.err == io.ErrUnexpectedEOF {
		h.err = errPacked
	}
	return name, h.n, h.err
}

// A header reads a gzip header up to the first error.
type header struct {
	r   *bufio.Reader
	n   int64
	err error
}

func (h *header) take(n int) []byte {
	b := make([]byte, n)
	if h.err == nil {
		_, h.err = io.ReadFull(h.r, b)
		h.n += int64(n)
	}
	return b
}

// text returns a zero-terminated text: in UTF-8 if it is valid, as programs write it,
// else in ISO 8859-1, as the standard says.
func (h *header) text() string {
	if h.err != nil {
		return ""
	}
	var b []byte
	b, h.err = h.r.ReadBytes(0)
	h.n += int64(len(b))
	b = bytes.TrimSuffix(b, []byte{0})
	if utf8.Valid(b) {
		return string(b)
	}
	var text strings.Builder
	for _, c := range b {
		text.WriteRune(rune(c))
	}
	return text.String()
}
