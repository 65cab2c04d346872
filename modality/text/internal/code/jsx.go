package code

import "bytes"

// beginsElement reports whether the current token "<" begins an XML element: a
// value is expected, a name or ">" follows, and the text is not the type
// parameters of a generic arrow function.
func (s *scriptScanner) beginsElement(expected bool) bool {
	if !expected || s.lang == TypeScript || s.at >= len(s.src) {
		return false
	}
	if s.src[s.at] == '>' {
		return true
	}
	if !isLetter(s.src[s.at]) && s.src[s.at] != '_' && s.src[s.at] != '$' {
		return false
	}
	i := s.at
	for i < len(s.src) && isScriptWord(s.src[i]) {
		i++
	}
	rest := bytes.TrimLeft(s.src[i:min(i+64, len(s.src))], " \t\n")
	if len(rest) > 0 && (rest[0] == ',' || rest[0] == '=') {
		return false
	}
	return s.lang != TSX || !bytes.HasPrefix(rest, []byte("extends "))
}

// elementTag continues in an opening tag, up to its end or to a brace or an
// element in it.
func (s *scriptScanner) elementTag() {
	defer s.atEnd()
	for s.at < len(s.src) {
		c := s.src[s.at]
		s.at++
		switch c {
		case '>':
			s.top().kind = frameText
			return
		case '/':
			switch {
			case s.at >= len(s.src):
			case s.src[s.at] == '>':
				s.at++
				s.elementDone()
				return
			case s.src[s.at] == '/' || s.src[s.at] == '*':
				s.at = slashCommentEnd(s.src, s.at-1)
			}
		case '{':
			s.push(frameExpression)
			s.isValue = false
			return
		case '"', '\'':
			n := bytes.IndexByte(s.src[s.at:], c)
			if n < 0 {
				s.at = len(s.src)
				return
			}
			s.at += n + 1
		case '<':
			if s.at > 1 && isScriptWord(s.src[s.at-2]) {
				s.typeArguments()
				continue
			}
			s.push(frameTag)
			return
		}
	}
}

// typeArguments skips the type arguments of a generic component, after "<".
func (s *scriptScanner) typeArguments() {
	for depth := 1; s.at < len(s.src) && depth > 0; s.at++ {
		switch s.src[s.at] {
		case '<':
			depth++
		case '>':
			if s.src[s.at-1] != '=' {
				depth--
			}
		}
	}
}

// elementText continues in the text of an element, up to a brace or tag.
func (s *scriptScanner) elementText() {
	defer s.atEnd()
	n := bytes.IndexAny(s.src[s.at:], "<{")
	if n < 0 {
		s.at = len(s.src)
		return
	}
	s.at += n + 1
	switch {
	case s.src[s.at-1] == '{':
		s.push(frameExpression)
		s.isValue = false
	case s.at < len(s.src) && s.src[s.at] == '/':
		if n := bytes.IndexByte(s.src[s.at:], '>'); n >= 0 {
			s.at += n + 1
		} else {
			s.at = len(s.src)
		}
		s.elementDone()
	default:
		s.push(frameTag)
	}
}

// elementDone leaves an element, which counts as a value.
func (s *scriptScanner) elementDone() {
	s.pop()
	s.tok, s.isValue = scriptValue, true
}

// atEnd sets the current token to the end of the source if that is reached.
func (s *scriptScanner) atEnd() {
	if s.at >= len(s.src) {
		s.tok = scriptEOF
	}
}
