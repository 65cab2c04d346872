package relations

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/fserror"
)

// A Linker is a [citekit.Resolver] whose sources contain links.
type Linker interface {
	// ReadLinks yields the links that stand in src, in the order of the
	// source, and the names that links may have for places in it. There may
	// be fewer than there are, if a limit is passed, and none in a source
	// that has none. It stops after the first error. Errors are as for
	// Resolve.
	ReadLinks(ctx context.Context, src *citekit.Source) iter.Seq2[Link, error]
}

// A Link is a reference that stands in a source, as it is written there.
type Link struct {
	// From is where it stands: its lines, or its page with the box of what
	// is clicked on.
	From citekit.Location

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
	To citekit.Location
}

// ReadLinks yields the links in a resource: see [Linker]. It stops after the
// first error, which is one of [citekit.Library.Open] or of the Linker. A
// modality whose resolver knows no links is an error matching
// [errors.ErrUnsupported]. All links are read, in a slot of the modality,
// before the first is yielded.
func ReadLinks(ctx context.Context, lib *citekit.Library, resourceID string) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		links, err := readLinks(ctx, lib, citekit.Address{Resource: resourceID})
		if err != nil {
			yield(Link{}, err)
			return
		}
		for _, link := range links {
			if !yield(link, nil) {
				return
			}
		}
	}
}

func readLinks(ctx context.Context, lib *citekit.Library, a citekit.Address) ([]Link, error) {
	opened, err := lib.Open(ctx, a)
	if err != nil {
		return nil, err
	}
	defer opened.Source.Close()
	links, err := linksIn(ctx, lib, opened)
	if err != nil {
		return nil, &citekit.ResolveError{Op: "read", Address: a, Err: err}
	}
	return links, nil
}

// linksIn reads the links of a source that is open.
func linksIn(ctx context.Context, lib *citekit.Library, o *citekit.Opened) (links []Link, err error) {
	modality := o.Location.Modality
	resolver, err := lib.Resolver(modality)
	if err != nil {
		return nil, err
	}
	linker, ok := resolver.(Linker)
	if !ok {
		return nil, fmt.Errorf("the links of a %s source: %w", modality, errors.ErrUnsupported)
	}
	err = lib.WithSlot(ctx, modality, func(ctx context.Context) error {
		for link, err := range linker.ReadLinks(ctx, o.Source) {
			if err != nil {
				return fserror.WithoutPath(err)
			}
			links = append(links, link)
		}
		return o.Source.CheckUnchanged()
	})
	return links, err
}
