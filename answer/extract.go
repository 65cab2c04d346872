package answer

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
)

var errUnsupported = errors.ErrUnsupported

// A call answers one question.
type call struct {
	*Answerer
	req    Request
	q      *question
	answer *Answer
	layers map[string]*textlayer.Layer // open layers, by resource; nil for one that cannot be read

	yield func(*Event, error) bool
	ended bool // yield returned false
}

func (c *call) close() {
	for _, layer := range c.layers {
		if layer != nil {
			layer.Close()
		}
	}
}

// run answers the question.
func (c *call) run(ctx context.Context) error {
	c.layers = make(map[string]*textlayer.Layer)
	found, err := c.find(ctx)
	if err != nil {
		return err
	}
	c.answer.Complete, c.answer.Hint = found.Complete, found.Hint
	c.answer.LeftOut, c.answer.LeftOutIDs = found.LeftOut, found.LeftOutIDs
	if why := found.WhyLeftOut(); why != "" && !strings.Contains(c.answer.Hint, why) {
		c.answer.Hint = strings.TrimSuffix(why+"; "+c.answer.Hint, "; ")
	}
	if len(found.Results) == 0 {
		return nil
	}
	all, err := c.candidates(ctx, found.Results)
	if err != nil || !c.answers(all) {
		return err
	}
	if c.req.Type == Abstractive {
		return c.write(ctx, all)
	}
	return c.extract(ctx, all)
}

// find finds passages for the question.
func (c *call) find(ctx context.Context) (*search.Results, error) {
	limited, cancel := untilReserve(ctx)
	defer cancel()
	var err error
	if c.q, err = readQuestion(ctx, c.searcher, c.req.Question); err != nil {
		return nil, err
	}
	found, err := c.searcher.Search(limited, search.Request{Query: c.q.query(), Syntax: search.Question, Mode: c.req.Mode, TopK: search.MaxTopK, Filters: c.req.Filters, SameAddress: true, Whole: true, NoHighlights: true})
	if err != nil {
		return nil, err
	}
	// Read the question again, because the search may have updated the index.
	c.q, err = readQuestion(ctx, c.searcher, c.req.Question)
	return found, err
}

// A candidate is a sentence that may answer the question.
type candidate struct {
	unit
	rating
	passage *search.Result
}

// candidates returns the sentences of passages, the best answers first. It
// leaves out the passages that remain when the time is over.
func (c *call) candidates(ctx context.Context, results []*search.Result) ([]*candidate, error) {
	r := newReader()
	var texts []string
	for _, result := range results {
		if result.Passage != nil {
			texts = append(texts, result.Passage.Text)
		}
	}
	r.distinguish(c.q.text, texts)
	var all []*candidate
	for _, result := range results {
		if err := ctx.Err(); err != nil {
			if errors.Is(err, context.DeadlineExceeded) && len(all) > 0 {
				c.answer.Complete = false
				break
			}
			return nil, err
		}
		if result.Passage == nil {
			continue
		}
		prior := 1.
		if best := results[0].Score; best > 0 {
			prior = result.Score / best
		}
		all = append(all, c.inPassage(ctx, r, result, prior)...)
	}
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	return all, nil
}

// inPassage returns the sentences of a passage.
func (c *call) inPassage(ctx context.Context, r *reader, result *search.Result, prior float64) (all []*candidate) {
	text := result.Passage.Text
	where := &surroundings{prior: prior, language: terms.Guess(text)}
	where.title = r.places(strings.Join(append(append([]string{}, result.Path...), result.Title, strings.NewReplacer("-", " ", "_", " ").Replace(result.ResourceID)), "\n"), where.language)
	where.passage = r.places(text, where.language)
	units := withRows(unitsOf(text, c.headerOf(ctx, result)), c.searcher.TableRows(ctx, result), text)
	if result.Modality == citekit.Document {
		markTitles(units, append([]string{result.Title}, result.Path...))
	}
	for i := range units {
		rated := c.q.rate(r, units, i, where)
		if rated.direct > 0 || rated.covered > 0 {
			all = append(all, &candidate{unit: units[i], rating: rated, passage: result})
		}
	}
	return all
}

// markTitles marks the units that are one of the titles, with or without its number,
// as headings. The text of a document does not show what is one.
func markTitles(units []unit, titles []string) {
	bare := func(text string) string {
		text = strings.TrimLeftFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
		return strings.ToLower(strings.Join(strings.Fields(text), " "))
	}
	known := make(map[string]bool)
	for _, title := range titles {
		known[bare(title)] = true
	}
	for i := range units {
		if name := bare(units[i].text); name != "" && known[name] && !strings.HasSuffix(name, ".") {
			units[i].title = true
		}
	}
}

// maxHeader is the maximum length of the header of a table, in bytes.
const maxHeader = 2000

