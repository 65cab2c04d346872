package zipread

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"strings"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// A File is an entry of an [Archive].
type File struct {
	archive *Archive
	header  *zip.FileHeader
	start   int64 // offset of its data
	lost    bool  // it is not where the directory says
	twice   bool  // another entry has the same name
	text    string
}

const (
	flagEncrypted = 1<<0 | 1<<6 | 1<<13
	flagUTF8      = 1 << 11
	methodAES     = 99
)

func clamp(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// Name returns the name as stored, which may not be UTF-8.
func (f *File) Name() string { return f.header.Name }

// Text returns the name in UTF-8: that of the Info-ZIP Unicode path extra field, if it
// fits the name; a name that is UTF-8, or says so; else the name in the charset that all
// names of the archive together clearly have, or in IBM code page 437, the default of
// ZIP archives.
func (f *File) Text() string { return f.text }

// Size returns the declared length of the content in bytes.
func (f *File) Size() int64 { return clamp(f.header.UncompressedSize64) }

// PackedSize returns the declared number of bytes that the content takes in the
// archive.
func (f *File) PackedSize() int64 { return clamp(f.header.CompressedSize64) }

// IsDir reports whether the entry is a folder.
func (f *File) IsDir() bool { return strings.HasSuffix(f.header.Name, "/") }

// IsEncrypted reports whether a password is needed to read the content.
func (f *File) IsEncrypted() bool {
	return f.header.Flags&flagEncrypted != 0 || f.header.Method == methodAES
}

// IsTwice reports whether another entry of the archive has the same name, so that the
// name is ambiguous.
func (f *File) IsTwice() bool { return f.twice }

// Stored returns the content inside the archive, or nil if it is compressed, encrypted
// or damaged. It does not check the checksum.
func (f *File) Stored() *io.SectionReader {
	if !f.IsStored() || f.Size() != f.PackedSize() || f.IsEncrypted() || f.lost {
		return nil
	}
	return io.NewSectionReader(f.archive.r, f.start, f.Size())
}

// IsStored reports whether the content is stored without compression.
func (f *File) IsStored() bool { return f.header.Method == zip.Store }

// IsUnsafe reports whether the name could lead outside the folder that it is unpacked
// to, on any system: it is empty or absolute, or has a "..", a backslash, a drive
// letter or a zero byte.
func (f *File) IsUnsafe() bool {
	name := f.text // in some charsets, a byte of a character is that of a backslash
	if name == "" || name[0] == '/' || strings.ContainsAny(name, "\\\x00") {
		return true
	}
	if len(name) > 1 && name[1] == ':' {
		return true
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// Bytes returns the content. The error matches [ErrLimit] if it has more than limit
// bytes; otherwise it is as for [File.Open].
func (f *File) Bytes(ctx context.Context, limit int64) ([]byte, error) {
	if f.Size() > limit {
		return nil, fmt.Errorf("a member of %d bytes; at most %d: %w", f.header.UncompressedSize64, limit, ErrLimit)
	}
	r, err := f.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var content bytes.Buffer
	content.Grow(int(min(f.Size(), f.likelySize())) + bytes.MinRead)
	if _, err := content.ReadFrom(r); err != nil {
		return nil, err
	}
	return content.Bytes(), nil
}

// XML returns the content in UTF-8, ready for an [xmlspan.Scanner]. If it has more than
// limit bytes, the error matches [citekit.ErrTooLarge], and calls the file by kind, such
// as "a part". Other errors are those of [Known] and [xmlspan.Known].
func (f *File) XML(ctx context.Context, kind string, limit int64) (string, error) {
	if f.Size() > limit {
		return "", fmt.Errorf("%s of %d bytes; at most %d: %w", kind, f.Size(), limit, citekit.ErrTooLarge)
	}
	r, err := f.Open(ctx)
	if err != nil {
		return "", Known(ctx, err)
	}
	defer r.Close()
	var b strings.Builder
	b.Grow(int(f.Size()))
	if _, err := io.Copy(&b, r); err != nil {
		return "", Known(ctx, err)
	}
	text, err := xmlspan.Decode(b.String())
	return text, xmlspan.Known(err)
}

// likelySize bounds the memory allocated before any content arrives, because the
// declared size is only a claim.
func (f *File) likelySize() int64 { return 64<<10 + min(f.PackedSize(), 1<<24)*8 }

// Open returns a reader of the content. It fails with ctx.Err() once ctx is done.
// Errors of Open and of reading match [ErrEncrypted] or [ErrMethod], or [ErrDamaged] if
// the content has another size or checksum than declared; others are those of the
// archive's reader.
func (f *File) Open(ctx context.Context) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	packed, err := f.raw()
	if err != nil {
		return nil, err
	}
	c := &content{ctx: ctx, file: f, sum: crc32.NewIEEE(), source: packed}
	switch f.header.Method {
	case zip.Store:
		c.r = c.source
	case zip.Deflate:
		c.inflater = inflaters.Get().(io.Reader)
		if err := c.inflater.(flate.Resetter).Reset(c.source, nil); err != nil {
			return nil, err
		}
		c.r = c.inflater
	default:
		return nil, fmt.Errorf("a member is compressed by method %d: %w", f.header.Method, ErrMethod)
	}
	return c, nil
}

// raw returns the packed content.
func (f *File) raw() (*packed, error) {
	switch {
	case f.IsEncrypted():
		return nil, ErrEncrypted
	case f.lost:
		return nil, fmt.Errorf("a member is not where the directory says: %w", ErrDamaged)
	}
	if src, ok := f.archive.r.(*citekit.Source); ok {
		src.Ahead([2]int64{f.start, f.start + f.PackedSize()})
	}
	return &packed{r: io.NewSectionReader(f.archive.r, f.start, f.PackedSize())}, nil
}

// A packed reader remembers the error of the archive's own reader.
type packed struct {
	r   io.Reader
	err error
}

func (p *packed) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err != nil && err != io.EOF {
		p.err = err
	}
	return n, err
}

// A content reader checks size and checksum while reading.
type content struct {
	ctx      context.Context
	r        io.Reader
	inflater io.Reader // for reuse; nil if there is none
	source   *packed
	file     *File
	sum      hash.Hash32
	n        int64
}

// inflaters are reused, because each takes 40 KB.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// Close ends reading. Later reads fail.
func (c *content) Close() error {
	if c.inflater != nil {
		inflaters.Put(c.inflater)
	}
	c.r, c.inflater = nil, nil
	return nil
}

func (c *content) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	if c.r == nil {
		return 0, fs.ErrClosed
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.sum.Write(p[:n])
	switch {
	case c.source.err != nil:
		return 0, c.source.err
	case c.n > c.file.Size():
		return 0, fmt.Errorf("a member is larger than declared: %w", ErrDamaged)
	case err == nil:
		return n, nil
	case err != io.EOF:
		return n, fmt.Errorf("a member cannot be unpacked: %w", ErrDamaged)
	case c.n != c.file.Size():
		return n, fmt.Errorf("a member is cut off: %w", ErrDamaged)
	case c.file.header.CRC32 != 0 && c.sum.Sum32() != c.file.header.CRC32:
		return n, fmt.Errorf("a member has another checksum than declared: %w", ErrDamaged)
	}
	return n, io.EOF
}
