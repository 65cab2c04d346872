package ctxio_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/ctxio"
)

func TestReader(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := ctxio.Reader(ctx, strings.NewReader("content"))
	p := make([]byte, 3)
	if n, err := r.Read(p); n != 3 || err != nil || string(p) != "con" {
		t.Errorf("read %d, %q, %v", n, p, err)
	}
	cancel()
	if n, err := r.Read(p); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("read %d, %v after the end of the context", n, err)
	}
	if _, ok := r.(io.WriterTo); ok {
		t.Error("io.Copy would not heed the context")
	}
}

func TestReaderEnd(t *testing.T) {
	got, err := io.ReadAll(ctxio.Reader(t.Context(), strings.NewReader("content")))
	if string(got) != "content" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestReaderAt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := ctxio.ReaderAt(ctx, strings.NewReader("content"))
	p := make([]byte, 4)
	if n, err := r.ReadAt(p, 3); n != 4 || err != nil || string(p) != "tent" {
		t.Errorf("read %d, %q, %v", n, p, err)
	}
	cancel()
	if n, err := r.ReadAt(p, 3); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("read %d, %v after the end of the context", n, err)
	}
}
