package word

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ooxml"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/xmlspan"
)

const (
	docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	docxMain = docxType + ".main+xml"
	docxExt  = ".docx"

	maxBlocks     = 1 << 20
	maxParagraphs = 1 << 21 // in lists
)

// A docx is what is known of a DOCX whose package may be closed.
type docx struct {
	main, text  string           // the main part
	scope       *xmlspan.Scanner // in the body: it is never stepped on, for others read its namespaces
	prefix      string           // of the names of its elements, such as "w:"
	bodyStart   int              // after the tag of the body
	bodyStop    int              // before the end tag of the body
	final       span             // the sectPr at the end of the body; empty if there is none
	list        []block
	paragraphs  []paragraph // those that are numbered
	breaks      []span      // the sectPr of paragraphs
	references  []reference // to notes
	styles      *styles
	numbering   *numbering
	notes       [noteKinds]*notes
	contentType string // of the main part
	core        ooxml.Core
}

// A span is a run of bytes.
type span struct{ pos, stop int }

func (s span) isEmpty() bool { return s.pos == s.stop }

// A block is a child of the body.
type block struct {
	span
	kind    string // the local name of its element
	level   int    // of a heading, from 1, or 0
	caption bool   // it is in a style for captions
	title   bool   // it is in the style of the title
	picture bool   // it has one, or a chart
}

// A paragraph is one that is in a list.
type paragraph struct {
	pos    int // where it begins
	list   *num
	level  int
	values [levelCount]int
	label  string // its number, and what follows that
}

// A reference is one to a note.
type reference struct {
	pos    int
	kind   int
	id     string
	own    bool // it has a mark of its own
	number int
	mark   string // as the number is shown
}

func openDocx(ctx context.Context, p *ooxml.Package) (*docx, error) {
	d := &docx{main: p.Main()}
	d.contentType = p.ContentType(d.main)
	var err error
	if d.text, err = p.Part(d.main).Text(ctx); err != nil {
		return nil, err
	}
	rels, err := p.Rels(ctx, d.main)
	if err != nil {
		return nil, err
	}
	texts := make(map[string]string)
	var settings *ooxml.Part
	for _, rel := range rels {
		switch kind := rel.Kind(); kind {
		case "settings":
			if !rel.External {
				settings = p.Part(rel.Target)
			}
		case "styles", "numbering", "footnotes", "endnotes":
			if part := p.Part(rel.Target); part != nil && !rel.External && texts[kind] == "" {
				if texts[kind], err = part.Text(ctx); err != nil {
					return nil, err
				}
			}
		}
	}
	if d.styles, err = readStyles(texts["styles"]); err != nil {
		return nil, fmt.Errorf("the styles: %w", err)
	}
	if d.numbering, err = readNumbering(texts["numbering"], d.styles); err != nil {
		return nil, fmt.Errorf("the numbering: %w", err)
	}
	for kind := range noteKinds {
		if d.notes[kind], err = readNotes(kind, texts[noteParts[kind]]); err != nil {
			return nil, fmt.Errorf("the notes: %w", err)
		}
	}
	if d.core, err = p.Core(ctx); err != nil {
		return nil, err
	}
	rules, err := readSettings(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("the settings: %w", err)
	}
	if err := d.index(ctx); err != nil {
		return nil, err
	}
	d.numberNotes(rules)
	return d, nil
}

// An indexer finds the blocks of a body.
type indexer struct {
	ctx      context.Context
	d        *docx
	s        *xmlspan.Scanner
	counters *counters
	boxes    int  // text boxes that are open
	headed   bool // the block at hand has its level
}

// How often a context is looked at: once in so many elements.
const checkEvery = 1 << 12

// index steps through the main part once.
func (d *docx) index(ctx context.Context) error {
	x := &indexer{ctx: ctx, d: d, s: ooxml.Scan(d.text), counters: newCounters(d.numbering)}
	s := x.s
	for s.Next() {
		switch {
		case s.Kind != xmlspan.Start:
		case s.Depth == 1 && !s.Is("w", "document"):
			return fmt.Errorf("the main part is no text of a document: %w", citekit.ErrFormat)
		case s.Depth == 1:
			d.prefix = prefixAt(d.text, s.Pos)
		case s.Depth == 2 && s.Is("w", "body"):
			d.bodyStart = s.Stop
			d.scope = ooxml.Scan(d.text)
			for d.scope.Next() && d.scope.Pos < s.Pos {
			}
			if err := x.body(); err != nil {
				return err
			}
		}
	}
	if err := s.Err(); err != nil {
		return ooxml.KnownXML(err)
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

// isBlock reports whether elements of a name are counted.
func isBlock(local string) bool {
	switch local {
	case "p", "tbl", "sdt", "altChunk", "customXml":
		return true
	}
	return false
}

// block reads the block whose Start is the token at hand.
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
			return ooxml.KnownXML(s.Err())
		}
	}
}

