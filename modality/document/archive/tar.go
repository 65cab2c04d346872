package archive

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

const tarBlock = 512

// beginsTar reports whether a source begins with a header of tar, by its
// checksum (POSIX.1-1988, section 10.1.1).
func beginsTar(src *citekit.Source) (bool, error) {
	const magicAt, magic = 257, "ustar" // of POSIX and GNU
	var block [tarBlock]byte
	if n, err := src.ReadAt(block[:], 0); n < tarBlock {
		if string(block[magicAt:magicAt+len(magic)]) == magic {
			return true, nil // and cut off
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return false, err
	}
	const at, length = 148, 8 // of the checksum, which counts as spaces
	declared, err := strconv.ParseInt(strings.Trim(string(block[at:at+length]), " \x00"), 8, 64)
	if err != nil {
		return false, nil
	}
	sum := int64(length * ' ')
	for i, c := range block {
		if i < at || i >= at+length {
			sum += int64(c)
		}
	}
	return block[0] != 0 && sum == declared, nil
}

// A span is where something is in a source, from start up to end.
type span struct{ start, end int64 }

// A tarred is where an entry is in a tar archive, with its headers.
type tarred struct {
	src *citekit.Source
	all span
}

// listTar reads the headers of a tar archive.
func listTar(ctx context.Context, src *citekit.Source) (*listing, error) {
	l := &listing{kind: kindTar, byName: make(map[string]*entry), cut: cutTar}
	in := io.NewSectionReader(ctxio.ReaderAt(ctx, src), 0, src.Size())
	for t, n := tar.NewReader(in), 0; ; n++ {
		h, err := t.Next()
		if err == io.EOF {
			return l, nil
		}
		if err != nil {
			return nil, tarError(ctx, err)
		}
		if n == maxEntries {
			return nil, fmt.Errorf("more than %d entries in a tar archive: %w", maxEntries, citekit.ErrTooLarge)
		}
		at, err := in.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		e, err := tarEntry(src, h, at)
		if err != nil {
			return nil, err
		}
		if e.name != "/" { // the folder "./" that all is in
			l.add(e)
		}
	}
}

func tarError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, tar.ErrHeader), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, tar.ErrFieldTooLong):
		return fmt.Errorf("a tar archive is damaged or cut off: %w", citekit.ErrFormat)
	}
	return err
}

// tarEntry returns the entry of a header, whose data begins at an offset.
func tarEntry(src *citekit.Source, h *tar.Header, at int64) (*entry, error) {
	e := &entry{name: strings.TrimPrefix(decode(h.Name), "./"), size: h.Size, folder: h.Typeflag == tar.TypeDir}
	if e.folder && !strings.HasSuffix(e.name, "/") {
		e.name += "/"
	}
	switch {
	case e.folder:
		e.size = 0
	case h.Typeflag == tar.TypeLink, h.Typeflag == tar.TypeSymlink:
		e.refusal, e.size = errLink, 0
	case isSparse(h):
		e.refusal, e.size = errSparse, 0
	case h.Typeflag != tar.TypeReg:
		e.refusal, e.size = errSpecial, 0
	case h.Size < 0 || h.Size > src.Size()-at:
		return nil, fmt.Errorf("a tar archive is cut off in a member: %w", citekit.ErrFormat)
	}
	e.raw = tarred{src, span{at, at + e.size}}
	e.inPlace = func() *io.SectionReader { return io.NewSectionReader(src, at, e.size) }
	e.open = func(ctx context.Context) (io.ReadCloser, error) {
		return io.NopCloser(ctxio.Reader(ctx, e.inPlace())), nil
	}
	return e, nil
}

func isSparse(h *tar.Header) bool {
	if h.Typeflag == tar.TypeGNUSparse {
		return true
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// cutTar writes a tar archive of some entries. Of their headers there are the
// names alone: who owned them and when is left out.
func cutTar(ctx context.Context, w io.Writer, entries []*entry) error {
	out := tar.NewWriter(w)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Size: e.size, Mode: 0o644, Typeflag: tar.TypeReg}
		if e.folder {
			h.Mode, h.Typeflag = 0o755, tar.TypeDir
		}
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		content, err := e.open(ctx)
		if err != nil {
			return err
		}
		if _, err := io.Copy(out, content); err != nil {
			return err
		}
	}
	return out.Close()
}
