package code

import "bytes"

// commands reads one token in a frame of commands.
func (s *shellScanner) commands() {
	switch c := s.src[s.at]; {
	case c == '$' && s.peek(1) == '\'':
		s.at = longQuotedEnd(s.src, s.at+1)
		s.command = false
	case c == '`':
		s.backquote()
	case c == '"':
		s.at++
		s.push(shellQuoted, -1)
	case c == '\'':
		s.single()
		s.command = false
	case c == '(':
		s.parenthesis()
	case c == ')':
		s.closing()
	case c == ';' || c == '&' || c == '|':
		s.separator(c)
	case c == '<' && s.peek(1) == '<':
		s.heredoc()
	case c == '<' || c == '>':
		s.at++
	default:
		s.word()
	}
}

// beginsWord reports whether a word may begin at the current offset.
func (s *shellScanner) beginsWord() bool {
	return s.at == 0 || bytes.IndexByte([]byte(" \t\n;&|()`"), s.src[s.at-1]) >= 0
}

// space skips white space or a comment, and reports whether there was any.
func (s *shellScanner) space() bool {
	switch c := s.src[s.at]; {
	case c == ' ' || c == '\t' || c == '\r':
		s.at++
	case c == '\n':
		s.lineEnd()
	case c == '\\' && s.peek(1) == '\n':
		s.at += 2
	case c == '#' && s.beginsWord():
		start := s.at
		s.at = lineEnd(s.src, s.at)
		s.comments.add(s.src, s.end, start, s.at)
	default:
		return false
	}
	return true
}

func (s *shellScanner) lineEnd() {
	s.at++
	for _, h := range s.heredocs {
		s.at = heredocEnd(s.src, s.at, h.label, h.tabs, "\t")
	}
	s.heredocs, s.command = nil, true
}

func (s *shellScanner) parenthesis() {
	if s.peek(1) == '(' && s.command {
		s.at += 2
		s.push(shellArithmetic, -1)
		s.top().depth = 2
		return
	}
	s.at++
	s.push(shellCommands, -1)
	s.command = true
}

// closing closes parentheses, and any unclosed braces and "case" in them.
func (s *shellScanner) closing() {
	s.at++
	for n := len(s.frames) - 1; n > 0; n-- {
		switch s.frames[n].kind {
		case shellCommands:
			for len(s.frames) > n {
				s.pop()
			}
			s.command = true
			return
		case shellBraces, shellCase:
			continue
		}
		return
	}
}

// separator reads the end of a command, or of a branch of "case".
func (s *shellScanner) separator(c byte) {
	s.at++
	s.command = true
	if c == ';' && (s.peek(0) == ';' || s.peek(0) == '&') {
		for s.peek(0) == ';' || s.peek(0) == '&' {
			s.at++
		}
		if f := s.top(); f.kind == shellCase {
			f.pattern = true
		}
	}
}

// heredoc reads the redirection of a here document.
func (s *shellScanner) heredoc() {
	s.at += 2
	if s.peek(0) == '<' {
		s.at++
		return
	}
	h := shellHeredoc{tabs: s.peek(0) == '-'}
	if h.tabs {
		s.at++
	}
	for s.peek(0) == ' ' || s.peek(0) == '\t' {
		s.at++
	}
	var quote byte
	for ; s.at < len(s.src); s.at++ {
		c := s.src[s.at]
		switch {
		case c == '\n' || quote == 0 && bytes.IndexByte([]byte(" \t;&|<>()"), c) >= 0:
			if len(h.label) > 0 && len(s.heredocs) < maxHeredocs {
				s.heredocs = append(s.heredocs, h)
			}
			return
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == '\\' && quote != '\'':
		default:
			h.label = append(h.label, c)
		}
	}
}

// word reads a word, which may be a keyword or the name of a function. Quotes and
// substitutions in it are separate words here.
func (s *shellScanner) word() {
	start := s.at
	first := s.beginsWord()
	for s.at < len(s.src) && bytes.IndexByte([]byte(" \t\r\n;&|<>()\"'`$\\"), s.src[s.at]) < 0 {
		s.at++
	}
	if s.at == start {
		s.substitution()
		s.command = false
		return
	}
	word := s.src[start:s.at]
	command := s.command && first
	s.command = false
	if f := s.top(); f.kind == shellCase && f.word && string(word) == "in" {
		f.word, f.pattern = false, true
		return
	}
	if !command {
		return
	}
	if s.keyword(string(word), start) {
		return
	}
	s.function(start, start, s.at)
}

// keyword reads a keyword where a command may begin, and reports whether the word
// is a keyword.
func (s *shellScanner) keyword(word string, start int) bool {
	switch word {
	case "{":
		s.push(shellBraces, -1)
		s.command = true
	case "}":
		if s.top().kind == shellBraces {
			s.pop()
		}
		s.command = true
	case "case":
		s.push(shellCase, -1)
		s.top().word = true
	case "esac":
		if s.top().kind == shellCase {
			s.pop()
		}
		s.command = true
	case "then", "do", "else", "elif", "if", "while", "until", "!", "time", "fi", "done":
		s.command = true
	case "function":
		name := s.at
		name = spaceEnd(s.src, name)
		end := name
		for end < len(s.src) && bytes.IndexByte([]byte(" \t\r\n;&|<>()\"'`$\\"), s.src[end]) < 0 {
			end++
		}
		s.function(start, name, end)
	default:
		return false
	}
	return true
}

// function reads the head of a function, if it is one: parentheses after the
// name, or the word "function" before it, and a bracket that opens the body.
func (s *shellScanner) function(start, name, end int) {
	i := skipBlanks(s.src, end)
	parentheses := i < len(s.src) && s.src[i] == '('
	if parentheses {
		if i = skipBlanks(s.src, i+1); i >= len(s.src) || s.src[i] != ')' {
			return
		}
		i++
	}
	if !parentheses && start == name || name == end {
		return
	}
	doc := s.comments.text(s.src, start)
	i = s.skipLines(i)
	if i >= len(s.src) || s.src[i] != '{' && s.src[i] != '(' {
		return
	}
	kind := byte(shellBraces)
	s.at = i + 1
	if s.src[i] == '(' {
		kind = shellCommands
		if s.peek(0) == '(' {
			kind = shellArithmetic
			s.at++
		}
	}
	s.found.symbols = append(s.found.symbols, symbol{kind: "function", name: string(s.src[name:end]), start: start, end: s.at, doc: doc})
	s.push(kind, len(s.found.symbols)-1)
	s.top().depth = 2
	s.command = true
}

func skipBlanks(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\t' || src[i] == '\r') {
		i++
	}
	return i
}

// skipLines skips white space, line ends and comments.
func (s *shellScanner) skipLines(i int) int {
	for i < len(s.src) {
		switch s.src[i] {
		case ' ', '\t', '\r', '\n':
			i++
		case '#':
			i = lineEnd(s.src, i)
		default:
			return i
		}
	}
	return i
}
