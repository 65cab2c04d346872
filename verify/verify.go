// Package verify checks quotes against their sources: whether the words are at
// their address, which repairs were needed to find them, at which other place
// they are, or how they were altered.
//
// A difference that may change the meaning is never repaired: a negation, a
// hedge, a sign, a number, a date, a unit, a name, or a word of any other kind.
// Only differences made by copying, typesetting and typing are repaired, and
// the verdict names each kind.
//
// This package reads no format. Texts and places come from package textlayer,
// and package search finds quotes without a stated source.
package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/quotation"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
)

// Bounds of a [Request].
const (
	MaxQuote  = 64 << 10 // bytes of a quote
	MaxOthers = 20       // further places in a verdict
)

// Options configures a Verifier. The zero value is ready to use.
type Options struct {
	// Layers keeps the texts; nil means those of the Searcher or, without one, a new
	// store with the defaults.
	Layers *textlayer.Store

	// Searcher finds the passages in which a quote that names no source is
	// looked for. Without a Searcher, every resource is searched.
	Searcher *search.Searcher

	// CacheBytes is the memory limit for prepared texts kept between calls, in
	// bytes; zero means 128 MiB, negative none.
	CacheBytes int64
}

// A Request is a quote with its stated place.
type Request struct {
	// Quote is the text. An ellipsis ("…", "...", "[…]" or "[...]") in it
	// stands for left-out text. White space and quotation marks around the
	// quote do not count. The code of a character that cannot be seen, such as
	// \u202E, may stand for it, as texts for models have it.
	Quote string

	// Address is the stated place of the quote. An address without a location
	// means the whole resource; the zero Address means any resource.
	Address citekit.Address

	// Only limits the search to the resource of Address. Without an address it
	// has no effect.
	Only bool

	// Boxes asks for the boxes of the text on its pages.
	Boxes bool

	// citing is the SHA-256 of the citing text, in hex, or "". That text has
	// the quote, but is not another place of it.
	citing string
}

// A Verifier checks quotes against the resources of a Library. It is safe for
// concurrent use.
type Verifier struct {
	lib      *citekit.Library
	layers   *textlayer.Store
	searcher *search.Searcher
	boxes    *preview.Maker
	texts    concurrent.Cache[*quotation.Text]
	parts    partition

	partsMade atomic.Int64 // parts of long texts that were prepared, for tests
}

const defaultCache = 128 << 20

// New returns a Verifier over a Library, whose workspace must be a
// [citekit.EvidenceOpener]. A nil opts means the defaults.
func New(lib *citekit.Library, opts *Options) *Verifier {
	opts = cmp.Or(opts, new(Options))
	v := &Verifier{lib: lib, layers: opts.Layers, searcher: opts.Searcher, boxes: preview.New(lib), parts: partition{maxPrepared, maxPart, overlap}}
	switch {
	case v.layers != nil:
	case v.searcher != nil:
		v.layers = v.searcher.Layers()
	default:
		v.layers = textlayer.New(lib, nil)
	}
	if v.texts.MaxCost = opts.CacheBytes; v.texts.MaxCost == 0 {
		v.texts.MaxCost = defaultCache
	}
	return v
}

// Quote reports whether a quote is in its source, and where.
//
// [Verdict.Problem] reports a problem with a source, such as a missing file.
// Errors match [citekit.ErrSyntax] if the request is invalid, such as a quote
// without a letter, digit or sign, or [citekit.ErrTooLarge] if the quote has
// more than [MaxQuote] bytes; or are ctx.Err().
func (v *Verifier) Quote(ctx context.Context, req Request) (*Verdict, error) {
	verdict, err := v.asWritten(ctx, req)
	raw := plain.ReadCodes(req.Quote)
	if raw == req.Quote || err == nil && verdict.isFound() || ctx.Err() != nil {
		return verdict, err
	}
	given := req.Quote
	req.Quote = raw
	decoded, rawErr := v.asWritten(ctx, req)
	if rawErr != nil || !decoded.isFound() {
		return verdict, err
	}
	decoded.Quote = given
	decoded.Notes = append(decoded.Notes, `the codes in the quote stand for characters that cannot be seen`)
	return decoded, nil
}

// isFound reports whether the words of the quote are in a source.
func (v *Verdict) isFound() bool {
	return v.Class == Exact || v.Class == Repaired || v.Class == Elsewhere
}

// asWritten judges a quote in which a backslash is a backslash.
func (v *Verifier) asWritten(ctx context.Context, req Request) (*Verdict, error) {
	if len(req.Quote) > MaxQuote {
		return nil, fmt.Errorf("a quote of %d bytes; at most %d, so quote less: %w", len(req.Quote), MaxQuote, citekit.ErrTooLarge)
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
		c.verdict = &Verdict{Quote: req.Quote, Counted: true, Problem: err, Stale: errors.Is(err, citekit.ErrStale)}
	}
	if v := c.verdict; v.Problem != nil && (v.Class == NotFound || v.Class == "") {
		v.Class = Unchecked
	}
	return c.verdict, nil
}
