package preview_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/workspace"
)

// A drawingResolver draws a row of pixels for each line, and counts how often.
type drawingResolver struct {
	citekit.Resolver
	drawn *atomic.Int64
	meet  func() // called while it draws; may be nil
	data  []byte // what it gives instead, or nil
}

func (r drawingResolver) Preview(ctx context.Context, _ *citekit.Source, loc citekit.Location, opts preview.Options) (*preview.Preview, error) {
	r.drawn.Add(1)
	if r.meet != nil {
		r.meet()
	}
	var out bytes.Buffer
	err := png.Encode(&out, image.NewGray(image.Rect(0, 0, opts.Side, loc.Lines.Len())))
	if r.data != nil {
		out = *bytes.NewBuffer(r.data)
	}
	return &preview.Preview{
		MediaType: "image/png", Width: opts.Side, Height: loc.Lines.Len(),
		Shown: []citekit.Location{loc}, Data: out.Bytes(),
	}, errors.Join(err, ctx.Err())
}

func drawingLibrary(t *testing.T, r drawingResolver) (*citekit.Library, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/poem.txt", []byte("a\nb\nc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Resolver = new(linetest.Resolver)
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: r, citekit.Image: new(linetest.Resolver)}, nil)
	t.Cleanup(func() { lib.Close() })
	m := &citekit.ResourceMap{
		ResourceID: "poem", Type: citekit.Text, Title: "poem", SourcePath: "poem.txt",
		Nodes: []*citekit.Node{{ID: "n", Title: "n", Type: "section", Location: linesAt(1, 2)}},
	}
	if err := lib.Save(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return lib, dir
}

func linesAt(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: last}}
}

func TestPreviewIsKept(t *testing.T) {
	var drawn atomic.Int64
	lib, _ := drawingLibrary(t, drawingResolver{drawn: &drawn})
	a := citekit.Address{Resource: "poem", Location: citekit.Text.Lines(1, 2)}
	first, err := preview.New(lib).Make(t.Context(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	if first.Cached || first.Width != 1000 || first.Height != 2 || !first.Shown[0].Equal(linesAt(1, 2)) {
		t.Errorf("the first preview is %+v", first)
	}
	again, err := preview.New(lib).Make(t.Context(), a, &preview.Options{Side: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if !again.Cached || !bytes.Equal(again.Data, first.Data) || again.Width != 1000 || again.MediaType != "image/png" || !again.Shown[0].Equal(linesAt(1, 2)) {
		t.Errorf("the second preview is %+v", again)
	}
	if n := drawn.Load(); n != 1 {
		t.Errorf("drawn %d times for the same request", n)
	}
	for i, opts := range []preview.Options{{Side: 500}, {Boxes: []citekit.Box{{X2: .5, Y2: 1}}}, {Boxes: []citekit.Box{{X2: .6, Y2: 1}}}} {
		if p, err := preview.New(lib).Make(t.Context(), a, &opts); err != nil || p.Cached || drawn.Load() != int64(i+2) {
			t.Errorf("%+v: cached %v, %v; drawn %d times", opts, p.Cached, err, drawn.Load())
		}
	}
}

// TestPreviewOnce has callers who want the same at the same time: the first
// waits in the resolver until another has asked.
func TestPreviewOnce(t *testing.T) {
	var drawn atomic.Int64
	asked := make(chan struct{})
	lib, _ := drawingLibrary(t, drawingResolver{drawn: &drawn, meet: func() { <-asked }})
	previews := preview.New(lib)
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			if _, err := previews.Make(t.Context(), citekit.Address{Resource: "poem", Location: citekit.Text.Lines(1, 1)}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	close(asked)
	callers.Wait()
	if n := drawn.Load(); n != 1 {
		t.Errorf("drawn %d times for callers who asked at once", n)
	}
}

func TestPreviewErrors(t *testing.T) {
	var drawn atomic.Int64
	lib, dir := drawingLibrary(t, drawingResolver{drawn: &drawn})
	lines := citekit.Text.Lines(1, 2)
	many := make([]citekit.Box, 1001)
	for _, tt := range []struct {
		name string
		a    citekit.Address
		opts preview.Options
		want error
	}{
		{"no resource", citekit.Address{Resource: "prose", Location: lines}, preview.Options{}, os.ErrNotExist},
		{"a side too small", citekit.Address{Resource: "poem", Location: lines}, preview.Options{Side: 127}, citekit.ErrSyntax},
		{"a side too large", citekit.Address{Resource: "poem", Location: lines}, preview.Options{Side: 2049}, citekit.ErrSyntax},
		{"too many boxes", citekit.Address{Resource: "poem", Location: lines}, preview.Options{Boxes: many}, citekit.ErrSyntax},
		{"an empty box", citekit.Address{Resource: "poem", Location: lines}, preview.Options{Boxes: many[:1]}, citekit.ErrSyntax},
		{"no lines", citekit.Address{Resource: "poem", Location: citekit.Text.Lines(0, 2)}, preview.Options{}, citekit.ErrSyntax},
		{"another version", citekit.Address{Resource: "poem", Location: lines, Version: strings.Repeat("0", 8)}, preview.Options{}, citekit.ErrStale},
	} {
		_, err := preview.New(lib).Make(t.Context(), tt.a, &tt.opts)
		var resolve *citekit.ResolveError
		if !errors.Is(err, tt.want) || !errors.As(err, &resolve) || resolve.Op != "preview" {
			t.Errorf("%s: the error %v, want one that matches %v", tt.name, err, tt.want)
		}
	}
	if _, err := preview.New(lib).Make(t.Context(), citekit.Address{Resource: "poem", Location: lines}, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/poem.txt", []byte("A\nB\nC\nD\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := preview.New(lib).Make(t.Context(), citekit.Address{Resource: "poem", Location: lines}, nil); !errors.Is(err, citekit.ErrStale) {
		t.Errorf("of a source that changed: %v", err)
	}
}

func TestPreviewTooLarge(t *testing.T) {
	var drawn atomic.Int64
	lib, _ := drawingLibrary(t, drawingResolver{drawn: &drawn, data: make([]byte, 32<<20+1)})
	if _, err := preview.New(lib).Make(t.Context(), citekit.Address{Resource: "poem", Location: citekit.Text.Lines(1, 2)}, nil); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("a preview of more than 32 MiB: %v", err)
	}
}

func TestPreviewUnsupported(t *testing.T) {
	lib, _ := drawingLibrary(t, drawingResolver{drawn: new(atomic.Int64)})
	plain := citekit.New(lib.Workspace(), citekit.Resolvers{citekit.Text: new(linetest.Resolver)}, nil)
	_, err := preview.New(plain).Make(t.Context(), citekit.Address{Resource: "poem", Location: citekit.Text.Lines(1, 2)}, nil)
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "a picture of a text source") {
		t.Errorf("of a resolver that draws nothing: %v", err)
	}
}
