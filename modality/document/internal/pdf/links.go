package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/relations"
)

var _ relations.Linker = (*Resolver)(nil)

const (
	maxLinkText   = 200      // bytes
	maxLinkTarget = 4 << 10  // bytes
	maxLinkBytes  = 32 << 20 // of all targets and texts of a document
)

// ReadLinks implements [relations.Linker]. Links are the annotations that lead
// to a page of the document, to another file or to a URI, each at its page and
// box. The names of destinations are anchors. The text of a link is the text of
// its annotation, if it has one: the words under the annotation are not read.
func (r *Resolver) ReadLinks(ctx context.Context, src *citekit.Source) iter.Seq2[relations.Link, error] {
	return func(yield func(relations.Link, error) bool) {
		r.init()
		links, err := r.links(ctx, src)
		if err != nil {
			yield(relations.Link{}, known(ctx, err))
			return
		}
		for _, link := range links {
			if !yield(link, nil) {
				return
			}
		}
	}
}

func (r *Resolver) links(ctx context.Context, src *citekit.Source) (links []relations.Link, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	j, end, err := r.start(ctx, src, 0)
	if err != nil {
		return nil, err
	}
	defer end()
	err = j.withDocument(ctx, func(doc *openDocument, f *pdf.File, _ io.ReaderAt) error {
		links = nil
		pages, bytes := len(doc.structure.Pages), 0
		err := doc.structure.Links(f, func(l pdf.Link) bool {
			link := linkOf(l, pages)
			bytes += len(link.Target) + len(link.Text)
			links = appendLink(links, link)
			return bytes < maxLinkBytes
		})
		if err == nil {
			err = pdf.NewDestinations(f, doc.structure).Each(func(name string, page int) {
				links = appendLink(links, relations.Link{From: onPage(page, citekit.Box{}), Kind: "anchor", Target: "#" + name})
			})
		}
		if errors.Is(err, pdf.ErrLimit) {
			return nil // the links read so far are useful
		}
		return err
	})
	return links, err
}

// appendLink appends a link if it is valid.
func appendLink(links []relations.Link, l relations.Link) []relations.Link {
	control := strings.ContainsFunc(l.Target, func(r rune) bool { return r < ' ' || r == 0x7f })
	if control || len(l.Target) > maxLinkTarget || !utf8.ValidString(l.Target) || l.Target == "#" {
		return links
	}
	l.Text = plain.Cut(plain.Line(l.Text), maxLinkText)
	return append(links, l)
}

// linkOf returns the link of an annotation in a document with the given number
// of pages.
func linkOf(l pdf.Link, pages int) relations.Link {
	link := relations.Link{From: onPage(l.Page, boxOfLink(l)), Kind: "hyperlink", Text: l.Contents}
	switch {
	case l.URI != "":
		link.Target = l.URI
	case l.File != "":
		link.Target = path.Clean(strings.ReplaceAll(l.File, `\`, "/"))
		if l.Name != "" {
			link.Target += "#nameddest=" + l.Name
		} else if l.To >= 0 {
			link.Target += fmt.Sprintf("#page=%d", l.To+1)
		}
	default:
		link.Kind = "reference"
		link.To = onPage(min(l.To, pages-1), citekit.Box{})
		if l.Name != "" {
			link.Target = "#" + l.Name
		}
	}
	return link
}

// boxOfLink returns the box of a link on its page; zero if it has none.
func boxOfLink(l pdf.Link) citekit.Box {
	return citekit.Box{X1: rounded(l.X1), Y1: rounded(l.Y1), X2: rounded(l.X2), Y2: rounded(math.Min(l.Y2, 1))}
}
