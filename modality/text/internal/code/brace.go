package code

import (
	"bytes"
	"context"
	"slices"
)

const (
	maxHeader   = 400   // tokens kept of one header
	maxBrackets = 4_000 // open at a time; deeper ones are only counted
)

// A bodyKind tells what a pair of braces encloses.
type bodyKind uint8

const (
	// valueBody is part of an expression or header, which continues after it.
	valueBody bodyKind = iota
	// blockBody has statements.
	blockBody
	// typeBody has members.
	typeBody
	// enumBody has constants up to the first semicolon, then members.
	enumBody
	// scopeBody has declarations, like the top level of a source: a namespace or a
	// module.
	scopeBody
	// opaqueBody has nothing that declares a symbol.
	opaqueBody
)

// A braceBody describes what an opening brace begins.
type braceBody struct {
	body   bodyKind
	goesOn bool    // the header continues after the body
	symbol *symbol // owner of the body, or nil; a start of 0 means the start of the header
	name   string  // name of the type whose members follow
}

// A grammar finds the declarations of a language among its headers. A header is
// the run of tokens from the start of a statement or declaration; an opening
// bracket in it stands for its whole group.
type grammar interface {
	// open reports what a brace after header begins.
	open(s *braceScanner, header []token) braceBody

	// end is called with each header that ends without a body: at a semicolon (end
	// includes it) or at a line end (end is the end of the header).
	end(s *braceScanner, header []token, end int)

	// breaks reports whether t, which is not a bracket, ends the header before it,
	// which is then not a declaration. t is dropped if it is punctuation.
	breaks(s *braceScanner, header []token, t token) bool
}

// A lineGrammar is a grammar of a language whose statements end with the line.
type lineGrammar interface {
	// ends reports whether the header ends before t, the first token of a
	// later line.
	ends(s *braceScanner, header []token, t token) bool
}

// A frame is an open bracket.
type frame struct {
	open   byte // bracket; 0 for the source
	body   bodyKind
	goesOn bool // the header around continues after it
	symbol int  // index; -1 means none
	base   int  // index of its header's first token in tokens
	start  int  // offset of the bracket
	name   string
	doc    byteSpan // comment before its header
}

// A braceScanner finds the symbols of a language with brackets. It keeps only the
// headers of the open brackets.
type braceScanner struct {
	lexer
	grammar grammar
	lines   lineGrammar // nil if statements do not end with the line
	frames  []frame
	tokens  []token // the headers of the frames, one after another
	symbols []symbol
	ignored int // open brackets beyond maxBrackets
	last    int // end of the latest token
}

// scanBraces returns the symbols that the grammar finds.
func scanBraces(ctx context.Context, syntax *syntax, g grammar, src []byte) (outline, error) {
	s := &braceScanner{lexer: newLexer(syntax, src), grammar: g}
	s.lines, _ = g.(lineGrammar)
	s.frames = append(s.frames, frame{body: scopeBody, symbol: -1})
	var err error
	if s.skips, err = skippedBranches(ctx, syntax, src); err != nil {
		return outline{}, err
	}
	s.directive = s.macro
	poll := pollBytes
	for {
		t := s.next()
		if t.kind == tokenEnd {
			break
		}
		if t.start >= poll {
			poll = t.start + pollBytes
			if err := ctx.Err(); err != nil {
				return outline{}, err
			}
			if len(s.symbols) > maxSymbols {
				break
			}
		}
		s.take(t)
		s.last = t.end
	}
	s.finish()
	s.symbols = slices.DeleteFunc(s.symbols, func(sym symbol) bool { return sym.name == "" })
	return outline{symbols: s.symbols, doc: fileDoc(src)}, nil
}

// take reads one token.
func (s *braceScanner) take(t token) {
	if s.ignored > 0 {
		s.ignore(t)
		return
	}
	if t.newline && s.lines != nil && s.top().open != '(' && s.top().open != '[' {
		s.lineEnds(t)
	}
	switch t.kind {
	case '(', '[':
		if len(s.header()) == 0 {
			s.noteDoc()
		}
		s.push(t, frame{open: t.kind, body: valueBody, goesOn: true})
	case '{':
		s.openBrace(t)
	case ')', ']', '}':
		s.closeBracket(t)
	case ';':
		s.semicolon(t)
	default:
		if s.grammar.breaks(s, s.header(), t) {
			s.clear()
			if t.kind != tokenWord && t.kind != '@' {
				return
			}
		}
		s.add(t)
	}
}

// ignore only counts brackets.
func (s *braceScanner) ignore(t token) {
	switch t.kind {
	case '(', '[', '{':
		s.ignored++
	case ')', ']', '}':
		s.ignored--
	}
}

func (s *braceScanner) lineEnds(t token) {
	if header := s.header(); len(header) > 0 && s.lines.ends(s, header, t) {
		s.grammar.end(s, header, s.last)
		s.clear()
	}
}

func (s *braceScanner) top() *frame { return &s.frames[len(s.frames)-1] }

// header returns the tokens since the latest statement of the open bracket.
func (s *braceScanner) header() []token { return s.tokens[s.top().base:] }

func (s *braceScanner) clear() {
	top := s.top()
	s.tokens = s.tokens[:top.base]
	top.doc = byteSpan{}
}

