package code

import "bytes"

// Tokens of Ruby other than single punctuation characters.
const (
	rubyEOF      = 0
	rubyWord     = 'a' // an identifier, a constant or a keyword
	rubyValue    = '0' // a number, string, symbol, regular expression or variable with a sigil
	rubyLabel    = 'l' // the key of a hash, with its colon
	rubyOperator = 'o'
)

// maxInterpolations is how deeply strings may nest.
const maxInterpolations = 32

// A rubyLexer splits Ruby into tokens. A line end is the token '\n'.
type rubyLexer struct {
	src      []byte
	at       int // end of the current token
	tok      byte
	prev     byte // the previous token
	start    int  // of the current token
	prevEnd  int  // end of the previous token that is not a line end
	isValue  bool // the tokens up to and including the current one end a value
	wasValue bool // isValue before the current token
	isName   bool // the current token is an identifier that may call a method
	isMember bool // the current token follows "." or similar, and is not a keyword
	heredocs []rubyHeredoc
	comments commentRun
}

// A rubyHeredoc is a here document that begins on the next line.
type rubyHeredoc struct {
	label    []byte
	indented bool
}

func (l *rubyLexer) text() []byte { return l.src[l.start:l.at] }

// next goes to the next token.
func (l *rubyLexer) next() {
	if l.tok != '\n' {
		l.prevEnd = l.at
	}
	l.prev, l.wasValue = l.tok, l.isValue
	spaced := l.skipSpace()
	l.start = l.at
	if l.at >= len(l.src) {
		l.tok = rubyEOF
		return
	}
	// An operator with white space before it and none after it begins the first
	// argument of a method.
	next := byte(' ')
	if l.at+1 < len(l.src) {
		next = l.src[l.at+1]
	}
	begins := !l.isValue || l.isName && spaced && next != ' ' && next != '\n' && next != '='
	switch c := l.src[l.at]; {
	case c == '\n':
		l.lineEnd()
	case isLetter(c) || c == '_':
		l.word()
	case isDigit(c):
		l.number()
	case c == '"' || c == '`':
		l.value(rubyStringEnd(l.src, l.at, c, c, 0))
		l.quotedLabel()
	case c == '\'':
		l.value(longQuotedEnd(l.src, l.at))
		l.quotedLabel()
	case c == '@' || c == '$':
		l.variable(c)
	case c == ':' && next != ':':
		l.symbol()
	case c == '/' && begins:
		end := rubyStringEnd(l.src, l.at, '/', '/', 0)
		for end < len(l.src) && isLetter(l.src[end]) {
			end++
		}
		l.value(end)
	case c == '%' && begins && l.percent():
	case c == '<' && next == '<' && l.heredoc(begins):
	case c == '?' && (!l.isValue || begins && l.src[l.prevEnd-1] == '?') && l.character():
	default:
		l.punctuation(c, next)
	}
}

// skipSpace skips white space and comments within a line, and reports whether
// there were any.
func (l *rubyLexer) skipSpace() bool {
	begin := l.at
	for l.at < len(l.src) {
		switch c := l.src[l.at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			l.at++
		case c == '\\' && l.at+1 < len(l.src) && l.src[l.at+1] == '\n' && len(l.heredocs) == 0:
			l.at += 2
		case c == '#':
			start := l.at
			l.at = lineEnd(l.src, l.at)
			l.comments.add(l.src, l.prevEnd, start, l.at)
		case c == '=' && (l.at == 0 || l.src[l.at-1] == '\n') && bytes.HasPrefix(l.src[l.at:], []byte("=begin")):
			l.at = rubyBlockCommentEnd(l.src, l.at)
		case c == '_' && (l.at == 0 || l.src[l.at-1] == '\n') && isLine(l.src[l.at:], "__END__"):
			l.src = l.src[:l.at]
		default:
			return l.at > begin
		}
	}
	return l.at > begin
}

// isLine reports whether the first line of src is text.
func isLine(src []byte, text string) bool {
	return bytes.HasPrefix(src, []byte(text)) && (len(src) == len(text) || src[len(text)] == '\n' || src[len(text)] == '\r')
}

func rubyBlockCommentEnd(src []byte, i int) int {
	n := bytes.Index(src[i:], []byte("\n=end"))
	if n < 0 {
		return len(src)
	}
	return lineEnd(src, i+n+1)
}

// lineEnd reads a line end, and the here documents after it.
func (l *rubyLexer) lineEnd() {
	l.at++
	for _, h := range l.heredocs {
		l.at = heredocEnd(l.src, l.at, h.label, h.indented, " \t")
	}
	l.heredocs = nil
	if l.tok == '.' {
		return // the next line continues with a method call
	}
	l.tok, l.isValue, l.isName, l.isMember = '\n', false, false, false
}

