// Package reanchor finds cited parts again after their source has changed, so that
// the citation pins another version than the one that is mapped.
//
// It uses the text of the cited version if package textlayer still keeps it, or
// else the quoted words, if the request has them. Without either, it does not
// guess, nor does it choose one of several places. Each result says how the part
// was found: only [Unique] and [Context] are sure enough to move a citation without
// asking.
package reanchor

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/reanchor/internal/anchor"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
)

// How says how a cited part was found again.
type How string

const (
	// Unchanged is an address whose source still has the cited version, whose
	// quote is still at the address, or that is of a whole resource of any version.
	Unchanged How = "unchanged"

	// Unique is a part that occurs once in the new version, word for word.
	Unique How = "unique"

	// Context is a part that occurs several times there; the text around it
	// identifies the right one.
	Context How = "context"

	// Similar is a part at one place that was changed, or that may be the wrong
	// one: a person should look at it before citing it. [Result.Reason] says why,
	// if the words are unchanged.
	Similar How = "similar"

	// Ambiguous is a part whose words are at several places, where nothing tells
	// which of them was cited. [Result.Candidates] has these places; the result has
	// no address.
	Ambiguous How = "ambiguous"

	// Gone is a part that lost half or more of its text.
	Gone How = "gone"

	// Unknown is a part without any clue: the text of its version is not kept,
	// and there is no quote. [Result.Problem] says why.
	Unknown How = "unknown"
)

// Moves reports whether a citation may be moved without asking.
func (h How) Moves() bool { return h == Unique || h == Context }

// Options configures a Reanchorer. The zero value is ready to use.
type Options struct {
	// Layers keeps the texts; nil means a new store, which keeps small texts
	// too, as [Reanchorer.Keep] needs.
	Layers *textlayer.Store

	// CacheBytes is the approximate memory limit for aligned versions kept
	// between calls, in bytes; zero means 128 MiB, negative none.
	CacheBytes int64
}

const (
	defaultCache = 128 << 20
	maxText      = 16 << 20 // bytes of a version; aligning takes some twenty times that
)

// A Request describes the cited part.
type Request struct {
	// Address is the old address. An address that does not pin a version is
	// found only by its quote: where that is no longer at the address and not at
	// one other place, in the kept versions that have it at the address, if these
	// lead to one place.
	Address citekit.Address

	// Quote is the quote from the part, or "". It is searched for if the text
	// of the cited version is not kept. If that text is kept, a changed part is
	// still sure if it has the quote.
	Quote string
}

// A Result is the current place of a cited part.
type Result struct {
	Was     citekit.Address // the old address
	Address citekit.Address // zero if it is gone, ambiguous or unknown; pins the version if Was does
	How     How             // how the place was found

	// Confidence is from 0 to 1. For [Unique] and [Context] it measures how
	// sure the match is, for [Similar] also how much of the part was kept.
	Confidence float64

	Difference []verify.Change // in words, for a similar part of at most [verify.MaxQuote] bytes
	Places     int             // number of exact occurrences in the new version, counted up to 100
	Reason     string          // why unchanged words are only Similar, for people; otherwise ""
	Problem    error           // the reason for Unknown

	// Candidates are the first places of an [Ambiguous] part, at most 1 +
	// [verify.MaxOthers]: the cited one, if it is among them, and the others in the
	// order of the text. They are fewer than Places if two are at one address, and
	// at most the most probable one if there is no quote.
	Candidates []citekit.Address
}

// A Reanchorer finds cited parts in the resources of a Library. It is safe for
// concurrent use.
type Reanchorer struct {
	lib      *citekit.Library
	layers   *textlayer.Store
	verifier *verify.Verifier
	pairs    concurrent.Cache[*anchor.Pair]
	versions versions
}

// New returns a Reanchorer over a Library, whose workspace must be a
// [citekit.EvidenceOpener]. A nil opts means the defaults.
func New(lib *citekit.Library, opts *Options) *Reanchorer {
	if opts == nil {
		opts = &Options{}
	}
	r := &Reanchorer{lib: lib, layers: opts.Layers}
	if r.layers == nil {
		r.layers = textlayer.New(lib, &textlayer.Options{SmallBytes: -1})
	}
	r.verifier = verify.New(lib, &verify.Options{Layers: r.layers})
	r.pairs.MaxCost = cmp.Or(opts.CacheBytes, defaultCache)
	r.versions.lib = lib
	return r
}

// Find returns the current place of a cited part.
//
// [Result.Problem] reports a problem with a source or its map, such as a source
// that changed since it was mapped, which matches [citekit.ErrStale]. The error
// matches [citekit.ErrSyntax] if the address is invalid, or is ctx.Err().
func (r *Reanchorer) Find(ctx context.Context, req Request) (*Result, error) {
	if err := req.Address.Validate(); err != nil {
		return nil, err
	}
	result := &Result{Was: req.Address, How: Unknown}
	err := r.find(ctx, req, result)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		*result = Result{Was: req.Address, How: Unknown, Problem: err}
	}
	if result.How.Moves() && !sameSelectors(result.Was.Location, result.Address.Location) {
		result.How, result.Confidence = Similar, min(result.Confidence, similarMost)
		result.Reason = "the new address selects in another way than the one cited"
	}
	if result.How == Ambiguous {
		result.Address, result.Confidence, result.Difference = citekit.Address{}, 0, nil
	}
	return result, nil
}

