package word

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// A texter writes the text that a scanner reads.
type texter struct {
	d       *docx   // the document whose paragraphs are numbered, or nil
	styles  *styles // nil if they are not known
	chunks  map[string]*chunk
	cells   citekit.Cells
	out     strings.Builder
	style   string // of the paragraph at hand
	run     run    // what the run at hand says
	around  run    // of the part of a table that is read
	strike  htmlblocks.Strike
	within  int      // formulas' parts that are open
	formula int      // where the last part of a formula ends in out
	notes   []int    // references passed so far, as indexes into those of d
	marks   []string // ids of the comments passed so far

	made *tableMaker // of the cells of the table that is read; nil if only their text is wanted
}

// textOf returns the text of a block followed by that of its notes, or "" if it has
// none. Unless cells is zero, only those cells of a table are included.
func (d *docx) textOf(b span, cells citekit.Cells) string {
	t := &texter{d: d, styles: d.styles, chunks: d.chunks, cells: cells}
	t.container(d.scope.Fragment(b.pos, b.stop), 0)
	for _, i := range t.notes {
		t.note(d.references[i])
	}
	for _, id := range t.marks {
		t.out.WriteString(d.comments[id].String())
	}
	text := t.out.String()
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// note writes the text of a note after its mark.
func (t *texter) note(r reference) {
	n := t.d.notes[r.kind]
	at, ok := n.byID[r.id]
	if !ok {
		return
	}
	inner := &texter{styles: t.styles}
	inner.container(n.scope.Fragment(at.pos, at.stop), 0)
	if text := strings.TrimSpace(inner.out.String()); text != "" {
		t.out.WriteString("[" + r.mark + "] " + text + "\n")
	}
}

// container writes the paragraphs and tables up to the End of the element at depth,
// or up to the end of the input if depth is 0.
func (t *texter) container(s *xmlspan.Scanner, depth int) {
	for range s.Starts() {
		switch {
		case s.Is("w", "p"):
			t.paragraph(s)
		case s.Is("w", "tbl"):
			t.table(s)
		case s.Is("w", "altChunk"):
			t.chunk(s)
		case isUnread(s):
			s.Skip()
		}
	}
}

// isUnread reports whether the current element has no text of its own to show: it
// repeats other text, was deleted, or is only formatting.
func isUnread(s *xmlspan.Scanner) bool {
	switch s.Local {
	case "Fallback":
		return s.Space == "mc"
	case "del", "moveFrom":
		return s.Space == "w" && !isEmptyMark(s)
	case "sdtPr", "sdtEndPr", "tblPr", "tblGrid", "trPr", "tcPr", "rPr", "pPr", "sectPr", "customXmlPr":
		return s.Space == "w"
	}
	return false
}

// isEmptyMark reports whether a "del" only marks a paragraph mark or a row as
// deleted, and has no content.
func isEmptyMark(s *xmlspan.Scanner) bool {
	_, parent := s.Parent()
	return parent == "rPr" || parent == "trPr"
}

// paragraph writes the paragraph whose Start is the current token, and then the
// text boxes in it.
func (t *texter) paragraph(s *xmlspan.Scanner) {
	before := t.out.Len()
	if t.d != nil {
		t.out.WriteString(t.d.labelAt(s.Pos))
	}
	label := t.out.Len()
	t.style = ""
	boxes := texter{styles: t.styles, chunks: t.chunks}
	for range s.Starts() {
		t.inline(s, &boxes)
	}
	t.strike.End(&t.out)
	if t.out.Len() > label || label > before {
		t.out.WriteByte('\n')
	}
	t.out.WriteString(boxes.out.String())
}

// inline writes the text of an element within a paragraph.
func (t *texter) inline(s *xmlspan.Scanner, boxes *texter) {
	if s.Space == "m" {
		t.strike.End(&t.out)
		formulas := ooxml.Formulas{Within: t.within, Part: func(s *xmlspan.Scanner) string { return t.part(s, boxes) }}
		if text, ok := formulas.Read(s, t.out.String()); ok {
			t.out.WriteString(text)
			t.formula = t.out.Len()
			return
		}
	}
	switch s.Local {
	case "r":
		t.inRun(s, boxes)
	case "pPr":
		t.properties(s)
	case "t":
		if s.Space == "w" || s.Space == "m" {
			t.words(s.Chars())
		}
	case "tab", "ptab":
		if s.Space == "w" {
			t.strike.End(&t.out)
			t.out.WriteByte('\t')
		}
	case "br", "cr":
		if s.Space == "w" {
			t.strike.End(&t.out)
			t.out.WriteByte('\n')
		}
	case "noBreakHyphen":
		t.strike.Write(&t.out, "-", t.run.isStruck())
	case "sym":
		t.symbol(s)
	case "txbxContent":
		boxes.container(s, s.Depth)
	case "footnoteReference", "endnoteReference":
		if t.d != nil {
			if i, ok := t.d.referenceAt(s.Pos); ok {
				t.notes = append(t.notes, i)
			}
		}
	case "commentReference":
		if s.Space == "w" && t.d != nil && t.d.comments != nil {
			t.marks = append(t.marks, s.Get("w", "id"))
		}
	default:
		if isUnread(s) {
			s.Skip()
		}
	}
}

// part returns the text of the part of a formula whose Start is the current token.
func (t *texter) part(s *xmlspan.Scanner, boxes *texter) string {
	inner := &texter{d: t.d, styles: t.styles, chunks: t.chunks, around: t.around, within: t.within + 1}
	for range s.Starts() {
		inner.inline(s, boxes)
	}
	inner.strike.End(&inner.out)
	t.notes, t.marks = append(t.notes, inner.notes...), append(t.marks, inner.marks...)
	return inner.out.String()
}

// blanks replaces white space by the spaces that are shown for it.
var blanks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ", "\u00ad", "")

func (t *texter) words(text string) {
	if strings.ContainsAny(text, "\r\n\t\u00ad") {
		text = blanks.Replace(text)
	}
	if t.formula > 0 && t.formula == t.out.Len() && htmlblocks.Touch(t.out.String(), text) {
		t.out.WriteByte(' ') // a number is not of two parts
	}
	t.strike.Write(&t.out, t.run.script().Write(ooxml.Symbols(t.run.font, text)), t.run.isStruck())
}

// properties reads the style of the paragraph whose pPr is the current token.
func (t *texter) properties(s *xmlspan.Scanner) {
	for range s.Starts() {
		switch {
		case s.Is("w", "pStyle"):
			t.style = s.Get("w", "val")
		case s.Is("w", "pPrChange"), s.Is("w", "rPr"):
			s.Skip()
		}
	}
}

// inRun writes the text of the run whose Start is the current token, unless it is hidden.
func (t *texter) inRun(s *xmlspan.Scanner, boxes *texter) {
	around := t.run
	t.run = t.styles.shown(t.around, t.style, "", run{})
	for range s.Starts() {
		_, parent := s.Parent()
		switch {
		case s.Is("w", "rPr") && parent == "r":
			style, r := readRun(s)
			t.run = t.styles.shown(t.around, t.style, style, r)
		case t.run.hidden == on:
			s.Skip()
		default:
			t.inline(s, boxes)
		}
	}
	t.run = around
}

// symbol writes a character that is given by its number in a font.
func (t *texter) symbol(s *xmlspan.Scanner) {
	n, err := strconv.ParseUint(s.Get("w", "char"), 16, 32)
	r := rune(n)
	if err != nil || n > utf8.MaxRune || !utf8.ValidRune(r) || r < ' ' {
		r = ooxml.Unknown
	}
	t.strike.Write(&t.out, string(ooxml.Symbol(s.Get("w", "font"), r)), t.run.isStruck())
}

// labelAt returns the number of the paragraph that begins at pos.
func (d *docx) labelAt(pos int) string {
	i := sort.Search(len(d.paragraphs), func(i int) bool { return d.paragraphs[i].pos >= pos })
	if i < len(d.paragraphs) && d.paragraphs[i].pos == pos {
		return d.paragraphs[i].label
	}
	return ""
}

func (d *docx) referenceAt(pos int) (int, bool) {
	return slices.BinarySearchFunc(d.references, pos, func(r reference, pos int) int { return r.pos - pos })
}
