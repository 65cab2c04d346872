package code

import (
	"bytes"
	"context"
)

// mapShell finds the functions of shell scripts: those of POSIX, written "name() {
// … }", and those with the word "function".
//
// Quotes, substitutions and brackets are kept on a stack, because each can contain
// the others. Braces are brackets only where a command may begin.
func mapShell(ctx context.Context, src []byte) (outline, error) {
	s := &shellScanner{src: src, command: true, frames: []shellFrame{{kind: shellCommands, symbol: -1}}}
	s.found.doc = scriptComment(src)
	poll := poll{ctx: ctx}
	for s.at < len(src) {
		if poll.stop(s.at, &s.found) {
			return s.found, ctx.Err()
		}
		s.step()
	}
	for len(s.frames) > 1 {
		s.pop()
	}
	return s.found, nil
}

// scriptComment returns the text of the comment that documents a script, after the
// "#!" line.
func scriptComment(src []byte) string {
	if bytes.HasPrefix(src, []byte("#!")) {
		src = src[lineEnd(src, 0):]
	}
	return fileComment(src)
}

// Kinds of frames.
const (
	shellCommands  = iota // the file, "(" or "$("
	shellBraces           // "{"
	shellBackquote        // "`"
	shellQuoted           // `"`
	shellParameter        // "${"
	shellArithmetic
	shellCase
)

// maxShellFrames is how many brackets can be open; any further opening is text.
const maxShellFrames = 128

// maxHeredocs is how many here documents can begin on one line.
const maxHeredocs = 64

type shellFrame struct {
	kind    byte
	symbol  int  // ends with the closing bracket; -1 for none
	depth   int  // parentheses open in arithmetic
	pattern bool // in "case", a pattern comes next
	word    bool // in "case", the word before "in" comes next
	quoted  bool // the frame stands in double quotes
}

type shellScanner struct {
	src      []byte
	at       int
	end      int // of the last token
	command  bool
	found    outline
	frames   []shellFrame
	heredocs []shellHeredoc
	comments commentRun
}

// A shellHeredoc is a here document that begins on the next line.
type shellHeredoc struct {
	label []byte
	tabs  bool // its last line may be indented with tabs
}

func (s *shellScanner) top() *shellFrame { return &s.frames[len(s.frames)-1] }

func (s *shellScanner) push(kind byte, symbol int) {
	if len(s.frames) >= maxShellFrames {
		return
	}
	quoted := s.top().kind == shellQuoted || s.top().kind == shellParameter && s.top().quoted
	s.frames = append(s.frames, shellFrame{kind: kind, symbol: symbol, quoted: quoted})
}

func (s *shellScanner) pop() {
	if i := s.top().symbol; i >= 0 {
		s.found.symbols[i].end = min(s.at, len(s.src))
	}
	s.frames = s.frames[:len(s.frames)-1]
}

// step reads one token, or one character in quotes.
func (s *shellScanner) step() {
	switch f := s.top(); f.kind {
	case shellQuoted:
		s.quoted()
	case shellParameter:
		s.parameter()
	case shellArithmetic:
		s.arithmetic()
	default:
		if f.kind == shellCase && f.pattern {
			s.pattern()
		} else if s.space() {
			return
		} else {
			s.commands()
		}
	}
	s.end = s.at
}

// peek returns the character n bytes ahead, or 0.
func (s *shellScanner) peek(n int) byte {
	if s.at+n >= len(s.src) {
		return 0
	}
	return s.src[s.at+n]
}

// substitution reads a construct that begins with "$", "`" or a backslash,
// anywhere except in single quotes, and reports whether there was one.
func (s *shellScanner) substitution() bool {
	switch c := s.src[s.at]; {
	case c == '\\':
		s.at += 2
	case c == '`':
		s.backquote()
	case c != '$':
		return false
	case s.peek(1) == '(' && s.peek(2) == '(':
		s.at += 3
		s.push(shellArithmetic, -1)
		s.top().depth = 2
	case s.peek(1) == '(':
		s.at += 2
		s.push(shellCommands, -1)
		s.command = true
	case s.peek(1) == '{':
		s.at += 2
		s.push(shellParameter, -1)
		if c := s.peek(0); c == '#' || c == '!' {
			s.at++
		}
	case s.peek(1) == '#' || s.peek(1) == '$':
		s.at += 2
	default:
		s.at++
	}
	return true
}

// backquote opens or closes a backquoted substitution.
func (s *shellScanner) backquote() {
	s.at++
	for n := len(s.frames) - 1; n > 0; n-- {
		if s.frames[n].kind == shellBackquote {
			for len(s.frames) > n {
				s.pop()
			}
			s.command = false
			return
		}
	}
	s.push(shellBackquote, -1)
	s.command = true
}

// quoted continues in double quotes.
func (s *shellScanner) quoted() {
	n := bytes.IndexAny(s.src[s.at:], "\"\\$`")
	if n < 0 {
		s.at = len(s.src)
		return
	}
	s.at += n
	if s.src[s.at] == '"' {
		s.at++
		s.pop()
		s.command = false
		return
	}
	s.substitution()
}

// parameter continues in "${".
func (s *shellScanner) parameter() {
	switch c := s.src[s.at]; {
	case s.substitution():
	case c == '}':
		s.at++
		s.pop()
		s.command = false
	case c == '"':
		s.at++
		s.push(shellQuoted, -1)
	case c == '\'' && !s.top().quoted:
		s.single()
	default:
		s.at++
	}
}

// single reads a string in single quotes.
func (s *shellScanner) single() {
	n := bytes.IndexByte(s.src[s.at+1:], '\'')
	if n < 0 {
		s.at = len(s.src)
		return
	}
	s.at += n + 2
}

// arithmetic continues in "((" or "$((".
func (s *shellScanner) arithmetic() {
	switch c := s.src[s.at]; {
	case s.substitution():
	case c == '(':
		s.top().depth++
		s.at++
	case c == ')':
		s.at++
		if s.top().depth--; s.top().depth == 0 {
			s.pop()
			s.command = false
		}
	case c == '"':
		s.at++
		s.push(shellQuoted, -1)
	case c == '\'':
		s.single()
	default:
		s.at++
	}
}

// pattern reads the pattern of a branch of "case", or its end.
func (s *shellScanner) pattern() {
	switch c := s.src[s.at]; {
	case c == ' ' || c == '\t' || c == '\n':
		s.at++
	case c == '#':
		s.at = lineEnd(s.src, s.at)
	case s.substitution():
	case c == ')':
		s.at++
		s.top().pattern, s.command = false, true
	case c == '"':
		s.at++
		s.push(shellQuoted, -1)
	case c == '\'':
		s.single()
	case isWord(c):
		end := wordEnd(s.src, s.at)
		word := string(s.src[s.at:end])
		s.at = end
		if word == "esac" {
			s.pop()
			s.command = false
		}
	default:
		s.at++
	}
}
