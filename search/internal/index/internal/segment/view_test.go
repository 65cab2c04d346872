package segment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// A view counts and finds only what is in its live resources.
func TestView(t *testing.T) {
	data := build(t, "a", randomDocs(rand.New(rand.NewSource(7)), 10, 5))
	for _, test := range []struct {
		dead            []int
		docs, resources int
		keywords        string
	}{
		{nil, 10, 4, "all mod0 mod1 mod3 mod6"},
		{[]int{1, 3}, 6, 2, "all mod0 mod1 mod6"}, // of document 3 and 10
		{[]int{0, 1, 2, 3}, 0, 0, ""},
	} {
		v := view(t, data, test.dead...)
		if v.Docs() != test.docs || v.Resources() != test.resources || v.Segment.Size() != len(data) {
			t.Errorf("without %v: %d documents, %d resources, %d bytes", test.dead, v.Docs(), v.Resources(), v.Segment.Size())
		}
		var keywords []string
		for _, keyword := range []string{"all", "mod0", "mod1", "mod3", "mod6", "mod7"} {
			has, err := v.HasKeyword(keyword)
			if err != nil {
				t.Fatal(err)
			}
			if has {
				keywords = append(keywords, keyword)
			}
		}
		if got := strings.Join(keywords, " "); got != test.keywords {
			t.Errorf("without %v: keywords %s, want %s", test.dead, got, test.keywords)
		}
	}
}

// The passing documents are those that the conditions and filters let through,
// whatever words they have. There are more of them than one window holds.
func TestPassing(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	docs := make([]document, 4500)
	for i := range docs {
		docs[i] = document{randomWords(r, 1, 10), randomWords(r, 4, 10)}
	}
	data := build(t, "a", docs)
	condition := func(title bool, terms ...string) segment.Condition {
		var p segment.Phrase
		for i, term := range terms {
			p = append(p, segment.PhraseTerm{Term: term, Offset: i})
		}
		return segment.Condition{Title: title, Phrases: []segment.Phrase{p}}
	}
	early := func(s *segment.Segment) (segment.Bitmap, error) {
		set := segment.NewBitmap(s.Docs())
		s.Between(set, 0, 4200)
		return set, nil
	}
	any := func(*segment.Segment) (segment.Bitmap, error) { return nil, nil }
	isDead := func(doc int) bool { return doc >= 3 && doc < 6 }
	for name, test := range map[string]struct {
		query segment.Query
		dead  []int
		want  func(doc int) bool // besides the conditions
	}{
		"all":                {want: func(int) bool { return true }},
		"a filter of all":    {segment.Query{Only: any}, nil, func(int) bool { return true }},
		"live":               {segment.Query{Only: any}, []int{1}, func(doc int) bool { return !isDead(doc) }},
		"early and live":     {segment.Query{Only: early}, []int{1}, func(doc int) bool { return doc <= 4200 && !isDead(doc) }},
		"required":           {segment.Query{Required: []segment.Condition{condition(false, "w1", "w2"), condition(true, "w1")}}, nil, func(int) bool { return true }},
		"excluded and early": {segment.Query{Only: early, Excluded: []segment.Condition{condition(false, "w3")}}, nil, func(doc int) bool { return doc <= 4200 }},
		"an empty phrase":    {segment.Query{Required: []segment.Condition{condition(false)}}, nil, func(int) bool { return false }},
	} {
		sets, err := segment.Passing(context.Background(), []segment.View{view(t, data, test.dead...)}, &test.query)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n := 0
		for doc := range docs {
			want := test.want(doc) && new(naive).matches(docs[doc], &test.query)
			if sets[0].Has(uint32(doc)) != want {
				t.Errorf("%s: document %d passes: %v", name, doc, !want)
				break
			}
			if want {
				n++
			}
		}
		if name != "an empty phrase" && (n < 100 || n == len(docs) && test.query.Excluded != nil) {
			t.Errorf("%s: %d documents pass, which shows little", name, n)
		}
	}
}

