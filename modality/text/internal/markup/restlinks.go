package markup

import (
	"bytes"
	"context"
	"strings"

	"github.com/citekit/citekit/modality/text/internal/linkset"
)

// findReSTLinks reads reStructuredText line by line: references in backquotes,
// roles, directives that include files, targets and URIs. It skips literal
// blocks and literals.
func findReSTLinks(ctx context.Context, src []byte, set *linkset.Set) error {
	l := restLinker{set: set, literal: -1, toctree: -1}
	return eachLine(ctx, src, l.line)
}

type restLinker struct {
	set     *linkset.Set
	literal int // indentation of the paragraph before a literal block, or -1
	toctree int // indentation of the toctree directive, or -1
}

func (l *restLinker) line(number int, line []byte) {
	text := bytes.TrimLeft(line, " \t")
	if len(text) == 0 {
		return
	}
	indent := len(line) - len(text)
	if l.literal >= 0 && indent > l.literal {
		return
	}
	l.literal = -1
	if l.toctree >= 0 && indent > l.toctree {
		l.entry(number, string(text))
		return
	}
	l.toctree = -1
	if bytes.HasPrefix(text, []byte(".. ")) {
		l.explicit(number, indent, string(bytes.TrimLeft(text[3:], " ")))
		return
	}
	if bytes.HasSuffix(text, []byte("::")) {
		l.literal = indent
	}
	l.inline(number, line)
}

// entry reads an entry of a table of contents: a path, or a title with a path.
func (l *restLinker) entry(number int, text string) {
	if strings.HasPrefix(text, ":") || text == "self" {
		return
	}
	title, target := cutAngle(text)
	l.set.Add(number, number, linkset.Include, title, target)
}

// cutAngle splits "text <target>". Text without a target is its own target.
func cutAngle(s string) (text, target string) {
	i := strings.LastIndexByte(s, '<')
	if i < 0 || !strings.HasSuffix(s, ">") {
		return "", s
	}
	return strings.TrimSpace(s[:i]), s[i+1 : len(s)-1]
}

// explicit reads markup that begins with two dots.
func (l *restLinker) explicit(number, indent int, text string) {
	if strings.HasPrefix(text, "_") {
		l.defined(number, text[1:])
		return
	}
	if rest, ok := strings.CutPrefix(text, "["); ok {
		if label, _, ok := strings.Cut(rest, "] "); ok && !strings.HasPrefix(label, "#") {
			l.set.Add(number, number, linkset.Anchor, "", label)
		}
	}
	if strings.HasPrefix(text, "|") { // a substitution
		if i := strings.Index(text[1:], "| "); i >= 0 {
			text = strings.TrimLeft(text[i+3:], " ")
		}
	}
	name, argument, ok := strings.Cut(text, "::")
	if !ok || name == "" || strings.ContainsAny(name, " <`") { // a comment
		l.literal = indent
		return
	}
	l.directive(number, indent, name, strings.TrimSpace(argument))
}

func (l *restLinker) directive(number, indent int, name, argument string) {
	switch name {
	case "image", "figure":
		l.set.Add(number, number, linkset.Image, "", argument)
	case "include", "literalinclude":
		l.set.Add(number, number, linkset.Include, "", argument)
	case "toctree":
		l.toctree = indent
	case "code", "code-block", "sourcecode", "parsed-literal", "math", "raw", "highlight", "doctest", "testcode":
		l.literal = indent
	default:
		l.inline(number, []byte(argument))
	}
}

// defined reads the target definition "_name: target". Without a target, it
// names its own position.
func (l *restLinker) defined(number int, text string) {
	name, target, ok := strings.Cut(text, ":")
	if strings.HasPrefix(text, "`") {
		if name, target, ok = strings.Cut(text[1:], "`:"); !ok {
			return
		}
	}
	target = strings.TrimSpace(target)
	switch {
	case !ok || name == "":
	case target == "":
		l.set.Add(number, number, linkset.Anchor, "", "#"+name)
	default:
		l.set.Add(number, number, linkset.Hyperlink, strings.Trim(name, "_"), target)
	}
}

// inline finds the references in a line of prose.
func (l *restLinker) inline(number int, line []byte) {
	start := 0 // start of the text between links
	for i := 0; i < len(line); {
		n := bytes.IndexByte(line[i:], '`')
		if n < 0 {
			break
		}
		open := i + n
		if bytes.HasPrefix(line[open:], []byte("``")) {
			end := bytes.Index(line[open+2:], []byte("``"))
			if end < 0 {
				break
			}
			addURIs(l.set, number, line[start:open])
			i = open + 2 + end + 2
			start = i
			continue
		}
		end := bytes.IndexByte(line[open+1:], '`')
		if end < 0 {
			break
		}
		addURIs(l.set, number, line[start:open])
		i = l.quoted(number, line, open, open+1+end)
		start = i
	}
	addURIs(l.set, number, line[start:])
}

// quoted reads the text in backquotes between open and end, and returns the
// offset after it and its suffix.
func (l *restLinker) quoted(number int, line []byte, open, end int) int {
	text, target := cutAngle(string(line[open+1 : end]))
	if role := roleBefore(line[:open]); role != "" {
		l.role(number, role, text, target)
		return end + 1
	}
	if end+1 < len(line) && line[end+1] == '_' {
		if text != "" {
			l.set.Add(number, number, linkset.Hyperlink, text, target)
		} else {
			l.set.Add(number, number, linkset.Reference, target, "#"+target)
		}
		return end + 2
	}
	return end + 1
}

// roleBefore returns the role at the end of before, such as "ref" for ":ref:".
func roleBefore(before []byte) string {
	if !bytes.HasSuffix(before, []byte(":")) {
		return ""
	}
	const longest = 64
	before = before[max(0, len(before)-longest):]
	i := bytes.LastIndexByte(before[:len(before)-1], ':')
	for i > 0 && isAlnum(before[i-1]) { // may have a domain, as in ":py:func:"
		j := bytes.LastIndexByte(before[:i], ':')
		if j < 0 || bytes.IndexByte(before[j:i], ' ') >= 0 {
			break
		}
		i = j
	}
	if i < 0 || bytes.IndexByte(before[i:], ' ') >= 0 {
		return ""
	}
	return string(before[i+1 : len(before)-1])
}

func (l *restLinker) role(number int, role, text, target string) {
	switch role {
	case "ref", "numref", "std:ref":
		l.set.Add(number, number, linkset.Reference, text, "#"+target)
	case "doc", "std:doc", "download":
		l.set.Add(number, number, linkset.Hyperlink, text, target)
	case "cite", "cite:p", "cite:t", "footcite":
		l.set.Add(number, number, linkset.Citation, text, target)
	}
}
