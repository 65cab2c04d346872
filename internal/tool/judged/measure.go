package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
)

// depth is how many hits count.
const depth = 10

// A judgement is what became of a question.
type judgement struct {
	*question
	ours, plain outcome
	plainly     *outcome // of citekit, for a question with signs or many words, without them
	shares      bool     // it has a rare word of a page, or of 15 lines, with a place that answers
	answered    bool     // "answer" has an answer
	rightly     bool     // its first sentence is at a place that answers
	tokens      int      // of the reply of "search"
	width       int64    // bytes of text in the addresses of the reply, on average
}

// An outcome is how a ranking did.
type outcome struct {
	rank int     // of the first right hit, from 1; zero if there is none
	ndcg float64 // at 10
}

// A hit is a result: a file, and the parts of its text.
type hit struct {
	file  string
	spans []span
}

// measure asks questions.
func (r *room) measure(ctx context.Context, questions []*question) (all []*judgement, err error) {
	for _, q := range questions {
		j := &judgement{question: q}
		if err := r.search(ctx, j); err != nil {
			return nil, fmt.Errorf("%q: %w", q.Text, err)
		}
		var plain []hit
		for _, u := range r.plain.rank(q.Text, depth) {
			plain = append(plain, hit{u.file, []span{u.span}})
		}
		j.plain = r.judge(q, plain)
		j.shares = r.plain.shares(q.Text, func(u unit) bool {
			return slices.ContainsFunc(q.Places, func(p place) bool { return r.holds(hit{u.file, []span{u.span}}, p) })
		})
		given, err := r.Answerer.Answer(ctx, answer.Request{Question: q.Text})
		if err != nil {
			return nil, fmt.Errorf("answer %q: %w", q.Text, err)
		}
		if j.answered = given.Found; given.Found {
			first, err := r.hitAt(given.Sentences[0].Address)
			if err != nil {
				return nil, err
			}
			j.rightly = slices.ContainsFunc(q.Places, func(p place) bool { return r.holds(first, p) })
		}
		all = append(all, j)
	}
	return all, nil
}

// search asks a question of citekit, and again without its signs.
func (r *room) search(ctx context.Context, j *judgement) error {
	hits, reply, err := r.ask(ctx, j.Text)
	if err != nil {
		return err
	}
	j.ours, j.tokens = r.judge(j.question, hits), plain.CountTokens(reply)
	for _, h := range hits {
		for _, s := range h.spans {
			j.width += (s.to - s.from) / int64(len(hits))
		}
	}
	text, other := j.question.plainly()
	if !other {
		return nil
	}
	if hits, _, err = r.ask(ctx, text); err != nil {
		return err
	}
	o := r.judge(j.question, hits)
	j.plainly = &o
	return nil
}

// ask searches, and returns the hits and the reply.
func (r *room) ask(ctx context.Context, text string) (hits []hit, reply string, err error) {
	found, err := r.Searcher.Search(ctx, search.Request{Query: text, TopK: depth})
	if err != nil {
		return nil, "", err
	}
	if !found.Complete {
		return nil, "", fmt.Errorf("the search is not complete: %s", found.Hint)
	}
	data, err := found.MarshalJSON()
	if err != nil {
		return nil, "", err
	}
	for _, result := range found.Results {
		h, err := r.hitAt(result.Address)
		if err != nil {
			return nil, "", err
		}
		hits = append(hits, h)
	}
	return hits, string(data), nil
}

// hitAt returns the hit of an address.
func (r *room) hitAt(a citekit.Address) (h hit, err error) {
	h.file = r.names[a.Resource]
	layer := r.texts[h.file].layer
	ranges, err := layer.Ranges(a.Location)
	if errors.Is(err, errors.ErrUnsupported) { // a part of a run, such as a table on a page
		ranges, err = layer.Ranges(textlayer.Widened(a.Location))
	}
	if err != nil {
		return h, fmt.Errorf("%s: %w", a, err)
	}
	for _, b := range ranges {
		h.spans = append(h.spans, span{b.From, b.To})
	}
	return h, nil
}

// judge compares hits with the places that answer. A place counts once, for the first
// hit that overlaps it.
func (r *room) judge(q *question, hits []hit) (o outcome) {
	counted := make([]bool, len(q.Places))
	gain := func(rank, grade int) float64 {
		return float64(int(1)<<grade-1) / math.Log2(float64(rank+1))
	}
	got, ideal := 0., 0.
	for i, h := range hits[:min(depth, len(hits))] {
		best, right := -1, false
		for k, p := range q.Places {
			if !r.holds(h, p) {
				continue
			}
			right = true
			if !counted[k] && (best < 0 || p.Grade > q.Places[best].Grade) {
				best = k
			}
		}
		if right && o.rank == 0 {
			o.rank = i + 1
		}
		if best >= 0 {
			counted[best] = true
			got += gain(i+1, q.Places[best].Grade)
		}
	}
	places := slices.SortedFunc(slices.Values(q.Places), func(a, b place) int { return b.Grade - a.Grade })
	for i, p := range places[:min(depth, len(places))] {
		ideal += gain(i+1, p.Grade)
	}
	if ideal > 0 {
		o.ndcg = got / ideal
	}
	return o
}

// holds reports whether a hit overlaps a place, in the file of the place or in the
// recording to which it belongs.
func (r *room) holds(h hit, p place) bool {
	if f := (&file{Name: p.File}); h.file != p.File && !(f.isCues() && h.file == f.recording()) {
		return false
	}
	for _, at := range r.texts[h.file].occurrences(p.Text) {
		if slices.ContainsFunc(h.spans, at.overlaps) {
			return true
		}
	}
	return false
}

