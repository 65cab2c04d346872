// Package reanchor finds again what was cited of a version of a source that is
// no longer the one that is mapped.
//
// The text of the cited version is used where package textlayer still keeps it;
// else the words that are quoted, if the request has them. Where neither is
// there, nothing is guessed. What is found says how: only [Unique] and [Context]
// are sure enough to move a citation without asking.
package reanchor

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/anchor"
	"github.com/citekit/citekit/internal/warm"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
)

// How says by what a cited part was found again.
type How string

const (
	// Unchanged is an address whose source is the version that is cited, or
	// whose quote stands where it says.
	Unchanged How = "unchanged"

	// Unique is a part that stands in the new version once, word for word.
	Unique How = "unique"

	// Context is one that stands there several times, of which what is around it
	// tells the right one.
	Context How = "context"

	// Similar is one that was changed, or that may be another: a person should
	// look at it before it is cited.
	Similar How = "similar"

	// Gone is one of which half or more is not there.
	Gone How = "gone"

	// Unknown is one that nothing tells of: the text of its version is not kept,
	// and there is no quote. [Result.Problem] says why.
	Unknown How = "unknown"
)

// Moves reports whether a citation may be moved without asking.
func (h How) Moves() bool { return h == Unique || h == Context }

// Options configures a Reanchorer. The zero value is ready to use.
type Options struct {
	// Layers keeps the texts; nil means a store of its own, which keeps also
	// texts that are small, so that [Reanchorer.Keep] does.
	Layers *textlayer.Store

	// CacheBytes bounds the memory, roughly, for versions that are kept aligned
	// between calls; zero means 128 MiB, negative none.
	CacheBytes int64
}

const (
	defaultCache = 128 << 20
	maxText      = 16 << 20 // bytes of a version; aligning takes some twenty times that
)

// A Request is what was cited.
type Request struct {
	// Address is the old address. One that pins no version is held to its quote
	// alone.
	Address citekit.Address

	// Quote is what is quoted of it, or "": what to look for where the text of
	// the cited version is not kept. Where it is, a part that was changed is
	// still sure if the quote stands in it.
	Quote string
}

// A Result is where a cited part is now.
type Result struct {
	Was     citekit.Address
	Address citekit.Address // zero if it is gone or unknown; pins the version if Was does
	How     How

	// Confidence is from 0 to 1: of [Unique] and [Context] how sure it is that
	// this is the part, of [Similar] also how much of it was kept.
	Confidence float64

	Difference []verify.Change // by words, of a similar part of at most [verify.MaxQuote] bytes
	Places     int             // how often the very part stands in the new version, counted to 100
	Problem    error           // why it is unknown
}

// A Reanchorer finds cited parts in the resources of a Library. It is safe for
// concurrent use.
type Reanchorer struct {
	lib      *citekit.Library
	layers   *textlayer.Store
	verifier *verify.Verifier
	pairs    warm.Cache[*anchor.Pair]
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

// Find says where a cited part is now.
//
// What is wrong with a source or its map is [Result.Problem], such as a source
// that changed since it was mapped, which matches [citekit.ErrStale]. The error
// matches [citekit.ErrSyntax] if the address is none; or is ctx.Err().
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
	return result, nil
}

// Keep reads the text of a resource and keeps it, so that what is cited of it
// now can be found again in later versions. The layers must keep texts of its
// size. Errors are those of [textlayer.Store.Open].
func (r *Reanchorer) Keep(ctx context.Context, resourceID string) error {
	l, err := r.layers.Open(ctx, resourceID)
	if err != nil {
		return err
	}
	return l.Close()
}

func (r *Reanchorer) find(ctx context.Context, req Request, result *Result) error {
	now, err := r.layers.Open(ctx, req.Address.Resource)
	if err != nil {
		return err
	}
	defer now.Close()
	cited := req.Address.Version
	if cited != "" && strings.HasPrefix(now.SourceHash(), cited) {
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
		if err == nil && result.How == Gone && req.Quote != "" { // its words may stand all the same
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
	return r.findQuote(ctx, req, now, result)
}

// openOld opens the text of the version that an address pins.
func (r *Reanchorer) openOld(ctx context.Context, a citekit.Address) (*textlayer.Layer, error) {
	version, err := r.versions.whole(ctx, a.Resource, a.Version)
	if err != nil {
		return nil, err
	}
	return r.layers.OpenVersion(ctx, a.Resource, version)
}

// pinned returns an address at a location of a text, which pins its version with
// as many digits as the old address.
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
