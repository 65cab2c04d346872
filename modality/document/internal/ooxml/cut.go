package ooxml

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/document/internal/zipread"
)

// A Cut is a package with some of the parts of another package: its main part, and
// all parts that can be reached from there by relationships that are followed.
// Properties, thumbnails and signatures of the package are always left out.
//
// Parts that are not replaced are copied as they are packed. Lists of
// relationships and of content types lose the entries of parts that are left out.
// The same cut gives the same bytes.
type Cut struct {
	// Follow reports whether a relationship of a part is kept, and with it the
	// part that it leads to. If Follow is nil, all are kept. Relationships with a
	// missing target are always left out. External relationships are kept
	// unchanged if Follow returns true. Follow may replace the part: parts are
	// written only after all relationships were followed.
	Follow func(part string, rel Rel) bool

	p        *Package
	replaced map[string]string // by folded name
	retyped  map[string]string // by folded name
	related  map[string][]Rel  // by folded name
}

// NewCut returns a cut of p.
func NewCut(p *Package) *Cut {
	return &Cut{p: p, replaced: make(map[string]string), retyped: make(map[string]string), related: make(map[string][]Rel)}
}

// Replace gives a part another content. The part is kept only if it is reached.
func (c *Cut) Replace(part, content string) { c.replaced[fold(part)] = content }

// Retype gives a part another content type.
func (c *Cut) Retype(part, contentType string) { c.retyped[fold(part)] = contentType }

// Relate adds a relationship to a part that already has some. It leads to a part
// of the package.
func (c *Cut) Relate(part string, rel Rel) {
	key := fold(part)
	c.related[key] = append(c.related[key], rel)
}

// A plan holds the parts that a cut keeps, and the lists of their relationships.
type plan struct {
	kept map[string]bool    // by folded name
	rels map[string]*string // by folded name of the list: its new text, or nil if it is unchanged
}

// Parts returns the names of the parts in the cut, in the order of the package. The
// list of content types and the lists of relationships are not among them.
func (c *Cut) Parts(ctx context.Context) ([]string, error) {
	plan, err := c.plan(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, part := range c.p.Parts() {
		if plan.kept[fold(part.Name)] {
			names = append(names, part.Name)
		}
	}
	return names, nil
}

// plan follows the relationships, starting with those of the package. It visits
// each part once, so that cycles end.
func (c *Cut) plan(ctx context.Context) (*plan, error) {
	pl := &plan{kept: make(map[string]bool), rels: make(map[string]*string)}
	main := func(_ string, rel Rel) bool { return rel == c.p.main }
	waiting, err := c.visit(ctx, pl, "", main)
	if err != nil {
		return nil, err
	}
	follow := c.Follow
	if follow == nil {
		follow = func(string, Rel) bool { return true }
	}
	for len(waiting) > 0 {
		name := waiting[0]
		waiting = waiting[1:]
		more, err := c.visit(ctx, pl, name, follow)
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, more...)
	}
	return pl, nil
}

// visit records which relationships of a part are kept, and returns the parts that
// they reach for the first time.
func (c *Cut) visit(ctx context.Context, pl *plan, name string, follow func(string, Rel) bool) (reached []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rels, err := c.p.Rels(ctx, name)
	if err != nil || len(rels) == 0 {
		return nil, err
	}
	keep := make([]bool, len(rels))
	count := 0
	for i, rel := range rels {
		target := c.p.Part(rel.Target)
		if !follow(name, rel) || !rel.External && target == nil {
			continue
		}
		keep[i] = true
		count++
		if key := fold(rel.Target); !rel.External && !pl.kept[key] {
			pl.kept[key] = true
			reached = append(reached, target.Name)
		}
	}
	related := c.related[fold(name)]
	for _, rel := range related {
		count++
		if key := fold(rel.Target); !pl.kept[key] {
			pl.kept[key] = true
			reached = append(reached, c.p.Part(rel.Target).Name)
		}
	}
	if count == 0 {
		return reached, nil
	}
	list := c.p.Part(relsName(name))
	key := fold(list.Name)
	pl.rels[key] = nil
	if len(related) == 0 && count == len(rels) {
		return reached, nil
	}
	text, err := list.TextUpTo(ctx, maxListed)
	if err != nil {
		return nil, err
	}
	n := -1
	text, err = Without(text, func(s *xmlspan.Scanner) bool {
		if s.Local != "Relationship" {
			return false
		}
		n++
		return n < len(keep) && !keep[n]
	})
	text = relate(text, related)
	pl.rels[key] = &text
	return reached, err
}

