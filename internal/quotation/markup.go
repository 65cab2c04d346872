package quotation

import "strings"

// maxTarget bounds the length of a link target, in bytes.
const maxTarget = 2000

// markupParts returns the parts of a Markdown text that a reader does not see: targets
// of links and images, and tags.
func markupParts(text string) (parts []part) {
	for i := 0; i < len(text); {
		n := 0
		switch {
		case text[i] == ']' && i+1 < len(text) && text[i+1] == '(':
			n = 1 + spanTo(text[i+1:], ')')
		case text[i] == '<' && beginsTag(text[i+1:]):
			n = spanTo(text[i:], '>')
		}
		if n > 1 {
			parts = append(parts, part{i, i + n})
			i += n
			continue
		}
		i++
	}
	return parts
}

// elements are the names of tags, except those for struck-out text.
var elements = func() map[string]bool {
	names := make(map[string]bool)
	for name := range strings.FieldsSeq(`a abbr acronym address area article aside audio b base basefont bdi bdo big blockquote body br button canvas
		caption center cite code col colgroup data datalist dd details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form
		frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark menu meta meter nav
		noscript object ol optgroup option output p param picture pre progress q rp rt ruby samp script search section select slot small source span
		strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr`) {
		names[name] = true
	}
	return names
}()

// breakOf returns the white space that tags stand for: they end a line or a block.
func breakOf(tags string) string {
	switch {
	case blockTag.MatchString(tags):
		return "\n\n"
	case strings.Contains(strings.ToLower(tags), "<br"):
		return "\n"
	}
	return ""
}

// beginsTag reports whether text continues a tag or comment after its bracket.
func beginsTag(text string) bool {
	if strings.HasPrefix(text, "!") {
		return true
	}
	text = strings.TrimPrefix(text, "/")
	n := 0
	for n < len(text) && n < 32 && (isASCIILetter(text[n]) || '0' <= text[n] && text[n] <= '9' || n > 0 && text[n] == '-') {
		n++
	}
	name := strings.ToLower(text[:n])
	return n < len(text) && strings.IndexByte(" \t/>", text[n]) >= 0 && (elements[name] || strings.Contains(name, "-"))
}

// spanTo returns the length of s up to and including a character on its first line, or
// 0 if that line lacks it.
func spanTo(s string, end byte) int {
	s = s[:min(len(s), maxTarget)]
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	return strings.IndexByte(s, end) + 1
}

// timingParts returns the lines of a subtitle file that nobody speaks: times, and the
// numbers or names before them.
func timingParts(text string) (parts []part) {
	last := part{}
	for from := 0; from < len(text); {
		to := from + strings.IndexByte(text[from:]+"\n", '\n')
		if strings.Contains(text[from:to], "-->") {
			if before := strings.TrimSpace(text[last.from:last.to]); before != "" && !strings.Contains(before, "-->") && isCueName(text, last) {
				parts = append(parts, last)
			}
			parts = append(parts, part{from, to})
		}
		last, from = part{from, to}, to+1
	}
	return parts
}

// isCueName reports whether a line follows an empty one, or begins the text.
func isCueName(text string, line part) bool {
	before := strings.TrimRight(text[:line.from], " \t\r")
	return before == "" || strings.HasSuffix(strings.TrimRight(strings.TrimSuffix(before, "\n"), " \t\r"), "\n") || strings.TrimSpace(before) == ""
}
