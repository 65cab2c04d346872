package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
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
	for _, status := range []ingest.Status{ingest.Mapped, ingest.Unchanged} {
		var out, progress bytes.Buffer
		if err := run(context.Background(), &out, &progress, &dir); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), paths.ReplaceAllString(strings.ReplaceAll(out.String(), strconv.Quote(dir), `"DIR"`), "N bytes  $1-K$2")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if line := string(status) + " guide.pdf\n"; !strings.Contains(progress.String(), line) {
			t.Errorf("progress is %q, without %q", progress.String(), line)
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
	dir := t.TempDir()
	err := unpack(&dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), io.Discard, io.Discard, &dir); err != nil {
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
