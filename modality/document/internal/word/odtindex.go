package word

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// An odtIndexer finds the blocks of a text.
type odtIndexer struct {
	ctx    context.Context
	d      *odt
	s      *xmlspan.Scanner
	lists  *odtLists
	master string // the master page in force
	headed bool   // whether the level of the current block is known
	steps  int
}

// index scans the content once.
func (d *odt) index(ctx context.Context) error {
	x := &odtIndexer{ctx: ctx, d: d, s: odf.Scan(d.text), lists: newODTLists(d.styles), master: d.styles.firstMaster}
	s := x.s
	for range s.Starts() {
		switch {
		case s.Depth == 3 && s.Is("office", "text"):
			if d.scope != nil {
				return fmt.Errorf("the content has two texts: %w", citekit.ErrFormat)
			}
			d.bodyStart, d.scope = s.Stop, odf.Scan(d.text)
			for d.scope.Next() && d.scope.Pos < s.Pos {
			}
			if err := x.body(); err != nil {
				return err
			}
		case s.Depth >= 3:
			s.Skip()
		}
	}
	if err := s.Err(); err != nil {
		return xmlspan.Known(err)
	}
	if d.scope == nil {
		return fmt.Errorf("the content is no text: %w", citekit.ErrFormat)
	}
	return nil
}

// body finds the children of office:text.
func (x *odtIndexer) body() error {
	d, s := x.d, x.s
	for s.Next() && (s.Kind != xmlspan.End || s.Depth != 3) {
		if s.Kind != xmlspan.Start {
			continue
		}
		if isODTBlock(s) {
			if len(d.list) == maxBlocks {
				return fmt.Errorf("more than %d blocks: %w", maxBlocks, citekit.ErrTooLarge)
			}
			if err := x.block(); err != nil {
				return err
			}
			continue
		}
		pos, local := s.Pos, s.Local
		s.Skip()
		switch local {
		case "tracked-changes":
			d.changes = span{pos, s.Stop}
		case "sequence-decls":
			d.sequences = span{pos, s.Stop}
		}
	}
	d.bodyStop = s.Pos
	return nil
}

// isODTBlock reports whether the current element counts as a block. Declarations,
// forms, tracked changes and recorded page breaks do not.
func isODTBlock(s *xmlspan.Scanner) bool {
	switch s.Space {
	case "draw", "dr3d":
		return true
	case "table":
		return s.Local == "table"
	case "text":
		switch s.Local {
		case "tracked-changes", "change", "change-start", "change-end", "soft-page-break", "alphabetical-index-auto-mark-file":
			return false
		}
		return !strings.HasSuffix(s.Local, "-decls")
	}
	return false
}

// block reads the block whose Start is the current token.
func (x *odtIndexer) block() error {
	d, s := x.d, x.s
	d.list = append(d.list, odtBlock{block: block{span: span{pos: s.Pos}, kind: s.Local}, master: x.master})
	b := &d.list[len(d.list)-1]
	if s.Local == "h" {
		b.kind = "p"
	}
	x.headed = s.Local == "table" || strings.HasSuffix(s.Local, "-index") || s.Local == "table-of-content" || s.Local == "bibliography"
	for {
		if x.steps++; x.steps%checkEvery == 0 {
			if err := x.ctx.Err(); err != nil {
				return err
			}
		}
		switch s.Kind {
		case xmlspan.Start:
			if err := x.element(b); err != nil {
				return err
			}
		case xmlspan.End:
			x.lists.leave(s)
			if s.Depth == 4 {
				b.stop = s.Stop
				return nil
			}
		}
		if !s.Next() {
			return xmlspan.Known(s.Err())
		}
	}
}

// element records the properties of a block that an element within it gives.
func (x *odtIndexer) element(b *odtBlock) error {
	d, s := x.d, x.s
	if skipsLists(s) {
		s.Skip()
		return nil
	}
	p, numbered := x.lists.enter(s)
	if numbered {
		if len(d.paragraphs) == maxParagraphs {
			return fmt.Errorf("more than %d paragraphs in lists: %w", maxParagraphs, citekit.ErrTooLarge)
		}
		d.paragraphs = append(d.paragraphs, p)
	}
	switch {
	case s.Is("text", "p"), s.Is("text", "h"):
		x.paragraph(b)
	case s.Is("table", "table"):
		x.page(b, d.styles.tables[s.Get("table", "style-name")])
	case s.Is("text", "sequence"):
		b.caption = b.caption || b.kind == "p" && b.level == 0
	case s.Is("draw", "image"), s.Is("draw", "object"):
		b.picture = true
	case s.Is("text", "note"):
		kind := footnote
		if s.Get("text", "note-class") == "endnote" {
			kind = endnote
		}
		if len(d.notes[kind]) == maxReferences {
			return fmt.Errorf("more than %d notes: %w", maxReferences, citekit.ErrTooLarge)
		}
		d.notes[kind] = append(d.notes[kind], s.Pos)
	case s.Is("text", "note-citation"):
		if _, own := s.Attr("text", "label"); own {
			x.forgetNote()
		}
	}
	return nil
}

// forgetNote removes the current note from the numbered ones: it has a custom mark.
func (x *odtIndexer) forgetNote() {
	kind := -1
	for k, at := range x.d.notes {
		if n := len(at); n > 0 && (kind < 0 || at[n-1] > x.d.notes[kind][len(x.d.notes[kind])-1]) {
			kind = k
		}
	}
	if kind >= 0 {
		x.d.notes[kind] = x.d.notes[kind][:len(x.d.notes[kind])-1]
	}
}

// paragraph records the properties of a block that its current paragraph gives.
func (x *odtIndexer) paragraph(b *odtBlock) {
	s, styles := x.s, x.d.styles
	name := s.Get("text", "style-name")
	x.page(b, styles.master(name))
	if x.headed {
		return
	}
	x.headed = true
	if s.Local == "h" {
		b.level = max(odf.Number(s.Get("text", "outline-level"), 1), 1)
	}
	b.caption, b.title = styles.isNamed(name, "Caption"), styles.isNamed(name, "Title")
}

// page records the current paragraph or table as the first of its block, if it is,
// and the master page that it names.
func (x *odtIndexer) page(b *odtBlock, master string) {
	if b.lead.isEmpty() {
		b.lead = span{x.s.Pos, x.s.Stop}
		b.own = master != ""
	}
	if master != "" {
		x.master = x.d.styles.lastPage(master)
	}
}

// labelAt returns the number of the paragraph that begins at pos.
func (d *odt) labelAt(pos int) string {
	if i := d.paragraphAt(pos); i < len(d.paragraphs) && d.paragraphs[i].pos == pos {
		return d.paragraphs[i].label
	}
	return ""
}

// paragraphAt returns the index of the first numbered paragraph at or after pos.
func (d *odt) paragraphAt(pos int) int {
	i, _ := slices.BinarySearchFunc(d.paragraphs, pos, func(p odtParagraph, pos int) int { return p.pos - pos })
	return i
}