// A scale scores the words of a document as the search scored the document.
func TestScale(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	docs := randomDocs(r, 50, 30)
	views := []segment.View{view(t, build(t, "a", docs))}
	compared := 0
	for range 40 {
		q := randomQuery(r, 30)
		q.Explain = true
		got, err := segment.Search(context.Background(), views, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range got.Hits {
			d := docs[h.Doc]
			var occurrences []segment.Occurrence
			for i, word := range d.title {
				if got.Scale.Has(word) {
					o := segment.Occurrence{Term: word, Position: i, Weight: segment.TitleWeight, Title: true}
					occurrences = append(occurrences, o, o) // counts once
				}
			}
			for i, word := range d.body {
				if got.Scale.Has(word) {
					occurrences = append(occurrences, segment.Occurrence{Term: word, Position: 100 + i, Weight: 1})
				}
			}
			score, parts := got.Scale.Score(occurrences, length(d))
			if math.Abs(score-h.Score) > 1e-9 {
				t.Fatalf("document %d has %v, the search gave it %v: %+v", h.Doc, score, h.Score, q)
			}
			for i := range parts { // the search adds in another order
				parts[i].Score = float64(float32(parts[i].Score))
			}
			for i := range h.Parts {
				h.Parts[i].Score = float64(float32(h.Parts[i].Score))
			}
			if !sameParts(parts, h.Parts) {
				t.Fatalf("document %d has %+v, the search gave it %+v", h.Doc, parts, h.Parts)
			}
			compared += len(parts)
		}
	}
	if compared < 100 {
		t.Errorf("%d parts compared", compared)
	}
}

// sameParts compares parts in any order.
func sameParts(a, b []segment.Part) bool {
	sorted := func(parts []segment.Part) []segment.Part {
		return slices.SortedFunc(slices.Values(parts), func(a, b segment.Part) int {
			return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
		})
	}
	return reflect.DeepEqual(sorted(a), sorted(b))
}

// Of many words the rarest count, and only pairs of these.
func TestManyWords(t *testing.T) {
	r := rand.New(rand.NewSource(10))
	docs := randomDocs(r, 300, 60)
	n := newNaive(docs)
	q := &segment.Query{K: 10}
	var kept []int
	for i := range segment.MaxWords + 8 {
		q.Words = append(q.Words, segment.Word{Terms: []string{fmt.Sprint("w", i+1)}, Count: 1, Boost: 1})
		if i > 0 {
			q.Pairs = append(q.Pairs, [2]int{i - 1, i})
		}
		kept = append(kept, i)
	}
	q.Words = append(q.Words, segment.Word{Terms: []string{"absent"}, Count: 1, Boost: 1}) // does not count as one of them
	slices.SortStableFunc(kept, func(a, b int) int { return -compare(n.idf(q.Words[a]), n.idf(q.Words[b])) })
	kept = kept[:segment.MaxWords]
	slices.Sort(kept)
	rarest := &segment.Query{K: q.K}
	for i, word := range kept {
		rarest.Words = append(rarest.Words, q.Words[word])
		if i > 0 && kept[i-1] == word-1 {
			rarest.Pairs = append(rarest.Pairs, [2]int{i - 1, i})
		}
	}
	views := []segment.View{view(t, build(t, "a", docs))}
	want, err := segment.Search(context.Background(), views, rarest)
	if err != nil {
		t.Fatal(err)
	}
	got, err := segment.Search(context.Background(), views, q)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Hits) != q.K || got.Total != want.Total || !reflect.DeepEqual(got.Hits, want.Hits) {
		t.Errorf("%+v, want %+v", got, want)
	}
	checkResult(t, n, views, rarest)
}

