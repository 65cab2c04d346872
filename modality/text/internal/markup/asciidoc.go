package markup

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/lazyregexp"
)

// readAsciiDoc reads AsciiDoc. Titles inside delimited blocks and discrete
// titles begin no sections. The document title has level 1, sections of "=="
// level 2.
func readAsciiDoc(ctx context.Context, src []byte, doc *outline) error {
	r := adocReader{doc: doc, lines: newWindow(src)}
	return r.lines.each(ctx, r.block)
}

type adocReader struct {
	doc      *outline
	lines    *window
	body     bool // whether anything except comments and attributes was seen
	discrete bool // whether the next title begins no section
	legacy   bool // whether single quotes emphasise, as after a two-line title
	styled   bool // whether the next paragraph is not prose, such as a listing
	offset   int  // added to levels; set by the attribute leveloffset
}

// block reads the block, or the line about a block, that begins at the line.
func (r *adocReader) block() {
	w := r.lines
	switch line := w.line; {
	case len(line) == 0:
		w.pass(1)
	case isDelimiter(line):
		r.passDelimited()
		r.begin()
	case bytes.HasPrefix(line, []byte("//")), isConditional(line):
		w.pass(1)
	case line[0] == '[' && line[len(line)-1] == ']':
		r.attributes(line)
		w.pass(1)
	case isAttributeEntry(line):
		r.setAttribute(line)
		w.pass(1)
	case line[0] == '.' && len(line) > 1 && line[1] != '.' && line[1] != ' ':
		w.pass(1)
	case r.title():
	case isIndented(line), isBlockMacro(line):
		r.passParagraph()
	default:
		r.paragraph()
	}
}

// begin records that the body of the document has begun.
func (r *adocReader) begin() { r.body, r.discrete, r.styled = true, false, false }

func (r *adocReader) attributes(line []byte) {
	style, _, _ := strings.Cut(strings.Trim(string(line), "[]"), ",")
	style = strings.TrimSpace(style)
	switch style {
	case "source", "listing", "literal", "verse", "stem", "latexmath", "asciimath", "pass", "comment":
		r.styled = true
	}
	for _, name := range []string{"discrete", "float"} {
		if rest, ok := strings.CutPrefix(style, name); ok && (rest == "" || strings.ContainsAny(rest[:1], "#.%")) {
			r.discrete = true
		}
	}
}

// setAttribute applies the one attribute that affects titles.
func (r *adocReader) setAttribute(line []byte) {
	value, ok := bytes.CutPrefix(line, []byte(":leveloffset:"))
	if !ok {
		return
	}
	value = bytes.TrimSpace(value)
	n, sign := 0, 0
	for i, c := range value {
		switch {
		case i == 0 && c == '+':
			sign = 1
		case i == 0 && c == '-':
			sign = -1
		case isDigit(c):
			n = min(n*10+int(c-'0'), 6)
		}
	}
	if sign == 0 {
		r.offset = n
		return
	}
	r.offset += sign * n
}

// title reads a title if the line begins one, and reports whether it did.
func (r *adocReader) title() bool {
	w := r.lines
	first, lines := w.number, 1
	level, text := lineTitle(w.line)
	if level == 0 {
		level, text = twoLineTitle(w.line, w.second)
		lines = 2
	}
	if level == 0 {
		return false
	}
	level += r.offset
	discrete := r.discrete
	isDocument := level == 1 && !r.body && len(r.doc.headings) == 0
	r.begin()
	w.pass(lines)
	if discrete || level < 1 {
		return true
	}
	r.legacy = r.legacy || isDocument && lines == 2
	title := r.text(text)
	r.doc.add(heading{level: level, line: first, title: title})
	if isDocument {
		r.doc.title = title
		r.header()
	}
	return true
}

func (r *adocReader) text(markup []byte) string {
	return adocText(string(markup), r.legacy)
}

// header skips the author and revision lines and the attributes below the
// document title.
func (r *adocReader) header() {
	for w := r.lines; w.number > 0 && len(w.line) > 0; w.pass(1) {
		if isAttributeEntry(w.line) {
			r.setAttribute(w.line)
		}
		if isDelimiter(w.line) && string(w.line) != "////" {
			return
		}
	}
}

// lineTitle returns the text of a one-line title and its level, from 1; level 0
// means the line is not a title.
func lineTitle(line []byte) (level int, text []byte) {
	if line[0] != '=' && line[0] != '#' {
		return 0, nil
	}
	n := runLength(line)
	if n > 6 || n == len(line) || line[n] != ' ' && line[n] != '\t' {
		return 0, nil
	}
	text = bytes.TrimSpace(line[n:])
	mark := line[:n]
	if rest, ok := bytes.CutSuffix(text, mark); ok && len(rest) > 0 && (rest[len(rest)-1] == ' ' || rest[len(rest)-1] == '\t') {
		text = bytes.TrimSpace(rest)
	}
	return n, text
}

