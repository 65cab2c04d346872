package code

import "bytes"

// Tokens of PHP other than single punctuation characters, "::" and "->". An
// attribute is one token '#', including its content.
const (
	phpEOF   = 0
	phpWord  = 'a' // a name, with its namespace
	phpValue = '0' // a number, string or variable
)

// phpSyntax is the syntax of PHP, in which a closing PHP tag begins HTML.
var phpSyntax = syntax{literal: phpLiteral, prefixes: "`<?", wordStart: `$\`, comment: phpCommentEnd}

// phpLiteral returns the end of the string, here document or HTML that begins at
// at, or at if none does.
func phpLiteral(src []byte, at int) int {
	rest := src[at:]
	switch {
	case src[at] == '\'':
		return longQuotedEnd(src, at)
	case src[at] == '"', src[at] == '`':
		return phpStringEnd(src, at)
	case bytes.HasPrefix(rest, []byte("<<<")):
		return phpHeredocEnd(src, at)
	case bytes.HasPrefix(rest, []byte("?>")):
		return phpHTMLEnd(src, at+2)
	}
	return at
}

// phpHTMLEnd returns the end of the HTML at i: after the tag that opens PHP.
func phpHTMLEnd(src []byte, i int) int {
	for {
		n := bytes.Index(src[i:], []byte("<?"))
		if n < 0 {
			return len(src)
		}
		i += n + 2
		rest := src[i:]
		if len(rest) >= 3 && bytes.EqualFold(rest[:3], []byte("php")) {
			return i + 3
		}
		if !bytes.HasPrefix(rest, []byte("xml")) {
			return i
		}
	}
}

// phpCommentEnd returns the end of the comment at i, or i if none begins there.
func phpCommentEnd(src []byte, i int) int {
	var second byte
	if i+1 < len(src) {
		second = src[i+1]
	}
	switch {
	case src[i] == '#' && second != '[', src[i] == '/' && second == '/':
		return phpLineCommentEnd(src, i)
	case src[i] == '/' && second == '*':
		return slashCommentEnd(src, i)
	}
	return i
}

// A phpLexer adds PHP's rules to the shared lexer: attributes, HTML, and the words
// before a token.
type phpLexer struct {
	src      []byte
	lexer    lexer
	tok      byte
	prev     byte // the previous token
	start    int  // of the current token
	end      int  // of the current token
	prevEnd  int  // end of the previous token
	afterNew bool // "new" and any words that may follow it precede
	afterUse bool // "use" or "const" precedes
	comments commentRun
}

// newPHPLexer returns a lexer positioned before the first token of PHP.
func newPHPLexer(src []byte) phpLexer {
	l := phpLexer{src: src, lexer: newLexer(&phpSyntax, src)}
	l.lexer.at = phpHTMLEnd(src, 0)
	l.end = l.lexer.at
	return l
}

func (l *phpLexer) text() []byte { return l.src[l.start:l.end] }

// peek returns the token after the current one, and its text.
func (l *phpLexer) peek() (tok byte, text []byte) {
	saved := *l
	l.next()
	tok, text = l.tok, l.text()
	*l = saved
	return tok, text
}

// next goes to the next token.
func (l *phpLexer) next() {
	l.prev, l.prevEnd = l.tok, l.end
	if l.tok == phpWord {
		l.afterNew = l.isNew()
		l.afterUse = string(l.text()) == "use" || string(l.text()) == "const"
	} else if l.tok != '#' {
		l.afterNew, l.afterUse = false, false
	}
	t := l.token()
	l.start, l.end = t.start, t.end
	switch {
	case t.kind == tokenEnd:
		l.tok = phpEOF
	case t.kind == '#':
		l.end = phpAttributeEnd(l.src, t.start)
		l.lexer.at, l.tok = l.end, '#'
	case t.kind == tokenWord && isPHPName(l.src[t.start]):
		l.tok = phpWord
	case t.kind == tokenWord, t.kind == tokenLiteral:
		l.tok = phpValue
	default:
		l.tok = t.kind
	}
}

// token returns the next token that is not HTML. A closing PHP tag is a semicolon,
// which has no effect here.
func (l *phpLexer) token() token {
	for {
		t := l.lexer.next()
		for _, c := range l.lexer.comments {
			l.comments.add(l.src, l.prevEnd, c.start, c.end)
		}
		isHTML := (t.kind == tokenLiteral || t.kind == tokenWord) && l.src[t.start] == '?'
		if !isHTML {
			return t
		}
	}
}

// isPHPName reports whether a name may begin with c.
func isPHPName(c byte) bool { return isLetter(c) || c == '_' || c == '\\' }

// isNew reports whether a class after the current word has no name.
func (l *phpLexer) isNew() bool {
	switch string(l.text()) {
	case "new":
		return true
	case "readonly", "final":
		return l.afterNew
	}
	return false
}

// phpLineCommentEnd returns the end of the comment at i: the end of its line, or a
// closing PHP tag.
func phpLineCommentEnd(src []byte, i int) int {
	for i < len(src) {
		n := bytes.IndexAny(src[i:], "\n?")
		if n < 0 {
			return len(src)
		}
		i += n
		if src[i] == '\n' || i+1 < len(src) && src[i+1] == '>' {
			return i
		}
		i++
	}
	return i
}

// phpStringEnd returns the end of the string at i, which may contain variables.
func phpStringEnd(src []byte, i int) int {
	quote := src[i]
	for i++; i < len(src); i++ {
		switch src[i] {
		case quote:
			return i + 1
		case '\\':
			i++
		case '{':
			if i+1 < len(src) && src[i+1] == '$' {
				i = phpVariableEnd(src, i) - 1
			}
		}
	}
	return len(src)
}

// phpVariableEnd returns the end of the expression in braces at i, inside a
// string. It is short and stays on its line.
func phpVariableEnd(src []byte, i int) int {
	const longest = 512
	src = src[:min(len(src), i+longest)]
	start, depth := i, 0
	for ; i < len(src) && src[i] != '\n'; i++ {
		switch src[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\'', '"':
			i = quotedEnd(src, i) - 1
		}
	}
	return start + 1
}

// phpHeredocEnd returns the end of the here document at i.
func phpHeredocEnd(src []byte, i int) int {
	j := i + 3
	for j < len(src) && (src[j] == ' ' || src[j] == '\t' || src[j] == '"' || src[j] == '\'') {
		j++
	}
	end := wordEnd(src, j)
	if end == j {
		return i + 3
	}
	label := src[j:end]
	for {
		end = lineEnd(src, end)
		if end == len(src) {
			return end
		}
		end = spaceEnd(src, end+1)
		if after := end + len(label); bytes.HasPrefix(src[end:], label) && (after == len(src) || !isWord(src[after])) {
			return after
		}
	}
}

// phpAttributeEnd returns the end of the attribute at i.
func phpAttributeEnd(src []byte, i int) int {
	depth := 0
	for i++; i < len(src); i++ {
		switch src[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\'':
			i = longQuotedEnd(src, i) - 1
		case '"':
			i = phpStringEnd(src, i) - 1
		}
	}
	return len(src)
}
