package relations

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
)

// A Linker is a [citekit.Resolver] whose sources contain links.
type Linker interface {
	// ReadLinks yields the links in src, in source order, and the names that
	// links may use for places in it. It may leave out links beyond a limit,
	// and yields none if the source has none. It stops after the first error.
	// Errors are as for Resolve.
	ReadLinks(ctx context.Context, src *citekit.Source) iter.Seq2[Link, error]
}

// A Link is a reference in a source, as written there.
type Link struct {
	// From is the position of the link: its lines, or its page with the box of
	// the clickable area.
	From citekit.Location

	// Kind is one of "hyperlink", "image", "import" (a module or package),
	// "include" (a file that becomes a part), "citation" (a work) and
	// "reference" (a place that a document names), or another word that the
	// resolver chooses. A link of the kind "anchor" leads nowhere: its Target
	// is a name that other links may use for From, such as "#intro".
	Kind string

	// Text is the visible text of the link, on one line of at most 200 bytes;
	// "" if unknown. For a name that is imported from a module, it is the name.
	Text string

	// Target is the place that the link leads to, as the source writes it: a
	// URI, a path relative to the source with its fragment, the path of a
	// module, or a key. It has at most 4,096 bytes, and is "" if the place is
	// given only by To.
	Target string

	// To is the place in the same source that the link leads to, if the reader
	// knows it; otherwise it is zero.
	To citekit.Location
}

// ReadLinks yields the links in a resource: see [Linker]. It stops after the
// first error, which is one of [citekit.Library.Open] or of the Linker. If the
// resolver of the modality is not a Linker, the error matches
// [errors.ErrUnsupported]. All links are read, in a slot of the modality,
// before the first one is yielded.
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

// linksIn reads the links of an open source.
func linksIn(ctx context.Context, lib *citekit.Library, o *citekit.Opened) (links []Link, err error) {
	modality := o.Location.Modality
	resolver, err := lib.Resolver(modality)
	if err != nil {
		return nil, err
	}
	linker, ok := resolver.(Linker)
	if !ok {
		return nil, fmt.Errorf("the links of %s source: %w", message.Article(modality), errors.ErrUnsupported)
	}
	err = lib.WithSlot(ctx, modality, func(ctx context.Context) error {
		for link, err := range linker.ReadLinks(ctx, o.Source) {
			if err != nil {
				return localfile.WithoutPath(err)
			}
			links = append(links, link)
		}
		return o.Source.CheckUnchanged()
	})
	return links, err
}
