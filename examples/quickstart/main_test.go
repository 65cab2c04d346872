package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

const want = `Spring and Neap
  cite as  doc://guide#pages=3-4
  N bytes  guide_spring-and-neap-K.pdf
From 2.5 to 4 seconds
  cite as  video://clock#t=2.5-4
  N bytes  clock_middle-K.mp4
G
  cite as  audio://tones#t=2-3
  N bytes  tones_g-K.wav
The first spring tide
  cite as  image://chart#bbox=0.125,0.05,0.28125,0.97
  N bytes  chart_first-spring-K.png
The poles
  cite as  text://notes#lines=17-19
  N bytes  notes_way_poles-K.md
Everything on spring tides
  cite as  virtual://guide/springs
`

var paths = regexp.MustCompile(`(?m)\d+ bytes  .*[/\\](.*)-[0-9a-f]+(\.\w+)$`)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", "") // no other program
	for range 2 {
		var out bytes.Buffer
		if err := run(context.Background(), &out, dir); err != nil {
			t.Fatal(err)
		}
		if got := paths.ReplaceAllString(out.String(), "N bytes  $1-K$2"); got != want {
			t.Errorf("got\n%s", got)
		}
	}
	poles, err := filepath.Glob(filepath.Join(dir, ".citekit_output", "notes_way_poles-*"))
	if err != nil || len(poles) != 1 {
		t.Fatalf("evidence %v, %v", poles, err)
	}
	text, err := os.ReadFile(poles[0])
	if err != nil {
		t.Fatal(err)
	}
	if want := "Poles mark the way every hundred metres.\nFrom each pole you should see the next.\nIf you do not, stay at the pole and wait, or go back.\n"; string(text) != want {
		t.Errorf("the poles are %q", text)
	}
}

// The maps are made for the samples as they are.
func TestMaps(t *testing.T) {
	ws, err := workspace.Open("samples", &workspace.Options{EvidenceDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	ctx := context.Background()
	ids, err := lib.Resources(ctx)
	if err != nil || len(ids) != 5 {
		t.Fatalf("resources %v, %v", ids, err)
	}
	for _, id := range ids {
		m, err := lib.Map(ctx, id)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, problem := range lib.Check(ctx, m) {
			t.Errorf("%s: %v", id, problem)
		}
	}
}
