package code

import "slices"

// maxModifiers is how many tokens of modifiers and annotations may precede a
// declaration in a language whose statements end with the line.
const maxModifiers = 64

// skipModifiers returns the header without its leading annotations and modifiers.
func skipModifiers(s *braceScanner, header []token, modifiers map[string]bool) []token {
	for len(header) > 0 {
		switch {
		case header[0].kind == '@':
			header = skipAnnotation(header)
		case header[0].kind == tokenWord && modifiers[s.text(header[0])]:
			header = header[1:]
		default:
			return header
		}
	}
	return header
}

// skipAnnotation returns the header after an annotation: "@" with a dotted name
// and arguments in parentheses, or with a list in brackets.
func skipAnnotation(header []token) []token {
	header = header[1:]
	if len(header) > 0 && header[0].kind == '[' {
		return header[1:]
	}
	for len(header) > 0 && header[0].kind == tokenWord {
		header = header[1:]
		if len(header) < 2 || header[0].kind != '.' && header[0].kind != ':' {
			break
		}
		header = header[1:]
	}
	if len(header) > 0 && header[0].kind == '(' && !header[0].newline {
		header = header[1:]
	}
	return header
}

// hasKind reports whether the header has a token of the kind.
func hasKind(header []token, kind byte) bool { return indexKind(header, kind) >= 0 }

// indexKind returns the index of the first token of the kind, or -1.
func indexKind(header []token, kind byte) int {
	return slices.IndexFunc(header, func(t token) bool { return t.kind == kind })
}

// endsInCreation reports whether the header ends as in "new Name<T>(...)", so that
// a following brace begins the members of an anonymous class.
func (s *braceScanner) endsInCreation(header []token) bool {
	i := len(header) - 1
	if i < 2 || header[i].kind != '(' {
		return false
	}
	angles := 0
	for i--; i >= 0; i-- {
		switch t := header[i]; t.kind {
		case '>':
			angles++
		case '<':
			angles--
		case tokenWord:
			if angles == 0 && s.is(t, "new") {
				return true
			}
		case '.', ',', '?', '@', '&', '[':
		default:
			return false
		}
	}
	return false
}

// maxAngles is how many tokens before a comma are searched for an enclosing angle
// bracket.
const maxAngles = 32
