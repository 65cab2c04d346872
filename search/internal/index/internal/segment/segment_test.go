package segment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// A document of a test is words: a number stands for itself.
type document struct{ title, body []string }

func places(words []string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for i, word := range words {
			if !yield(word, i) {
				return
			}
		}
	}
}

// build returns a segment of documents, three to a resource.
func build(t testing.TB, name string, docs []document) []byte {
	t.Helper()
	b := segment.NewBuilder()
	for i, d := range docs {
		if i%3 == 0 {
			b.Start(segment.Resource{ID: fmt.Sprintf("%s-%03d", name, i/3), Version: "v1", Final: true})
		}
		b.Add(segment.Document{
			Title: places(d.title), Body: places(d.body), Time: int64(i),
			Keywords: []string{"all", fmt.Sprint("mod", i%7)}, Record: fmt.Appendf(nil, "%s record %d", name, i),
		})
	}
	var out bytes.Buffer
	if err := b.Encode(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(t testing.TB, data []byte) *segment.Segment {
	t.Helper()
	s, err := segment.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// view returns a view of a segment in which some resources are dead.
func view(t testing.TB, data []byte, dead ...int) segment.View {
	t.Helper()
	return segment.NewView(open(t, data), dead)
}

// randomWords returns words. Few of them are common.
func randomWords(r *rand.Rand, n, vocabulary int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprint("w", int(math.Pow(float64(vocabulary), r.Float64())))
	}
	return words
}

func randomDocs(r *rand.Rand, n, vocabulary int) []document {
	docs := make([]document, n)
	for i := range docs {
		docs[i] = document{randomWords(r, r.Intn(4), vocabulary), randomWords(r, r.Intn(60), vocabulary)}
	}
	return docs
}

// A naive index ranks by the book.
type naive struct {
	docs   [][]document     // by view
	dead   []func(int) bool // by view; nil for none
	length float64
	count  float64
	known  map[string]float64 // idf
}

func newNaive(views ...[]document) *naive {
	n := &naive{docs: views, dead: make([]func(int) bool, len(views)), known: make(map[string]float64)}
	for _, docs := range views {
		for _, d := range docs {
			n.length += float64(length(d))
			n.count++
		}
	}
	return n
}

func length(d document) int { return segment.TitleWeight*len(d.title) + len(d.body) }

func times(words []string, word string) (n int) {
	for _, w := range words {
		if w == word {
			n++
		}
	}
	return n
}

func weight(d document, word string) float64 {
	return float64(segment.TitleWeight*times(d.title, word) + times(d.body, word))
}

func (n *naive) idf(w segment.Word) float64 {
	key := strings.Join(w.Terms, " ")
	if idf, ok := n.known[key]; ok {
		return idf
	}
	df := 0.
	for _, docs := range n.docs {
		for _, d := range docs {
			for _, term := range w.Terms {
				if weight(d, term) > 0 {
					df++
				}
			}
		}
	}
	df = min(df, n.count)
	n.known[key] = math.Log(1+(n.count-df+.5)/(df+.5)) * (segment.K1 + 1) * w.Boost
	return n.known[key]
}

func (n *naive) saturation(tf float64, d document) float64 {
	return tf / (tf + segment.K1*(1-segment.B+segment.B*float64(length(d))/(n.length/n.count)))
}

func hasPhrase(words []string, p segment.Phrase) bool {
	for i := range words {
		ok := true
		for _, t := range p {
			ok = ok && i+t.Offset < len(words) && words[i+t.Offset] == t.Term
		}
		if ok {
			return true
		}
	}
	return false
}

func meets(d document, c segment.Condition) bool {
	for _, p := range c.Phrases {
		if hasPhrase(d.title, p) || !c.Title && hasPhrase(d.body, p) {
			return true
		}
	}
	return false
}

func (n *naive) matches(d document, q *segment.Query) bool {
	for _, c := range q.Required {
		if !meets(d, c) {
			return false
		}
	}
	for _, c := range q.Excluded {
		if meets(d, c) {
			return false
		}
	}
	return true
}

// pairs counts how often a word comes right after another.
func pairs(d document, a, b segment.Word) (count int) {
	for _, words := range [][]string{d.title, d.body} {
		for i := range words[:max(0, len(words)-1)] {
			if slices.Contains(a.Terms, words[i]) && slices.Contains(b.Terms, words[i+1]) {
				count++
			}
		}
	}
	return count
}

func (n *naive) score(d document, q *segment.Query) (plain, bonus float64) {
	for _, w := range q.Words {
		idf := n.idf(w)
		for _, term := range w.Terms {
			plain += idf * float64(w.Count) * n.saturation(weight(d, term), d)
		}
	}
	for _, p := range q.Pairs {
		a, b := q.Words[p[0]], q.Words[p[1]]
		if count := pairs(d, a, b); count > 0 {
			bonus += segment.PairBonus * min(n.idf(a), n.idf(b)) * n.saturation(float64(count), d)
		}
	}
	return plain, bonus
}

// search ranks by the plain score, and the best of these with pairs.
func (n *naive) search(q *segment.Query) (hits []segment.Hit, total int) {
	type scored struct {
		hit   segment.Hit
		plain float64
	}
	var all []scored
	for v, docs := range n.docs {
		for i, d := range docs {
			if n.dead[v] != nil && n.dead[v](i) || !n.matches(d, q) {
				continue
			}
			if plain, bonus := n.score(d, q); plain > 0 {
				all = append(all, scored{segment.Hit{View: v, Doc: uint32(i), Score: plain + bonus}, plain})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return -compare(a.plain, b.plain) })
	total = len(all)
	all = all[:min(len(all), max(30, 3*q.K))]
	slices.SortStableFunc(all, func(a, b scored) int { return -compare(a.hit.Score, b.hit.Score) })
	for _, s := range all[:min(len(all), q.K)] {
		hits = append(hits, s.hit)
	}
	return hits, total
}

func compare(a, b float64) int {
	switch {
	case a > b+1e-9:
		return 1
	case a < b-1e-9:
		return -1
	}
	return 0
}

func randomWord(r *rand.Rand, vocabulary int) segment.Word {
	w := segment.Word{Count: 1 + r.Intn(2), Boost: 1}
	for _, term := range randomWords(r, 1+r.Intn(5)/4, vocabulary) {
		if !slices.Contains(w.Terms, term) {
			w.Terms = append(w.Terms, term)
		}
	}
	return w
}

func randomCondition(r *rand.Rand, vocabulary int) segment.Condition {
	c := segment.Condition{Title: r.Intn(3) == 0}
	for range 1 + r.Intn(2) {
		var p segment.Phrase
		for i, term := range randomWords(r, 1+r.Intn(2), vocabulary/10) {
			p = append(p, segment.PhraseTerm{Term: term, Offset: i})
		}
		c.Phrases = append(c.Phrases, p)
	}
	return c
}

func randomQuery(r *rand.Rand, vocabulary int) *segment.Query {
	q := &segment.Query{K: 1 + r.Intn(20)}
	seen := make(map[string]bool)
	for range 1 + r.Intn(6)*r.Intn(3) {
		w := randomWord(r, vocabulary)
		if seen[w.Terms[0]] {
			continue
		}
		seen[w.Terms[0]] = true
		if len(q.Words) > 0 {
			q.Pairs = append(q.Pairs, [2]int{len(q.Words) - 1, len(q.Words)})
		}
		q.Words = append(q.Words, w)
	}
	if r.Intn(4) == 0 {
		q.Required = append(q.Required, randomCondition(r, vocabulary))
	}
	if r.Intn(4) == 0 {
		q.Excluded = append(q.Excluded, randomCondition(r, vocabulary))
	}
	return q
}

// checkResult compares a result with what the naive index has. Documents of
// equal scores may change places.
func checkResult(t *testing.T, n *naive, views []segment.View, q *segment.Query) {
	t.Helper()
	got, err := segment.Search(context.Background(), views, q)
	if err != nil {
		t.Fatal(err)
	}
	want, total := n.search(q)
	if got.Exact && got.Total != total || got.Total > total || !got.Exact && got.Total < segment.CountTo {
		t.Fatalf("total %d (exact: %v), want %d", got.Total, got.Exact, total)
	}
	if len(got.Hits) < len(want) || len(want) < q.K && len(got.Hits) > len(want) {
		t.Fatalf("%d hits, want %d: %+v", len(got.Hits), len(want), q)
	}
	for i, h := range got.Hits {
		if i >= len(want) { // only others with the score of the last
			if h.Score != got.Hits[i-1].Score {
				t.Fatalf("hit %d has %v, and that before %v: %+v", i, h.Score, got.Hits[i-1].Score, q)
			}
			continue
		}
		if math.Abs(h.Score-want[i].Score) > 1e-9 {
			t.Fatalf("hit %d is %d.%d with %v, want %d.%d with %v: %+v", i, h.View, h.Doc, h.Score, want[i].View, want[i].Doc, want[i].Score, q)
		}
		if plain, bonus := n.score(n.docs[h.View][h.Doc], q); math.Abs(h.Score-plain-bonus) > 1e-9 {
			t.Fatalf("hit %d.%d has %v, want %v", h.View, h.Doc, h.Score, plain+bonus)
		}
		if n.dead[h.View] != nil && n.dead[h.View](int(h.Doc)) || !n.matches(n.docs[h.View][h.Doc], q) {
			t.Fatalf("hit %d.%d does not match %+v", h.View, h.Doc, q)
		}
	}
	checkLookup(t, n, views, q, got)
}

// checkLookup searches with terms that were looked up before, as a search without these,
// and compares which documents pass with those that match.
func checkLookup(t *testing.T, n *naive, views []segment.View, q *segment.Query, want *segment.Result) {
	t.Helper()
	known := *q
	known.Lookup = segment.NewLookup(views)
	for _, w := range q.Words {
		known.Lookup.Frequency(w.Terms[0])
	}
	for range 2 {
		got, err := segment.Search(context.Background(), views, &known)
		if err != nil || !reflect.DeepEqual(got.Hits, want.Hits) {
			t.Fatalf("%+v, %v, want %+v: %+v", got, err, want, q)
		}
	}
	passing, err := segment.Passing(context.Background(), views, &known)
	if err != nil {
		t.Fatal(err)
	}
	passes := false
	for v, docs := range n.docs {
		for i, d := range docs {
			pass := (n.dead[v] == nil || !n.dead[v](i)) && n.matches(d, q)
			if passing[v].Has(uint32(i)) != pass {
				t.Fatalf("document %d.%d passes: %v: %+v", v, i, !pass, q)
			}
			passes = passes || pass
		}
	}
	if any, err := segment.AnyPassing(context.Background(), views, q); err != nil || any != passes {
		t.Fatalf("any passes: %v, %v, want %v: %+v", any, err, passes, q)
	}
}

func TestLookupOnce(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	l := segment.NewLookup([]segment.View{view(t, build(t, "a", randomDocs(r, 100, 50))), view(t, build(t, "b", randomDocs(r, 30, 50)))})
	for _, term := range append(randomWords(r, 10, 50), "unheard") {
		n := l.Frequency(term)
		again := 0
		if allocs := testing.AllocsPerRun(10, func() { again = l.Frequency(term) }); allocs > 0 || again != n {
			t.Errorf("%s: %d, and with %v allocations again %d", term, n, allocs, again)
		}
	}
}

// rounds returns how often a test repeats what it does n times as a rule.
func rounds(n int) int {
	switch {
	case testing.Short():
		return max(n/6, 1)
	case sharedtest.Long():
		return 4 * n
	}
	return n
}

func TestSearchAsNaive(t *testing.T) {
	sharedtest.Once(t)
	r := rand.New(rand.NewSource(1))
	for round := range rounds(4) {
		size, vocabulary := 1+r.Intn(1500), 2+r.Intn(800)
		a, b, c := randomDocs(r, size, vocabulary), randomDocs(r, 1+size/7, vocabulary), randomDocs(r, 1+r.Intn(4), vocabulary)
		n := newNaive(a, b, c)
		views := []segment.View{view(t, build(t, "a", a)), view(t, build(t, "b", b)), view(t, build(t, "c", c))}
		if round%2 == 1 && len(a) > 3 { // the second resource of the first view is dead
			views[0] = view(t, build(t, "a", a), 1)
			n.dead[0] = func(doc int) bool { return doc >= 3 && doc < 6 }
		}
		for range 60 {
			checkResult(t, n, views, randomQuery(r, vocabulary))
		}
	}
}

// Windows that cannot matter are left out, and the best are the same.
func TestSearchOfManyWindows(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	r := rand.New(rand.NewSource(2))
	docs := randomDocs(r, 8000, 3000)
	n := newNaive(docs)
	views := []segment.View{view(t, build(t, "a", docs))}
	pruned := false
	for i := range 6 {
		q := randomQuery(r, 300*(1+i%2*9)) // also rare words
		checkResult(t, n, views, q)
		got, _ := segment.Search(context.Background(), views, q)
		pruned = pruned || !got.Exact
	}
	if !pruned {
		t.Error("nothing was left out")
	}
}

// A merged segment is that of the documents that were not dead.
func TestMerge(t *testing.T) {
	sharedtest.Once(t)
	r := rand.New(rand.NewSource(3))
	a, b := randomDocs(r, 700, 300), randomDocs(r, 301, 300)
	views := []segment.View{view(t, build(t, "a", a), 0, 1, 100), view(t, build(t, "b", b))}
	var out bytes.Buffer
	if err := segment.Merge(context.Background(), &out, views); err != nil {
		t.Fatal(err)
	}
	left := slices.Concat(a[6:300], a[303:], b)
	merged := open(t, out.Bytes())
	n := newNaive(left)
	if merged.Docs() != len(left) {
		t.Fatalf("%d documents, want %d", merged.Docs(), len(left))
	}
	for range rounds(200) {
		checkResult(t, n, []segment.View{segment.NewView(merged, nil)}, randomQuery(r, 300))
	}
	resource, records, start, end, err := merged.Record(uint32(len(left) - 1))
	if err != nil || string(records[start:end]) != "b record 300" || resource.ID != "b-100" {
		t.Errorf("record %q of %v, %v", records[start:end], resource, err)
	}
	for range merged.FindResource("a-001") {
		t.Error("a dead resource is there")
	}
	for i := range merged.FindResource("a-002") {
		if r, docs := merged.Resource(i); r.Version != "v1" || docs != (segment.Range{First: 0, End: 3}) {
			t.Errorf("resource %v has %v", r, docs)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := segment.Merge(ctx, new(bytes.Buffer), views); !errors.Is(err, context.Canceled) {
		t.Errorf("Merge with an ended context: %v", err)
	}
}

func TestFilters(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	s := open(t, build(t, "a", randomDocs(r, 1000, 50)))
	set := segment.NewBitmap(s.Docs())
	if err := s.Having(set, "mod3", "mod4", "none"); err != nil {
		t.Fatal(err)
	}
	for doc := range uint32(1000) {
		if set.Has(doc) != (doc%7 == 3 || doc%7 == 4) {
			t.Fatalf("document %d: %v", doc, set.Has(doc))
		}
	}
	q := &segment.Query{K: 1000, Words: []segment.Word{{Terms: []string{"w1"}, Count: 1, Boost: 1}}, Only: func(s *segment.Segment) (segment.Bitmap, error) {
		times := segment.NewBitmap(s.Docs())
		s.Between(times, 100, 199)
		times.Keep(set)
		return times, nil
	}}
	got, err := segment.Search(context.Background(), []segment.View{segment.NewView(s, nil)}, q)
	if err != nil || got.Total < 10 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, h := range got.Hits {
		if h.Doc < 100 || h.Doc > 199 || !set.Has(h.Doc) {
			t.Errorf("hit %d", h.Doc)
		}
	}
	var keywords []string
	for k := range s.Keywords("mod") {
		keywords = append(keywords, k)
	}
	if strings.Join(keywords, " ") != "mod0 mod1 mod2 mod3 mod4 mod5 mod6" {
		t.Error(keywords)
	}
}

func TestDictionary(t *testing.T) {
	var words []string
	for i := range 5000 {
		words = append(words, fmt.Sprintf("%x", i*7919))
	}
	words = append(words, "straße", "naïve", "東京", "cat", "cart", "at", "bat", "scat", "cut")
	s := open(t, build(t, "a", []document{{nil, words}}))
	for prefix, least := range map[string]int{"1": 100, "ffff": 0, "": len(words) - 100, "ca": 2, "東": 1} {
		want := 0
		seen := make(map[string]bool)
		for _, w := range words {
			if strings.HasPrefix(w, prefix) && !seen[w] {
				seen[w] = true
				want++
			}
		}
		got := 0
		for term, docs := range s.Terms(prefix) {
			if !seen[term] && prefix != "" || docs != 1 && prefix != "" {
				t.Errorf("%q in %d documents", term, docs)
			}
			if !strings.HasPrefix(term, "\x00") {
				got++
			}
		}
		if got != want || got < least {
			t.Errorf("%d terms begin with %q, want %d", got, prefix, want)
		}
	}
	near := make(map[string]bool)
	for term := range s.Near("cat") {
		near[term] = true
	}
	for _, w := range words {
		if want := w != "cat" && distance(w, "cat") == 1; near[w] != want {
			t.Errorf("%q is near cat: %v", w, near[w])
		}
	}
	if near["cat"] || len(near) != 5 {
		t.Error(near)
	}
}

// distance returns how many letters to change.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before := row[0]
		row[0]++
		for j := range y {
			cost := before
			if x[i] != y[j] {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}

func TestExplain(t *testing.T) {
	docs := []document{{[]string{"red"}, []string{"red", "car"}}, {nil, []string{"red", "red", "house"}}, {nil, []string{"blue", "house"}}}
	s := open(t, build(t, "a", docs))
	q := &segment.Query{K: 5, Explain: true, Pairs: [][2]int{{0, 1}}, Words: []segment.Word{{Terms: []string{"red"}, Count: 1, Boost: 1}, {Terms: []string{"car", "cars"}, Count: 1, Boost: 1}}}
	got, err := segment.Search(context.Background(), []segment.View{segment.NewView(s, nil)}, q)
	if err != nil || len(got.Hits) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	h, sum := got.Hits[0], 0.
	for _, p := range h.Parts {
		sum += p.Score
	}
	if len(h.Parts) != 3 || math.Abs(sum-h.Score) > 1e-12 || !slices.Equal(h.Terms, []string{"red", "car"}) {
		t.Errorf("%+v", h)
	}
	if p := h.Parts[0]; !p.Title || !p.Body || p.Weight != segment.TitleWeight+1 {
		t.Errorf("%+v", p)
	}
	if p := h.Parts[2]; p.Term != "" || p.Weight != 1 {
		t.Errorf("%+v", p)
	}
}

func TestEmpty(t *testing.T) {
	var out bytes.Buffer
	b := segment.NewBuilder()
	b.Start(segment.Resource{ID: "r", Version: "v"})
	if err := b.Encode(&out); err != nil {
		t.Fatal(err)
	}
	s := open(t, out.Bytes())
	if s.Docs() != 0 || len(slices.Collect(s.FindResource("r"))) != 1 {
		t.Error("the resource is not there")
	}
	q := &segment.Query{K: 1, Words: []segment.Word{{Terms: []string{"a"}, Count: 1, Boost: 1}}}
	for _, views := range [][]segment.View{nil, {segment.NewView(s, nil)}} {
		if got, err := segment.Search(context.Background(), views, q); err != nil || got.Total != 0 || !got.Exact {
			t.Errorf("%+v, %v", got, err)
		}
	}
}
