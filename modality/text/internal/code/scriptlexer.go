package code

import "bytes"

// Tokens of JavaScript other than single punctuation characters.
const (
	scriptEOF      = 0
	scriptWord     = 'a'
	scriptValue    = '0' // a number, string, template or regular expression
	scriptArrow    = 'A' // =>
	scriptOperator = 'o' // an operator that needs no special handling
)

// maxTemplates is how deeply templates may nest.
const maxTemplates = 32

// A scriptLexer splits JavaScript and TypeScript into tokens. A template is one
// token, including everything in it.
type scriptLexer struct {
	src      []byte
	at       int // end of the current token
	tok      byte
	prev     byte // the previous token
	start    int  // of the current token
	newLine  bool // the current token is the first of its line
	isValue  bool // the tokens up to and including the current one end a value
	comments commentRun

	prevStart, prevEnd int  // of the previous token
	prevValue          bool // isValue after the previous token

	noRegexp int // no regular expression begins before this offset
}

func (l *scriptLexer) text() []byte { return l.src[l.start:l.at] }

// peek returns the token after the current one, and its text.
func (l *scriptLexer) peek() (tok byte, text []byte, newLine bool) {
	saved := *l
	l.next()
	tok, text, newLine = l.tok, l.text(), l.newLine
	*l = saved
	return tok, text, newLine
}

// redo goes back to the previous token, so that the current one is read again.
func (l *scriptLexer) redo() {
	l.tok, l.start, l.at, l.isValue = l.prev, l.prevStart, l.prevEnd, l.prevValue
}

// next goes to the next token.
func (l *scriptLexer) next() {
	l.prev, l.prevStart, l.prevEnd, l.prevValue = l.tok, l.start, l.at, l.isValue
	l.skipSpace()
	l.start = l.at
	if l.at >= len(l.src) {
		l.tok = scriptEOF
		return
	}
	switch c := l.src[l.at]; {
	case isScriptWord(c) && !isDigit(c), c == '#', c == '\\':
		l.word()
	case isDigit(c):
		l.value(l.numberEnd())
	case c == '"' || c == '\'':
		l.value(quotedEnd(l.src, l.at))
	case c == '`':
		l.value(templateEnd(l.src, l.at, 0))
	case c == '/' && !l.isValue && l.at >= l.noRegexp:
		l.regexp()
	default:
		l.punctuation(c)
	}
}

func (l *scriptLexer) skipSpace() {
	l.newLine = false
	for l.at < len(l.src) {
		switch c := l.src[l.at]; {
		case c == '\n':
			l.newLine = true
			l.at++
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			l.at++
		case c == '/' && l.at+1 < len(l.src) && (l.src[l.at+1] == '/' || l.src[l.at+1] == '*'):
			start := l.at
			l.at = slashCommentEnd(l.src, l.at)
			l.comments.add(l.src, l.prevEnd, start, l.at)
			if l.src[start+1] == '*' && bytes.IndexByte(l.src[start:l.at], '\n') >= 0 {
				l.newLine = true
			}
		case c == 0xc2 && l.at+1 < len(l.src) && l.src[l.at+1] == 0xa0:
			l.at += 2
		default:
			return
		}
	}
}

func (l *scriptLexer) word() {
	for l.at++; l.at < len(l.src) && (isScriptWord(l.src[l.at]) || l.src[l.at] == '\\'); {
		l.at++
	}
	l.isValue = l.prev == '.' || !scriptOperators[string(l.text())]
	l.tok = scriptWord
}

func (l *scriptLexer) value(end int) {
	l.at = end
	l.tok, l.isValue = scriptValue, true
}

// regexp reads a regular expression, or the operator if it is none.
func (l *scriptLexer) regexp() {
	end := regexpEnd(l.src, l.at)
	if end == l.at+1 {
		l.noRegexp = lineEnd(l.src, l.at)
		l.punctuation('/')
		return
	}
	l.value(end)
}

