package reanchor

import (
	"context"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
)

const (
	enoughLetters = 20  // of a quote long enough not to match by chance
	byQuote       = .95 // a quote occurs once in the new version
	severalPlaces = .5
)

// findQuote finds a quote if the text of its version is not kept.
func (r *Reanchorer) findQuote(ctx context.Context, req Request, now *textlayer.Layer, result *Result) error {
	here := pinned(req.Address, req.Address.Location, now)
	v, err := r.verifier.Quote(ctx, verify.Request{Quote: req.Quote, Only: true, Address: citekit.Address{
		Resource: here.Resource, Location: here.Location}})
	if err != nil {
		return err
	}
	if v.Problem != nil { // such as an address beyond the end
		v, err = r.verifier.Quote(ctx, verify.Request{Quote: req.Quote, Only: true, Address: citekit.Address{
			Resource: here.Resource, Location: citekit.Location{Modality: here.Location.Modality}}})
		if err != nil {
			return err
		}
		if v.Problem != nil {
			return v.Problem
		}
		if v.Class == verify.Exact || v.Class == verify.Repaired {
			v.Class = verify.Elsewhere
		}
	}
	if v.Address.Resource != "" && v.Address.Resource != here.Resource {
		v = &verify.Verdict{Class: verify.NotFound} // the words are in another resource, which was not cited
	}
	result.Places = v.Places
	switch v.Class {
	case verify.Exact, verify.Repaired:
		result.Address, result.How, result.Confidence = here, Unchanged, byQuote
		if req.Address.Version != "" {
			result.How = quoted(req.Quote, Unique)
		}
		if result.How == Unique && v.Places > 1 {
			result.How = Context
		}
		return nil
	case verify.Elsewhere:
		result.How, result.Confidence = quoted(req.Quote, Unique), byQuote
		if v.Places != 1 || !v.Counted {
			result.How, result.Confidence = Similar, severalPlaces
		}
	case verify.Altered:
		result.How, result.Confidence, result.Difference = Similar, similarMost*v.Similarity, v.Difference
	default:
		result.How = Gone
		return nil
	}
	result.Address = pinned(req.Address, v.Address.Location, now)
	return nil
}

// settle raises a similar result to a sure one if the quote occurs there word
// for word. The result on pages is then the pages of the quote.
func (r *Reanchorer) settle(ctx context.Context, req Request, result *Result) error {
	at := result.Address
	at.Version = ""
	v, err := r.verifier.Quote(ctx, verify.Request{Quote: req.Quote, Address: at, Only: true})
	if err != nil {
		return err
	}
	if v.Class != verify.Exact && v.Class != verify.Repaired || quoted(req.Quote, Unique) != Unique {
		return nil
	}
	result.How, result.Confidence, result.Places = Context, byContext, v.Places
	if v.Places == 1 && v.Counted {
		result.How, result.Confidence = Unique, byQuote
	}
	if len(at.Location.Pages) > 0 {
		result.Address.Location = v.Address.Location
	}
	return nil
}

// quoted returns how a quote in its source was found: a quote of few letters
// may match by chance.
func quoted(quote string, how How) How {
	n := 0
	for _, r := range quote {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n += 3 // a character says more than a letter
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			n++
		}
	}
	if n < enoughLetters {
		return Similar
	}
	return how
}
