// Package textlayer keeps the text of sources with the place of each part of
// it. A source is read once, by the [citekit.TextReader] of its modality; what
// was read is kept in the workspace, beside evidence, and serves whoever
// searches, quotes or shows the text later.
//
// # Text
//
// A layer holds the runs of a source one after another. Between two runs of
// which the first does not end its last line and the second does not go on with
// it, such as two pages, there is a line feed that belongs to neither.
// Offsets are bytes of this text, which is UTF-8, from 0; [Layer.Convert] gives
// them in other units.
//
// # Versions
//
// A layer is of one version of its source, by the SHA-256, and of one version
// of the resolver with its settings. [Store.Open] never serves it for another:
// a source that changed since it was mapped is an error matching
// [citekit.ErrStale]. The layer of the version before stays until
// ingest.Prune deletes it or it leaves for want of room, and [Store.OpenVersion]
// opens it. Of small texts no layer is kept: see Options.SmallBytes.
package textlayer

import (
	"context"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/flight"
	"github.com/citekit/citekit/internal/warm"
)

// Options configures a [Store]. The zero value is ready to use.
type Options struct {
	// MaxBytes bounds the text of one source; what is beyond is left out, and
	// the layer is [Layer.Incomplete]. Zero means 4 GiB.
	MaxBytes int64

	// CopyBytes is the size of a source above which text that is the very
	// bytes of its source, as that of a file in UTF-8 is, is not copied but
	// read from the source: there is then no text of a version that is gone.
	// Zero means 64 MiB; negative copies none.
	CopyBytes int64

	// SmallBytes is the size of a source up to which text that is the very
	// bytes of its source is not kept at all, since reading it again is
	// cheaper: there is then no text of a version that is gone. Zero means
	// 64 KiB; negative keeps all.
	SmallBytes int64

	// CacheBytes bounds the memory, roughly, for the places of runs that are
	// kept between calls; zero means 64 MiB, negative none.
	CacheBytes int64

	// Progress, if it is not nil, hears after each run how far the reading of
	// a source has come. It is called with the context of the call that
	// reads, and holds it up.
	Progress func(context.Context, Progress)
}

// Progress is how far the reading of a source has come, in pages, lines or
// whole seconds.
type Progress struct {
	Resource string // "" for a file without a map
	Done, Of int    // Of is 0 if it is not known
}

const (
	defaultMaxBytes   = 4 << 30
	defaultCopyBytes  = 64 << 20
	defaultSmallBytes = 64 << 10
	defaultCacheBytes = 64 << 20
)

// A Store keeps layers in the workspace of a Library. It is safe for
// concurrent use. Callers that want the text of one source at the same time
// wait for one reading.
type Store struct {
	lib     *citekit.Library
	opts    Options
	content citekit.EvidenceOpener // nil if the workspace cannot open what it keeps
	readers flight.Group[*index]
	indexes warm.Cache[*index]
}

// New returns a Store over a Library, whose workspace must be a
// [citekit.EvidenceOpener]. A nil opts means the defaults.
func New(lib *citekit.Library, opts *Options) *Store {
	s := &Store{lib: lib}
	if opts != nil {
		s.opts = *opts
	}
	setDefault(&s.opts.MaxBytes, defaultMaxBytes)
	setDefault(&s.opts.CopyBytes, defaultCopyBytes)
	setDefault(&s.opts.SmallBytes, defaultSmallBytes)
	setDefault(&s.opts.CacheBytes, defaultCacheBytes)
	s.content, _ = lib.Workspace().(citekit.EvidenceOpener)
	s.indexes.MaxCost = s.opts.CacheBytes
	return s
}

func setDefault(n *int64, value int64) {
	if *n == 0 {
		*n = value
	}
}
