package pathpattern

import "strings"

// matchClass reports whether c is in the class at the start of text, which
// begins after a "[".
func matchClass(text string, c rune, next unit) (rest string, in, ok bool) {
	negated := false
	if text != "" && (text[0] == '!' || text[0] == '^') {
		negated, text = true, text[1:]
	}
	for first := true; text != ""; first = false {
		if text[0] == ']' && !first {
			return text[1:], in != negated, true
		}
		if after, found := strings.CutPrefix(text, "[:"); found {
			// The names of classes have five or six letters.
			if end := strings.Index(after[:min(len(after), 8)], ":]"); end >= 0 {
				in = in || inNamedClass(after[:end], c)
				text = after[end+len(":]"):]
				continue
			}
		}
		var low, high rune
		low, text = classUnit(text, next)
		high = low
		if len(text) > 1 && text[0] == '-' && text[1] != ']' {
			high, text = classUnit(text[1:], next)
		}
		in = in || low <= c && c <= high
	}
	return "", false, false
}

func classUnit(text string, next unit) (c rune, rest string) {
	if len(text) > 1 && text[0] == '\\' {
		text = text[1:]
	}
	c, size := next(text)
	return c, text[size:]
}

// inNamedClass reports whether c is in a POSIX class in the C locale.
func inNamedClass(name string, c rune) bool {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	switch name {
	case "alpha":
		return lower || upper
	case "alnum":
		return lower || upper || digit
	case "digit":
		return digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "space":
		return c > 0 && strings.ContainsRune(" \t\n\v\f\r", c)
	case "blank":
		return c == ' ' || c == '\t'
	case "punct":
		return '!' <= c && c <= '~' && !lower && !upper && !digit
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	case "cntrl":
		return 0 <= c && c < ' ' || c == 0x7f
	case "graph":
		return '!' <= c && c <= '~'
	case "print":
		return ' ' <= c && c <= '~'
	}
	return false
}
