package quotation

import "strings"

// maxTarget bounds how long the target of a link may be, in bytes.
const maxTarget = 2000

// markupParts returns the parts of a Markdown text that a reader does not see: the
// targets of links and images, and tags.
func markupParts(text string) (parts []part) {
	for i := 0; i < len(text); {
		n := 0
		switch {
		case text[i] == ']' && i+1 < len(text) && text[i+1] == '(':
			n = 1 + spanTo(text[i+1:], ')')
		case text[i] == '<' && i+1 < len(text) && (text[i+1] == '/' || text[i+1] == '!' || 'a' <= text[i+1]|0x20 && text[i+1]|0x20 <= 'z'):
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

// spanTo returns the length of what begins s and ends with a character on the same
// line, 0 if it does not.
func spanTo(s string, end byte) int {
	s = s[:min(len(s), maxTarget)]
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	return strings.IndexByte(s, end) + 1
}