// headerOf returns the first line of a source if a passage does not begin with
// it and has rows of the same form, or else "".
func (c *call) headerOf(ctx context.Context, result *search.Result) string {
	if result.Passage.From == 0 {
		return ""
	}
	first, _, _ := strings.Cut(result.Passage.Text, "\n")
	if !strings.ContainsAny(first, ",;\t|") {
		return ""
	}
	layer := c.open(ctx, result)
	if layer == nil {
		return ""
	}
	text, err := layer.Text(ctx, 0, min(layer.Len(), maxHeader))
	if err != nil {
		return ""
	}
	header, _, _ := strings.Cut(text, "\n")
	for _, sign := range []string{"\t", ",", ";", "|"} {
		if n := strings.Count(header, sign); n >= 2 && n == strings.Count(first, sign) {
			return header
		}
	}
	return ""
}

// open returns the layer of a passage, or nil if the source has another version
// now.
func (c *call) open(ctx context.Context, result *search.Result) *textlayer.Layer {
	layer, ok := c.layers[result.ResourceID]
	if !ok {
		var err error
		if layer, err = c.Answerer.layers.Open(ctx, result.ResourceID); err != nil {
			layer = nil
		}
		c.layers[result.ResourceID] = layer
	}
	if layer == nil || layer.SourceHash() != result.Passage.SourceHash {
		return nil
	}
	return layer
}

// The least shares of the question that a sentence must have to answer it. They
// were chosen on one half of testdata/questions.json.
const (
	leastCovered = .57 // with the text around it
	leastSure    = .35 // the same, with other words of the same meaning counting half
	leastDirect  = .3  // in the sentence itself
	otherCovered = .68 // with the text around it, if it lacks the rarest word
	aloneCovered = .85 // with the text around it, if it has only one word of several
	leastNames   = .5  // of the names, in the sentence or around it
	leastBeside  = .65 // of the best score, for further sentences
	mostMissing  = .25 // of the words, neither in the sentence nor above or right before
)

// answers reports whether the best sentences answer the question at all.
func (c *call) answers(all []*candidate) bool {
	const looked = 10
	for _, s := range all[:min(len(all), looked)] {
		if c.holds(s) {
			return true
		}
	}
	return false
}

func (c *call) holds(s *candidate) bool {
	switch {
	case c.q.asked.form != yesOrNo && !s.tells, c.q.hard && s.kind == 0, s.form < leastForm, s.missing > mostMissing:
		return false
	}
	return s.covered >= leastCovered && s.sure >= leastSure && s.direct >= leastDirect && s.names >= leastNames && s.numbers &&
		(s.rarest || s.covered >= otherCovered) && (s.near > 1 || s.rare || s.covered >= aloneCovered)
}

// extract adds the best sentences to the answer.
func (c *call) extract(ctx context.Context, all []*candidate) error {
	best, room := 0., c.req.Tokens
	seen := make(map[string]bool)
	for _, s := range all {
		if len(c.answer.Sentences) == c.req.Sentences || s.score < leastBeside*best {
			break
		}
		key := strings.Join(strings.Fields(strings.ToLower(s.text)), " ")
		if s.title || asksItself(s.unit) || seen[key] || !c.holds(s) {
			continue
		}
		needs := plain.CountTokens(s.text)
		if needs > room && len(c.answer.Sentences) > 0 {
			continue
		}
		given, err := c.check(ctx, s)
		if err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				c.answer.Complete = false
				return nil
			}
			return err
		}
		if given == nil {
			continue
		}
		seen[key], room, best = true, room-needs, max(best, s.score)
		if !c.give(given) {
			return nil
		}
	}
	return nil
}

// check returns a candidate as a sentence of the answer, or nil if its current
// source does not have it.
func (c *call) check(ctx context.Context, s *candidate) (*Sentence, error) {
	layer := c.open(ctx, s.passage)
	if layer == nil {
		return nil, ctx.Err()
	}
	from := s.passage.Passage.From
	loc, err := layer.Location(from+int64(s.from), from+int64(s.to))
	if err != nil {
		return nil, ctx.Err()
	}
	if !s.cells.IsWhole() {
		loc = s.cells
	}
	address := citekit.Address{Resource: s.passage.ResourceID, Location: loc}
	quote := s.text
	if len(s.pieces) > 1 && !strings.Contains(s.passage.Passage.Text[s.from:s.to], s.text) { // other text stands between them
		quote = strings.Join(s.pieces, " … ")
	}
	verdict, err := c.verifier.Quote(ctx, verify.Request{Quote: quote, Address: address})
	if err != nil {
		if errors.Is(err, citekit.ErrSyntax) || errors.Is(err, citekit.ErrTooLarge) {
			return nil, nil
		}
		return nil, err
	}
	if !verdict.Holds() {
		return nil, nil
	}
	given := &Sentence{Text: s.text, Address: address, Score: rounded(s.score), Verdict: Verdict(verdict.Class), Transcribed: verdict.Transcribed}
	if c.req.Rationale {
		given.Rationale = s.found
	}
	return given, nil
}

// rounded returns a score with three decimals, from 0 to 1.
func rounded(v float64) float64 { return math.Round(min(max(v, 0), 1)*1000) / 1000 }
