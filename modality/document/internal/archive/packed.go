package archive

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

// A compression is a compression format. A compressed file contains a tar archive, whose
// members become those of the compressed file, or a single file.
type compression struct {
	name  string
	magic string
	file  kind  // kind if the content is a single file
	tar   kind  // kind if the content is a tar archive
	most  int64 // most bytes of content, so that unpacking takes seconds; 0 if MaxMember suffices

	// read returns a reader of the content, from a point unless that is nil.
	read func(src io.ReaderAt, size int64, from *point) (io.Reader, error)
}

var packings = []*compression{
	{"gzip", "\x1f\x8b", kind{"gzip", "application/gzip", ".gz"}, kind{"tar+gzip", "application/gzip", ".tgz"}, 0,
		func(src io.ReaderAt, size int64, from *point) (io.Reader, error) {
			return newGzip(src, size, from), nil
		}},
	{"bzip2", "BZh", kind{"bzip2", "application/x-bzip2", ".bz2"}, kind{"tar+bzip2", "application/x-bzip2", ".tbz2"}, 512 << 20,
		func(src io.ReaderAt, size int64, _ *point) (io.Reader, error) {
			return bzip2.NewReader(bufio.NewReader(io.NewSectionReader(src, 0, size))), nil
		}},
	{"Zstandard", "\x28\xb5\x2f\xfd", kind{"zstd", "application/zstd", ".zst"}, kind{"tar+zstd", "application/zstd", ".tzst"}, 0,
		func(src io.ReaderAt, size int64, _ *point) (io.Reader, error) {
			// With a concurrency of one the decoder starts no goroutines, so it needs
			// no Close.
			return zstd.NewReader(io.NewSectionReader(src, 0, size),
				zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		}},
}

// maxWindow is the largest window of a Zstandard frame in bytes: the limit of the
// zstd program without "--long".
const maxWindow = 128 << 20

// packingOf returns the format of a compressed file with these first bytes, or nil.
func packingOf(head []byte) *compression {
	for _, p := range packings {
		if bytes.HasPrefix(head, []byte(p.magic)) {
			return p
		}
	}
	return nil
}

// An index is the cached result of reading a compressed file to its end.
type index struct {
	size    int64      // size of the content in bytes
	name    string     // original file name, if the format has it
	isTar   bool       // whether the content is a tar archive
	entries []tarEntry // entries of the tar archive
	points  []point    // in rising order
}

// bytes returns the approximate memory of an index.
func (x *index) bytes() int64 {
	n := int64(256)
	for i := range x.points {
		n += x.points[i].bytes()
	}
	for i := range x.entries {
		n += 64 + int64(len(x.entries[i].name))
	}
	return n
}

// maxIndexes is the memory for cached indexes, in bytes.
const maxIndexes = 32 << 20

// listPacked lists the tar archive in a compressed file, or the file itself.
func (r *Resolver) listPacked(ctx context.Context, src *citekit.Source, p *compression) (*listing, error) {
	limit := min(r.maxMember(), leftOf(ctx))
	if p.most > 0 {
		limit = min(limit, p.most)
	}
	r.setUp()
	var unpacked atomic.Int64
	load := func(ctx context.Context) (*index, int64, error) {
		x, err := p.index(ctx, src, limit, &unpacked)
		if err != nil {
			return nil, 0, err
		}
		return x, x.bytes(), nil
	}
	var x *index
	var err error
	if version := src.Version(); version == "" {
		x, _, err = load(ctx)
	} else {
		x, err = r.indexes.Get(ctx, version, load)
	}
	spend(ctx, unpacked.Load())
	if err == nil {
		err = p.checkSize(x.size, limit, src.Size()) // a cached index may have been made with another limit
	}
	if err != nil {
		return nil, err
	}
	return p.listing(ctx, src, x, limit), nil
}

func (p *compression) listing(ctx context.Context, src *citekit.Source, x *index, limit int64) *listing {
	c := &cursor{points: x.points, open: func(from *point) (*contentReader, error) { return p.flow(ctx, src, limit, from) }}
	if !x.isTar {
		e := &entry{name: p.nameOf(x.name, src.Name()), size: x.size}
		l := &listing{kind: p.file, byName: make(map[string]*entry)}
		c.fill(e, 0)
		l.add(e)
		return l
	}
	l := &listing{kind: p.tar, byName: make(map[string]*entry), cut: cutTar, cutExt: kindTar.ext}
	for _, t := range x.entries {
		e := t.entry()
		c.fill(e, t.at)
		l.add(e)
	}
	return l
}

// nameOf returns the original file name: the one stored in the compressed file, else
// the name of the compressed file without its extension.
func (p *compression) nameOf(stored, name string) string {
	if stored != "" && !strings.Contains(stored, "/") && nameRefusal(stored) == nil {
		return stored
	}
	name = path.Base(name)
	if ext := path.Ext(name); strings.EqualFold(ext, p.file.ext) {
		name = strings.TrimSuffix(name, ext)
	}
	if name == "." || name == "/" || nameRefusal(name) != nil {
		return "content"
	}
	return name
}

// index reads a compressed file to its end, and charges the unpacked bytes.
func (p *compression) index(ctx context.Context, src *citekit.Source, limit int64, unpacked *atomic.Int64) (*index, error) {
	f, err := p.flow(ctx, src, limit, nil)
	if err != nil {
		return nil, err
	}
	defer func() { unpacked.Add(f.n) }()
	// Bytes that the tar reader has not consumed were already read from f.
	in := bufio.NewReaderSize(f, 64<<10)
	head, err := in.Peek(tarBlock)
	if err != nil && err != io.EOF {
		return nil, err
	}
	x := &index{isTar: len(head) == tarBlock && beginsTar(head)}
	if x.isTar {
		here := func() (int64, error) { return f.n - int64(in.Buffered()), nil }
		err := readTar(ctx, in, here, func(t tarEntry) error {
			t.name = strings.Clone(t.name)
			x.entries = append(x.entries, t)
			return nil
		})
		if f.err != nil && f.err != io.EOF {
			return nil, f.err
		}
		if err != nil {
			return nil, err
		}
		decodeNames(x.entries)
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return nil, err
	}
	x.size = f.n
	if g, ok := f.r.(*gzipReader); ok {
		x.name, x.points = g.name, g.points
	}
	return x, nil
}

// Limits of the compression ratio: how many times larger than the file its content
// may be, if the content exceeds a number of bytes.
const (
	maxRatio  = 500
	ratioFrom = 64 << 20
)

func (p *compression) checkSize(n, limit, packed int64) error {
	switch {
	case n > limit:
		return fmt.Errorf("a %s file of more than %d bytes of content; unpack it, and map what is in it: %w", p.name, limit, citekit.ErrTooLarge)
	case n > ratioFrom && n/maxRatio > packed:
		return fmt.Errorf("a %s file whose content is more than %d times as large; if you trust it, unpack it, and map what is in it: %w", p.name, maxRatio, citekit.ErrTooLarge)
	}
	return nil
}

// A contentReader reads the content of a compressed file within its limits.
type contentReader struct {
	p      *compression
	ctx    context.Context
	src    *errorReader
	r      io.Reader
	n      int64 // offset in the content
	limit  int64
	packed int64
	err    error
}

// flow returns a reader of the content of a compressed file, from a point unless that
// is nil. Its errors are those that a resolver may return.
func (p *compression) flow(ctx context.Context, src *citekit.Source, limit int64, from *point) (*contentReader, error) {
	f := &contentReader{p: p, ctx: ctx, src: &errorReader{r: ctxio.ReaderAt(ctx, src)}, limit: limit, packed: src.Size()}
	if from != nil {
		f.n = from.offset
	}
	var err error
	if f.r, err = p.read(f.src, src.Size(), from); err != nil {
		return nil, f.known(err)
	}
	return f, nil
}

// Read implements [io.Reader].
func (f *contentReader) Read(b []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	if f.err = f.ctx.Err(); f.err != nil {
		return 0, f.err
	}
	n, err := f.r.Read(b)
	f.n += int64(n)
	if err != nil {
		f.err = f.known(err)
	} else {
		f.err = f.p.checkSize(f.n, f.limit, f.packed)
	}
	return n, f.err
}

// known maps an error of a decoder to one that a resolver may return.
func (f *contentReader) known(err error) error {
	switch {
	case err == io.EOF:
		return err
	case f.src.err != nil:
		return f.src.err
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fmt.Errorf("a %s file that takes more than %d bytes of memory to read; compress it with a smaller window: %w", f.p.name, maxWindow, citekit.ErrTooLarge)
	case errors.Is(err, zstd.ErrUnknownDictionary):
		return fmt.Errorf("a %s file that is read with a dictionary: %w", f.p.name, errors.ErrUnsupported)
	}
	return fmt.Errorf("the %s file is damaged or cut off; fetch it anew: %w", f.p.name, citekit.ErrFormat)
}

// An errorReader reader keeps its first error other than io.EOF.
type errorReader struct {
	r   io.ReaderAt
	err error
}

func (m *errorReader) ReadAt(b []byte, off int64) (int, error) {
	n, err := m.r.ReadAt(b, off)
	if err != nil && err != io.EOF && m.err == nil {
		m.err = err
	}
	return n, err
}
