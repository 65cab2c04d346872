// Package zipread reads and writes untrusted ZIP archives, for formats based on ZIP
// (OOXML, ODF, EPUB) and for archives themselves.
//
// It is built on archive/zip and refuses more. The directory is bounded. No name occurs
// twice. No two entries share bytes of the archive, as in a zip bomb. Encrypted entries
// are reported as such. A member is read up to its declared size, which must be the
// real one. The output of [Writer] depends only on its input.
package zipread

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/citekit/citekit"
)

// Errors of archives. [Known] maps them to the errors of a resolver.
var (
	ErrNotZip    = errors.New("not a ZIP archive")
	ErrDamaged   = errors.New("damaged ZIP archive")
	ErrLimit     = errors.New("the ZIP archive passes a limit")
	ErrEncrypted = errors.New("the ZIP archive is encrypted")
	ErrMethod    = errors.New("a compression method that is not read here")
)

const (
	// MaxEntries is the maximum number of entries in an archive.
	MaxEntries = 1 << 16

	maxDirectory = 16 << 20 // bytes of the directory, including the search for it
)

// An Archive is the directory of a ZIP archive, with the reader it was read from. It is
// safe for concurrent use if the reader is.
type Archive struct {
	r      io.ReaderAt
	files  []*File
	byName map[string]int // indexes in files

	hasTwice bool // two files have the same name
}

// Open reads the directory of the ZIP archive in the first size bytes of r. It ignores
// bytes before and after the archive, as long as the end of the directory is within the
// last 64 KB. Names are as stored; see [File.IsUnsafe].
//
// The error matches [ErrNotZip] if there is no directory. It matches [ErrDamaged] if
// the directory contradicts itself, has two members with the same name and different
// bytes, or has members that overlap. It matches [ErrLimit] above [MaxEntries] entries
// or 16 MiB of directory. Otherwise it is that of r. Encrypted entries, and unsupported
// compression, are errors only when read.
//
// What must be read of a [citekit.Source] that is far away is kept beside it.
func Open(ctx context.Context, r io.ReaderAt, size int64) (*Archive, error) {
	a, err := OpenAny(ctx, r, size)
	if err == nil && a.hasTwice {
		err = fmt.Errorf("it names one member twice: %w", ErrDamaged)
	}
	return a, err
}

// OpenAny is [Open] for archives in which names may occur twice; see [File.IsTwice].
func OpenAny(ctx context.Context, r io.ReaderAt, size int64) (*Archive, error) {
	if src, ok := r.(*citekit.Source); ok && src.Aside() != nil && size == src.Size() {
		if a := Kept(ctx, src); a != nil {
			return a, nil
		}
		return openKeeping(ctx, src)
	}
	return openAny(r, size)
}

func openAny(r io.ReaderAt, size int64) (*Archive, error) {
	bounded := &bounded{r: r, left: maxDirectory}
	z, err := zip.NewReader(bounded, size)
	switch {
	case bounded.err != nil:
		return nil, bounded.err
	case errors.Is(err, zip.ErrInsecurePath):
	case errors.Is(err, zip.ErrFormat), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, classify(r, size)
	case err != nil:
		return nil, err
	}
	if len(z.File) > MaxEntries {
		return nil, fmt.Errorf("%d entries; at most %d, so split the archive: %w", len(z.File), MaxEntries, ErrLimit)
	}
	bounded.left = int64(len(z.File)) * 64 // a local header of 30 bytes is read for each
	a, err := newArchive(z, bounded, size)
	if err != nil {
		return nil, err
	}
	a.r = r
	a.nameFiles()
	return a, a.checkOverlap()
}

// classify distinguishes a damaged ZIP archive from a file that never was one.
func classify(r io.ReaderAt, size int64) error {
	var head [4]byte
	if n, err := r.ReadAt(head[:min(4, size)], 0); n < 4 && err != nil && err != io.EOF {
		return err
	}
	if strings.HasPrefix(string(head[:]), "PK") {
		return fmt.Errorf("its directory is missing or cut off: %w", ErrDamaged)
	}
	return ErrNotZip
}

