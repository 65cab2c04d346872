// Package textlayer stores the text of sources with the place of each part of
// it. A source is read once, by the [citekit.TextReader] of its modality. The
// text is kept in the workspace, beside evidence, for later searches, quotes
// and displays.
//
// # Text
//
// A layer has the runs of a source one after another. If a run does not end
// with a line end, and the next run does not continue its last line, a line
// feed stands between them that belongs to neither. Two pages are an example.
// Offsets count the bytes of this text, which is UTF-8, from 0; [Layer.Convert]
// converts them to other units.
//
// # Versions
//
// A layer belongs to one version of its source, identified by the SHA-256, and
// to one version of the resolver with its settings. [Store.Open] never returns
// it for another version: if a source changed since it was mapped, the error
// matches [citekit.ErrStale]. The layer of the earlier version stays until
// ingest.Prune deletes it or it is evicted to make space, and
// [Store.OpenVersion] opens it. Layers of small texts are not stored: see
// Options.SmallBytes.
package textlayer

import (
	"context"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
)

// Options configures a [Store]. The zero value is ready to use.
type Options struct {
	// MaxBytes limits the text of one source. The rest is left out, and the
	// layer is [Layer.Incomplete]. Zero means 4 GiB. The text is also limited to 64
	// times the size of the source and 32 MiB more.
	MaxBytes int64

	// CopyBytes is the size of a source above which a text with the same bytes
	// as its source, such as a file in UTF-8, is not copied but read from the
	// source. Earlier versions of such a source then have no text. Zero means
	// 64 MiB; negative copies none.
	CopyBytes int64

	// SmallBytes is the size of a source up to which a text with the same bytes
	// as its source is not kept at all, because reading it again is cheaper.
	// Earlier versions of such a source then have no text. Zero means 64 KiB;
	// negative keeps all.
	SmallBytes int64

	// CacheBytes is the approximate limit on memory for the places of runs
	// between calls; zero means 64 MiB, negative none.
	CacheBytes int64

	// Progress, if not nil, is called after each run with the progress of
	// reading a source. It is called with the context of the call that reads,
	// and delays that call.
	Progress func(context.Context, Progress)
}

// Progress is the progress of reading a source, in pages, lines or whole
// seconds.
type Progress struct {
	Resource string // "" for a file without a map
	Done, Of int    // Of is 0 if unknown
}

const (
	defaultMaxBytes   = 4 << 30
	defaultCopyBytes  = 64 << 20
	defaultSmallBytes = 64 << 10
	defaultCacheBytes = 64 << 20
)

// A Store stores layers in the workspace of a Library. It is safe for
// concurrent use. Concurrent callers that want the text of one source share one
// reading.
type Store struct {
	lib     *citekit.Library
	opts    Options
	content citekit.EvidenceOpener // nil if the workspace cannot open stored content
	readers concurrent.Group[*index]
	indexes concurrent.Cache[*index]
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
