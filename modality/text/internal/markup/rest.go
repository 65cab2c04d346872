package markup

import (
	"bytes"
	"context"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readReST reads reStructuredText. Titles are underlined, or over- and
// underlined, by a run of one punctuation character. Their level is the order
// in which their adornment first appears.
func readReST(ctx context.Context, src []byte, doc *outline) error {
	r := restReader{doc: doc, lines: newWindow(src)}
	err := r.lines.each(ctx, r.block)
	doc.title = doc.onlyTitle()
	return err
}

// A window shows three consecutive lines of a text.
type window struct {
	rest   []byte
	number int    // line number, from 1; 0 after the last line
	line   []byte // without trailing space
	second []byte // the line after it; nil after the last
	third  []byte
}

func newWindow(src []byte) *window {
	w := &window{rest: src, number: 1}
	w.line, w.second, w.third = w.cut(), w.cut(), w.cut()
	if w.line == nil {
		w.number = 0
	}
	return w
}

func (w *window) cut() []byte {
	if len(w.rest) == 0 {
		return nil
	}
	line, rest, _ := bytes.Cut(w.rest, []byte("\n"))
	w.rest = rest
	return bytes.TrimRight(line[:len(line):len(line)], " \t\r\v\f")
}

// pass moves forward by n lines.
func (w *window) pass(n int) {
	for ; n > 0 && w.number > 0; n-- {
		w.line, w.second, w.third = w.second, w.third, w.cut()
		w.number++
		if w.line == nil {
			w.number = 0
		}
	}
}

// each calls read, which passes lines, until there are none or ctx is done.
func (w *window) each(ctx context.Context, read func()) error {
	for n := 0; w.number > 0; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			break
		}
		read()
	}
	return ctx.Err()
}

// A restReader reads the blocks of the document itself. The content of other
// blocks is indented.
type restReader struct {
	doc    *outline
	lines  *window
	styles []string // adornments; index 0 is level 1
	level  int      // level of the current section
}

// block reads the block that begins at the current line.
func (r *restReader) block() {
	w := r.lines
	switch line := w.line; {
	case len(line) == 0, isIndented(line):
		w.pass(1)
	case isAdornment(line):
		r.adorned()
	case isSimpleTable(line):
		r.passTable()
	case bytes.HasPrefix(line, []byte(">>> ")), bytes.HasPrefix(line, []byte("+-")):
		r.passText()
	case isListItem(line), isExplicit(line):
		w.pass(1)
	case r.isUnderlined():
		r.add("_"+string(w.second[:1]), w.number, line)
		w.pass(2)
	default:
		r.paragraph()
	}
}

// adorned reads a title with an overline, or a transition.
func (r *restReader) adorned() {
	w := r.lines
	switch {
	case len(w.second) == 0 && len(w.line) >= 4: // a transition
		w.pass(1)
	case len(w.second) > 0 && bytes.Equal(w.line, w.third) && len(w.line) >= min(4, width(w.second)) && !isAdornment(w.second):
		r.add("^"+string(w.line[:1]), w.number, w.second)
		w.pass(3)
	case len(w.line) >= 4:
		w.pass(1)
	case r.isUnderlined():
		r.add("_"+string(w.second[:1]), w.number, w.line)
		w.pass(2)
	default:
		r.paragraph()
	}
}

// isUnderlined reports whether the next line makes this one a title. A short
// underline must be as wide as its title.
func (r *restReader) isUnderlined() bool {
	under := r.lines.second
	return isAdornment(under) && (len(under) >= 4 || len(under) >= width(r.lines.line))
}

// add adds a title. A new adornment at a place that requires a known one, or a
// level more than one below the section, makes the line no title.
func (r *restReader) add(style string, line int, text []byte) {
	level := 0
	for i, known := range r.styles {
		if known == style {
			level = i + 1
		}
	}
	if level == 0 && len(r.styles) == r.level {
		r.styles = append(r.styles, style)
		level = len(r.styles)
	}
	if level == 0 || level > r.level+1 {
		return
	}
	r.level = level
	r.doc.add(heading{level: level, line: line, title: restText(string(text))})
}

// paragraph reads text up to a blank or indented line, and the quoted literal
// block that it may introduce.
func (r *restReader) paragraph() {
	w := r.lines
	var text []byte
	var last []byte
	for w.number > 0 && len(w.line) > 0 && !isIndented(w.line) {
		if len(text) < maxProse {
			text = append(append(text, w.line...), '\n')
		}
		last = w.line
		w.pass(1)
	}
	if w.number > 0 && isIndented(w.line) { // the term of a definition list, if not a paragraph
		text = nil
	}
	if r.doc.wantsProse() && len(text) > 0 {
		r.doc.addProse(restText(strings.TrimSuffix(strings.TrimSpace(string(text)), "::")))
	}
	if bytes.HasSuffix(last, []byte("::")) {
		r.passQuoted()
	}
}

// passQuoted skips an unindented literal block, whose lines all begin with the
// same punctuation character.
func (r *restReader) passQuoted() {
	w := r.lines
	for w.number > 0 && len(w.line) == 0 {
		w.pass(1)
	}
	if w.number == 0 || !isPunct(w.line[0]) {
		return
	}
	for mark := w.line[0]; w.number > 0 && len(w.line) > 0 && w.line[0] == mark; {
		w.pass(1)
	}
}

// passText skips lines up to a blank one.
func (r *restReader) passText() {
	for r.lines.number > 0 && len(r.lines.line) > 0 {
		r.lines.pass(1)
	}
}

// passTable skips a simple table, which ends with its third border, or with a
// border followed by a blank line.
func (r *restReader) passTable() {
	w := r.lines
	width := len(w.line)
	w.pass(1)
	for found := 0; w.number > 0; w.pass(1) {
		if len(w.line) != width || !isBorder(w.line) {
			continue
		}
		found++
		if found == 2 || len(w.second) == 0 {
			w.pass(1)
			return
		}
	}
}

func isBorder(line []byte) bool {
	return line[0] == '=' && len(bytes.Trim(line, "= ")) == 0
}

func isSimpleTable(line []byte) bool {
	return isBorder(line) && bytes.IndexByte(line, ' ') >= 0
}

func isAdornment(line []byte) bool {
	return isRun(line, 1) && isPunct(line[0])
}

// isListItem reports whether a line begins a line block, or an item of a list
// that is not enumerated.
func isListItem(line []byte) bool {
	r, size := utf8.DecodeRune(line)
	switch r {
	case '*', '+', '-', '•', '‣', '⁃', '|':
		return len(line) == size || line[size] == ' '
	case ':':
		return isField(line)
	}
	return false
}

func isField(line []byte) bool {
	end := bytes.Index(line[1:], []byte(":"))
	if end <= 0 || line[1] == ' ' {
		return false
	}
	after := line[end+2:]
	return len(after) == 0 || after[0] == ' '
}

// isExplicit reports whether a line begins explicit markup: a directive, a
// comment, a target or similar.
func isExplicit(line []byte) bool {
	for _, mark := range []string{"..", "__"} {
		if rest, ok := bytes.CutPrefix(line, []byte(mark)); ok && (len(rest) == 0 || rest[0] == ' ') {
			return true
		}
	}
	return false
}

// width returns the number of columns that text takes; wide characters take
// two.
func width(text []byte) int {
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0x3000 && r < 0x3040 || r >= 0xff01 && r <= 0xff60:
			n += 2
		default:
			n++
		}
	}
	return n
}
