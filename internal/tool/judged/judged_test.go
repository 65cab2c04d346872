package main

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// least are the least figures of the open half, by the rows of its table: what was
// measured, less a margin for a question or two.
var least = map[string]struct{ hit1, hit5 float64 }{
	inWords:              {.90, .96},
	paraphrase:           {.12, .31},
	inRow:                {.83, .88},
	speech:               {.85, .95},
	"other than English": {.64, .73},
	"all":                {.67, .77},
}

const (
	leastAbstained = .90  // of the questions without an answer
	mostTokens     = 1000 // of a reply of "search" on average
)

// TestJudged checks the records of the collection, asks the questions of the open half,
// or those of the half that is held out if CITEKIT_HELD is set, and logs the table.
func TestJudged(t *testing.T) {
	c, r := openTest(t)
	t.Run("records", func(t *testing.T) { c.check(t, r) })
	t.Run("figures", func(t *testing.T) { c.figures(t, r) })
}

// check tests that each record is whole, and that each place stands in its file as it
// is read.
func (c *collection) check(t *testing.T, r *room) {
	texts := make(map[string]bool)
	names := make(map[string]bool)
	for _, f := range c.files {
		if names[f.Name] {
			t.Errorf("two files have the name %s", f.Name)
		}
		names[f.Name] = true
	}
	for _, q := range c.asked {
		if texts[q.Text] {
			t.Errorf("%q is asked twice", q.Text)
		}
		texts[q.Text] = true
		if !slices.Contains(kinds, q.Kind) || q.language == "" || (q.Kind == unanswered) != (len(q.Places) == 0) {
			t.Errorf("%q has the kind %q, the language %q and %d places", q.Text, q.Kind, q.language, len(q.Places))
		}
		best := 0
		for _, p := range q.Places {
			best = max(best, p.Grade)
			if p.Grade < 1 || p.Grade > 2 {
				t.Errorf("%q has a place of grade %d, not 1 or 2", q.Text, p.Grade)
			}
			if !names[p.File] {
				t.Errorf("%q has a place in %s, which is no file of the collection", q.Text, p.File)
			} else if len(r.texts[p.File].occurrences(p.Text)) == 0 {
				t.Errorf("%s does not have the place %q of %q", p.File, p.Text, q.Text)
			}
		}
		if best != 2 && q.Kind != unanswered {
			t.Errorf("%q has no place of grade 2", q.Text)
		}
		if long := len(strings.Fields(q.Text)) > 40; long != (q.Short != "") {
			t.Errorf("%q has %d words: a question of more than 40, and only such a one, has a short form", q.Text, len(strings.Fields(q.Text)))
		}
	}
}

// figures measures a half, and compares the open half with the least figures.
func (c *collection) figures(t *testing.T, r *room) {
	h := open
	if os.Getenv("CITEKIT_HELD") != "" {
		h = heldOut
	}
	judged, err := r.measure(t.Context(), c.questions(h))
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	printTable(&table, h, judged)
	t.Log("\n" + table.String())
	if h == heldOut {
		return
	}
	names, members := groups(judged)
	for i, name := range names {
		f, p, bound := figuresOf(members[i], ours), figuresOf(members[i], plainBM25), least[name]
		if f.hit1 < bound.hit1 || f.hit5 < bound.hit5 {
			t.Errorf("%s: hit@1 %.2f, hit@5 %.2f; at least %.2f, %.2f", name, f.hit1, f.hit5, bound.hit1, bound.hit5)
		}
		if bound.hit1 > 0 && (f.hit1 < p.hit1 || f.hit5 < p.hit5) {
			t.Errorf("%s: hit@1 %.2f, hit@5 %.2f; plain BM25 has %.2f, %.2f", name, f.hit1, f.hit5, p.hit1, p.hit5)
		}
	}
	if silent, _ := abstained(judged); silent < leastAbstained {
		t.Errorf("no answer to %.2f of the questions without one, less than %.2f", silent, leastAbstained)
	}
	if n := mean(judged, replyTokens); n > mostTokens {
		t.Errorf("a reply of search has %.0f tokens on average, more than %d", n, mostTokens)
	}
}

func openTest(t *testing.T) (*collection, *room) {
	t.Helper()
	sharedtest.Tool(t, "dpkg-deb")
	c, err := load()
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.open(t.Context(), t.TempDir())
	if errors.Is(err, errNotFetched) {
		t.Skip(sharedtest.LeftOut + err.Error() + ": run go run ./internal/tool/judged fetch") // a mirror may have lost a version
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return c, r
}
