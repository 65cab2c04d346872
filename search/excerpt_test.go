package search_test

import (
	"math"
	"strings"
	"testing"

	"github.com/citekit/citekit/search"
)

// TestExcerpts checks that a passage with the words of a query in one place comes before
// one that has them here and there, of the same words and length.
func TestExcerpts(t *testing.T) {
	for name, filler := range map[string]string{
		"lines":     "The miller keeps his books with care and sells flour to the town.\n",
		"sentences": "The miller keeps his books with care. He sells flour to the town. ",
	} {
		t.Run(name, func(t *testing.T) {
			gap := strings.Repeat(filler, 8)
			parts := []string{"A dam broke. ", "A barge sank. ", "A storm rose. ", ""}
			const title = "# Notes\n\n"
			together := title + strings.Repeat(gap, 2) + strings.Join(parts, "") + "\n" + gap
			apart := title + parts[0] + "\n" + gap + parts[1] + "\n" + gap + parts[2] + "\n" + gap
			s := newShelf(t, map[string]string{"apart.md": apart, "together.md": together, "other.md": title + gap})
			found := s.find(t, search.Request{Query: "which dam and barge did the storm sink", Rationale: true})
			if len(found.Results) < 2 || found.Results[0].ResourceID != "together" {
				t.Fatalf("%s first, want together", found.Results[0].ResourceID)
			}
			for _, r := range found.Results {
				sum := 0.
				for _, reason := range r.Rationale {
					sum += reason.Score
				}
				if math.Abs(sum-r.Score) > .01 {
					t.Errorf("%s: score %g, its reasons together %g", r.ResourceID, r.Score, sum)
				}
			}
		})
	}
}

// TestRangesOfExcerpts checks that the excerpts of a text are all of it, overlap, begin
// and end with sentences, and are not long.
func TestRangesOfExcerpts(t *testing.T) {
	for name, text := range map[string]string{
		"sentences": strings.Repeat("Was it so? It was e.g. 3.5 m high. ", 80),
		"lines":     strings.Repeat("a line of some words without an end\n", 60),
		"unspaced":  strings.Repeat("灯台は港にある。油は春に買う。", 60),
		"one":       strings.Repeat("word ", 700),
	} {
		ranges := search.Excerpts(text)
		end := 0
		for i, r := range ranges {
			if i > 0 && (r[0] <= ranges[i-1][0] || r[0] > end) || r[1] < end || i == 0 && r[0] != 0 {
				t.Errorf("%s: excerpt %v after the end %d", name, r, end)
			}
			if end = r[1]; end < len(text) && r[1]-r[0] > 700 {
				t.Errorf("%s: an excerpt of %d bytes", name, r[1]-r[0])
			}
			if before := strings.TrimRight(text[:r[0]], " "); r[0] > 0 && !strings.HasSuffix(before, "\n") && !strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "?") && !strings.HasSuffix(before, "。") {
				t.Errorf("%s: an excerpt begins with %.20q", name, text[r[0]:])
			}
		}
		if end != len(text) {
			t.Errorf("%s: the excerpts end at %d of %d", name, end, len(text))
		}
	}
}
