package view

import (
	"context"
	"errors"
	"io/fs"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/preview"
)

// pictures adds the pictures of the pages at the address, or of the image.
func (c *call) pictures(ctx context.Context) error {
	v, a := c.view, c.address()
	if v.State != Current {
		return nil // they would be of another version
	}
	switch v.Kind {
	case Image:
		whole := a
		whole.Location.Box = citekit.Box{}
		p := c.picture(whole)
		if v.Extent != nil {
			p.Width, p.Height = float64(v.Extent.Width), float64(v.Extent.Height)
		}
		v.Pictures = []Picture{p}
	case Pages, Slides:
		return c.addPages(ctx)
	}
	return ctx.Err()
}

// addPages adds the pictures of the pages at the address, if they can be drawn, and the
// lines of the pages that have a span.
func (c *call) addPages(ctx context.Context) error {
	a := c.address()
	a.Location = a.Location.WithPages(c.pages()...)
	a.Location.Box = citekit.Box{}
	if len(a.Location.Pages) == 0 {
		return nil
	}
	pages, err := c.previews.Layout(ctx, a, c.req.Layout)
	if err != nil && c.req.Layout && ctx.Err() == nil {
		pages, err = c.previews.Layout(ctx, a, false)
	}
	if err != nil {
		return ctx.Err() // they cannot be drawn either
	}
	for _, page := range pages {
		one := a
		one.Location = citekit.Document.Pages(page.Page, page.Page).In(a.Location.Member)
		p := c.picture(one)
		p.Width, p.Height = page.Width, page.Height
		for _, b := range c.boxes {
			if b.Page == page.Page {
				p.Marks = append(p.Marks, rect(b.Box))
			}
		}
		c.view.Pictures = append(c.view.Pictures, p)
		c.addLines(page)
	}
	return nil
}

// addLines adds the lines of a page to its span, if that has all of the page.
func (c *call) addLines(page preview.PageLayout) {
	for i, p := range c.pieces {
		if n := p.run.Location.Pages; len(n) != 1 || n[0] != (citekit.Range{First: page.Page, Last: page.Page}) || p.run.Location.Member != c.address().Location.Member {
			continue
		}
		start := int(p.from - p.run.From) // of the piece in the page
		for _, l := range page.Lines {
			from, to := l.From-start, l.To-start
			if from < 0 || to > len(p.text) || from >= to {
				continue
			}
			at := utf8.RuneCountInString(p.text[:from])
			c.view.Spans[i].Layout = append(c.view.Spans[i].Layout, Line{at, at + utf8.RuneCountInString(p.text[from:to]), rect(l.Box)})
		}
	}
}

// picture returns the picture of an address, without its size.
func (c *call) picture(a citekit.Address) Picture {
	p := Picture{Address: a.String()}
	if a.Version = c.part.Map.SourceHash(); c.layer != nil {
		a.Version = c.layer.SourceHash()
	}
	p.Pinned = a.String()
	return p
}

// pages returns the pages at the address, or, of all pages, those of the quote or the
// first ones.
func (c *call) pages() (runs []citekit.Range) {
	asked := c.address().Location.Pages
	if len(asked) == 0 {
		first, last := 1, 0
		if c.address().Location.Member == "" {
			last = c.part.Map.Extent().Pages
		}
		if len(c.boxes) > 0 {
			first, last = c.boxes[0].Page, c.boxes[len(c.boxes)-1].Page
		}
		asked = []citekit.Range{{First: first, Last: last}}
	}
	left := MaxPictures
	for _, r := range asked {
		if r.Last = min(r.Last, r.First+left-1); r.Last < r.First {
			break
		}
		runs, left = append(runs, r), left-r.Len()
	}
	return runs
}

// rect returns a box as x, y, width and height.
func rect(b citekit.Box) [4]float64 { return [4]float64{b.X1, b.Y1, b.X2 - b.X1, b.Y2 - b.Y1} }

// Picture makes the picture of an address, at most side pixels wide and high; 0 means
// the default of [preview.Options]. Errors are those of [lookup.Find] and
// [preview.Maker.Make].
func (v *Viewer) Picture(ctx context.Context, a citekit.Address, side int) (*preview.Preview, error) {
	p, err := v.previews.Make(ctx, a, &preview.Options{Side: side})
	if errors.Is(err, fs.ErrNotExist) && ctx.Err() != nil {
		err = ctx.Err()
	}
	return p, err
}
