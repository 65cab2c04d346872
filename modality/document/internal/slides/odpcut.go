package slides

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

func (d *odp) extract(ctx context.Context, indexes []int) (*citekit.Content, error) {
	for _, i := range indexes {
		if _, err := d.readSlide(ctx, i); err != nil {
			return nil, err
		}
	}
	styles := ""
	if d.pkg.Has(odf.Styles) {
		var err error
		if styles, err = d.pkg.TextUpTo(ctx, odf.Styles, maxSlideBytes); err != nil {
			return nil, err
		}
	}
	c := odf.NewCut(d.pkg)
	gone, links := d.gone(indexes), 0
	c.Gone = func(target string) bool {
		plain, err := url.PathUnescape(target)
		is := gone[target] || err == nil && gone[plain]
		if is {
			links++
		}
		return is
	}
	changes, err := c.Fit(ctx, d.compose(indexes), styles, nil)
	if err != nil {
		return nil, err
	}
	if links > 0 {
		changes = append(changes, "links to slides that are left out removed")
	}
	if len(d.shows) > 0 {
		changes = append(changes, "custom shows left out")
	}
	if d.countsAnew(indexes, styles) {
		changes = append(changes, "the numbers on slides that come from master pages count anew")
	}
	content := &citekit.Content{Changes: changes}
	content.MediaType, content.Ext = d.format()
	if err := write(ctx, content, c.Size(), c.WriteTo); err != nil {
		return nil, err
	}
	return content, nil
}

// compose returns the content of a cut: the slides, and the texts for headers and
// footers that they use.
func (d *odp) compose(indexes []int) string {
	places := make(map[int]int, len(indexes)) // numbers in the cut, by numbers in the source
	used := make(map[string]bool)
	for n, i := range indexes {
		places[i+1] = n + 1
		s := d.scope.Fragment(d.pages[i].pos, d.pages[i].stop)
		for s.Next() {
			if s.Kind == xmlspan.Start && (s.Is("draw", "page") || s.Is("presentation", "notes")) {
				for a := range s.Attrs() {
					if a.Space == "presentation" {
						used[a.Local+" "+a.Value] = true
					}
				}
			}
		}
	}
	var b strings.Builder
	b.WriteString(d.text[:d.bodyStart])
	for _, decl := range d.decls {
		if used[decl.use+" "+decl.name] {
			b.WriteString(d.text[decl.pos:decl.stop])
		}
	}
	for _, i := range indexes {
		page := d.pages[i]
		b.WriteString(xmlspan.Splice(d.text, page.pos, page.stop, d.thumbnails(page, places)))
	}
	b.WriteString(d.text[d.bodyStop:])
	return b.String()
}

// thumbnails returns the edits that give thumbnails of slides the numbers that the
// slides have in the cut. Thumbnails of slides that are left out are removed.
func (d *odp) thumbnails(page odpPage, places map[int]int) (edits []xmlspan.Edit) {
	s := d.scope.Fragment(page.pos, page.stop)
	for range s.Starts() {
		if !s.Is("draw", "page-thumbnail") {
			continue
		}
		edit := xmlspan.Edit{Pos: s.Pos}
		for a := range s.Attrs() {
			if a.Space != "draw" || a.Local != "page-number" {
				continue
			}
			if place := places[odf.Number(a.Value, 0)]; place > 0 {
				edit = xmlspan.Edit{Pos: a.ValuePos, Stop: a.ValueStop, Text: strconv.Itoa(place)}
			} else {
				edit.Stop = s.Stop // to be dropped
			}
		}
		if s.Skip(); edit.Stop > 0 {
			if edit.Text == "" {
				edit.Stop = s.Stop
			}
			edits = append(edits, edit)
		}
	}
	return edits
}

// gone returns the targets of links that a cut leaves out: names and ids of slides
// and of shapes on them, and names of custom shows.
func (d *odp) gone(indexes []int) map[string]bool {
	kept := make(map[string]bool)
	gone := make(map[string]bool)
	next := 0
	for i, page := range d.pages {
		names := gone
		if next < len(indexes) && indexes[next] == i {
			names = kept
			next++
		}
		names[page.name] = true
		s := d.scope.Fragment(page.pos, page.stop)
		for range s.Starts() {
			for a := range s.Attrs() {
				if a.Local == "id" || a.Local == "name" && a.Space == "draw" {
					names[a.Value] = true
				}
			}
		}
	}
	for _, show := range d.shows {
		gone[show] = true
	}
	for name := range kept {
		delete(gone, name)
	}
	return gone
}

// countsAnew reports whether a slide shows, by its master page, a slide number or a
// number of slides that differs in the cut.
func (d *odp) countsAnew(indexes []int, styles string) bool {
	masters := mastersOf(styles)
	for n, i := range indexes {
		page := d.pages[i]
		m := masters[page.master]
		if n != i && (m.number || m.optional && d.numbered[page.style]) || m.total && len(indexes) != len(d.pages) {
			return true
		}
	}
	return false
}

// A master records which numbers a master page shows.
type master struct {
	number   bool // that of the slide
	optional bool // that of the slide, if its style turns it on
	total    bool // the number of slides
}

// mastersOf returns the master pages by their names.
func mastersOf(styles string) map[string]master {
	masters := make(map[string]master)
	name, inside := "", 0 // inside is the depth of the shape that styles turn on
	s := odf.Scan(styles)
	for s.Next() {
		if s.Kind == xmlspan.End && s.Depth == inside {
			inside = 0
		}
		if s.Kind != xmlspan.Start {
			continue
		}
		m := masters[name]
		switch {
		case s.Is("style", "master-page"):
			name = s.Get("style", "name")
			continue
		case s.Is("presentation", "notes"), s.Is("style", "handout-master"):
			s.Skip()
		case s.Is("text", "page-number"):
			m.number, m.optional = m.number || inside == 0, m.optional || inside > 0
		case s.Is("text", "page-count"):
			m.total = true
		case inside == 0 && s.Get("presentation", "class") == "page-number":
			inside = s.Depth
		}
		masters[name] = m
	}
	return masters
}
