package textlayer_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// A teller is a resolver whose sources have the runs it is told.
type teller struct {
	runs    []citekit.TextRun
	version string
	calls   atomic.Int32
	before  func(ctx context.Context, run int) error // before each run
}

func (r *teller) Resolve(context.Context, *citekit.Source, citekit.Request) (*citekit.Content, error) {
	return nil, fmt.Errorf("a teller resolves nothing")
}

func (r *teller) Version() string { return r.version }

func (r *teller) ReadText(ctx context.Context, _ *citekit.Source, _ citekit.Location) iter.Seq2[citekit.TextRun, error] {
	r.calls.Add(1)
	return func(yield func(citekit.TextRun, error) bool) {
		for i, run := range r.runs {
			if r.before != nil {
				if err := r.before(ctx, i); err != nil {
					yield(citekit.TextRun{}, err)
					return
				}
			}
			if !yield(run, nil) {
				return
			}
		}
	}
}

// A desk is a Library in memory with one resource, "a", whose resolver is a
// teller.
type desk struct {
	*citekit.Library
	ws     *workspace.Memory
	teller *teller
}

func newDesk(t testing.TB, modality citekit.Modality, runs ...citekit.TextRun) *desk {
	t.Helper()
	d := &desk{ws: workspace.NewMemory(nil), teller: &teller{runs: runs, version: "1"}}
	d.ws.AddSource("a.bin", []byte("the source"))
	d.Library = citekit.New(d.ws, citekit.Resolvers{modality: d.teller}, nil)
	t.Cleanup(func() { d.Close() })
	err := d.Save(t.Context(), &citekit.ResourceMap{ResourceID: "a", Type: modality, SourcePath: "a.bin"})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func open(t testing.TB, s *textlayer.Store, id string) *textlayer.Layer {
	t.Helper()
	l, err := s.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func text(t testing.TB, l *textlayer.Layer) string {
	t.Helper()
	var b strings.Builder
	if _, err := l.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func page(n int, text string) citekit.TextRun {
	loc := citekit.Document.Pages(n, n)
	return citekit.TextRun{Text: text, Location: loc}
}

func lines(first, last int, text string) citekit.TextRun {
	loc := citekit.Text.Lines(first, last)
	return citekit.TextRun{Text: text, Location: loc}
}

func cue(start, end float64, text string) citekit.TextRun {
	loc := citekit.Audio.Seconds(start, end)
	return citekit.TextRun{Text: text, Location: loc}
}

// keptBytes returns the size of all layers.
func keptBytes(t testing.TB, lib *citekit.Library) (n int64) {
	t.Helper()
	for k, err := range lib.Workspace().(workspace.Deleter).Kept(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if k.Kind == workspace.KeptEvidence {
			n += k.Size
		}
	}
	return n
}
