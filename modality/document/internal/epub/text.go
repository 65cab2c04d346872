package epub

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// blockText returns the text of a block, each line with its line end; "" if it has
// none.
func (p *part) blockText(b block) string {
	return p.textOf(b.first, b.last, 0)
}

// label returns the text of an element on one line, except that of the element but.
func (t *tree) label(i, but int32) string {
	return strings.Join(strings.Fields(t.textOf(i, i, but)), " ")
}

// textOf returns the text of the siblings from first to last, except that of the
// element but. Runs of spaces become one space. A table row is a line with tabs
// between cells. Pictures yield their alternative text, numbers above or below the line their
// characters for that.
func (t *tree) textOf(first, last, but int32) string {
	w := textWriter{tree: t, but: but}
	for i := t.nodes[first].parent; i != 0; i = t.nodes[i].parent {
		if isStruck(t.nodes[i].name) {
			w.struck++
		}
	}
	for i := first; i != 0; i = t.nodes[i].after {
		w.node(i)
		if i == last {
			break
		}
	}
	w.line()
	return w.out.String()
}

type textWriter struct {
	*tree
	out    strings.Builder
	but    int32
	space  bool // a space goes before the next word
	begun  bool // the line has text or a tab
	word   bool // the line or the cell has text
	cell   int  // number of open cells, in which lines do not break
	cells  int  // cells on the line, with or without text
	pre    int
	script htmlblocks.Script
	look   htmlblocks.Look // of the text at hand
	struck int             // elements that are open whose text is struck out
	strike htmlblocks.Strike
	apart  int // where a formula with parts ends
}

func (w *textWriter) node(i int32) {
	n := &w.nodes[i]
	w.look = w.lookOf(i)
	switch {
	case i == w.but && i != 0, isUnseen(n.name):
	case n.name == "" && w.look.Hidden(), n.name != "" && n.firstChild == 0 && w.look.Hidden(), n.name == "math" && w.look.Hidden():
	case n.name == "":
		w.text(w.characters(n))
	case n.name == "rt", n.name == "rp", n.name == "annotation", n.name == "annotation-xml":
	case n.name == "img", n.name == "image":
		w.text(w.attr(i, "alt"))
	case n.name == "br":
		w.line()
	case n.name == "math":
		var f htmlblocks.Formula
		w.formula(&f, i)
		text := f.String()
		if !f.Bare() {
			w.apart = w.out.Len()
			defer func() { w.apart = w.out.Len() }()
		}
		w.text(text)
	case n.name == "td", n.name == "th":
		w.tableCell(i)
	default:
		w.element(i, n)
	}
}

// formula reads the element of a formula.
func (w *textWriter) formula(f *htmlblocks.Formula, i int32) {
	n := &w.nodes[i]
	switch n.name {
	case "":
		f.Text(w.characters(n))
		return
	case "annotation", "annotation-xml":
		return
	}
	f.Start(n.name, func(name string) (string, bool) { return w.attr(i, name), strings.Contains(w.tag(i), name) })
	for c := range w.children(i) {
		w.formula(f, c)
	}
	f.End(n.name)
}

// characters returns the characters of a text.
func (t *tree) characters(n *node) string {
	text := t.data[n.start:n.end]
	if rest, ok := strings.CutPrefix(text, "<![CDATA["); ok {
		return strings.TrimSuffix(rest, "]]>")
	}
	return unescape(text)
}

func (w *textWriter) element(i int32, n *node) {
	ownLines := isBlock(n.name) || n.name == "tr" || n.name == "caption" || n.name == "figcaption" || n.name == "summary"
	if ownLines {
		w.line()
	}
	if n.name == "pre" {
		w.pre++
		defer func() { w.pre-- }()
	}
	if n.name == "sup" || n.name == "sub" {
		around := w.script
		defer func() { w.script = around }()
		sign := "^"
		if w.script = htmlblocks.Above; n.name == "sub" {
			w.script, sign = htmlblocks.Below, "_"
		}
		if w.nests(i) {
			w.script = htmlblocks.OnLine
			w.text(sign + "(")
			defer func() {
				w.look = w.lookOf(i)
				w.text(")")
			}()
		}
	}
	if isStruck(n.name) {
		w.struck++
		defer func() { w.struck-- }()
	}
	for c := range w.children(i) {
		w.node(c)
	}
	if ownLines {
		w.line()
	}
}

// nests reports whether a sup or sub has words and then another one: 2²³ is not 2^(2³).
func (w *textWriter) nests(i int32) bool {
	end, words := w.nodes[i].end, false
	for c := i + 1; int(c) < len(w.nodes) && w.nodes[c].start < end; c++ {
		switch n := &w.nodes[c]; n.name {
		case "sup", "sub":
			return words && !w.lookOf(i).Hidden()
		case "":
			words = words || !isBlank(w.characters(n))
		}
	}
	return false
}

func isStruck(name string) bool { return name == "s" || name == "del" || name == "strike" }

// tableCell writes a cell. Its line breaks become spaces.
func (w *textWriter) tableCell(i int32) {
	w.strike.End(&w.out)
	defer w.strike.End(&w.out)
	if w.cell == 0 {
		if w.cells++; w.cells > 1 {
			w.space, w.word, w.begun = false, false, true
			w.out.WriteByte('\t')
		}
	}
	w.cell++
	for c := range w.children(i) {
		w.node(c)
	}
	w.cell--
	w.space = w.cell > 0
}

// line ends the current line, if one has begun.
func (w *textWriter) line() {
	switch {
	case w.cell > 0:
		w.space = w.word
		return
	case w.begun:
		w.strike.End(&w.out)
		w.out.WriteByte('\n')
	}
	w.space, w.begun, w.word, w.cells = false, false, false, 0
}

func (w *textWriter) text(s string) {
	if w.apart > 0 && w.apart == w.out.Len() && htmlblocks.Touch(w.out.String(), s) {
		s = " " + s
	}
	if w.pre > 0 && w.cell == 0 {
		w.lines(s)
		return
	}
	script := w.script
	if script == htmlblocks.OnLine {
		script = w.look.Script
	}
	s = script.Write(s)
	struck := w.struck > 0 || w.look.Struck
	for s != "" {
		n := strings.IndexFunc(s, isSpace)
		if n < 0 {
			n = len(s)
		}
		if n > 0 {
			if !struck {
				w.strike.End(&w.out)
			}
			if w.space {
				w.out.WriteByte(' ')
			}
			w.strike.Write(&w.out, s[:n], struck)
			w.space, w.begun, w.word = false, true, true
		}
		rest := strings.TrimLeftFunc(s[n:], isSpace)
		if len(rest) < len(s[n:]) {
			w.space = w.word
		}
		s = rest
	}
}

// lines writes preformatted text.
func (w *textWriter) lines(s string) {
	for line := range strings.Lines(strings.ReplaceAll(s, "\r\n", "\n")) {
		content := strings.TrimSuffix(line, "\n")
		w.strike.Write(&w.out, content, w.struck > 0 || w.look.Struck)
		if content != line {
			w.strike.End(&w.out)
		}
		w.begun, w.word = w.begun || content != "", w.word || content != ""
		if content != line {
			w.out.WriteByte('\n')
			w.begun, w.word = false, false
		}
	}
}

// isSpace reports whether a character is white space that collapses.
func isSpace(r rune) bool {
	return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f'
}

// isBlank reports whether s shows nothing.
func isBlank(s string) bool {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if !unicode.IsSpace(r) && r != '\u200b' && r != '\ufeff' {
			return false
		}
		s = s[n:]
	}
	return true
}
