package index_test

import (
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/index"
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
	} {
		if got, err := c.filters.Match("notes", &entry); got != c.want || err != nil {
			t.Errorf("%+v: %t, %v", c.filters, got, err)
		}
	}
	timed := index.Filters{After: day(1)}
	if got, err := timed.Match("notes", &index.Entry{}); got || err != nil {
		t.Errorf("without a time: %t, %v", got, err)
	}
	bad := index.Filters{Path: "["}
	if _, err := bad.Match("notes", &entry); citekit.CodeOf(err) != citekit.CodeInvalidInput {
		t.Errorf("a bad pattern: %v", err)
	}
}
