package reanchor

import (
	"context"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/quotation"
	"github.com/citekit/citekit/reanchor/internal/anchor"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
)

// The confidence of a find, by the way it was found.
const (
	sure        = 1.0
	movedAlone  = .97 // the part occurs once, but without its surroundings
	byContext   = .95
	byAlignment = .85 // the part occurs several times, and its surroundings were not kept
	similarMost = .9
)

// findText finds a part of the old text in the new one.
func (r *Reanchorer) findText(ctx context.Context, old, now *textlayer.Layer, result *Result) error {
	parts, err := partsOf(ctx, old, result.Was.Location)
	if err != nil {
		return err
	}
	pair, err := r.pair(ctx, result.Was.Resource, old, now)
	if err != nil {
		return err
	}
	f := &finder{old: old, now: now, pair: pair, result: result}
	result.How, result.Confidence = Unique, sure
	for _, part := range parts {
		if err := f.add(ctx, part); err != nil {
			return err
		}
	}
	if result.How != Ambiguous && (len(parts) == 0 || len(f.found) == 0) {
		result.How = Gone
	}
	if result.How == Gone || len(f.found) == 0 {
		*result = Result{Was: result.Was, How: result.How, Places: result.Places}
		return nil
	}
	loc, err := f.location()
	if err == nil && len(parts) == 1 && result.How.Moves() {
		loc, err = f.shape(ctx, r.lib, parts[0], loc)
		if !result.Was.Location.Box.IsZero() && loc.Box.IsZero() {
			result.How, result.Confidence = Similar, similarMost*result.Confidence
			result.Reason = "the page is known, but not where on it the region is"
		}
	}
	if result.Address = pinned(result.Was, loc, now); result.How == Ambiguous {
		result.Candidates = []citekit.Address{result.Address}
	}
	return err
}

// pair returns the alignment of two versions.
func (r *Reanchorer) pair(ctx context.Context, resource string, old, now *textlayer.Layer) (*anchor.Pair, error) {
	key := fmt.Sprint(resource, "\x00", old.SourceHash(), old.Len(), "\x00", now.SourceHash(), now.Len())
	return r.pairs.Get(ctx, key, func(ctx context.Context) (*anchor.Pair, int64, error) {
		var texts [2]string
		var pages [2][]int
		for i, l := range []*textlayer.Layer{old, now} {
			if l.Len() > maxText {
				return nil, 0, tooLarge(l.Len())
			}
			text, err := l.Text(ctx, 0, l.Len())
			if err != nil {
				return nil, 0, err
			}
			texts[i], pages[i] = text, pagesOf(l)
		}
		pair := anchor.Align(texts[0], texts[1], anchor.Options{
			Flows: now.Modality() != citekit.Text, OldPages: pages[0], NewPages: pages[1]})
		return pair, pair.Cost(), nil
	})
}

// pagesOf returns the offsets at which the pages of a text begin.
func pagesOf(l *textlayer.Layer) (starts []int) {
	for run := range l.Runs() {
		if len(run.Location.Pages) > 0 {
			starts = append(starts, int(run.From))
		}
	}
	return starts
}

// A finder collects the current places of the parts of an address.
type finder struct {
	old, now *textlayer.Layer
	pair     *anchor.Pair
	result   *Result
	found    []textlayer.Bytes
}

// add finds a part. The result has the lowest confidence of its parts.
func (f *finder) add(ctx context.Context, part textlayer.Bytes) error {
	p := f.pair.Find(int(part.From), int(part.To))
	how, confidence := judge(p)
	f.result.Places = max(f.result.Places, p.Places)
	if rank(how) > rank(f.result.How) {
		f.result.How = how
	}
	f.result.Confidence = min(f.result.Confidence, confidence)
	if p.How == anchor.Gone {
		return nil
	}
	at := textlayer.Bytes{From: int64(p.From), To: int64(p.To)}
	f.found = append(f.found, at)
	if how != Similar || part.To-part.From > verify.MaxQuote || at.To-at.From > verify.MaxQuote {
		return nil
	}
	was, err := f.old.Text(ctx, part.From, part.To)
	if err != nil {
		return err
	}
	is, err := f.now.Text(ctx, at.From, at.To)
	if err != nil {
		return err
	}
	difference, similarity := quotation.Compare(was, is)
	if len(difference) == 0 {
		f.result.Reason = "the words are unchanged, but not what was beside them"
	}
	f.result.Difference = append(f.result.Difference, difference...)
	f.result.Confidence = min(f.result.Confidence, similarMost*similarity)
	return nil
}

func judge(p anchor.Place) (How, float64) {
	if p.Places > 1 && (p.How == anchor.Similar || p.How == anchor.Gone) {
		return Ambiguous, 0 // unchanged at several places, none of them sure
	}
	switch p.How {
	case anchor.Unique:
		if !p.Around {
			return Unique, movedAlone
		}
		return Unique, sure
	case anchor.Context:
		if !p.Around {
			return Context, byAlignment
		}
		return Context, byContext
	case anchor.Similar:
		return Similar, similarMost * p.Kept
	}
	return Gone, 0
}

func rank(h How) int {
	for i, other := range []How{Unchanged, Unique, Context, Similar, Ambiguous, Gone} {
		if h == other {
			return i
		}
	}
	return 0
}

// location returns the location of the parts. A whole source stays a whole
// source.
func (f *finder) location() (citekit.Location, error) {
	if f.result.Was.Location.IsWhole() {
		return f.result.Was.Location, nil
	}
	loc, err := f.now.Location(f.found[0].From, f.found[0].To)
	for _, at := range f.found[1:] {
		next, nextErr := f.now.Location(at.From, at.To)
		if err == nil {
			err = nextErr
		}
		loc = loc.WithPages(append(loc.Pages, next.Pages...)...)
	}
	return loc, err
}