// relate adds relationships to the text of a list of relationships.
func relate(list string, related []Rel) string {
	end := strings.LastIndex(list, "</")
	if len(related) == 0 || end < 0 {
		return list
	}
	var b strings.Builder
	for _, rel := range related {
		fmt.Fprintf(&b, `<Relationship xmlns="http://schemas.openxmlformats.org/package/2006/relationships" Id="%s" Type="%s" Target="/%s"/>`,
			xmlspan.Escape(rel.ID), xmlspan.Escape(rel.Type), xmlspan.Escape(rel.Target))
	}
	return list[:end] + b.String() + list[end:]
}

// WriteTo writes the package. Errors are those of reading the source, as for
// [Open], and those of w.
func (c *Cut) WriteTo(ctx context.Context, w io.Writer) error {
	pl, err := c.plan(ctx)
	if err != nil {
		return err
	}
	out := zipread.NewWriter(w)
	for _, part := range c.p.Parts() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.write(out, pl, part); err != nil {
			return zipread.Known(ctx, err)
		}
	}
	return out.Close()
}

func (c *Cut) write(out *zipread.Writer, pl *plan, part *Part) error {
	key := fold(part.Name)
	list, isList := pl.rels[key]
	content, isReplaced := c.replaced[key]
	switch {
	case key == fold(typesName):
		return out.Add(typesName, []byte(c.types(pl)))
	case isList && list != nil:
		return out.Add(part.Name, []byte(*list))
	case isReplaced && pl.kept[key]:
		return out.Add(part.Name, []byte(content))
	case isList, pl.kept[key]:
		return out.CopyAs(part.Name, part.file)
	}
	return nil
}

// types returns the list of content types with only the kept parts.
func (c *Cut) types(pl *plan) string {
	exts := map[string]bool{"rels": true, "xml": true}
	for key := range pl.kept {
		exts[extOf(key)] = true
	}
	t := c.p.types
	var edits []xmlspan.Edit
	retyped := make(map[string]bool)
	s := xmlspan.New(t.text)
	for range s.Starts() {
		if s.Depth < 2 {
			continue
		}
		drop := s.Local == "Default" && !exts[strings.ToLower(s.Get("", "Extension"))]
		if s.Local == "Override" {
			key := fold(s.Get("", "PartName"))
			drop = !pl.kept[key]
			if other, ok := c.retyped[key]; ok && !drop {
				retyped[key] = true
				edits = append(edits, retype(s, other)...)
			}
		}
		if pos := s.Pos; drop && s.Skip() {
			edits = append(edits, xmlspan.Edit{Pos: pos, Stop: s.Stop})
		}
	}
	for _, part := range c.p.Parts() {
		if other, ok := c.retyped[fold(part.Name)]; ok && !retyped[fold(part.Name)] && pl.kept[fold(part.Name)] {
			line := `<Override xmlns="http://schemas.openxmlformats.org/package/2006/content-types" PartName="/` + xmlspan.Escape(part.Name) + `" ContentType="` + xmlspan.Escape(other) + `"/>`
			edits = append(edits, xmlspan.Edit{Pos: t.rootStop, Stop: t.rootStop, Text: line})
		}
	}
	return xmlspan.Splice(t.text, 0, len(t.text), edits)
}

func retype(s *xmlspan.Scanner, contentType string) []xmlspan.Edit {
	for a := range s.Attrs() {
		if a.Local == "ContentType" && a.Space == "" {
			return []xmlspan.Edit{{Pos: a.ValuePos, Stop: a.ValueStop, Text: xmlspan.Escape(contentType)}}
		}
	}
	return nil
}
