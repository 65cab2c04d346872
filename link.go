package citekit

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/citekit/citekit/internal/fserror"
)

// A Linker is a [Resolver] whose sources contain links.
type Linker interface {
	// ReadLinks yields the links that stand in src, in the order of the
	// source, and the names that links may have for places in it. There may
	// be fewer than there are, if a limit is passed, and none in a source
	// that has none. It stops after the first error. Errors are as for
	// Resolve.
	ReadLinks(ctx context.Context, src *Source) iter.Seq2[Link, error]
}

// A Link is a reference that stands in a source, as it is written there.
type Link struct {
	// From is where it stands: its lines, or its page with the box of what
	// is clicked on.
	From Location

	// Kind is one of "hyperlink", "image", "import" (a module or package),
	// "include" (a file that becomes a part), "citation" (a work) and
	// "reference" (a place that a document names), or a word of the
	// resolver's own. A link of the kind "anchor" leads nowhere: its Target
	// is a name that others may have for From, such as "#intro".
	Kind string

	// Text is what a reader sees of the link, on one line of at most 200
	// bytes; "" if that is not known. For a name that is imported from a
	// module it is the name.
	Text string

	// Target is where it leads, as the source writes it: a URI, a path
	// relative to the source with its fragment, the path of a module, a key.
	// It has at most 4,096 bytes, and is "" if To alone says it.
	Target string

	// To is where in the same source it leads, where the reader knows; else
	// it is zero.
	To Location
}

// ReadLinks yields the links in a resource: see [Linker]. It stops after the
// first error, which is like those of [Library.ReadText]. A modality whose
// resolver knows no links is an error matching [errors.ErrUnsupported]. All
// links are read, in a slot of the modality, before the first is yielded.
func (l *Library) ReadLinks(ctx context.Context, resourceID string) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		links, err := l.linksOf(ctx, resourceID)
		if err != nil {
			yield(Link{}, &ResolveError{Op: "read", Address: Address{Resource: resourceID}, Err: err})
			return
		}
		for _, link := range links {
			if !yield(link, nil) {
				return
			}
		}
	}
}

func (l *Library) linksOf(ctx context.Context, resourceID string) (links []Link, err error) {
	t, resolver, src, err := l.openAddress(ctx, Address{Resource: resourceID})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	modality := t.address.Location.Modality
	linker, ok := resolver.(Linker)
	if !ok {
		return nil, fmt.Errorf("the links of a %s source: %w", modality, errors.ErrUnsupported)
	}
	err = l.WithSlot(ctx, modality, func(ctx context.Context) error {
		for link, err := range linker.ReadLinks(ctx, src) {
			if err != nil {
				return fserror.WithoutPath(err)
			}
			links = append(links, link)
		}
		return src.CheckUnchanged()
	})
	return links, err
}
