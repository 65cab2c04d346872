package code

import (
	"bytes"
	"context"
)

// mapPython finds the classes, functions and methods of Python by their
// indentation. A definition begins with its first decorator, and ends with the
// last line of code that is indented deeper. Its docstring documents it.
//
// A line that begins with "def" or "class" is a definition even if a bracket is
// still open: neither word can occur in brackets, so the bracket was never closed.
func mapPython(ctx context.Context, src []byte) (outline, error) {
	s := &pythonScanner{src: src, decorator: -1, documents: pythonFile}
	poll := poll{ctx: ctx}
	for s.at < len(src) {
		if poll.stop(s.at, &s.found) {
			return s.found, ctx.Err()
		}
		s.logicalLine()
	}
	s.closeTo(-1)
	return s.found, nil
}

type pythonScanner struct {
	src   []byte
	at    int
	end   int // of the last token
	found outline
	open  []pythonBlock

	decorator int // start of the first decorator before the current line, or -1

	// documents is the symbol that the next statement may document as its
	// docstring, or pythonFile or pythonNothing.
	documents int
}

const (
	pythonFile    = -1
	pythonNothing = -2
)

// A pythonBlock is a definition that has not ended yet.
type pythonBlock struct {
	indent int
	symbol int // in found.symbols
}

// logicalLine reads a statement, a statement header up to a colon at the end of a
// line, or a line without code.
func (s *pythonScanner) logicalLine() {
	indent := s.indent()
	if s.at >= len(s.src) {
		return
	}
	if c := s.src[s.at]; c == '\n' || c == '#' {
		s.skipLine()
		return
	}
	s.closeTo(indent)
	start := s.at
	documents := s.documents
	s.documents = pythonNothing
	if s.definition(indent) {
		documents = pythonNothing
	}
	s.statement()
	if documents != pythonNothing {
		s.docstring(documents, s.src[start:max(s.end, start)])
	}
}

// indent skips white space at the start of a line, and returns its width.
func (s *pythonScanner) indent() int {
	width := 0
	for ; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case ' ':
			width++
		case '\t':
			width += 8 - width%8
		case '\f', '\r':
			width = 0
		default:
			return width
		}
	}
	return width
}

func (s *pythonScanner) skipLine() {
	s.at = min(lineEnd(s.src, s.at)+1, len(s.src))
}

// closeTo ends the definitions that are indented by indent or more.
func (s *pythonScanner) closeTo(indent int) {
	for len(s.open) > 0 && s.open[len(s.open)-1].indent >= indent {
		s.found.symbols[s.open[len(s.open)-1].symbol].end = s.end
		s.open = s.open[:len(s.open)-1]
	}
}

// definition opens the definition that begins here, if any, and records where
// decorators begin.
func (s *pythonScanner) definition(indent int) bool {
	if s.src[s.at] == '@' {
		if s.decorator < 0 {
			s.decorator = s.at
		}
		return false
	}
	start := s.at
	if s.decorator >= 0 {
		start, s.decorator = s.decorator, -1
	}
	kind, name := pythonDefinition(s.src, s.at)
	if name == "" {
		return false
	}
	if kind == "function" && len(s.open) > 0 && s.found.symbols[s.open[len(s.open)-1].symbol].kind == "class" {
		kind = "method"
	}
	s.documents = len(s.found.symbols)
	s.open = append(s.open, pythonBlock{indent, s.documents})
	s.found.symbols = append(s.found.symbols, symbol{kind: kind, name: name, start: start})
	return true
}

// pythonDefinition returns the kind and name of the definition at i, if there is
// one.
func pythonDefinition(src []byte, i int) (kind, name string) {
	kind = "function"
	if src[i] == 'a' {
		i = spacedWord(src, i, "async")
	}
	if i < 0 {
		return "", ""
	}
	body := spacedWord(src, i, "def")
	if body < 0 {
		body, kind = spacedWord(src, i, "class"), "class"
	}
	if body < 0 {
		return "", ""
	}
	end := wordEnd(src, body)
	return kind, string(src[body:end])
}

// spacedWord returns the end of word at i and of the white space after it, or -1
// if another word stands there.
func spacedWord(src []byte, i int, word string) int {
	end := i + len(word)
	if end >= len(src) || string(src[i:end]) != word {
		return -1
	}
	i = end
	for i < len(src) && (src[i] == ' ' || src[i] == '\t' || src[i] == '\\' && i+1 < len(src) && src[i+1] == '\n' || src[i] == '\n' && src[i-1] == '\\') {
		i++
	}
	if i == end {
		return -1
	}
	return i
}

// statement reads to the end of the line that ends the statement.
func (s *pythonScanner) statement() {
	depth := 0
	for s.at < len(s.src) {
		switch c := s.src[s.at]; c {
		case '\n':
			s.at++
			if depth == 0 || s.forgotten() {
				return
			}
			continue
		case ' ', '\t', '\r', '\f':
			s.at++
			continue
		case '#':
			s.at = lineEnd(s.src, s.at)
			continue
		case '\\':
			s.at++
			if s.at < len(s.src) && s.src[s.at] == '\n' {
				s.at++
			}
			continue
		case '"', '\'':
			s.at = pythonStringEnd(s.src, s.at)
		case '(', '[', '{':
			depth++
			s.at++
		case ')', ']', '}':
			depth = max(depth-1, 0)
			s.at++
		default:
			s.at++
		}
		s.end = s.at
	}
}

// forgotten reports whether a definition begins on the current line.
func (s *pythonScanner) forgotten() bool {
	i := s.at
	i = spaceEnd(s.src, i)
	if i >= len(s.src) || s.src[i] != 'd' && s.src[i] != 'c' && s.src[i] != 'a' {
		return false
	}
	_, name := pythonDefinition(s.src, i)
	return name != ""
}

// pythonStringEnd returns the end of the string at i. A string in single quotes
// continues on the next line only after a backslash.
func pythonStringEnd(src []byte, i int) int {
	if i+2 >= len(src) || src[i+1] != src[i] || src[i+2] != src[i] {
		return quotedEnd(src, i)
	}
	quotes := src[i : i+3]
	for i += 3; i < len(src); {
		n := bytes.IndexAny(src[i:], `\"'`)
		if n < 0 {
			break
		}
		i += n
		switch {
		case src[i] == '\\':
			i += 2
		case bytes.HasPrefix(src[i:], quotes):
			return i + 3
		default:
			i++
		}
	}
	return len(src)
}

// docstring keeps the text of a statement that consists of one string.
func (s *pythonScanner) docstring(documents int, statement []byte) {
	quote := bytes.IndexAny(statement, `"'`)
	if quote < 0 || quote > 2 || len(bytes.Trim(statement[:quote], "rRuUbBfF")) > 0 {
		return
	}
	end := pythonStringEnd(statement, quote)
	if end < len(statement) {
		return
	}
	text := commentText(bytes.Trim(statement[quote:end], string(statement[quote:quote+1])))
	if documents == pythonFile {
		if !isNotice(statement) {
			s.found.doc = text
		}
		return
	}
	s.found.symbols[documents].doc = text
}
