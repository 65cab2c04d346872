package word

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// An indexer finds the blocks of a body.
type indexer struct {
	ctx      context.Context
	d        *docx
	s        *xmlspan.Scanner
	counters *counters
	boxes    int  // number of open text boxes
	headed   bool // whether the level of the current block is known
}

// checkEvery is the number of elements between two checks of the context.
const checkEvery = 1 << 12

// index scans the main part once.
func (d *docx) index(ctx context.Context) error {
	x := &indexer{ctx: ctx, d: d, s: ooxml.Scan(d.text), counters: newCounters(d.numbering)}
	s := x.s
	for range s.Starts() {
		switch {
		case s.Depth == 1 && !s.Is("w", "document"):
			return fmt.Errorf("the main part is no text of a document: %w", citekit.ErrFormat)
		case s.Depth == 1:
			d.prefix = prefixAt(d.text, s.Pos)
		case s.Depth == 2 && s.Is("w", "body"):
			if d.scope == nil { // a few files have several bodies; they count as one
				d.bodyStart, d.scope = s.Stop, ooxml.Scan(d.text)
				for d.scope.Next() && d.scope.Pos < s.Pos {
				}
			}
			if err := x.body(); err != nil {
				return err
			}
		}
	}
	if err := s.Err(); err != nil {
		return xmlspan.Known(err)
	}
	if d.scope == nil {
		return fmt.Errorf("the main part has no body: %w", citekit.ErrFormat)
	}
	return nil
}

// body finds the children of the body.
func (x *indexer) body() error {
	d, s := x.d, x.s
	for s.Next() && (s.Kind != xmlspan.End || s.Depth != 2) {
		if s.Kind != xmlspan.Start {
			continue
		}
		switch {
		case s.Space == "w" && isBlock(s.Local):
			if len(d.list) == maxBlocks {
				return fmt.Errorf("more than %d blocks: %w", maxBlocks, citekit.ErrTooLarge)
			}
			if err := x.block(); err != nil {
				return err
			}
		case s.Is("w", "sectPr"):
			pos := s.Pos
			s.Skip()
			d.final = span{pos, s.Stop}
		default:
			s.Skip()
		}
	}
	d.bodyStop = s.Pos
	return nil
}

// isBlock reports whether elements with that name count as blocks.
func isBlock(local string) bool {
	switch local {
	case "p", "tbl", "sdt", "altChunk", "customXml":
		return true
	}
	return false
}

// block reads the block whose Start is the current token.
func (x *indexer) block() error {
	d, s := x.d, x.s
	at := len(d.list)
	d.list = append(d.list, block{span: span{pos: s.Pos}, kind: s.Local})
	x.headed = s.Local == "tbl"
	for n := 0; ; n++ {
		if n%checkEvery == 0 {
			if err := x.ctx.Err(); err != nil {
				return err
			}
		}
		if s.Kind == xmlspan.Start {
			if err := x.element(&d.list[at]); err != nil {
				return err
			}
		}
		if s.Kind == xmlspan.End && s.Depth == 3 {
			d.list[at].stop = s.Stop
			return nil
		}
		if s.Kind == xmlspan.End && s.Local == "txbxContent" {
			x.boxes--
		}
		if !s.Next() {
			return xmlspan.Known(s.Err())
		}
	}
}

// element records the properties of a block that an element within it gives.
func (x *indexer) element(b *block) error {
	s := x.s
	switch s.Local {
	case "Fallback":
		if s.Space == "mc" {
			s.Skip()
		}
	case "txbxContent":
		x.boxes++
	case "p":
		if s.Space == "w" && x.boxes == 0 {
			return x.paragraph(b)
		}
	case "altChunk":
		if s.Space == "w" {
			x.d.use(s.Get("r", "id"))
		}
	case "drawing", "pict", "object":
		b.picture = true
	case "docPartGallery":
		if strings.EqualFold(s.Get("w", "val"), "Table of Contents") {
			x.headed, b.level = true, 0
		}
	case "footnoteReference":
		return x.reference(footnote)
	case "endnoteReference":
		return x.reference(endnote)
	}
	return nil
}

