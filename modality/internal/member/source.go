package member

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"sync"
	"sync/atomic"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

const (
	// inMemory is the largest size, in bytes, of a member held in memory;
	// larger ones are in a file.
	inMemory = 4 << 20

	defaultBytes = 2 << 30
	defaultTotal = 8 << 30
)

// A Copier copies members that cannot be read in place. The zero value is ready
// to use. It is safe for concurrent use.
type Copier struct {
	MaxBytes int64 // of one member; zero means 2 GiB
	MaxTotal int64 // of all open copies; zero means 8 GiB

	open atomic.Int64
}

// Source returns a source with a name and the content of r, which has size
// bytes, or any number if size is negative. Content of more than 4 MiB is kept
// in an unnamed file in the directory for temporary files, until the source is
// closed.
//
// Errors match [citekit.ErrTooLarge] above MaxBytes or MaxTotal,
// [citekit.ErrFormat] if r does not have size bytes, or are those of r.
func (c *Copier) Source(ctx context.Context, name string, r io.Reader, size int64) (*citekit.Source, error) {
	limit := cmp.Or(c.MaxBytes, defaultBytes)
	if size > limit {
		return nil, fmt.Errorf("a member of %d bytes; at most %d are unpacked here, so unpack the archive, and map the file: %w", size, limit, citekit.ErrTooLarge)
	}
	w := &memberCopy{c: c}
	n, err := io.Copy(w, io.LimitReader(ctxio.Reader(ctx, r), limit+1))
	switch {
	case err != nil:
	case n > limit:
		err = fmt.Errorf("a member of more than %d bytes; unpack the archive, and map the file: %w", limit, citekit.ErrTooLarge)
	case size >= 0 && n != size:
		err = fmt.Errorf("a member of %d bytes says that it has %d: %w", n, size, citekit.ErrFormat)
	}
	if err != nil {
		w.close()
		return nil, err
	}
	return w.source(path.Base(name)), nil
}

// A memberCopy is a member that is being copied.
type memberCopy struct {
	c    *Copier
	size int64
	head bytes.Buffer
	file *os.File // nil while all content is in head
	rest string   // name of the file, if the system cannot remove an open file
}

func (w *memberCopy) Write(p []byte) (int, error) {
	w.size += int64(len(p))
	if w.c.open.Add(int64(len(p))) > cmp.Or(w.c.MaxTotal, defaultTotal) {
		return 0, fmt.Errorf("other members that are open take all the room; try again: %w", citekit.ErrTooLarge)
	}
	if w.file != nil {
		return w.file.Write(p)
	}
	if w.head.Len()+len(p) <= inMemory {
		return w.head.Write(p)
	}
	if err := w.spill(); err != nil {
		return 0, err
	}
	return w.file.Write(p)
}

// spill continues in a file.
func (w *memberCopy) spill() (err error) {
	if w.file, err = os.CreateTemp("", "citekit-member-*"); err != nil {
		return err
	}
	if os.Remove(w.file.Name()) != nil {
		w.rest = w.file.Name()
	}
	_, err = w.head.WriteTo(w.file)
	w.head = bytes.Buffer{}
	return err
}

func (w *memberCopy) source(name string) *citekit.Source {
	info := citekit.SourceInfo{Name: name, Size: w.size, Closed: sync.OnceFunc(w.release)}
	if w.file != nil {
		return citekit.NewSource(w.file, info)
	}
	return citekit.NewSource(bytes.NewReader(w.head.Bytes()), info)
}

// close deletes the copy.
func (w *memberCopy) close() {
	if w.file != nil {
		w.file.Close()
	}
	w.release()
}

// release subtracts a closed copy from the total.
func (w *memberCopy) release() {
	w.c.open.Add(-w.size)
	if w.rest != "" {
		os.Remove(w.rest)
	}
}
