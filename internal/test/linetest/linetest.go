// Package linetest has a resolver of lines, a small library and checks of nodes, for the tests of
// packages that need one.
package linetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// A Resolver extracts lines that end in "\n" and counts how often it is
// asked. Its hooks make it misbehave.
type Resolver struct {
	Calls  atomic.Int32
	Before func(ctx context.Context) error   // before each extraction
	Body   func(io.ReadCloser) io.ReadCloser // around each body
	Size   func(int64) int64                 // of the declared size
}

// Resolve implements [citekit.Resolver].
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	r.Calls.Add(1)
	if r.Before != nil {
		if err := r.Before(ctx); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(src.Reader())
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	run := req.Location.Lines
	if run.IsZero() {
		run = citekit.Range{First: 1, Last: len(lines)}
	}
	extent := citekit.Extent{Modality: citekit.Text, Lines: len(lines)}
	if err := extent.Check(req.Location); err != nil {
		return nil, err
	}
	part := bytes.Join(lines[run.First-1:run.Last], nil)
	x := &citekit.Content{Body: io.NopCloser(bytes.NewReader(part)), Size: int64(len(part)), MediaType: "text/plain", Ext: ".txt", Charset: "utf-8"}
	if r.Body != nil {
		x.Body = r.Body(x.Body)
	}
	if r.Size != nil {
		x.Size = r.Size(x.Size)
	}
	return x, nil
}

// Measure implements [citekit.Measurer].
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	data, err := io.ReadAll(src.Reader())
	return citekit.Extent{Modality: citekit.Text, Lines: bytes.Count(data, []byte("\n")) + 1}, err
}

// A Library is one over a directory with one map of one source, poem.txt.
type Library struct {
	*citekit.Library
	Dir      string
	Resolver *Resolver
}

// New returns a Library that is closed when the test ends.
func New(t *testing.T) *Library {
	t.Helper()
	f := &Library{Dir: t.TempDir(), Resolver: new(Resolver)}
	f.Write(t, "poem.txt", "one\ntwo\nthree\nfour")
	f.Write(t, ".resource_maps/poem.json", `{"resource_id":"poem","type":"text","title":"A poem","source_path":"poem.txt","nodes":[
		{"id":"start","title":"Start","type":"stanza","location":{"modality":"text","lines":[1,2]},"children":[
			{"id":"start.first","type":"line","location":{"modality":"text","lines":[1,1]}}]},
		{"id":"beyond","type":"stanza","location":{"modality":"text","lines":[3,9]}},
		{"id":"odd","type":"stanza","location":{"modality":"text","lines":[3,2]}},
		{"id":"db","type":"row","location":{"modality":"virtual","virtual_address":"virtual://db/7"}},
		{"id":"photo","type":"figure","location":{"modality":"image"}}]}`)
	ws, err := workspace.Open(f.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.Library = citekit.New(ws, citekit.Resolvers{citekit.Text: f.Resolver}, nil)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// Write writes a file below the base directory.
func (f *Library) Write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(f.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Outputs returns the names of the evidence files.
func (f *Library) Outputs(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(f.Dir, ".citekit_output"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}
