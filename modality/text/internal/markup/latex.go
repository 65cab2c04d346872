package markup

import (
	"bytes"
	"context"
	"strings"
)

// readLaTeX reads the sectioning commands of LaTeX. Included and input files
// are separate sources. If there is a \begin{document}, only a title before it
// is the document's, and only what follows it is text.
func readLaTeX(ctx context.Context, src []byte, doc *outline) error {
	r := latexReader{src: src, doc: doc, line: 1, unended: make(map[string]bool)}
	r.skipPreamble()
	for n := 0; r.pos < len(src); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r.step()
	}
	r.endParagraph()
	return ctx.Err()
}

type latexReader struct {
	src  []byte
	doc  *outline
	pos  int
	line int // line number of pos

	prose   []byte
	spoiled bool // whether the paragraph is not prose

	wasted  int             // bytes searched for braces that do not close
	unended map[string]bool // environments without a further end
}

// skipPreamble skips the preamble, if there is one, and takes the title from
// it.
func (r *latexReader) skipPreamble() {
	begin := findCommand(r.src, `\begin{document}`)
	head := r.src
	if begin >= 0 {
		head = r.src[:begin]
	}
	at := findCommand(head, `\title`)
	if at < 0 && begin >= 0 { // or between \begin{document} and \maketitle
		if at = findCommand(r.src[begin:], `\title`); at >= 0 {
			at += begin
		}
	}
	if at >= 0 {
		if group, _, ok := r.group(r.src[at+len(`\title`):]); ok {
			r.doc.title = latexText(group)
		}
	}
	if begin >= 0 {
		r.advance(begin + len(`\begin{document}`))
		r.doc.bodyLine = r.line + 1
	}
}

// findCommand returns the offset of the first command outside comments, or -1.
func findCommand(src []byte, command string) int {
	for from := 0; ; {
		i := bytes.Index(src[from:], []byte(command))
		if i < 0 {
			return -1
		}
		i += from
		from = i + len(command)
		longer := command[len(command)-1] != '}' && from < len(src) && isLetter(src[from])
		before := src[max(0, i-maxGroup):i]
		if !longer && !isComment(before[bytes.LastIndexByte(before, '\n')+1:]) {
			return i
		}
	}
}

// isComment reports whether a comment has begun in start, the beginning of a
// line.
func isComment(start []byte) bool {
	for i := 0; i < len(start); i++ {
		switch start[i] {
		case '\\':
			i++
		case '%':
			return true
		}
	}
	return false
}

// advance moves to pos, which is not before the current position.
func (r *latexReader) advance(pos int) {
	pos = min(pos, len(r.src))
	r.line += bytes.Count(r.src[r.pos:pos], []byte("\n"))
	r.pos = pos
}

// step passes the command, comment or text at pos.
func (r *latexReader) step() {
	rest := r.src[r.pos:]
	switch rest[0] {
	case '\\':
		r.command(rest)
	case '%':
		r.skipLine(rest)
	case '\n':
		if len(rest) > 1 && isBlank(firstLine(rest[1:])) {
			r.endParagraph()
		}
		r.text(rest[:1])
	default:
		end := bytes.IndexAny(rest, "\\%\n")
		if end < 0 {
			end = len(rest)
		}
		r.text(rest[:end])
	}
}

func firstLine(s []byte) []byte {
	line, _, _ := bytes.Cut(s, []byte("\n"))
	return line
}

func (r *latexReader) text(s []byte) {
	if len(r.prose) < maxProse {
		r.prose = append(r.prose, s[:min(len(s), maxProse)]...)
	}
	r.advance(r.pos + len(s))
}

func (r *latexReader) skipLine(rest []byte) {
	r.advance(r.pos + len(firstLine(rest)) + 1)
}

// command passes a command.
func (r *latexReader) command(rest []byte) {
	name := commandName(rest)
	after := rest[1+len(name):]
	if level := sectionLevel(name); level > 0 && r.section(level, len(rest)-len(after), after) {
		return
	}
	switch name {
	case "begin":
		r.begin(rest, after)
	case "verb":
		r.verb(rest, after)
	case "end":
		if bytes.HasPrefix(after, []byte("{document}")) {
			r.endParagraph()
			r.advance(len(r.src))
			return
		}
		r.endParagraph()
		r.skipArgument(rest, after)
	case "newcommand", "renewcommand", "providecommand", "def", "newenvironment", "label", "includegraphics", "input", "include", "usepackage", "documentclass", "maketitle", "tableofcontents", "author", "date", "title", "vspace", "hspace", "bibliography", "bibliographystyle":
		r.skipArgument(rest, after)
	case "item":
		r.spoiled = true
		r.text(rest[:len(rest)-len(after)])
	case "":
		r.text(rest[:min(2, len(rest))])
	default:
		r.text(rest[:len(rest)-len(after)])
	}
}

