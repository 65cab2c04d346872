// Package verify holds quotes to their sources: whether the words stand where
// they are said to, what had to be repaired to find them, where they stand
// instead, or how they were altered.
//
// A difference that may change what is said is never repaired: a negation, a
// hedge, a sign, a number, a date, a unit, a name, or a word of any other kind.
// What is repaired is what copying, typesetting and typing change, and the
// verdict names each kind of it.
//
// No format is read here. Texts and places come through package textlayer, and
// quotes of no stated source are found through package search.
package verify

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/quotation"
	"github.com/citekit/citekit/internal/warm"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
)

// Bounds of a [Request].
const (
	MaxQuote  = 64 << 10 // bytes of a quote
	MaxOthers = 20       // further places that a verdict names
)

// Options configures a Verifier. The zero value is ready to use.
type Options struct {
	// Layers keeps the texts; nil means a store of its own with the defaults.
	Layers *textlayer.Store

	// Searcher finds what quotes of no stated source may stand in. Without one
	// every resource is looked through.
	Searcher *search.Searcher

	// CacheBytes bounds the memory for texts that are kept prepared between
	// calls; zero means 128 MiB, negative none.
	CacheBytes int64
}

// A Request is a quote with the place where it is said to stand.
type Request struct {
	// Quote is the text. An ellipsis ("…", "...", "[…]" or "[...]") in it stands
	// for what it leaves out. White space and quotation marks around it do not
	// count.
	Quote string

	// Address is where it is said to stand. One without a location is the whole
	// resource; the zero one is any resource.
	Address citekit.Address

	// Only looks in the resource of Address and in no other. Without an address it
	// says nothing.
	Only bool

	// Boxes asks for the boxes of the text on its pages.
	Boxes bool

	// citing is the SHA-256 of the text that cites, in hex, or "": it has the quote,
	// and is no other place of it.
	citing string
}

// A Verifier holds quotes to the resources of a Library. It is safe for
// concurrent use.
type Verifier struct {
	lib      *citekit.Library
	layers   *textlayer.Store
	searcher *search.Searcher
	boxes    *preview.Maker
	texts    warm.Cache[*quotation.Text]
	parts    partition
}

const defaultCache = 128 << 20

// New returns a Verifier over a Library, whose workspace must be a
// [citekit.EvidenceOpener]. A nil opts means the defaults.
func New(lib *citekit.Library, opts *Options) *Verifier {
	if opts == nil {
		opts = &Options{}
	}
	v := &Verifier{lib: lib, layers: opts.Layers, searcher: opts.Searcher, boxes: preview.New(lib), parts: partition{maxPrepared, maxPart, overlap}}
	if v.layers == nil {
		v.layers = textlayer.New(lib, nil)
	}
	if v.texts.MaxCost = opts.CacheBytes; v.texts.MaxCost == 0 {
		v.texts.MaxCost = defaultCache
	}
	return v
}

// Quote says whether a quote stands in its source, and where.
//
// What is wrong with a source, such as one that is gone, is [Verdict.Problem].
// Errors match [citekit.ErrSyntax] if the request means nothing, such as a quote
// without a letter, digit or sign, or [citekit.ErrTooLarge] if the quote has more
// than [MaxQuote] bytes; or are ctx.Err().
func (v *Verifier) Quote(ctx context.Context, req Request) (*Verdict, error) {
	if len(req.Quote) > MaxQuote {
		return nil, fmt.Errorf("a quote of %d bytes; at most %d: %w", len(req.Quote), MaxQuote, citekit.ErrTooLarge)
	}
	if !utf8.ValidString(req.Quote) {
		return nil, fmt.Errorf("the quote is not UTF-8: %w", citekit.ErrSyntax)
	}
	quote, err := quotation.Parse(req.Quote)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, citekit.ErrSyntax)
	}
	c := &call{Verifier: v, req: req, quote: quote, verdict: &Verdict{Quote: req.Quote, Class: NotFound, Counted: true}}
	if err := c.decide(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.verdict = &Verdict{Quote: req.Quote, Class: NotFound, Counted: true, Problem: err, Stale: errors.Is(err, citekit.ErrStale)}
	}
	return c.verdict, nil
}
