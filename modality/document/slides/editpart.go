package slides

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ooxml"
	"github.com/citekit/citekit/internal/xmlspan"
)

// A reason says why a relationship is not kept.
type reason int

const (
	leftOut reason = iota + 1 // it leads to what the cut leaves out
	active                    // it leads to a program or an embedded object
	missing                   // the source lacks what it leads to
)

// A fate says what becomes of the relationships of a part, by their ids; 0 for
// those that are kept.
type fate map[string]reason

// of returns why an id is not that of a relationship that is kept, or 0. One
// that the part does not have is missing; "" names none.
func (f fate) of(id string) reason {
	why, known := f[id]
	if !known && id != "" {
		return missing
	}
	return why
}

// any reports whether a relationship is not kept.
func (f fate) any() bool {
	for _, why := range f {
		if why != 0 {
			return true
		}
	}
	return false
}

// fate returns what becomes of the relationships of a part.
func (c *cutter) fate(part string) (fate, error) {
	rels, err := c.pkg.Rels(c.ctx, part)
	if err != nil {
		return nil, err
	}
	gone := make(fate, len(rels))
	for _, rel := range rels {
		gone[rel.ID] = 0
		switch {
		case !rel.External && c.pkg.Part(rel.Target) == nil:
			gone[rel.ID] = missing
		case c.follows(part, rel):
		case slices.Contains(activeKinds, rel.Kind()):
			gone[rel.ID] = active
			if rel.Kind() == "vbaProject" {
				c.change("macros left out")
			}
		default:
			gone[rel.ID] = leftOut
		}
	}
	return gone, nil
}

// edit decides what becomes of each part.
func (c *cutter) edit() error {
	if plain := c.kind.withoutMacros(); plain != c.kind {
		c.cut.Retype(c.pkg.Main(), plain.mainType)
	}
	parts, err := c.cut.Parts(c.ctx)
	if err != nil {
		return err
	}
	for _, part := range parts {
		switch c.typeOf(part) {
		case "notesSlide":
			c.notes = true
		case "comments":
			if err := c.findAuthors(part); err != nil {
				return err
			}
		}
	}
	for more := true; more; {
		if more, err = c.editParts(); err != nil {
			return err
		}
	}
	return c.editMain()
}

// editParts edits the parts that are kept, and reports whether there were some
// that it had not seen: lists of authors are reached only when the comments are
// read, and layouts that are not used when their master is damaged.
func (c *cutter) editParts() (more bool, err error) {
	parts, err := c.cut.Parts(c.ctx)
	if err != nil {
		return false, err
	}
	for _, part := range parts {
		if err := c.ctx.Err(); err != nil {
			return false, err
		}
		if c.edited[part] {
			continue
		}
		c.edited[part], more = true, true
		if err := c.editPart(part); err != nil && !c.leave(part, err) {
			return false, err
		}
	}
	return more, nil
}

// leave reports whether a part may stay without being edited: one that is not
// well-formed and belongs to no slide that is left out. Programs show the slides
// of such presentations, without what they cannot read.
func (c *cutter) leave(part string, err error) bool {
	if !errors.Is(err, xmlspan.ErrMalformed) || c.slideOf(part) > 0 || part == c.pkg.Main() {
		return false
	}
	c.damaged[part] = true
	switch c.typeOf(part) {
	case "commentAuthors", "authors", "presProps": // which tell of all slides
		c.change("%s is damaged in the source, and left out", c.label(part))
	default:
		c.change("%s is damaged in the source, and stays as it is", c.label(part))
	}
	return true
}

