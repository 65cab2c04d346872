package ctxio

import "io"

// AtEnd returns a reader of r that calls end each time r is at its end. If end
// returns an error, Read returns that error, and the bytes of that Read are
// discarded.
func AtEnd(r io.Reader, end func() error) io.Reader { return &atEnd{r, end} }

type atEnd struct {
	r   io.Reader
	end func() error
}

func (a *atEnd) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if err == io.EOF {
		if failed := a.end(); failed != nil {
			return n, failed
		}
	}
	return n, err
}