func (s *braceScanner) add(t token) {
	top := s.top()
	if len(s.tokens) == top.base && (s.comment.end > 0 || top.doc.end == 0) {
		top.doc = s.comment
	}
	if len(s.tokens)-top.base >= maxHeader {
		return
	}
	s.tokens = append(s.tokens, t)
}

func (s *braceScanner) openBrace(t token) {
	header := s.header()
	if len(header) == 0 {
		s.noteDoc()
	}
	o := s.grammar.open(s, header)
	f := frame{open: '{', body: o.body, goesOn: o.goesOn, name: o.name}
	if o.symbol == nil {
		s.push(t, f)
		return
	}
	f.symbol = len(s.symbols) + 1
	s.emit(*o.symbol, header, 0)
	s.push(t, f)
}

func (s *braceScanner) noteDoc() {
	if s.comment.end > 0 {
		s.top().doc = s.comment
	}
}

// emit keeps a symbol with the comment before its header.
func (s *braceScanner) emit(sym symbol, header []token, end int) {
	if sym.start == 0 && len(header) > 0 {
		sym.start = header[0].start
	}
	sym.end = end
	if doc := s.top().doc; doc.end > 0 && sym.doc == "" {
		sym.doc = docText(s.src[doc.start:doc.end])
	}
	s.symbols = append(s.symbols, sym)
}

// push opens a bracket. The frame's symbol is an index plus 1.
func (s *braceScanner) push(t token, f frame) {
	if len(s.frames) >= maxBrackets {
		s.ignored = 1
		return
	}
	f.symbol--
	f.start = t.start
	f.base = len(s.tokens)
	s.frames = append(s.frames, f)
}

// closeBracket closes the bracket that t matches. A closing brace also closes the
// parentheses open inside it. Any other bracket without a match is ignored.
func (s *braceScanner) closeBracket(t token) {
	open := opener(t.kind)
	i := len(s.frames) - 1
	for t.kind == '}' && i > 0 && s.frames[i].open != '{' {
		i--
	}
	if i == 0 || s.frames[i].open != open {
		return
	}
	for len(s.frames)-1 > i {
		s.pop(t.start, t.start)
	}
	if s.lines != nil && t.kind == '}' {
		if header := s.header(); len(header) > 0 {
			s.grammar.end(s, header, s.last)
		}
	}
	s.pop(t.start, t.end)
}

// opener returns the opening bracket for a closing one.
func opener(closing byte) byte {
	switch closing {
	case ')':
		return '('
	case ']':
		return '['
	}
	return '{'
}

// pop closes the latest bracket, whose symbol ends at end.
func (s *braceScanner) pop(start, end int) {
	f := *s.top()
	s.tokens = s.tokens[:f.base]
	s.frames = s.frames[:len(s.frames)-1]
	if f.symbol >= 0 {
		s.symbols[f.symbol].end = end
	}
	if !f.goesOn {
		s.clear()
		return
	}
	s.add(token{kind: f.open, start: f.start, end: end})
}

// semicolon ends a statement. A semicolon inside parentheses that are not of a
// loop shows that the parentheses were never closed.
func (s *braceScanner) semicolon(t token) {
	for s.top().open == '(' && !s.syntax.semicolons && !s.inLoop() {
		s.pop(t.start, t.start)
	}
	if top := s.top(); top.body == enumBody {
		top.body = typeBody
	}
	s.grammar.end(s, s.header(), t.end)
	s.clear()
}

// inLoop reports whether the open parenthesis may contain semicolons.
func (s *braceScanner) inLoop() bool {
	before := s.frames[len(s.frames)-2]
	header := s.tokens[before.base:s.top().base]
	if before.open != '{' && before.open != 0 {
		return true
	}
	if before.body == blockBody || before.body == valueBody {
		return true
	}
	return len(header) > 0 && s.is(header[len(header)-1], "for")
}

// finish closes everything still open at the end of the source.
func (s *braceScanner) finish() {
	if s.lines != nil && s.top().open != '(' && len(s.header()) > 0 {
		s.grammar.end(s, s.header(), s.last)
	}
	for len(s.frames) > 1 {
		s.pop(s.last, s.last)
	}
}

// macro records macros that have parameters and span several lines.
func (s *braceScanner) macro(line byteSpan) {
	text := s.src[line.start:line.end]
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(text[1:], " \t"), []byte("define"))
	if !ok || bytes.IndexByte(text, '\n') < 0 {
		return
	}
	rest = bytes.TrimLeft(rest, " \t")
	end := wordEnd(rest, 0)
	if end == 0 || end == len(rest) || rest[end] != '(' {
		return
	}
	sym := symbol{kind: "macro", name: string(rest[:end]), start: line.start, end: line.end}
	if s.comment.end > 0 {
		sym.doc = docText(s.src[s.comment.start:s.comment.end])
	}
	s.symbols = append(s.symbols, sym)
}

func (s *braceScanner) text(t token) string { return string(s.src[t.start:t.end]) }

// is reports whether t is the word.
func (s *braceScanner) is(t token, word string) bool {
	return t.kind == tokenWord && string(s.src[t.start:t.end]) == word
}