// element reads what an element within a block says.
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
	case "drawing", "pict", "object":
		b.picture = true
	case "docPartGallery":
		if strings.EqualFold(s.Get("w", "val"), "Table of Contents") {
			x.headed, b.level = true, 0
		}
	case "footnoteReference":
		x.reference(footnote)
	case "endnoteReference":
		x.reference(endnote)
	}
	return nil
}

func (x *indexer) reference(kind int) {
	s := x.s
	r := reference{pos: s.Pos, kind: kind, id: s.Get("w", "id")}
	r.own = isOn(s.Get("w", "customMarkFollows"))
	x.d.references = append(x.d.references, r)
}

// properties are what a paragraph says of itself.
type properties struct {
	style   string
	outline int // -1 says nothing
	numID   string
	ilvl    int  // -1 says nothing
	section span // its sectPr
	numPr   span // its numPr
	insert  int  // where a numPr would stand; 0 if there are no properties
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
	if s.Kind == xmlspan.Start { // of what follows, or there are no properties
		return x.element(b)
	}
	return nil
}

// readProperties reads the pPr whose Start is the token at hand.
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

// beforeNumPr reports whether an element of pPr stands before numPr (ISO/IEC
// 29500-1, section 17.3.1.26).
func beforeNumPr(local string) bool {
	switch local {
	case "pStyle", "keepNext", "keepLines", "pageBreakBefore", "framePr", "widowControl":
		return true
	}
	return false
}

func (p *properties) readList(s *xmlspan.Scanner) {
	depth := s.Depth
	for s.Next() && (s.Kind != xmlspan.End || s.Depth != depth) {
		switch {
		case s.Kind != xmlspan.Start:
		case s.Is("w", "numId"):
			p.numID = s.Get("w", "val")
		case s.Is("w", "ilvl"):
			p.ilvl = number(s.Get("w", "val"), -1)
		}
	}
}

// listOf returns the list and the level that a paragraph is in, or nil.
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

func (d *docx) cost() int64 {
	const each = 96 // bytes of a block or a paragraph
	n := int64(len(d.text) + len(d.numbering.text) + each*(len(d.list)+2*len(d.paragraphs)+len(d.references)))
	for _, notes := range d.notes {
		n += int64(len(notes.text) + each*len(notes.byID))
	}
	return n
}

func (d *docx) blocks() int { return len(d.list) }

// format returns what the source is: a template or a document with macros has a
// media type of its own.
func (d *docx) format() (mediaType, ext string) {
	switch {
	case strings.Contains(d.contentType, "ms-word.document.macroEnabled"):
		return "application/vnd.ms-word.document.macroEnabled.12", ".docm"
	case strings.Contains(d.contentType, "ms-word.template.macroEnabled"):
		return "application/vnd.ms-word.template.macroEnabled.12", ".dotm"
	case strings.Contains(d.contentType, "wordprocessingml.template"):
		return "application/vnd.openxmlformats-officedocument.wordprocessingml.template", ".dotx"
	}
	return docxType, docxExt
}

func (d *docx) blockText(i int, cells citekit.Cells) string {
	b := d.list[i]
	if !cells.IsZero() {
		b.span, _ = d.tableOf(b)
	}
	return d.textOf(b.span, cells)
}

func (d *docx) draft(ctx context.Context) (*citekit.Draft, error) {
	items := make([]item, len(d.list))
	for i, b := range d.list {
		items[i] = item{level: b.level, table: b.kind == "tbl", caption: b.caption, title: b.title, picture: b.picture && b.kind == "p"}
	}
	draft, err := draft(ctx, d, items, d.line)
	if err != nil {
		return nil, err
	}
	if title := plain.Words(d.core.Title, maxTitle); title != "" {
		draft.Title = title
	}
	d.core.Note(draft.Metadata)
	return draft, nil
}

// line returns the text of a block on one line, without its notes.
func (d *docx) line(i int) string {
	t := &texter{d: d}
	t.container(d.scope.Fragment(d.list[i].pos, d.list[i].stop), 0)
	return strings.Join(strings.Fields(t.out.String()), " ")
}