// heredocEnd returns the start of the line after the here document at i. Its last
// line may be indented with the characters in space.
func heredocEnd(src []byte, i int, label []byte, indented bool, space string) int {
	for i < len(src) {
		end := lineEnd(src, i)
		line := bytes.TrimSuffix(src[i:end], []byte("\r"))
		if indented {
			line = bytes.TrimLeft(line, space)
		}
		i = min(end+1, len(src))
		if bytes.Equal(line, label) {
			return i
		}
	}
	return len(src)
}

func (l *rubyLexer) value(end int) {
	l.at = end
	l.tok, l.isValue, l.isName, l.isMember = rubyValue, true, false, false
}

// quotedLabel turns a string directly followed by a colon into a key.
func (l *rubyLexer) quotedLabel() {
	if l.at+1 < len(l.src) && l.src[l.at] == ':' && l.src[l.at+1] != ':' && l.prev != '?' {
		l.at++
		l.tok, l.isValue = rubyLabel, false
	}
}

func (l *rubyLexer) word() {
	l.at = wordEnd(l.src, l.at)
	member := l.tok == '.'
	if l.at < len(l.src) && (l.src[l.at] == '?' || l.src[l.at] == '!') && (l.at+1 == len(l.src) || l.src[l.at+1] != '=' || l.at+2 < len(l.src) && (l.src[l.at+2] == '=' || l.src[l.at+2] == '~')) {
		l.at++
	}
	if l.at+1 < len(l.src) && l.src[l.at] == ':' && l.src[l.at+1] != ':' && !member && l.prev != '?' {
		l.at++
		l.tok, l.isValue, l.isName, l.isMember = rubyLabel, false, false, false
		return
	}
	c := l.src[l.start]
	l.tok, l.isMember = rubyWord, member
	l.isValue = member || !rubyOperators[string(l.text())]
	l.isName = l.isValue && (c < 'A' || c > 'Z') && (member || !rubyValues[string(l.text())])
}

// rubyOperators are the keywords that a value follows.
var rubyOperators = wordSet(`if unless while until case when in then else elsif and or not do begin ensure rescue for`)

// rubyValues are the keywords that are a value or end one.
var rubyValues = wordSet(`end self true false nil`)

func (l *rubyLexer) number() {
	end := l.at
	for end < len(l.src) && (isWord(l.src[end]) || l.src[end] == '.' && end+1 < len(l.src) && isDigit(l.src[end+1])) {
		end++
	}
	l.value(end)
}

// variable reads a variable with a sigil. Variables of the interpreter may have
// any character as name.
func (l *rubyLexer) variable(sigil byte) {
	end := l.at + 1
	if sigil == '@' && end < len(l.src) && l.src[end] == '@' {
		end++
	}
	if end < len(l.src) && sigil == '$' && !isWord(l.src[end]) && l.src[end] != '\n' {
		end++
	}
	l.value(wordEnd(l.src, end))
}

// symbol reads a symbol, or the colon of a conditional expression.
func (l *rubyLexer) symbol() {
	i := l.at + 1
	if i >= len(l.src) {
		l.punctuation(':', 0)
		return
	}
	switch c := l.src[i]; {
	case c == '"':
		l.value(rubyStringEnd(l.src, i, c, c, 0))
	case c == '\'':
		l.value(longQuotedEnd(l.src, i))
	case isLetter(c) || c == '_' || c == '@' || c == '$':
		for i++; i < len(l.src) && (isWord(l.src[i]) || l.src[i] == '@'); {
			i++
		}
		if i < len(l.src) && (l.src[i] == '?' || l.src[i] == '!' || l.src[i] == '=') && (i+1 == len(l.src) || l.src[i+1] != '=' && l.src[i+1] != '>' && l.src[i+1] != '~') {
			i++
		}
		l.value(i)
	case !l.isValue && bytes.IndexByte([]byte("+-*/<>=!~%&|^[`"), c) >= 0:
		for i < len(l.src) && i < l.at+4 && bytes.IndexByte([]byte("+-*/<>=!~%&|^[]@`"), l.src[i]) >= 0 {
			i++
		}
		l.value(i)
	default:
		l.punctuation(':', c)
	}
}

// percent reads a literal that begins with "%", and reports whether there is
// one.
func (l *rubyLexer) percent() bool {
	i := percentOpening(l.src, l.at)
	if i == 0 {
		return false
	}
	opening := l.src[i]
	end := rubyStringEnd(l.src, i, opening, closingBracket(opening), 0)
	for l.src[i-1] == 'r' && end < len(l.src) && isLetter(l.src[end]) {
		end++
	}
	l.value(end)
	return true
}

// percentOpening returns where the opening bracket of the literal stands that
// begins with "%" at i, or 0 if none does.
func percentOpening(src []byte, i int) int {
	i++
	if i < len(src) && bytes.IndexByte([]byte("wWiIqQrsx"), src[i]) >= 0 {
		i++
	}
	if i >= len(src) || isWord(src[i]) || src[i] == ' ' || src[i] == '\n' || src[i] == '=' {
		return 0
	}
	return i
}

