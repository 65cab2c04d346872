package sheet

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/inflate"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/document/internal/zipread"
)

const (
	// maxUnpacked is how many bytes of one part may be read.
	maxUnpacked = 1 << 30

	// pointEvery is the number of bytes of a part between two restart points.
	pointEvery = 1 << 20

	// maxDecoded is the largest part that is not in UTF-8; it is held in memory.
	maxDecoded = 32 << 20
)

var errDamagedPart = fmt.Errorf("a part of the workbook cannot be unpacked: %w", citekit.ErrFormat)

// A stream allows reading a part from the middle. It holds no reader: each call
// passes that of its own source.
type stream struct {
	name    string
	points  []inflate.Point
	decoded []byte // the whole part, if it is not in UTF-8
}

// bytes returns the approximate memory of a stream.
func (s *stream) bytes() int64 {
	n := int64(len(s.decoded)) + 256
	for i := range s.points {
		n += s.points[i].Bytes()
	}
	return n
}

// A partReader reads a part once from its beginning. It checks the part and records
// restart points.
type partReader struct {
	ctx    context.Context
	file   *zipread.File
	r      io.Reader
	points *inflate.Reader // nil if the part is stored
	sum    uint32
	n      int64
}

// openStream begins to read a part. The stream is complete after the reader reached
// the end and was passed to finish.
func openStream(ctx context.Context, part *ooxml.Part) (*stream, *partReader, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	file := part.File()
	if file.Size() > maxUnpacked {
		return nil, nil, fmt.Errorf("a part of %d bytes; at most %d, so split the workbook, or save the sheet as CSV: %w", file.Size(), int64(maxUnpacked), citekit.ErrTooLarge)
	}
	packed, err := file.Packed()
	if err != nil {
		return nil, nil, zipread.Known(ctx, err)
	}
	s := &stream{name: part.Name}
	p := &partReader{ctx: ctx, file: file, r: packed}
	if !file.IsStored() {
		if err := checkMethod(ctx, file); err != nil {
			return nil, nil, err
		}
		p.points = inflate.NewReader(packed)
		p.points.Every = pointEvery
		p.r = p.points
	}
	return s, p, nil
}

// checkMethod refuses unsupported compression methods.
func checkMethod(ctx context.Context, file *zipread.File) error {
	r, err := file.Open(ctx)
	if err != nil {
		return zipread.Known(ctx, err)
	}
	return r.Close()
}

func (p *partReader) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	p.n += int64(n)
	p.sum = zipread.Sum(p.sum, b[:n])
	switch {
	case p.n > p.file.Size():
		return 0, fmt.Errorf("a part is larger than declared: %w", citekit.ErrFormat)
	case err == nil:
		return n, nil
	case err != io.EOF:
		return n, unpackError(err)
	case p.n != p.file.Size() || !p.file.HasSum(p.sum):
		return n, errDamagedPart
	}
	return n, io.EOF
}

func unpackError(err error) error {
	if err == inflate.ErrCorrupt || err == io.ErrUnexpectedEOF {
		return errDamagedPart
	}
	return err
}

// finish completes a stream after the whole part was read.
func (s *stream) finish(p *partReader) {
	if p.points != nil {
		s.points = p.points.Points
	}
}

// decode receives the start of a part. If that is not UTF-8, it reads the whole part
// and returns a reader of it in UTF-8.
func (s *stream) decode(head []byte, rest io.Reader) (io.Reader, error) {
	all := io.MultiReader(bytes.NewReader(head), rest)
	if isUTF8(head) {
		return all, nil
	}
	data, err := io.ReadAll(io.LimitReader(all, maxDecoded+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxDecoded {
		return nil, fmt.Errorf("a part of more than %d bytes that is not in UTF-8; save the workbook anew: %w", maxDecoded, citekit.ErrTooLarge)
	}
	text, err := xmlspan.Decode(string(data))
	if err != nil {
		return nil, xmlspan.Known(err)
	}
	s.decoded = []byte(text)
	return bytes.NewReader(s.decoded), nil
}

// isUTF8 reports whether a document with this start is in UTF-8 or ASCII.
func isUTF8(head []byte) bool {
	if len(head) >= 2 && (head[0] == 0 || head[1] == 0 || head[0] == 0xff || head[0] == 0xfe) {
		return false
	}
	end := bytes.Index(head, []byte("?>"))
	if !bytes.HasPrefix(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("<?xml")) || end < 0 {
		return true
	}
	_, encoding, found := bytes.Cut(head[:end], []byte("encoding"))
	encoding = bytes.ToLower(bytes.Trim(encoding, " \t\r\n='\""))
	return !found || bytes.HasPrefix(encoding, []byte("utf-8")) || bytes.HasPrefix(encoding, []byte("utf8"))
}

// from reads the part from an offset on.
func (s *stream) from(ctx context.Context, p *ooxml.Package, offset int64) (io.Reader, error) {
	if s.decoded != nil {
		return bytes.NewReader(s.decoded[min(offset, int64(len(s.decoded))):]), nil
	}
	part := p.Part(s.name)
	if part == nil {
		return nil, errDamagedPart
	}
	packed, err := part.File().Packed()
	if err != nil {
		return nil, zipread.Known(ctx, err)
	}
	if part.File().IsStored() {
		return &plainReader{ctx, io.NewSectionReader(packed, offset, packed.Size()-offset)}, nil
	}
	r := s.nearest(packed, offset)
	if err := r.Skip(offset - r.Offset()); err != nil {
		return nil, unpackError(err)
	}
	return &plainReader{ctx, r}, nil
}

// nearest begins to read at the last restart point before an offset.
func (s *stream) nearest(packed io.ReaderAt, offset int64) *inflate.Reader {
	for i := len(s.points) - 1; i >= 0; i-- {
		if s.points[i].Offset <= offset {
			return inflate.NewReaderAt(packed, &s.points[i])
		}
	}
	return inflate.NewReader(packed)
}

type plainReader struct {
	ctx context.Context
	r   io.Reader
}

func (p *plainReader) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	if err != nil && err != io.EOF {
		err = unpackError(err)
	}
	return n, err
}
