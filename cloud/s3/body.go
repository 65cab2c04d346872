package s3

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/workspace/driver"
)

// A reader reads the body of an object. If the connection breaks, it goes on where it
// was.
type reader struct {
	ctx      context.Context
	bucket   *Bucket
	key      string
	body     io.ReadCloser // nil after a fault
	etag     string
	at, left int64 // what comes next, in bytes
	attempts int   // that are left
}

func (r *reader) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	for {
		n, err := r.readSome(p[:min(int64(len(p)), r.left)])
		r.at += int64(n)
		r.left -= int64(n)
		if n > 0 || len(p) == 0 {
			return n, nil
		}
		switch {
		case r.ctx.Err() != nil:
			return 0, r.ctx.Err()
		case r.bucket.ErrorKind(err) != driver.Failed:
			return 0, err // replaced or deleted
		case r.attempts <= 1:
			return 0, r.bucket.fault(r.ctx, err)
		}
		r.attempts--
		if r.body != nil {
			r.body.Close()
			r.body = nil
		}
	}
}

func (r *reader) readSome(p []byte) (n int, err error) {
	if r.body == nil {
		if r.body, _, err = r.bucket.read(r.ctx, r.key, driver.ReadOptions{Offset: r.at, Length: r.left, IfMatch: r.etag}); err != nil {
			r.body = nil
			return 0, err
		}
	}
	n, err = r.body.Read(p)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (r *reader) Close() error {
	if r.body == nil {
		return nil
	}
	return r.body.Close()
}

// scratchPrefix begins the names of folders of bodies that are to be written.
const scratchPrefix = "citekit-object-"

var sweep sync.Once // of what killed processes left

// maxSpool is the size in bytes up to which a body is held in memory.
const maxSpool = 1 << 20

// A spooled body can be read again.
type spooled struct {
	io.ReadSeeker
	close func()
}

func (s spooled) Close() { s.close() }

// spool reads body to its end, and returns what can be read again, with its size. A size
// of -1 is one that is not known.
func spool(ctx context.Context, body io.Reader, size int64) (spooled, int64, error) {
	if r, ok := body.(*bytes.Reader); ok && int64(r.Len()) == size {
		return spooled{io.NewSectionReader(r, r.Size()-size, size), func() {}}, size, nil
	}
	body = ctxio.Reader(ctx, body)
	head, err := io.ReadAll(io.LimitReader(body, maxSpool+1))
	if err != nil {
		return spooled{}, 0, err
	}
	if len(head) <= maxSpool {
		return spooled{bytes.NewReader(head), func() {}}, int64(len(head)), checkSize(int64(len(head)), size)
	}
	sweep.Do(func() { localfile.SweepScratch(scratchPrefix) })
	dir, err := localfile.NewScratch(scratchPrefix)
	if err != nil {
		return spooled{}, 0, err
	}
	f, err := dir.Create("body")
	if err != nil {
		dir.Remove()
		return spooled{}, 0, err
	}
	close := func() {
		f.Close()
		dir.Remove()
	}
	n, err := io.Copy(f, io.MultiReader(bytes.NewReader(head), io.LimitReader(body, maxPut)))
	if err == nil {
		err = checkSize(n, size)
	}
	if err != nil {
		close()
		return spooled{}, 0, localfile.WithoutPath(err)
	}
	return spooled{io.NewSectionReader(f, 0, n), close}, n, nil
}

func checkSize(got, want int64) error {
	if want >= 0 && got != want {
		return fmt.Errorf("the body has %d bytes where %d were said", got, want)
	}
	return nil
}
