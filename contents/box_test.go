package contents_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// A signReader reads an image with one block of two words, side by side, which it may
// know the boxes of.
type signReader struct {
	citekit.Resolver
	wordless bool
}

func (r signReader) ReadText(_ context.Context, _ *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		run := citekit.TextRun{Text: "open daily\n", Location: citekit.Location{Modality: citekit.Image, Box: citekit.Box{X1: 0, Y1: .4, X2: 1, Y2: .6}}}
		switch b := loc.Box; {
		case loc.IsWhole():
		case r.wordless:
			yield(citekit.TextRun{}, fmt.Errorf("words of a box: %w", errors.ErrUnsupported))
			return
		case b.X2 < .75:
			run.Text, run.Location.Box.X2 = "open\n", .5
		case b.X1 > .25:
			run.Text, run.Location.Box.X1 = "daily\n", .5
		}
		yield(run, nil)
	}
}

// TestBoxOfImage checks that a box which cuts a block of text has only its words, or
// says that it has those around it.
func TestBoxOfImage(t *testing.T) {
	cut := "these are the blocks of text that the box cuts, as the words in it are not known"
	for _, c := range []struct {
		box            string
		wordless       bool
		text, note, at string
	}{
		{"0,0.4,1,0.6", false, "open daily\n", "", "0,0.4,1,0.6"},
		{"0.01,0.41,0.99,0.59", true, "open daily\n", "", "0,0.4,1,0.6"}, // as good as all of it
		{"0,0.4,0.5,0.6", false, "open\n", "", "0,0.4,0.5,0.6"},
		{"0.5,0.4,1,0.6", false, "daily\n", "", "0.5,0.4,1,0.6"},
		{"0.5,0.4,1,0.6", true, "open daily\n", cut, "0,0.4,1,0.6"},
	} {
		ws := workspace.NewMemory(nil)
		ws.AddSource("sign.png", []byte("\x89PNG\r\n\x1a\n"))
		lib := citekit.New(ws, citekit.Resolvers{citekit.Image: signReader{new(text.Resolver), c.wordless}}, nil)
		defer lib.Close()
		if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: "sign", Type: citekit.Image, SourcePath: "sign.png"}); err != nil {
			t.Fatal(err)
		}
		s := &shelf{Library: lib, Reader: contents.New(lib, nil)}
		item := s.read(t, contents.Request{IDs: []string{"image://sign#bbox=" + c.box}, Runs: true}).Items[0]
		if item.Err != nil || item.Text != c.text || item.Note != c.note || len(item.Runs) != 1 || item.Runs[0].Address.String() != "image://sign#bbox="+c.at {
			t.Errorf("%s: %q, note %q, runs %v, %v; want %+v", c.box, item.Text, item.Note, item.Runs, item.Err, c)
		}
	}
}