// Damage and an ended context are told apart, also where segments are searched side
// by side and where only filters are used.
func TestSearchErrors(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	whole := build(t, "a", randomDocs(r, 30, 8))
	damaged := bytes.Clone(whole)
	damaged[8] ^= 1 // the first list of the first group, that of the keywords
	views := []segment.View{view(t, whole), view(t, damaged)}
	q := &segment.Query{K: 1, Only: func(s *segment.Segment) (segment.Bitmap, error) {
		set := segment.NewBitmap(s.Docs())
		return set, s.Having(set, "all")
	}}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, words := range []int{1, 8} { // one after the other, side by side
		q.Words = nil
		for i := range words {
			q.Words = append(q.Words, segment.Word{Terms: []string{fmt.Sprint("w", i+1)}, Count: 1, Boost: 1})
		}
		_, err := segment.Search(context.Background(), views, q)
		if damage := new(segment.DamageError); !errors.As(err, &damage) || damage.View != 1 || !errors.Is(err, segment.ErrDamaged) || err.Error() != segment.ErrDamaged.Error() {
			t.Errorf("%d words: %v", words, err)
		}
		if _, err := segment.Search(ended, views, q); err != context.Canceled {
			t.Errorf("%d words, ended: %v", words, err)
		}
	}
	if _, err := segment.Passing(context.Background(), views, q); !errors.Is(err, segment.ErrDamaged) {
		t.Errorf("Passing: %v", err)
	}
	if _, err := segment.Passing(ended, views[:1], q); err != context.Canceled {
		t.Errorf("Passing, ended: %v", err)
	}
	if _, err := views[1].HasKeyword("all"); err != segment.ErrDamaged {
		t.Errorf("HasKeyword: %v", err)
	}
	if err := views[1].Segment.Check(context.Background()); err != segment.ErrDamaged {
		t.Errorf("Check: %v", err)
	}
	if err := views[0].Segment.Check(context.Background()); err != nil {
		t.Errorf("Check of a whole segment: %v", err)
	}
}

// memoryGone is what the runtime panics with when mapped memory cannot be read.
type memoryGone struct{ error }

func (memoryGone) Addr() uintptr { return 1 }

func TestGuard(t *testing.T) {
	if err := segment.Guard(func() error { panic(memoryGone{errors.New("unexpected fault address")}) }); err != segment.ErrDamaged {
		t.Errorf("memory that is gone: %v", err)
	}
	if err := segment.Guard(func() error { return context.Canceled }); err != context.Canceled {
		t.Errorf("an error: %v", err)
	}
	defer func() {
		if got := recover(); got != "a fault of the program" {
			t.Errorf("another panic became %v", got)
		}
	}()
	t.Error(segment.Guard(func() error { panic("a fault of the program") }))
}

// What cannot be a term is left out, and a term counts once at each position.
func TestBuilder(t *testing.T) {
	b := segment.NewBuilder()
	b.Start(segment.Resource{ID: "r", Version: "v", Part: 2})
	empty := b.Size()
	b.Add(segment.Document{
		Body: func(yield func(string, int) bool) {
			for i, term := range []string{"a", "", "\x00b", strings.Repeat("c", 1<<12), strings.Repeat("d", 1<<12+1), "a"} {
				if !yield(term, i) || term == "a" && !yield(term, i) { // twice at its position
					return
				}
			}
		},
		Keywords: []string{"k", "k", strings.Repeat("k", 1<<12)},
		Record:   make([]byte, 10_000),
	})
	b.Final()
	if b.Docs() != 1 || b.Size() < empty+10_000 {
		t.Errorf("%d documents, %d bytes after %d", b.Docs(), b.Size(), empty)
	}
	var out bytes.Buffer
	if err := b.Encode(&out); err != nil {
		t.Fatal(err)
	}
	s := open(t, out.Bytes())
	var all []string
	for term := range s.Terms("") {
		all = append(all, term[:min(len(term), 4)])
	}
	if want := []string{"\x00k", "a", "cccc"}; !slices.Equal(all, want) {
		t.Errorf("terms %q, want %q", all, want)
	}
	if r, _ := s.Resource(0); r != (segment.Resource{ID: "r", Version: "v", Part: 2, Final: true}) {
		t.Errorf("%+v", r)
	}
	got, err := segment.Search(context.Background(), []segment.View{segment.NewView(s, nil)}, &segment.Query{
		K: 1, Explain: true, Words: []segment.Word{{Terms: []string{"a"}, Count: 1, Boost: 1}},
	})
	if err != nil || len(got.Hits) != 1 || len(got.Hits[0].Parts) != 1 || got.Hits[0].Parts[0].Weight != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

// What yields stops when its caller has enough.
func TestStop(t *testing.T) {
	s := open(t, build(t, "a", randomDocs(rand.New(rand.NewSource(12)), 10, 5)))
	for term := range s.Terms("w") {
		if term != "w1" {
			t.Error(term)
		}
		break
	}
	for keyword := range s.Keywords("") {
		if keyword != "all" {
			t.Error(keyword)
		}
		break
	}
	for n := range s.FindResource("a-002") {
		if n != 2 {
			t.Error(n)
		}
		break
	}
}
