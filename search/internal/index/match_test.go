package index_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

func TestMatch(t *testing.T) {
	entry := index.Entry{
		Type: "section", Modality: citekit.Text, Authors: []string{"Ada Lovelace"}, Labels: []string{"math", "engine"},
		Created: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC), SourcePath: "docs/notes.md",
	}
	day := func(d int) time.Time { return time.Date(2024, 5, d, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		filters index.Filters
		want    bool
	}{
		{index.Filters{}, true},
		{index.Filters{Resources: []string{"other", "notes"}}, true},
		{index.Filters{Resources: []string{"other"}}, false},
		{index.Filters{Without: []string{"notes"}}, false},
		{index.Filters{Modalities: []citekit.Modality{citekit.Document, citekit.Text}}, true},
		{index.Filters{Modalities: []citekit.Modality{citekit.Document}}, false},
		{index.Filters{Types: []string{"SECTION"}, Authors: []string{"ada lovelace"}, Labels: []string{"none", "Engine"}}, true},
		{index.Filters{Types: []string{"section"}, Labels: []string{"none"}}, false},
		{index.Filters{After: day(1), Before: day(2)}, true},
		{index.Filters{After: day(2)}, false},
		{index.Filters{Before: day(1)}, false},
		{index.Filters{Path: "*.md"}, true},
		{index.Filters{Path: "docs/"}, true},
		{index.Filters{Path: "src/"}, false},
		{index.Filters{Sources: []string{"other", "notes"}}, true}, // an id
		{index.Filters{Sources: []string{"notes.md"}}, true},       // a name
		{index.Filters{Sources: []string{"./docs/notes.md"}}, true},
		{index.Filters{Sources: []string{"", "*.pdf", "notes.txt"}}, false},
		{index.Filters{Forms: []string{"pdf", "Text"}}, true}, // a modality
		{index.Filters{Forms: []string{".MD"}}, true},
		{index.Filters{Forms: []string{"", "d", "pdf"}}, false},
	} {
		if got, err := c.filters.Match("notes", &entry); got != c.want || err != nil {
			t.Errorf("%+v: %t, %v", c.filters, got, err)
		}
	}
	timed := index.Filters{After: day(1)}
	if got, err := timed.Match("notes", &index.Entry{}); got || err != nil {
		t.Errorf("without a time: %t, %v", got, err)
	}
	for _, bad := range []index.Filters{{Path: "["}, {Sources: []string{"notes", "["}}, {Sources: []string{strings.Repeat("a", 5000)}}} {
		if _, err := bad.Match("notes", &entry); citekit.CodeOf(err) != message.CodeInvalidInput {
			t.Errorf("a bad pattern: %v", err)
		}
	}
}

// TestSequenceFirst has the words of a query one after the other in one entry, and many
// times, in titles and apart in others.
func TestSequenceFirst(t *testing.T) {
	x := index.New(workspace.NewMemory(nil), nil)
	defer x.Close()
	put(t, x, resource("a", "1", "lanterns kept the narrow harbour bright. Bright lanterns. The bright harbour, the narrow harbour, kept narrow. Lanterns, lanterns, lanterns!"),
		resource("b", "1", strings.Repeat("A ship came in with salt and rope and much else to be written down. ", 40)+"We kept the narrow harbour lanterns bright. "+strings.Repeat("Then it went out again to sea, as all do. ", 40)),
		resource("c", "1", "Of \ufb01nite \ufb02ows in of\ufb01ces of the sea."), resource("d", "1", "Offices of flows, finite; offices, flows of the sea: finite offices at sea."))
	for query, want := range map[string]string{
		"kept the narrow harbour lanterns bright":   "b.n0 a.n0",
		"Kept the narrow, harbour lanterns: bright": "b.n0 a.n0",
		"finite flows in offices of the sea":        "c.n0 d.n0 b.n0",
		`"finite flows in offices of the sea"`:      "c.n0",
	} {
		check(t, x, query, want)
	}
	result, err := x.Search(ctx, index.Query{Text: "kept the narrow harbour lanterns bright", TopK: 1, Explain: true})
	if err != nil || len(result.Hits) != 1 || result.Hits[0].Resource != "b" || result.Total != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	sum := 0.
	for _, p := range result.Hits[0].Parts {
		sum += p.Score
	}
	if h := result.Hits[0]; math.Abs(sum-h.Score) > 1e-6 {
		t.Errorf("the parts of %v are %v together: %+v", h.Score, sum, h.Parts)
	}
}
