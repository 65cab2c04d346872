package markup

import (
	"bytes"
	"context"
	"strings"

	"github.com/citekit/citekit/modality/text/internal/linkset"
)

// findAsciiDocLinks reads AsciiDoc line by line: macros, references in double
// angle brackets, anchors and URIs. In listings, literals, comments and
// passthroughs it reads only includes.
func findAsciiDocLinks(ctx context.Context, src []byte, set *linkset.Set) error {
	l := adocLinker{set: set}
	return eachLine(ctx, src, l.line)
}

type adocLinker struct {
	set   *linkset.Set
	fence string // line that ends the skipped block, or ""
}

func (l *adocLinker) line(number int, line []byte) {
	text := string(line)
	if target, ok := strings.CutPrefix(text, "include::"); ok && l.fence != "////" {
		if target, _, ok := strings.Cut(target, "["); ok {
			l.set.Add(number, number, linkset.Include, "", target)
		}
		return
	}
	switch {
	case l.fence != "":
		if text == l.fence {
			l.fence = ""
		}
		return
	case isAdocFence(text):
		l.fence = text
		return
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, ":") && strings.Contains(text, ": "):
		return
	}
	l.inline(number, line)
}

// isAdocFence reports whether a line begins a block without markup.
func isAdocFence(line string) bool {
	if line == "```" || strings.HasPrefix(line, "```") && !strings.Contains(line[3:], "`") {
		return true
	}
	return len(line) >= 4 && strings.IndexByte("-.+/", line[0]) >= 0 && isRun([]byte(line), 4)
}

// inline finds the links in a line. It looks for the characters that begin
// markup, and scans the text before them only once.
func (l *adocLinker) inline(number int, line []byte) {
	for i := 0; i < len(line); {
		n := bytes.IndexAny(line[i:], "<[:`\\")
		if n < 0 {
			return
		}
		at := i + n
		i = at + 1
		switch rest := line[at:]; {
		case rest[0] == '\\':
			i = at + 2
		case bytes.HasPrefix(rest, []byte("<<")):
			i = at + l.between(number, rest, "<<", ">>")
		case bytes.HasPrefix(rest, []byte("[[")):
			i = at + l.between(number, rest, "[[", "]]")
		case bytes.HasPrefix(rest, []byte("[#")):
			i = at + l.between(number, rest, "[#", "]")
		case rest[0] == '`' && bytes.HasPrefix(rest, []byte("`+")):
			if end := bytes.Index(rest[2:], []byte("+`")); end >= 0 {
				i = at + end + 4
			}
		case rest[0] == ':':
			i = l.macro(number, line, at)
		}
	}
}

// between reads a reference or an anchor, and returns its length.
func (l *adocLinker) between(number int, rest []byte, open, closing string) int {
	end := len(open) + bytes.IndexAny(rest[len(open):min(len(rest), maxInline)], "[]<>")
	if end < len(open) || !bytes.HasPrefix(rest[end:], []byte(closing)) {
		return len(open)
	}
	target, text, _ := strings.Cut(string(rest[len(open):end]), ",")
	target, text = strings.TrimSpace(target), strings.TrimSpace(text)
	switch open {
	case "<<":
		if !strings.Contains(target, "#") {
			target = "#" + target
		}
		l.set.Add(number, number, linkset.Reference, text, target)
	case "[#":
		target, _, _ = strings.Cut(target, ".")
		fallthrough
	default:
		if target != "" && !strings.ContainsAny(target, " []") {
			l.set.Add(number, number, linkset.Anchor, "", "#"+target)
		}
	}
	return end + len(closing)
}

// macro reads the macro or URI whose colon is at at, and returns where to
// continue.
func (l *adocLinker) macro(number int, line []byte, at int) int {
	start := at
	for start > 0 && isSchemeByte(line[start-1]) {
		start--
	}
	kind := adocKinds[string(line[start:at])]
	isURI := bytes.HasPrefix(line[at:], []byte("://"))
	if kind == "" && (!isURI || at-start < 2) {
		return at + 1
	}
	body := bytes.TrimLeft(line[at:], ":")
	from := len(line) - len(body)
	end := from
	for end < len(line) && end-from < maxTargetBytes && line[end] > ' ' && line[end] != '[' && line[end] != ']' && line[end] != '<' && line[end] != '>' {
		end++
	}
	if end >= len(line) || line[end] != '[' {
		if isURI {
			return l.uri(number, line, start, at)
		}
		return end
	}
	text, after := adocArgument(line, end)
	target := string(line[from:end])
	if isURI {
		kind, target = linkset.Hyperlink, string(line[start:end])
	}
	if kind == linkset.Reference && !strings.ContainsAny(target, "#.") {
		target = "#" + target
	}
	l.set.Add(number, number, kind, text, target)
	return after
}

// uri adds a URI in prose.
func (l *adocLinker) uri(number int, line []byte, start, at int) int {
	start, end := uriAt(line[:min(len(line), at+maxTargetBytes)], start, at)
	if end == 0 {
		return at + 1
	}
	l.set.Add(number, number, linkset.Hyperlink, "", string(line[start:end]))
	return end
}

// adocArgument returns the first argument of a macro in the brackets at i, and
// the offset after the brackets.
func adocArgument(line []byte, i int) (text string, after int) {
	n := bytes.IndexByte(line[i:min(len(line), i+maxInline)], ']')
	if n < 0 {
		return "", i + 1
	}
	text = string(line[i+1 : i+n])
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		text, _, _ = strings.Cut(quoted, `"`)
	} else {
		text, _, _ = strings.Cut(text, ",")
	}
	return strings.TrimSuffix(text, "^"), i + n + 1
}

// adocKinds are the kinds of links that macros make.
var adocKinds = map[string]string{
	"link": linkset.Hyperlink, "xref": linkset.Reference, "image": linkset.Image, "video": linkset.Include, "audio": linkset.Include,
}
