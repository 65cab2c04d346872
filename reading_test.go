package citekit_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

func readText(t *testing.T, lib *citekit.Library, address string) (string, error) {
	t.Helper()
	a := parse(t, address)
	var b strings.Builder
	for run, err := range lib.ReadText(t.Context(), a.Resource, a.Location) {
		if err != nil {
			return b.String(), err
		}
		b.WriteString(strings.TrimSpace(run.Text) + "|")
	}
	return b.String(), nil
}

// TestReadTranscript reads what is said in a recording from the file beside
// it, as ingest found it.
func TestReadTranscript(t *testing.T) {
	ffmpeg := sharedtest.Tool(t, "ffmpeg")
	dir := t.TempDir()
	talk := filepath.Join(dir, "talk.wav")
	if out, err := exec.Command(ffmpeg, "-v", "error", "-f", "lavfi", "-i", "sine=d=30", talk).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	srt := filepath.Join(dir, "talk.srt")
	words := "1\n00:00:01,000 --> 00:00:04,000\nGood evening.\n\n2\n00:00:10,000 --> 00:00:14,500\nThis is the end.\n"
	if err := os.WriteFile(srt, []byte(words), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	report, err := ingest.Run(t.Context(), lib, []string{"talk.wav"}, nil)
	if err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
	m, err := lib.Map(t.Context(), "talk")
	if err != nil {
		t.Fatal(err)
	}
	if noted, _ := m.Metadata["transcript"].(map[string]any); noted["source_path"] != "talk.srt" || m.Metadata["method"] != "transcript" {
		t.Errorf("metadata: %v", m.Metadata)
	}
	for address, want := range map[string]string{
		"audio://talk":         "Good evening.|This is the end.|",
		"audio://talk#t=9-20":  "This is the end.|",
		"audio://talk#t=20-25": "",
	} {
		if got, err := readText(t, lib, address); err != nil || got != want {
			t.Errorf("%s: %q, %v", address, got, err)
		}
	}
	if err := os.WriteFile(srt, []byte(strings.Replace(words, "end", "beginning", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readText(t, lib, "audio://talk"); !errors.Is(err, citekit.ErrStale) {
		t.Errorf("a changed transcript: %v", err)
	}
	again, err := ingest.Run(t.Context(), lib, []string{"talk.wav"}, nil)
	if err != nil || again.Count(ingest.Mapped) != 1 {
		t.Fatalf("after the transcript changed: %+v, %v", again, err)
	}
	if got, err := readText(t, lib, "audio://talk#t=10-"); err != nil || got != "This is the beginning.|" {
		t.Errorf("mapped again: %q, %v", got, err)
	}
	a := parse(t, "audio://talk")
	var last error
	for _, err := range lib.ReadText(t.Context(), a.Resource, a.Location) {
		if last = err; err == nil {
			if err := os.WriteFile(srt, []byte("changed while it is read"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !errors.Is(last, citekit.ErrStale) {
		t.Errorf("a transcript that changes: %v", last)
	}
}

// A panicReader panics before or after it has yielded a run.
type panicReader struct {
	lineResolver
	before bool
}

func (r *panicReader) ReadText(_ context.Context, _ *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		if !r.before {
			yield(citekit.TextRun{Text: "one", Location: loc}, nil)
		}
		panic("a bug")
	}
}

// TestReadTextPanics checks that the panic of a resolver is an error, and that
// of the caller goes on.
func TestReadTextPanics(t *testing.T) {
	for _, before := range []bool{true, false} {
		ws := workspace.NewMemory(nil)
		ws.AddSource("a.txt", []byte("one\n"))
		if err := ws.WriteMap(t.Context(), "a", []byte(`{"resource_id":"a","type":"text","source_path":"a.txt","nodes":[]}`)); err != nil {
			t.Fatal(err)
		}
		lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &panicReader{before: before}}, nil)
		defer lib.Close()
		if text, err := readText(t, lib, "text://a"); err == nil || !strings.Contains(err.Error(), "the text resolver failed") || (text == "") != before {
			t.Errorf("%q, error %v", text, err)
		}
		runs := 0
		for range lib.ReadText(t.Context(), "a", citekit.Location{}) {
			runs++
			break
		}
		if runs != 1 {
			t.Errorf("%d runs or errors", runs)
		}
		func() {
			defer func() {
				if p := recover(); p != "mine" {
					t.Errorf("the caller's panic became %v", p)
				}
			}()
			for range lib.ReadText(t.Context(), "a", citekit.Location{}) {
				panic("mine")
			}
		}()
	}
}

func TestReadTextErrors(t *testing.T) {
	f := newFixture(t)
	if _, err := readText(t, f.Library, "text://none"); citekit.CodeOf(err) != message.CodeNotFound {
		t.Errorf("a missing resource: %v", err)
	}
	if _, err := readText(t, f.Library, "text://poem#lines=1-2"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a resolver that reads no text: %v", err)
	}
}
