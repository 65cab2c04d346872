package slides

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// A reason says why a relationship is not kept.
type reason int

const (
	leftOut reason = iota + 1 // it leads to what the cut leaves out
	active                    // it leads to a program or an embedded object
	missing                   // the source lacks what it leads to
)

// Omissions hold the reason why each relationship of a part is left out, by its id.
// The reason is 0 for relationships that are kept.
type omissions map[string]reason

// of returns the reason why the relationship with an id is left out, or 0 if it
// is kept. An id that the part does not have is missing. The id "" refers to
// nothing and gives 0.
func (o omissions) of(id string) reason {
	why, known := o[id]
	if !known && id != "" {
		return missing
	}
	return why
}

// any reports whether any relationship is left out.
func (o omissions) any() bool {
	for _, why := range o {
		if why != 0 {
			return true
		}
	}
	return false
}

// omitted returns which relationships of a part are left out, and why.
func (c *cutter) omitted(part string) (omissions, error) {
	rels, err := c.pkg.Rels(c.ctx, part)
	if err != nil {
		return nil, err
	}
	gone := make(omissions, len(rels))
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

// edit edits all kept parts.
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

// editParts edits the kept parts, and reports whether it found parts that it had
// not seen before. Lists of authors are reached only after the comments are read,
// and unused layouts only after their master was found damaged.
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

// leave reports whether a part may be kept without edits. The part must not be
// well-formed, and must not belong to a slide that is left out. Programs show the
// slides of such presentations without the parts that they cannot read.
func (c *cutter) leave(part string, err error) bool {
	if !errors.Is(err, xmlspan.ErrMalformed) || c.slideOf(part) > 0 || part == c.pkg.Main() {
		return false
	}
	c.damaged[part] = true
	switch c.typeOf(part) {
	case "commentAuthors", "authors", "presProps": // these name all slides
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
	gone, err := c.omitted(part)
	if err != nil {
		return err
	}
	ed := &partEditor{cutter: c, part: part, gone: gone, label: c.label(part), number: c.writtenNumber(part)}
	if !gone.any() && c.typeOf(part) == "" {
		return nil
	}
	return c.rewrite(part, ed.visit, ed.decide)
}

// rewrite edits a part: it calls visit for each element, and then decide for the
// whole tree, unless decide is nil.
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

// print replaces a part by its edited form, and records the relationships that
// the part no longer names.
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

// findAuthors records the authors that a part with comments names.
func (c *cutter) findAuthors(part string) error {
	if c.authors == nil {
		c.authors = make(map[string]bool)
	}
	text, err := c.pkg.Part(part).Text(c.ctx)
	if err != nil {
		return err
	}
	s := scan(text)
	for range s.Starts() {
		for a := range s.Attrs() {
			if strings.HasSuffix(strings.ToLower(a.Local), "authorid") {
				c.authors[a.Value] = true
			}
		}
	}
	if err := s.Err(); !errors.Is(err, xmlspan.ErrMalformed) {
		return xmlspan.Known(err)
	}
	return nil // the part stays as it is
}

// writtenNumber returns the number that replaces the number fields of a slide. It
// returns "" if programs count the slide correctly in the cut.
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

// slideOf returns the number of the slide that a part holds, or whose notes it
// holds. It returns 0 for other parts.
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

// change records a difference from the source, once.
func (c *cutter) change(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(c.changes) < message.MaxChanges && !slices.Contains(c.changes, text) {
		c.changes = append(c.changes, text)
	}
}