// Figures are means over questions that have an answer.
type figures struct {
	n                    int
	hit1, hit5, mrr, dcg float64
}

// figuresOf returns the figures of a ranking for some questions.
func figuresOf(all []*judgement, ranking func(*judgement) outcome) (f figures) {
	for _, j := range all {
		if j.Kind == unanswered {
			continue
		}
		o := ranking(j)
		f.n++
		if o.rank == 1 {
			f.hit1++
		}
		if o.rank > 0 {
			f.mrr += 1 / float64(o.rank)
			if o.rank <= 5 {
				f.hit5++
			}
		}
		f.dcg += o.ndcg
	}
	n := float64(max(1, f.n))
	f.hit1, f.hit5, f.mrr, f.dcg = f.hit1/n, f.hit5/n, f.mrr/n, f.dcg/n
	return f
}

func ours(j *judgement) outcome      { return j.ours }
func plainBM25(j *judgement) outcome { return j.plain }

// only returns the questions that have a property.
func only(all []*judgement, has func(*judgement) bool) []*judgement {
	return slices.DeleteFunc(slices.Clone(all), func(j *judgement) bool { return !has(j) })
}

// groups are the rows of the table: each kind over all languages, and each language
// over all kinds.
func groups(all []*judgement) (names []string, members [][]*judgement) {
	add := func(name string, has func(*judgement) bool) {
		if some := only(all, has); len(some) > 0 {
			names, members = append(names, name), append(members, some)
		}
	}
	for _, kind := range kinds[:len(kinds)-1] {
		add(kind, func(j *judgement) bool { return j.Kind == kind })
		if kind == paraphrase {
			add("of these with a rare word of the place", func(j *judgement) bool { return j.Kind == kind && j.shares })
		}
	}
	var languages []string
	for _, j := range all {
		if !slices.Contains(languages, j.language) {
			languages = append(languages, j.language)
		}
	}
	for _, l := range languages {
		add(l, func(j *judgement) bool { return j.language == l && j.Kind != unanswered })
	}
	other := func(j *judgement) bool { return j.language != "en" && j.Kind != unanswered }
	add("other than English", other)
	add("of these no paraphrases", func(j *judgement) bool { return other(j) && j.Kind != paraphrase })
	add("all", func(j *judgement) bool { return j.Kind != unanswered })
	return names, members
}

// abstained returns the share of the questions without an answer to which "answer"
// gives none, and of those with an answer to which it gives one.
func abstained(all []*judgement) (silent, spoke float64) {
	without, with := 0., 0.
	for _, j := range all {
		switch {
		case j.Kind != unanswered:
			with++
			if j.answered {
				spoke++
			}
		default:
			without++
			if !j.answered {
				silent++
			}
		}
	}
	return silent / max(1, without), spoke / max(1, with)
}

// mean returns the mean of a number over questions.
func mean(all []*judgement, of func(*judgement) float64) float64 {
	sum := 0.
	for _, j := range all {
		sum += of(j)
	}
	return sum / float64(max(1, len(all)))
}

func rightly(j *judgement) float64 {
	if j.rightly {
		return 1
	}
	return 0
}

func replyTokens(j *judgement) float64 { return float64(j.tokens) }
func width(j *judgement) float64       { return float64(j.width) }

func printTable(w io.Writer, h half, all []*judgement) {
	fmt.Fprintf(w, "The %s half, citekit / plain BM25:\n\n", h)
	fmt.Fprintln(w, "| questions | | hit@1 | hit@5 | MRR | nDCG@10 |\n|---|---|---|---|---|---|")
	names, members := groups(all)
	for i, name := range names {
		a, b := figuresOf(members[i], ours), figuresOf(members[i], plainBM25)
		fmt.Fprintf(w, "| %s | %d | %.2f / %.2f | %.2f / %.2f | %.3f / %.3f | %.3f / %.3f |\n", name, a.n,
			a.hit1, b.hit1, a.hit5, b.hit5, a.mrr, b.mrr, a.dcg, b.dcg)
	}
	silent, spoke := abstained(all)
	without := len(only(all, func(j *judgement) bool { return j.Kind == unanswered }))
	fmt.Fprintf(w, "\n`answer` gives no answer to %.2f of the %d questions without one, and gives one to %.2f of the others.\n", silent, without, spoke)
	given := only(all, func(j *judgement) bool { return j.answered && j.Kind != unanswered })
	fmt.Fprintf(w, "Of these answers %.2f begin with a sentence at a place that answers.\n", mean(given, rightly))
	fmt.Fprintf(w, "A reply of `search` has %.0f tokens on average, and the text of an address %.0f bytes.\n", mean(all, replyTokens), mean(all, width))
	signed := only(all, func(j *judgement) bool { return j.plainly != nil && j.Kind != unanswered })
	fmt.Fprintf(w, "The %d questions with quotes, signs or many words have an nDCG@10 of %.3f, and %.3f without these.\n", len(signed),
		figuresOf(signed, ours).dcg, figuresOf(signed, func(j *judgement) outcome { return *j.plainly }).dcg)
}

// printEach prints the rank of each question, worst first within a kind.
func printEach(w io.Writer, all []*judgement) {
	for _, kind := range kinds {
		for _, j := range only(all, func(j *judgement) bool { return j.Kind == kind }) {
			fmt.Fprintf(w, "%-10s %s citekit %2d plain %2d answered %-5t %s\n", kind, j.language, j.ours.rank, j.plain.rank, j.answered, j.Text)
		}
	}
	fmt.Fprintln(w)
}