// sameSelectors reports whether two locations select in the same way: a citation of
// rows of a table says something else than one of the lines in which they stand.
func sameSelectors(was, now citekit.Location) bool {
	if was.IsWhole() {
		return true
	}
	selectors := func(l citekit.Location) [12]bool {
		return [...]bool{
			l.Member != "", l.Message != 0, l.Part != "", l.Table != "", l.Sheet != "", len(l.Pages) > 0, !l.Blocks.IsZero(),
			!l.Cells.IsZero(), !l.Rows.IsZero(), len(l.Cols) > 0, !l.Lines.IsZero(), !l.Time.IsZero(),
		}
	}
	return selectors(was) == selectors(now)
}

// Keep reads the text of a resource and keeps it, so that parts cited now can
// be found again in later versions. The layers must keep texts of its size.
// Errors are those of [textlayer.Store.Open].
func (r *Reanchorer) Keep(ctx context.Context, resourceID string) error {
	l, err := r.layers.Open(ctx, resourceID)
	if err != nil {
		return err
	}
	r.versions.saw(resourceID, l.SourceHash())
	return l.Close()
}

func (r *Reanchorer) find(ctx context.Context, req Request, result *Result) error {
	now, err := r.layers.Open(ctx, req.Address.Resource)
	if err != nil {
		return err
	}
	defer now.Close()
	r.versions.saw(req.Address.Resource, now.SourceHash())
	if err := r.findIn(ctx, req, now, result); err != nil || req.Quote == "" || result.Address.Resource == "" {
		return err
	}
	return r.shapeByQuote(ctx, req, now, result)
}

// findIn finds a part in the text of the present version.
func (r *Reanchorer) findIn(ctx context.Context, req Request, now *textlayer.Layer, result *Result) error {
	cited := req.Address.Version
	if cited != "" && strings.HasPrefix(now.SourceHash(), cited) {
		result.Address, result.How, result.Confidence = req.Address, Unchanged, 1
		return nil
	}
	if cited == "" && req.Quote == "" && req.Address.Location.IsWhole() {
		result.Address, result.How, result.Confidence = req.Address, Unchanged, 1
		return nil
	}
	why := ErrUnpinned
	if cited != "" {
		old, err := r.openOld(ctx, req.Address)
		if err == nil {
			defer old.Close()
			err = r.findText(ctx, old, now, result)
		}
		if err == nil && result.How == Similar && req.Quote != "" {
			return r.settle(ctx, req, result)
		}
		if err == nil && (result.How == Gone || result.How == Ambiguous) && req.Quote != "" { // the quoted words may be there all the same
			return r.findQuote(ctx, req, now, result)
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		why = err
	}
	if req.Quote == "" {
		return why
	}
	err := r.findQuote(ctx, req, now, result)
	if err == nil && cited == "" && result.How != Unchanged && !result.How.Moves() {
		err = r.findKept(ctx, req, now, result)
	}
	return err
}

// maxVersions is the largest number of kept versions in which a quote is looked for.
const maxVersions = 16

// findKept finds a quote whose address pins no version by the kept versions that have
// it at the address. It changes the result only if all of them lead to one place.
func (r *Reanchorer) findKept(ctx context.Context, req Request, now *textlayer.Layer, result *Result) error {
	kept, err := r.versions.of(ctx, req.Address.Resource)
	if err != nil || len(kept) > maxVersions {
		return ctx.Err() // the result stays that of the quote
	}
	var all *Result
	for _, hash := range kept {
		if hash == now.SourceHash() {
			continue
		}
		one, err := r.findFrom(ctx, req, hash, now)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || one == nil:
			continue
		case !one.How.Moves() || all != nil && !all.Address.Equal(one.Address):
			return nil
		}
		all = one
	}
	if all != nil {
		*result = *all
		result.Confidence = min(result.Confidence, byQuote)
	}
	return nil
}

// findFrom finds a part as it was cited from a kept version, or returns nil if that
// version does not have the quote at the address.
func (r *Reanchorer) findFrom(ctx context.Context, req Request, hash string, now *textlayer.Layer) (*Result, error) {
	old, err := r.layers.OpenVersion(ctx, req.Address.Resource, hash)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	at := req.Address
	at.Version = hash
	v, err := r.verifier.Quote(ctx, verify.Request{Quote: req.Quote, Address: at, Only: true})
	if err != nil || v.Problem != nil || v.Class != verify.Exact && v.Class != verify.Repaired {
		return nil, err
	}
	one := &Result{Was: req.Address}
	if err := r.findText(ctx, old, now, one); err != nil {
		return nil, err
	}
	if one.How == Similar {
		err = r.settle(ctx, req, one)
	}
	return one, err
}

// openOld opens the text of the version that an address pins.
func (r *Reanchorer) openOld(ctx context.Context, a citekit.Address) (*textlayer.Layer, error) {
	version, err := r.versions.whole(ctx, a.Resource, a.Version)
	if err != nil {
		return nil, err
	}
	return r.layers.OpenVersion(ctx, a.Resource, version)
}

// pinned returns an address at a location of a text. It pins the version of the
// text with as many digits as the old address.
func pinned(was citekit.Address, loc citekit.Location, now *textlayer.Layer) citekit.Address {
	a := citekit.Address{Resource: was.Resource, Location: loc}
	if was.Version != "" {
		a.Version = now.SourceHash()[:len(was.Version)]
	}
	return a
}

func tooLarge(size int64) error {
	return fmt.Errorf("its text has %d bytes; at most %d are compared: %w", size, maxText, citekit.ErrTooLarge)
}