func (x *indexer) reference(kind int) error {
	s := x.s
	if len(x.d.references) == maxReferences {
		return fmt.Errorf("more than %d references to notes: %w", maxReferences, citekit.ErrTooLarge)
	}
	r := reference{pos: s.Pos, kind: kind, id: s.Get("w", "id")}
	r.own = isOn(s.Get("w", "customMarkFollows"))
	x.d.references = append(x.d.references, r)
	return nil
}

// properties are the properties of a paragraph.
type properties struct {
	style   string
	outline int // -1 if not given
	numID   string
	ilvl    int  // -1 if not given
	section span // its sectPr
	numPr   span // its numPr
	insert  int  // where a numPr would be inserted; 0 if there are no properties
}

// paragraph reads the properties of the paragraph whose Start is the token at
// hand, and numbers it.
func (x *indexer) paragraph(b *block) error {
	d, s := x.d, x.s
	pos := s.Pos
	props := properties{style: d.styles.usual, outline: -1, ilvl: -1}
	for s.Next() && s.Kind == xmlspan.Text {
	}
	if s.Kind == xmlspan.Start && s.Is("w", "pPr") {
		props = readProperties(s, d.styles.usual)
	}
	if !x.headed {
		x.headed = true
		b.level = d.styles.levels[props.style]
		if props.outline >= 0 {
			b.level = (props.outline + 1) % 10
		}
		b.caption, b.title = d.styles.captions[props.style], d.styles.isTitle(props.style)
	}
	if !props.section.isEmpty() {
		d.breaks = append(d.breaks, props.section)
	}
	list, at := d.listOf(props)
	if list != nil {
		if len(d.paragraphs) == maxParagraphs {
			return fmt.Errorf("more than %d paragraphs in lists: %w", maxParagraphs, citekit.ErrTooLarge)
		}
		values := x.counters.next(list, at)
		d.paragraphs = append(d.paragraphs, paragraph{pos, list, at, values, d.numbering.label(list, at, values)})
	}
	if s.Kind == xmlspan.Start { // of the content, so there are no properties
		return x.element(b)
	}
	return nil
}

// readProperties reads the pPr whose Start is the current token.
func readProperties(s *xmlspan.Scanner, usual string) properties {
	p := properties{style: usual, outline: -1, ilvl: -1, insert: s.Stop}
	depth := s.Depth
	for s.Next() && (s.Kind != xmlspan.End || s.Depth != depth) {
		if s.Kind == xmlspan.End && s.Depth == depth+1 && beforeNumPr(s.Local) {
			p.insert = s.Stop
		}
		if s.Kind != xmlspan.Start || s.Depth != depth+1 {
			continue
		}
		switch pos := s.Pos; s.Local {
		case "pStyle":
			p.style = s.Get("w", "val")
		case "outlineLvl":
			p.outline = number(s.Get("w", "val"), -1)
		case "numPr":
			p.readList(s)
			p.numPr = span{pos, s.Stop}
		case "sectPr":
			s.Skip()
			p.section = span{pos, s.Stop}
		case "rPr", "pPrChange":
			s.Skip()
		}
	}
	return p
}

// beforeNumPr reports whether an element comes before numPr in pPr (ISO/IEC 29500-1,
// section 17.3.1.26).
func beforeNumPr(local string) bool {
	switch local {
	case "pStyle", "keepNext", "keepLines", "pageBreakBefore", "framePr", "widowControl":
		return true
	}
	return false
}

func (p *properties) readList(s *xmlspan.Scanner) {
	for range s.Starts() {
		switch {
		case s.Is("w", "numId"):
			p.numID = s.Get("w", "val")
		case s.Is("w", "ilvl"):
			p.ilvl = number(s.Get("w", "val"), -1)
		}
	}
}

// listOf returns the list of a paragraph, or nil, and its level there.
func (d *docx) listOf(p properties) (list *num, at int) {
	id, at := p.numID, p.ilvl
	if id == "" {
		styled, level := d.styles.numbering(p.style)
		id = styled
		if list = d.numbering.list(id); list != nil && at < 0 {
			if at = d.numbering.levelOfStyle(list, p.style); at < 0 {
				at = level
			}
		}
	}
	if list = d.numbering.list(id); list == nil {
		return nil, 0
	}
	return list, min(max(at, 0), levelCount-1)
}
