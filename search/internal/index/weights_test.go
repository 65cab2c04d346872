package index_test

import (
	"math"
	"slices"
	"testing"

	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// TestWeigh shows that a text gets the score that its entry has, and a part of it the
// score of an entry that has only this part.
func TestWeigh(t *testing.T) {
	const part = "A file system is checked by fsck."
	texts := []string{
		"Mount the file system. " + part + " The parseFile of isFile is here, 1,000 times the fsck.",
		part,
		"Das Dateisystem wird mit fsck geprüft, und das ist die Datei der Daten.",
	}
	x := newIndex(t, workspace.NewMemory(nil))
	for i, text := range texts {
		e := index.Entry{Title: "File checks", Path: []string{"Manual", "Disks"}, Summary: "of a file", Text: text, Ordinal: i}
		put(t, x, index.Resource{ID: string(rune('a' + i)), Version: "1", Entries: slices.Values([]index.Entry{e})})
	}
	for _, query := range []string{"fsck", "check the file system with fsck", "manual of parseFile", "Datei fsck"} {
		found, err := x.Search(ctx, index.Query{Text: query, Explain: true})
		if err != nil || len(found.Hits) == 0 {
			t.Fatal(found, err)
		}
		scores := make(map[string]float64)
		for _, h := range found.Hits {
			scores[h.Resource] = h.Score
		}
		for i := range found.Hits {
			h := &found.Hits[i]
			text := texts[h.Entry.Ordinal]
			whole := found.Weights.Weigh(h, "", text, [][2]int{{0, len(text)}})[0]
			if math.Abs(whole.Score-h.Score) > 1e-9 || len(whole.Parts) != len(h.Parts) {
				t.Errorf("%s: %s has %v and is weighed %v", query, h.Resource, h, whole)
			}
			if h.Resource != "a" {
				continue
			}
			at := len("Mount the file system. ")
			if w := found.Weights.Weigh(h, "", text, [][2]int{{at, at + len(part)}})[0]; math.Abs(w.Score-scores["b"]) > 1e-9 {
				t.Errorf("%s: a part is weighed %v, and is %v", query, w, scores["b"])
			}
		}
	}
}