// commandName returns the name of the command at the start of s, or "" if the
// command is not a word.
func commandName(s []byte) string {
	n := 1
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	return string(s[1:n])
}

func sectionLevel(name string) int {
	for i, known := range []string{"part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"} {
		if name == known {
			return i + 1
		}
	}
	return 0
}

// section reads a sectioning command with a title in braces, and reports
// whether there is one.
func (r *latexReader) section(level, name int, after []byte) bool {
	s := bytes.TrimPrefix(after, []byte("*"))
	s = skipSpaceAndLine(s)
	if len(s) > 0 && s[0] == '[' {
		end := bracketEnd(s)
		if end == 0 {
			return false
		}
		s = skipSpaceAndLine(s[end:])
	}
	group, rest, ok := r.group(s)
	if !ok {
		return false
	}
	r.endParagraph()
	r.prose = r.prose[:0]
	r.doc.add(heading{level: level, line: r.line, title: latexText(group)})
	r.advance(r.pos + name + len(after) - len(rest))
	return true
}

// bracketEnd returns the length of the optional argument at the start of s, or
// 0.
func bracketEnd(s []byte) int {
	depth := 0
	for i := 0; i < len(s) && i < maxBracket; i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case ']':
			if depth <= 0 {
				return i + 1
			}
		}
	}
	return 0
}

const (
	maxGroup   = 4096 // bytes of an argument in braces
	maxBracket = 512  // bytes of an optional argument
)

// group calls latexGroup until too many bytes were searched in vain.
func (r *latexReader) group(s []byte) (group string, rest []byte, ok bool) {
	if r.wasted > 4*len(r.src)+maxGroup {
		return "", s, false
	}
	group, rest, ok = latexGroup(s)
	if !ok {
		r.wasted += min(len(s), maxGroup)
	}
	return group, rest, ok
}

// latexGroup returns the content of the braces at the start of s, after space,
// and the text after them.
func latexGroup(s []byte) (group string, rest []byte, ok bool) {
	s = skipSpaceAndLine(s)
	if len(s) == 0 || s[0] != '{' {
		return "", s, false
	}
	depth := 0
	for i := 0; i < len(s) && i < maxGroup; i++ {
		switch s[i] {
		case '\\':
			i++
		case '%':
			i += len(firstLine(s[i:min(len(s), maxGroup)]))
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return string(s[1:i]), s[i+1:], true
		}
	}
	return "", s, false
}

// begin passes the start of an environment, or the whole environment if it is
// verbatim.
func (r *latexReader) begin(rest, after []byte) {
	group, tail, ok := r.group(after)
	if !ok {
		r.text(rest[:len(rest)-len(after)])
		return
	}
	r.endParagraph()
	if isVerbatimEnvironment(strings.TrimSuffix(group, "*")) && !r.unended[group] {
		if end := bytes.Index(tail, []byte(`\end{`+group+`}`)); end >= 0 {
			r.advance(r.pos + len(rest) - len(tail) + end)
			return
		}
		r.unended[group] = true
	}
	r.spoiled = group != "abstract" && group != "quote" && group != "quotation" && group != "center"
	r.advance(r.pos + len(rest) - len(tail))
}

func isVerbatimEnvironment(name string) bool {
	switch name {
	case "verbatim", "Verbatim", "BVerbatim", "LVerbatim", "lstlisting", "minted", "comment", "alltt", "filecontents", "listing":
		return true
	}
	return false
}

// verb passes \verb|text|.
func (r *latexReader) verb(rest, after []byte) {
	s := bytes.TrimPrefix(after, []byte("*"))
	line := firstLine(s[:min(len(s), maxGroup)])
	if len(line) > 1 {
		if end := bytes.IndexByte(line[1:], line[0]); end >= 0 {
			r.text(rest[:len(rest)-len(s)+end+2])
			return
		}
	}
	r.text(rest[:len(rest)-len(after)])
}

// skipArgument skips a command and its argument, which is not text.
func (r *latexReader) skipArgument(rest, after []byte) {
	s := bytes.TrimPrefix(after, []byte("*"))
	if len(s) > 0 && s[0] == '[' {
		s = s[bracketEnd(s):]
	}
	if _, tail, ok := r.group(s); ok {
		s = tail
	}
	r.advance(r.pos + len(rest) - len(s))
}

// endParagraph keeps the text of the paragraph that was read.
func (r *latexReader) endParagraph() {
	if !r.spoiled && r.doc.wantsProse() {
		if text := latexText(string(r.prose)); text != "" {
			r.doc.addProse(text)
		}
	}
	r.prose, r.spoiled = r.prose[:0], false
}