func (c *cutter) editPart(part string) error {
	switch c.typeOf(part) {
	case "commentAuthors", "authors":
		return c.rewrite(part, func(e *element, s *xmlspan.Scanner) {
			if strings.HasSuffix(strings.ToLower(e.local), "author") && s.Depth == 2 {
				e.edit.removed = !c.authors[s.Get("", "id")]
			}
		}, nil)
	case "presProps":
		return c.rewrite(part, func(e *element, s *xmlspan.Scanner) {
			e.edit.removed = e.is("p", "sldRg") || e.is("p", "custShow") || len(e.refs) > 0
		}, nil)
	}
	if part == c.pkg.Main() {
		return nil
	}
	gone, err := c.fate(part)
	if err != nil {
		return err
	}
	ed := &partEditor{cutter: c, part: part, gone: gone, label: c.label(part), number: c.writtenNumber(part)}
	if !gone.any() && c.typeOf(part) == "" {
		return nil
	}
	return c.rewrite(part, ed.visit, ed.decide)
}

// rewrite edits a part, as visit says of each element and then decide, which
// may be nil, of all.
func (c *cutter) rewrite(part string, visit func(*element, *xmlspan.Scanner), decide func(text string, root *element)) error {
	if size := c.pkg.Part(part).Size(); size > maxSlideBytes {
		return fmt.Errorf("a part of %d MiB to edit; at most %d: %w", size>>20, maxSlideBytes>>20, citekit.ErrTooLarge)
	}
	text, err := c.pkg.Part(part).Text(c.ctx)
	if err != nil {
		return err
	}
	root, err := parse(text, visit)
	if err != nil {
		return err
	}
	if decide != nil {
		decide(text, root)
	}
	c.print(part, text, root)
	return nil
}

// print replaces a part by its edited form, and notes the relationships that it
// no longer names.
func (c *cutter) print(part, text string, root *element) {
	p := printer{text: text, named: make(map[string]bool)}
	p.print(root)
	if p.b.String() == text {
		return
	}
	c.cut.Replace(part, p.b.String())
	unnamed := make(map[string]bool)
	root.each(func(e *element) {
		for _, a := range e.refs {
			if !p.named[a.Value] {
				unnamed[a.Value] = true
			}
		}
	})
	c.unnamed[part] = unnamed
}

// findAuthors notes who is named in a part with comments.
func (c *cutter) findAuthors(part string) error {
	if c.authors == nil {
		c.authors = make(map[string]bool)
	}
	text, err := c.pkg.Part(part).Text(c.ctx)
	if err != nil {
		return err
	}
	s := scan(text)
	for s.Next() {
		if s.Kind != xmlspan.Start {
			continue
		}
		for a := range s.Attrs() {
			if strings.HasSuffix(strings.ToLower(a.Local), "authorid") {
				c.authors[a.Value] = true
			}
		}
	}
	if err := s.Err(); !errors.Is(err, xmlspan.ErrMalformed) {
		return ooxml.KnownXML(err)
	}
	return nil // the part stays as it is
}

// writtenNumber returns the number to write in the place of the fields of a
// slide that a program would count otherwise; "" if it counts right.
func (c *cutter) writtenNumber(part string) string {
	if c.slideOf(part) == 0 {
		return ""
	}
	i := c.slideOf(part) - 1
	at, _ := slices.BinarySearch(c.indexes, i)
	if c.indexes[0]+at == i {
		return ""
	}
	return c.pptx.number(i)
}

// slideOf returns the number of the slide that a part is, or is the notes of; 0
// if it is neither.
func (c *cutter) slideOf(part string) int { return max(c.kept[part], c.notesOf[part]) }

// label names a part in a change.
func (c *cutter) label(part string) string {
	if n := c.kept[part]; n > 0 {
		return "slide " + strconv.Itoa(n)
	}
	if n := c.notesOf[part]; n > 0 {
		return "the notes of slide " + strconv.Itoa(n)
	}
	switch c.typeOf(part) {
	case "slideLayout":
		return "a layout"
	case "slideMaster":
		return "a master"
	case "comments":
		return "a list of comments"
	case "commentAuthors", "authors":
		return "the list of those who commented"
	case "presProps":
		return "the list of properties"
	}
	return "a drawing"
}

// change notes what the cut has otherwise, once.
func (c *cutter) change(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(c.changes) < citekit.MaxChanges && !slices.Contains(c.changes, text) {
		c.changes = append(c.changes, text)
	}
}