func newArchive(z *zip.Reader, b *bounded, size int64) (*Archive, error) {
	a := &Archive{byName: make(map[string]int, len(z.File))}
	twice := 0
	for _, entry := range z.File {
		f := &File{archive: a, header: &entry.FileHeader}
		start, err := entry.DataOffset()
		if b.err != nil {
			return nil, b.err
		}
		f.start, f.lost = start, err != nil || f.PackedSize() > size-start
		if err != nil {
			f.start = 0 // an offset without data
		}
		if i, known := a.byName[entry.Name]; known {
			same := false
			if twice++; twice <= maxTwice {
				if same, err = a.files[i].sameAs(f, b.r); err != nil {
					return nil, err
				}
			}
			if same {
				continue
			}
			a.hasTwice, f.twice, a.files[i].twice = true, true, true
		}
		a.byName[entry.Name] = len(a.files)
		a.files = append(a.files, f)
	}
	return a, nil
}

// Limits for members with the same name: how many there may be, and how many bytes are
// compared.
const (
	maxTwice = 100
	maxSame  = 1 << 20
)

// sameAs reports whether two members with the same name are equal, as folders are, and
// files that were added twice.
func (f *File) sameAs(g *File, r io.ReaderAt) (bool, error) {
	size := f.PackedSize()
	switch {
	case f.IsDir() && size == 0 && g.PackedSize() == 0:
		return true, nil
	case f.lost || g.lost || size > maxSame || size != g.PackedSize() || f.Size() != g.Size(),
		f.header.CRC32 != g.header.CRC32 || f.header.Method != g.header.Method || f.header.Flags != g.header.Flags:
		return false, nil
	}
	data := make([]byte, 2*size)
	for i, file := range []*File{f, g} {
		if _, err := r.ReadAt(data[int64(i)*size:int64(i+1)*size], file.start); err != nil && err != io.EOF {
			return false, err
		}
	}
	return bytes.Equal(data[:size], data[size:]), nil
}

// On returns the same archive with another reader of the same bytes, for callers that
// keep an archive longer than the file is open.
func (a *Archive) On(r io.ReaderAt) *Archive {
	other := &Archive{r: r, byName: a.byName, hasTwice: a.hasTwice, files: make([]*File, len(a.files))}
	copies := make([]File, len(a.files))
	for i, f := range a.files {
		copies[i] = *f
		copies[i].archive = other
		other.files[i] = &copies[i]
	}
	return other
}

// checkOverlap refuses archives in which two members share bytes, so that a few
// kilobytes could stand for petabytes.
func (a *Archive) checkOverlap() error {
	placed := make([]*File, 0, len(a.files))
	for _, f := range a.files {
		if f.start > 0 && f.PackedSize() != 0 {
			placed = append(placed, f)
		}
	}
	slices.SortFunc(placed, func(f, g *File) int { return cmp.Compare(f.start, g.start) })
	for i, f := range placed[:max(len(placed)-1, 0)] {
		if f.header.CompressedSize64 > uint64(placed[i+1].start-f.start) {
			return fmt.Errorf("two of its members overlap: %w", ErrDamaged)
		}
	}
	return nil
}

// Files returns the entries in directory order, including folders. The caller must not
// change the slice.
func (a *Archive) Files() []*File { return a.files }

// File returns the entry with exactly that name, or nil if there is none.
func (a *Archive) File(name string) *File {
	if i, ok := a.byName[name]; ok {
		return a.files[i]
	}
	return nil
}

// Known makes an error of this package match what [citekit.Resolver] documents. It
// returns ctx.Err() once ctx is done, and leaves other errors unchanged.
func Known(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	for _, as := range []struct{ ours, known error }{
		{ErrEncrypted, citekit.ErrEncrypted},
		{ErrNotZip, citekit.ErrFormat},
		{ErrDamaged, citekit.ErrFormat},
		{ErrLimit, citekit.ErrTooLarge},
		{ErrMethod, errors.ErrUnsupported},
	} {
		if errors.Is(err, as.ours) && !errors.Is(err, as.known) {
			return fmt.Errorf("%w: %w", err, as.known)
		}
	}
	return err
}

// A bounded reader stops archive/zip from reading more than an honest directory has.
type bounded struct {
	r    io.ReaderAt
	left int64
	err  error // the first error other than the end of the source
}

func (b *bounded) ReadAt(p []byte, off int64) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if off < 0 { // some directories claim this
		return 0, io.ErrUnexpectedEOF
	}
	if b.left -= int64(len(p)); b.left < 0 {
		b.err = fmt.Errorf("its directory has more than %d MiB; split the archive: %w", maxDirectory>>20, ErrLimit)
		return 0, b.err
	}
	n, err := b.r.ReadAt(p, off)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}
