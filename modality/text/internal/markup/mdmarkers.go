package markup

import (
	"bytes"
	"strings"
)

// isThematicBreak reports whether a line is a rule (CommonMark 4.1).
func isThematicBreak(rest []byte) bool {
	n := 0
	for _, c := range rest {
		switch c {
		case rest[0]:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// itemMarker returns the length of the list item marker at the start of rest,
// or 0, and whether it can interrupt a paragraph (CommonMark 5.2).
func itemMarker(rest []byte) (width int, one bool) {
	n := 0
	for n < len(rest) && n < 10 && isDigit(rest[n]) {
		n++
	}
	switch c := rest[min(n, len(rest)-1)]; {
	case n == 0 && (c == '-' || c == '+' || c == '*'):
		one = true
	case n > 0 && n < 10 && n < len(rest) && (c == '.' || c == ')'):
		one = strings.TrimLeft(string(rest[:n]), "0") == "1"
	default:
		return 0, false
	}
	if n+1 < len(rest) && rest[n+1] != ' ' && rest[n+1] != '\t' {
		return 0, false
	}
	return n + 1, one
}

// delimiterCells returns the number of cells of the row that separates the head
// of a table from its body, or 0 if rest is not a delimiter row.
func delimiterCells(rest []byte) int {
	rest = bytes.Trim(rest, " \t")
	if len(rest) == 0 || rest[0] != '|' && rest[0] != ':' && rest[0] != '-' {
		return 0
	}
	rest = bytes.TrimPrefix(rest, []byte("|"))
	rest = bytes.TrimSuffix(rest, []byte("|"))
	cells := 0
	for cell := range bytes.SplitSeq(rest, []byte("|")) {
		cell = bytes.Trim(cell, " \t")
		cell = bytes.TrimSuffix(bytes.TrimPrefix(cell, []byte(":")), []byte(":"))
		if !isRun(cell, 1) || cell[0] != '-' {
			return 0
		}
		cells++
	}
	return cells
}

// countCells returns the number of cells of a table row.
func countCells(row []byte) int {
	row = bytes.Trim(row, " \t")
	row = bytes.TrimPrefix(row, []byte("|"))
	cells, pipe := 1, false
	for i := 0; i < len(row); i++ {
		pipe = false
		switch row[i] {
		case '\\':
			i++
		case '|':
			cells++
			pipe = true
		}
	}
	if pipe {
		cells--
	}
	return cells
}

// htmlBlock reports whether rest begins an HTML block, and returns the text
// that ends it: empty if a blank line does (CommonMark 4.6). A tag that is not
// a known block tag begins a block only if complete is set.
func htmlBlock(rest []byte, complete bool) (end []byte, ok bool) {
	head := strings.ToLower(string(rest[:min(len(rest), 12)]))
	for _, name := range []string{"script", "pre", "style", "textarea"} {
		if after, found := strings.CutPrefix(head, "<"+name); found && endsName(after) {
			return []byte("</"), true
		}
	}
	switch {
	case strings.HasPrefix(head, "<!--"):
		return []byte("-->"), true
	case strings.HasPrefix(head, "<?"):
		return []byte("?>"), true
	case strings.HasPrefix(head, "<![cdata["):
		return []byte("]]>"), string(rest[:9]) == "<![CDATA["
	case len(head) > 2 && head[1] == '!' && isLetter(head[2]):
		return []byte(">"), true
	case isBlockTag(strings.TrimPrefix(head[1:], "/")):
		return nil, true
	}
	return nil, complete && isCompleteTag(rest)
}

func endsName(after string) bool {
	return after == "" || after[0] == ' ' || after[0] == '\t' || after[0] == '>'
}

// endsHTML reports whether a line ends a block of HTML.
func endsHTML(line, end []byte) bool {
	if string(end) != "</" {
		return bytes.Contains(line, end)
	}
	lower := bytes.ToLower(line)
	for _, tag := range []string{"</script>", "</pre>", "</style>", "</textarea>"} {
		if bytes.Contains(lower, []byte(tag)) {
			return true
		}
	}
	return false
}

// isBlockTag reports whether text begins with a tag that starts an HTML block.
// text is in lower case and follows "<" or "</".
func isBlockTag(text string) bool {
	n := 0
	for n < len(text) && isAlnum(text[n]) {
		n++
	}
	if after := text[n:]; !endsName(after) && !strings.HasPrefix(after, "/>") {
		return false
	}
	switch text[:n] {
	case "address", "article", "aside", "base", "basefont", "blockquote", "body",
		"caption", "center", "col", "colgroup", "dd", "details", "dialog", "dir",
		"div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form",
		"frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header",
		"hr", "html", "iframe", "legend", "li", "link", "main", "menu", "menuitem",
		"nav", "noframes", "ol", "optgroup", "option", "p", "param", "search",
		"section", "summary", "table", "tbody", "td", "tfoot", "th", "thead",
		"title", "tr", "track", "ul":
		return true
	}
	return false
}

// isCompleteTag reports whether a line consists of one tag.
func isCompleteTag(line []byte) bool {
	s := line[1:]
	closing := len(s) > 0 && s[0] == '/'
	if closing {
		s = s[1:]
	}
	if len(s) == 0 || !isLetter(s[0]) {
		return false
	}
	s = bytes.TrimLeft(s, tagName)
	if !closing {
		s = cutAttributes(s)
	}
	s = bytes.TrimLeft(s, " \t")
	if !closing {
		s = bytes.TrimPrefix(s, []byte("/"))
	}
	return len(s) > 0 && s[0] == '>' && isBlank(s[1:])
}

const (
	tagName       = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
	attributeName = tagName + "_.:"
)

// cutAttributes returns s without its leading attributes.
func cutAttributes(s []byte) []byte {
	for {
		t := bytes.TrimLeft(s, " \t")
		if len(t) == len(s) || len(t) == 0 || !isLetter(t[0]) && t[0] != '_' && t[0] != ':' {
			return s
		}
		s = bytes.TrimLeft(t, attributeName)
		value := bytes.TrimLeft(s, " \t")
		if len(value) == 0 || value[0] != '=' {
			continue
		}
		rest, ok := cutValue(bytes.TrimLeft(value[1:], " \t"))
		if !ok {
			return nil
		}
		s = rest
	}
}

// cutValue returns s without its leading attribute value.
func cutValue(s []byte) (rest []byte, ok bool) {
	if len(s) == 0 {
		return nil, false
	}
	if s[0] == '"' || s[0] == '\'' {
		end := bytes.IndexByte(s[1:], s[0])
		if end < 0 {
			return nil, false
		}
		return s[end+2:], true
	}
	end := bytes.IndexAny(s, " \t\"'=<>`")
	if end < 0 {
		end = len(s)
	}
	return s[end:], end > 0
}