// twoLineTitle returns the level and text of a title whose underline is as long
// as the title, give or take one character.
func twoLineTitle(line, under []byte) (level int, text []byte) {
	if !isRun(under, 1) || line[0] == '.' {
		return 0, nil
	}
	level = strings.IndexByte("=-~^+", under[0]) + 1
	if level == 0 || len(under) < 2 {
		return 0, nil
	}
	diff := utf8.RuneCount(line) - len(under)
	if diff < -1 || diff > 1 || !hasWord(line) {
		return 0, nil
	}
	return level, line
}

func hasWord(line []byte) bool {
	return slices.ContainsFunc(line, func(c byte) bool { return isAlnum(c) || c >= 0x80 })
}

// isDelimiter reports whether a line begins a delimited block or a table.
func isDelimiter(line []byte) bool {
	switch {
	case string(line) == "--":
		return true
	case bytes.HasPrefix(line, []byte("```")):
		return runLength(line) == 3
	case len(line) >= 4 && isRun(line, 4):
		return strings.IndexByte("-.+/=*_~", line[0]) >= 0
	case len(line) >= 4 && isRun(line[1:], 3) && line[1] == '=':
		return strings.IndexByte("|,:!", line[0]) >= 0
	}
	return false
}

// passDelimited skips a delimited block. In a block that holds other blocks it
// also skips verbatim blocks, which may contain its delimiter.
func (r *adocReader) passDelimited() {
	w := r.lines
	end := string(closing(w.line))
	verbatim := isVerbatim(w.line)
	inner := "" // closing line of an inner verbatim block
	for w.pass(1); w.number > 0; w.pass(1) {
		switch {
		case inner != "":
			if string(w.line) == inner {
				inner = ""
			}
		case string(w.line) == end:
			w.pass(1)
			return
		case !verbatim && isDelimiter(w.line) && isVerbatim(w.line):
			inner = string(closing(w.line))
		}
	}
}

// closing returns the line that ends a block whose first line is line.
func closing(line []byte) []byte {
	if line[0] == '`' {
		return line[:3]
	}
	return line
}

func isVerbatim(line []byte) bool {
	return strings.IndexByte("-.+/`|,:!", line[0]) >= 0 && string(line) != "--"
}

var attributeEntry = lazyregexp.New(`^:!?\w[\w-]*!?:( |$)`)

func isAttributeEntry(line []byte) bool {
	return line[0] == ':' && attributeEntry.Match(line[:min(len(line), 200)])
}

// isConditional reports whether a line begins or ends a conditional part. All
// parts are read.
func isConditional(line []byte) bool {
	return slices.ContainsFunc([]string{"ifdef::", "ifndef::", "ifeval::", "endif::"}, func(name string) bool {
		return bytes.HasPrefix(line, []byte(name)) && line[len(line)-1] == ']'
	})
}

var blockMacro = lazyregexp.New(`^(\w[\w-]*::\S*\[.*\]|'{3,}|<{3,}|-{3}|\*{3}|- - -|\* \* \*)$`)

func isBlockMacro(line []byte) bool { return len(line) < maxInline && blockMacro.Match(line) }

// passParagraph skips lines up to a blank one or a delimiter.
func (r *adocReader) passParagraph() {
	r.begin()
	w := r.lines
	for w.pass(1); w.number > 0 && len(w.line) > 0 && !r.breaks(); w.pass(1) {
	}
}

// breaks reports whether the line ends the paragraph before it.
func (r *adocReader) breaks() bool {
	line := r.lines.line
	return isDelimiter(line) || line[0] == '[' && line[len(line)-1] == ']' && attributeLine.Match(line[:min(len(line), 200)])
}

var attributeLine = lazyregexp.New(`^\[(\[[\w:]|[\w.,#"'%]|\])`)

var listItem = lazyregexp.New(`^([*.-]+|\d+\.|[a-zA-Z]\.|<\.>|<\d+>)[ \t]`)

// paragraph reads text, or the items of a list.
func (r *adocReader) paragraph() {
	styled := r.styled
	r.begin()
	w := r.lines
	if styled || listItem.Match(w.line[:min(len(w.line), 80)]) || bytes.Contains(w.line, []byte("::")) {
		r.passParagraph()
		return
	}
	var text []byte
	for first := true; w.number > 0 && len(w.line) > 0 && (first || !r.breaks()); first = false {
		if len(text) < maxProse && !bytes.HasPrefix(w.line, []byte("//")) {
			text = append(append(text, w.line...), '\n')
		}
		w.pass(1)
	}
	if r.doc.wantsProse() {
		r.doc.addProse(r.text(text))
	}
}