func closingBracket(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '[':
		return ']'
	case '{':
		return '}'
	case '<':
		return '>'
	}
	return c
}

// heredoc reads the beginning of a here document, and reports whether there
// is one.
func (l *rubyLexer) heredoc(begins bool) bool {
	i := l.at + 2
	indented := i < len(l.src) && (l.src[i] == '~' || l.src[i] == '-')
	if indented {
		i++
	} else if !begins {
		return false
	}
	if i >= len(l.src) {
		return false
	}
	if c := l.src[i]; c == '"' || c == '\'' || c == '`' {
		n := bytes.IndexByte(l.src[i+1:min(i+maxTitle, len(l.src))], c)
		if n < 0 || bytes.IndexByte(l.src[i+1:i+1+n], '\n') >= 0 {
			return false
		}
		l.begin(rubyHeredoc{l.src[i+1 : i+1+n], indented})
		l.value(i + n + 2)
		return true
	}
	end := wordEnd(l.src, i)
	if end == i || isDigit(l.src[i]) || !indented && (l.src[i] < 'A' || l.src[i] > 'Z') {
		return false
	}
	l.begin(rubyHeredoc{l.src[i:end], indented})
	l.value(end)
	return true
}

// begin records a here document that begins on the next line.
func (l *rubyLexer) begin(h rubyHeredoc) {
	if len(l.heredocs) < maxHeredocs {
		l.heredocs = append(l.heredocs, h)
	}
}

// character reads a character literal such as "?a", and reports whether there is
// one.
func (l *rubyLexer) character() bool {
	i := l.at + 1
	if i >= len(l.src) || l.src[i] == ' ' || l.src[i] == '\n' || l.src[i] == '\t' {
		return false
	}
	if l.src[i] == '\\' {
		i++
	} else if i+1 < len(l.src) && isWord(l.src[i]) && isWord(l.src[i+1]) && l.src[i] < 0x80 {
		return false
	}
	for i++; i < len(l.src) && l.src[i] >= 0x80 && l.src[i] < 0xc0; {
		i++
	}
	l.value(min(i, len(l.src)))
	return true
}

func (l *rubyLexer) punctuation(c, next byte) {
	l.at++
	l.tok, l.isValue, l.isName, l.isMember = c, false, false, false
	switch c {
	case ')', ']', '}':
		l.isValue = true
	case ':':
		if next == ':' {
			l.at++
			l.tok = '.'
		}
	case '&':
		if next == '.' {
			l.at++
			l.tok = '.'
		}
	case '.':
		if next == '.' {
			l.at++
			l.tok = rubyOperator
		}
	case '=':
		if next == '=' || next == '~' || next == '>' {
			l.at++
			l.tok = rubyOperator
		}
	case '<', '>', '+', '-', '*', '!', '|', '^', '%', '/':
		if next == '=' || next == c {
			l.at++
		}
		if c == '<' && next == '<' {
			return // of "class << self"
		}
		l.tok = rubyOperator
		if c == '|' {
			l.tok = c
		}
	}
}

// rubyStringEnd returns the end of the string at i. The string has the given
// brackets or quotes, and expressions in "#{" and "}".
func rubyStringEnd(src []byte, i int, opening, closing byte, depth int) int {
	open := 1
	for i++; i < len(src); {
		switch c := src[i]; {
		case c == '\\':
			i += 2
			continue
		case c == closing:
			if open--; open == 0 {
				return i + 1
			}
		case c == opening:
			open++
		case c == '#' && i+1 < len(src) && src[i+1] == '{' && depth < maxInterpolations:
			i = rubyInterpolationEnd(src, i+2, depth+1)
			continue
		}
		i++
	}
	return len(src)
}

// rubyInterpolationEnd returns the end of the expression that begins at i in a
// string, including its closing brace.
func rubyInterpolationEnd(src []byte, i, depth int) int {
	open := 1
	before := byte('{') // the last character that is not white space
	for i < len(src) {
		c := src[i]
		switch {
		case c == '{':
			open++
		case c == '}':
			if open--; open == 0 {
				return i + 1
			}
		case c == '"' || c == '`' || c == '/' && bytes.IndexByte([]byte("(,=:[!&|?{;~"), before) >= 0:
			i = rubyStringEnd(src, i, c, c, depth) - 1
		case c == '\'':
			i = longQuotedEnd(src, i) - 1
		case c == '%' && bytes.IndexByte([]byte("(,=:[!&|?{;~"), before) >= 0:
			if opening := percentOpening(src, i); opening > 0 {
				i = rubyStringEnd(src, opening, src[opening], closingBracket(src[opening]), depth) - 1
			}
		case c == '$' && i+1 < len(src) && !isWord(src[i+1]):
			i++
		case c == '?' && i+2 < len(src) && (src[i+1] == '"' || src[i+1] == '\'') && !isWord(src[i+2]):
			i++
		}
		if c != ' ' && c != '\n' && c != '\t' {
			before = c
		}
		i++
	}
	return len(src)
}
