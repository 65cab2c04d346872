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
	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/internal/ctxio"
)

const tarBlock = 512

// maxNames is the total size of the names in a tar archive, in bytes. A single name
// may have a megabyte.
const maxNames = 16 << 20

// beginsTar reports whether head, up to one block, is a tar header with a correct
// checksum (POSIX.1-1988, section 10.1.1).
func beginsTar(head []byte) bool {
	const magicAt, magic = 257, "ustar" // in the POSIX and GNU formats
	if len(head) < tarBlock {
		return len(head) >= magicAt+len(magic) && string(head[magicAt:magicAt+len(magic)]) == magic // a truncated header
	}
	const at, length = 148, 8 // the checksum field, whose bytes count as spaces
	declared, err := strconv.ParseInt(strings.Trim(string(head[at:at+length]), " \x00"), 8, 64)
	if err != nil {
		return false
	}
	sum := int64(length * ' ')
	for i, c := range head {
		if i < at || i >= at+length {
			sum += int64(c)
		}
	}
	return head[0] != 0 && sum == declared
}

// A tarEntry holds the data of a tar header.
type tarEntry struct {
	name    string // name in addresses, once decoded; the name of a folder ends in "/"
	at      int64  // offset of the data in the archive
	size    int64  // size of the data; 0 if the entry is refused
	folder  bool
	refusal error // why the entry cannot be opened, or nil
}

// listTar lists a tar archive.
func listTar(ctx context.Context, src *citekit.Source) (*listing, error) {
	l := &listing{kind: kindTar, byName: make(map[string]*entry), cut: cutTar, cutExt: kindTar.ext}
	in := io.NewSectionReader(ctxio.ReaderAt(ctx, src), 0, src.Size())
	here := func() (int64, error) { return in.Seek(0, io.SeekCurrent) }
	var entries []tarEntry
	err := readTar(ctx, in, here, func(t tarEntry) error {
		if t.size < 0 || t.size > src.Size()-t.at {
			return fmt.Errorf("a tar archive is cut off in a member: %w", citekit.ErrFormat)
		}
		entries = append(entries, t)
		return nil
	})
	if err != nil {
		return nil, err
	}
	decodeNames(entries)
	for _, t := range entries {
		e := t.entry()
		e.inPlace = func() *io.SectionReader { return io.NewSectionReader(src, t.at, t.size) }
		e.open = func(ctx context.Context) (io.ReadCloser, error) {
			return io.NopCloser(ctxio.Reader(ctx, e.inPlace())), nil
		}
		l.add(e)
	}
	return l, nil
}

// decodeNames decodes the names of all entries of an archive, which decide together in
// which charset they are.
func decodeNames(entries []tarEntry) {
	names := make([]string, len(entries))
	for i, t := range entries {
		names[i] = t.name
	}
	decode := charset.Names(names)
	for i := range entries {
		entries[i].name = decode(entries[i].name)
	}
}

// readTar reads the headers of a tar archive. After each header, here returns the
// offset of the data.
func readTar(ctx context.Context, r io.Reader, here func() (int64, error), add func(tarEntry) error) error {
	names := 0 // total bytes of names
	for t, n := tar.NewReader(r), 0; ; n++ {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return tarError(ctx, err)
		}
		if n == maxEntries {
			return fmt.Errorf("more than %d entries in a tar archive; split it, or unpack it: %w", maxEntries, citekit.ErrTooLarge)
		}
		if names += len(h.Name); names > maxNames {
			return fmt.Errorf("more than %d MiB of names in a tar archive; split it, or unpack it: %w", maxNames>>20, citekit.ErrTooLarge)
		}
		at, err := here()
		if err != nil {
			return err
		}
		e := entryOf(h, at)
		if e.name == "/" { // the folder "./" around everything
			continue
		}
		if err := add(e); err != nil {
			return err
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

// entryOf returns the entry for a header whose data begins at an offset.
func entryOf(h *tar.Header, at int64) tarEntry {
	e := tarEntry{name: strings.TrimPrefix(h.Name, "./"), at: at, size: h.Size, folder: h.Typeflag == tar.TypeDir}
	if e.folder && !strings.HasSuffix(e.name, "/") {
		e.name += "/"
	}
	switch {
	case e.folder:
	case h.Typeflag == tar.TypeLink, h.Typeflag == tar.TypeSymlink:
		e.refusal = errLink
	case isSparse(h):
		e.refusal = errSparse
	case h.Typeflag != tar.TypeReg:
		e.refusal = errSpecial
	}
	if e.folder || e.refusal != nil {
		e.size = 0
	}
	return e
}

// entry returns the entry for a listing, without its content.
func (t tarEntry) entry() *entry {
	return &entry{name: t.name, size: t.size, folder: t.folder, refusal: t.refusal}
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

// cutTar writes a tar archive of some entries. Of each header only the name is kept,
// not owners and times.
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