func (l *scriptLexer) numberEnd() int {
	i := l.at
	for i < len(l.src) && (isScriptWord(l.src[i]) || l.src[i] == '.') {
		i++
	}
	return i
}

func (l *scriptLexer) punctuation(c byte) {
	second, third := byte(0), byte(0)
	if l.at+1 < len(l.src) {
		second = l.src[l.at+1]
	}
	if l.at+2 < len(l.src) {
		third = l.src[l.at+2]
	}
	l.at++
	l.tok = c
	switch {
	case c == ')' || c == ']' || c == '}':
		l.isValue = true
		return
	case c == '=' && second == '>':
		l.at++
		l.tok = scriptArrow
	case c == '=' && second == '=':
		l.at++
		if third == '=' {
			l.at++
		}
		l.tok = scriptOperator
	case (c == '+' || c == '-') && second == c:
		l.at++
		l.tok = scriptOperator
		return // still a value
	case c == '?' && second == '.' && !isDigit(third):
		l.at++
		l.tok = '.'
	case c == '?' && second == '?', c == '&' && second == '&', c == '|' && second == '|':
		l.at++
		l.tok = scriptOperator
		l.skipAssignment()
	case c == '.' && second == '.':
		l.at = min(l.at+2, len(l.src))
		l.tok = scriptOperator
	case c == '!' && second == '=':
		l.tok = scriptOperator
		l.at++
		l.skipAssignment()
	case c == '!' && l.isValue && !l.newLine:
		return // a non-null assertion
	case bytes.IndexByte([]byte("+-*/%&|^"), c) >= 0 && second == '=':
		l.at++
		l.tok = scriptOperator
	}
	l.isValue = false
}

func (l *scriptLexer) skipAssignment() {
	if l.at < len(l.src) && l.src[l.at] == '=' {
		l.at++
	}
}

func isScriptWord(c byte) bool { return isWord(c) || c == '$' }

// scriptOperators are the words that a value follows and that are none themselves.
var scriptOperators = wordSet(`return typeof case in of instanceof new delete void throw do else yield await default extends as
	satisfies`)

// regexpEnd returns the end of the regular expression at i, including its flags.
// If it does not end on its line, it is an operator.
func regexpEnd(src []byte, i int) int {
	inClass := false
	for j := i + 1; j < len(src); j++ {
		switch src[j] {
		case '\\':
			j++
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '\n':
			return i + 1
		case '/':
			if inClass {
				continue
			}
			for j++; j < len(src) && isScriptWord(src[j]); {
				j++
			}
			return j
		}
	}
	return i + 1
}

// templateEnd returns the end of the template at i.
func templateEnd(src []byte, i, depth int) int {
	for i++; i < len(src); {
		switch c := src[i]; {
		case c == '\\':
			i += 2
		case c == '`':
			return i + 1
		case c == '$' && i+1 < len(src) && src[i+1] == '{' && depth < maxTemplates:
			i = substitutionEnd(src, i+2, depth+1)
		default:
			i++
		}
	}
	return len(src)
}

// substitutionEnd returns the end of the expression that begins at i in a
// template, including its closing brace.
func substitutionEnd(src []byte, i, depth int) int {
	braces := 1
	before := byte('{') // the last character that is not white space
	for i < len(src) {
		c := src[i]
		switch {
		case c == '"' || c == '\'':
			i = quotedEnd(src, i)
		case c == '`':
			i = templateEnd(src, i, depth)
		case c == '/' && i+1 < len(src) && (src[i+1] == '/' || src[i+1] == '*'):
			i = slashCommentEnd(src, i)
			continue
		case c == '/' && bytes.IndexByte([]byte("(,=:[!&|?{};+-*%<>~^"), before) >= 0:
			i = regexpEnd(src, i)
		case c == '{':
			braces++
			i++
		case c == '}':
			braces--
			i++
			if braces == 0 {
				return i
			}
		default:
			i++
		}
		if c != ' ' && c != '\n' && c != '\t' {
			before = c
		}
	}
	return len(src)
}
