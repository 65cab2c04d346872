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
	notCounted    = .5  // it occurs, perhaps more than once
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
	result.Places, result.Candidates, result.Reason = v.Places, nil, ""
	switch v.Class {
	case verify.Exact, verify.Repaired:
		if req.Address.Version == "" {
			result.Address, result.How, result.Confidence = here, Unchanged, byQuote
			return nil
		}
		r.judgeQuote(req, v, now, result)
		if result.How != Ambiguous {
			result.Address = here
		}
		return nil
	case verify.Elsewhere:
		r.judgeQuote(req, v, now, result)
	case verify.Altered:
		result.How, result.Confidence, result.Difference = Similar, similarMost*v.Similarity, v.Difference
		result.Address = pinned(req.Address, v.Address.Location, now)
		return r.countSimilar(ctx, req, v, now, result)
	default:
		result.How = Gone
	}
	return nil
}

// judgeQuote sets the result for a quote that is in the new version, at the places of
// a verdict.
func (r *Reanchorer) judgeQuote(req Request, v *verify.Verdict, now *textlayer.Layer, result *Result) {
	result.Confidence = byQuote
	result.Address = pinned(req.Address, v.Address.Location, now)
	switch {
	case len(v.Others) > 0 || v.Places > 1+verify.MaxOthers || v.Places > 1 && v.Span == (verify.Span{}):
		result.How = Ambiguous
		result.Candidates = []citekit.Address{result.Address}
		for _, other := range v.Others {
			result.Candidates = append(result.Candidates, pinned(req.Address, other.Location, now))
		}
	case !v.Counted:
		result.How, result.Confidence = Similar, notCounted
		result.Reason = "the text is too long to see whether the quote is in it once"
	default: // at one address, perhaps more than once
		if result.How = quoted(req.Quote, Unique); result.How == Similar {
			result.Reason = "so short a quote may be there by chance"
		}
	}
}

// countSimilar makes the result for an altered quote ambiguous if the words of the
// source that are similar to it are at several places.
func (r *Reanchorer) countSimilar(ctx context.Context, req Request, like *verify.Verdict, now *textlayer.Layer, result *Result) error {
	v, err := r.verifier.Quote(ctx, verify.Request{Quote: like.Text, Only: true, Address: citekit.Address{
		Resource: like.Address.Resource, Location: citekit.Location{Modality: like.Address.Location.Modality}}})
	if err != nil || v.Problem != nil {
		return ctx.Err() // such as words too long for a quote
	}
	if result.Places = v.Places; len(v.Others) > 0 {
		r.judgeQuote(req, v, now, result)
	}
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
	result.How, result.Confidence, result.Places, result.Reason = Context, byContext, v.Places, ""
	if v.Places == 1 && v.Counted {
		result.How, result.Confidence = Unique, byQuote
	}
	if len(at.Location.Pages) > 0 {
		result.Address.Location = v.Address.Location
	}
	return nil
}

// quoted returns how a quote in its source was found.
func quoted(quote string, how How) How {
	if !Tells(quote) {
		return Similar
	}
	return how
}

// Tells reports whether a quote has so many letters, at least 20, that it is not at
// another place by chance: a citation with it is moved although its address pins no
// version.
func Tells(quote string) bool {
	n := 0
	for _, r := range quote {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n += 3 // a character says more than a letter
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			n++
		}
	}
	return n >= enoughLetters
}
