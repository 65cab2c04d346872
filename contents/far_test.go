package contents_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// A far workspace has sources that can be read while the context lasts that they were
// opened with.
type far struct{ *workspace.Memory }

type farReader struct {
	ctx context.Context
	io.ReaderAt
}

func (r farReader) ReadAt(p []byte, at int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.ReaderAt.ReadAt(p, at)
}

func (f far) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	src, err := f.Memory.OpenSource(ctx, path)
	if err != nil {
		return nil, err
	}
	return citekit.NewSource(farReader{ctx, src}, citekit.SourceInfo{Name: src.Name(), Size: src.Size(), Identity: "1"}), nil
}

// TestReadFarSource reads texts that are found within a part of the time of the call, and
// read after that.
func TestReadFarSource(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("poem.txt", []byte("one\ntwo\nthree\n"))
	lib := citekit.New(far{ws}, modality.All(), nil)
	defer lib.Close()
	if _, err := ingest.Run(t.Context(), lib, []string{"."}, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	c, err := contents.New(lib, nil).Read(ctx, contents.Request{IDs: []string{"text://poem#lines=2-2"}})
	if err != nil {
		t.Fatal(err)
	}
	if item := c.Items[0]; item.Err != nil || item.Text != "two\n" {
		t.Errorf("%q, %v; want \"two\"", item.Text, item.Err)
	}
}
