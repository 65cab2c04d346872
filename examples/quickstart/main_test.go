package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

var paths = regexp.MustCompile(`(?m)\d+ bytes  .*[/\\](.*)-[0-9a-f]+(\.\w+)$`)

func TestRun(t *testing.T) {
	want, err := os.ReadFile("testdata/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("PATH", "") // no other program
	for range 2 {
		var out bytes.Buffer
		if err := run(context.Background(), &out, dir); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), paths.ReplaceAllString(out.String(), "N bytes  $1-K$2")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	names, err := filepath.Glob(filepath.Join(dir, ".citekit_output", "notes_*_on-the-way-*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("evidence %v, %v", names, err)
	}
	evidence, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	notes, err := os.ReadFile("samples/notes.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(notes, []byte("\n"))
	if want := bytes.Join(lines[10:20], nil); !bytes.Equal(evidence, want) {
		t.Errorf("the way is %q", evidence)
	}
}

// The maps say what is in the samples.
func TestMaps(t *testing.T) {
	dir, err := unpack(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), new(bytes.Buffer), dir); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	ids, err := lib.Resources(t.Context())
	if err != nil || len(ids) != 6 {
		t.Fatalf("resources %v, %v", ids, err)
	}
	for _, id := range ids {
		m, err := lib.Map(t.Context(), id)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, problem := range ingest.Check(t.Context(), lib, m) {
			t.Errorf("%s: %v", id, problem)
		}
	}
}
