package answer_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// plain returns the letters and digits of a text in lower case, by which
// sentences are compared.
func plain(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" \t\r\n|*`\"'’.,;:", r) }), " ")
}

// right reports whether a sentence is one that answers.
func (q *questionForm) right(text string) bool {
	text = plain(text)
	for _, want := range append([]string{q.Sentence}, q.Also...) {
		if want = plain(want); strings.Contains(text, want) || len(text) > len(want)/2 && strings.Contains(want, text) {
			return true
		}
	}
	return false
}

// isIn reports whether a plain text has a sentence that answers.
func (q *questionForm) isIn(text string) bool {
	return slices.ContainsFunc(append([]string{q.Sentence}, q.Also...), func(s string) bool { return strings.Contains(text, plain(s)) })
}

// shares reports whether a question has two words of its sentence that are rare:
// in at most one of a hundred words counted of all sources, and no name of the
// question's form.
func (q *questionForm) shares(rare func(string) bool) bool {
	a := terms.New(terms.Guess(q.Question + " " + q.Sentence))
	words := make(map[string]bool)
	for t := range a.Terms(q.Sentence) {
		words[t.Text] = true
	}
	n := 0
	for t := range a.Terms(q.Question) {
		if words[t.Text] && rare(t.Text) {
			n++
			words[t.Text] = false
		}
	}
	return n >= 2
}

// A tally counts what was right.
type tally struct{ right, of int }

func (t tally) String() string {
	return fmt.Sprintf("%d/%d %.3f", t.right, t.of, float64(t.right)/float64(max(1, t.of)))
}

func (t *tally) add(right bool) {
	t.of++
	if right {
		t.right++
	}
}

// TestQuality asks the questions of testdata/questions.json, once with their
// sources and once without. The constants were chosen on one half of them; the
// other is what counts.
func TestQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	list, dir := questions(t)
	if !sharedtest.Long() { // of each source one
		taken := make(map[string]int)
		list = slices.DeleteFunc(list, func(q questionForm) bool { taken[q.Source]++; return taken[q.Source] > 1 })
	}
	r := open(t, dir, nil)
	paths := make(map[string]string) // resources by path
	texts := make(map[string]string)
	ids, err := r.lib.Resources(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		m, err := r.lib.Map(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		paths[m.SourcePath] = id
		if layer, err := r.texts.Open(ctx, id); err == nil {
			text, err := layer.Text(ctx, 0, layer.Len())
			if err != nil {
				t.Fatal(err)
			}
			texts[id] = text
			layer.Close()
		}
	}
	rare := rareWords(texts)
	got := map[string]*tally{}
	count := func(half, what string, right bool) {
		for _, name := range []string{half + " " + what, "all " + what} {
			if got[name] == nil {
				got[name] = &tally{}
			}
			got[name].add(right)
		}
	}
	for _, q := range list {
		half := "held out"
		if q.tuning {
			half = "tuning"
		}
		found, err := r.Answer(ctx, answer.Request{Question: q.Question, Rationale: true})
		if err != nil {
			t.Fatal(err)
		}
		place := slices.IndexFunc(found.Sentences, func(s *answer.Sentence) bool { return q.right(s.Text) })
		count(half, "first three", place >= 0)
		count(half, "first three, "+q.Kind, place >= 0)
		count(half, "first, right document", len(found.Sentences) > 0 && found.Sentences[0].Address.Resource == paths[q.Source])
		count(half, "first", place == 0)
		if q.shares(rare) {
			count(half, "first three, two rare words shared", place >= 0)
		}
		if place < 0 && q.tuning {
			t.Logf("%s: %s", q.Kind, q.Question)
			for _, s := range found.Sentences {
				t.Logf("    %.3f %v %.110q", s.Score, s.Rationale, s.Text)
			}
		}
	}
	for _, source := range slices.Sorted(maps.Keys(bySource(list))) {
		out := removed(t, r, paths, texts, bySource(list)[source])
		for _, q := range bySource(list)[source] {
			half := "held out"
			if q.tuning {
				half = "tuning"
			}
			found, err := r.Answer(ctx, answer.Request{Question: q.Question, Rationale: true})
			if err != nil {
				t.Fatal(err)
			}
			count(half, "abstains", !found.Found)
			if found.Found && q.tuning {
				s := found.Sentences[0]
				t.Logf("answers without its source: %s: %.3f %v %.110q", q.Question, s.Score, s.Rationale, s.Text)
			}
		}
		if _, err := ingest.Run(ctx, r.lib, out, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		t.Logf("%-50s %v", name, got[name])
	}
	for what, least := range map[string]float64{"first three, two rare words shared": .85, "first three": .65, "first": .53, "first, right document": .6, "abstains": .85} {
		if n := got["all "+what]; float64(n.right) < least*float64(n.of) {
			t.Errorf("%s: %v, less than %v", what, n, least)
		}
	}
}

func bySource(list []questionForm) map[string][]questionForm {
	all := make(map[string][]questionForm)
	for _, q := range list {
		all[q.Source] = append(all[q.Source], q)
	}
	return all
}

// removed removes the maps of a source and of those that have a sentence of it
// too, and returns their paths.
func removed(t *testing.T, r *room, paths, texts map[string]string, list []questionForm) (out []string) {
	for path, id := range paths {
		text := plain(texts[id])
		if path == list[0].Source || slices.ContainsFunc(list, func(q questionForm) bool { return q.isIn(text) }) {
			if _, err := ingest.Delete(ctx, r.lib, id, nil); err != nil {
				t.Fatal(err)
			}
			out = append(out, path)
		}
	}
	return out
}

// rareWords tells which words are in at most one of fifty paragraphs.
func rareWords(texts map[string]string) func(string) bool {
	counts := make(map[string]int)
	n := 0
	for _, text := range texts {
		a := terms.New(terms.Guess(text))
		for paragraph := range strings.SplitSeq(text, "\n\n") {
			n++
			seen := make(map[string]bool)
			for t := range a.Terms(paragraph) {
				if !seen[t.Text] {
					seen[t.Text] = true
					counts[t.Text]++
				}
			}
		}
	}
	return func(word string) bool { return counts[word]*50 <= n }
}
