package code

import (
	"bytes"
	"context"
)

// mapScript finds the classes, functions and methods of JavaScript, and the
// interfaces, enums, types and namespaces of TypeScript too. A function is a
// declared function, or any function or class that is directly assigned to a name:
// a variable, a property of an object, or a field of a class. It ends where the
// assignment ends.
//
// The scanner keeps a stack of open brackets, and knows whether each contains
// statements, properties or members. At the start of each of these it looks for a
// declaration. The rest is expressions, where only the brackets and the functions
// matter.
func mapScript(ctx context.Context, lang Language, src []byte) (outline, error) {
	s := &scriptScanner{lang: lang, scriptLexer: scriptLexer{src: src}, frames: []scriptFrame{{kind: frameBlock, fresh: true, symbol: -1}}}
	if bytes.HasPrefix(src, []byte("#!")) {
		s.at = lineEnd(src, 0)
	}
	s.found.doc = fileComment(src[s.at:])
	poll := poll{ctx: ctx}
	for s.tok != scriptEOF || s.at < len(src) {
		if poll.stop(s.at, &s.found) {
			return s.found, ctx.Err()
		}
		s.step()
	}
	for len(s.frames) > 0 {
		s.pop()
	}
	return s.found, nil
}

// Kinds of frames.
const (
	frameBlock      = iota // statements
	frameClass             // members
	frameObject            // properties
	frameParen             // expressions in parentheses or brackets
	frameExpression        // an expression in an XML element
	frameTag               // an opening tag
	frameText              // text between tags
)

// maxFrames is how many brackets can be open. Further ones are only counted.
const maxFrames = 4096

// A scriptFrame is an open bracket.
type scriptFrame struct {
	kind      byte
	fresh     bool // a statement, member or property begins with the next token
	modified  bool // part of the statement has been read, such as "export"
	declares  bool // the statement declares variables
	control   bool // the parentheses of "if" and similar
	arrow     bool // the parentheses of the parameters of an arrow function
	ends      bool // the closing bracket ends a statement
	ternaries int  // each "?" that lacks its ":"
	begin     int  // start of the statement or member
	doc       commentRun
	symbol    int          // ends with the closing bracket; -1 for none
	target    scriptTarget // of the arrow function that may have these parameters
	mark      int          // number of symbols before
}

// A scriptTarget is what the next value is assigned to. The zero value means
// nothing.
type scriptTarget struct {
	kind       string // of the symbol if the value is a function
	start      int    // start of the assignment
	chain      int    // start of the whole qualified name: a.b.name
	name, end  int    // the bare name
	doc        commentRun
	isProperty bool
}

type scriptScanner struct {
	scriptLexer
	lang   Language
	found  outline
	frames []scriptFrame
	beyond int // brackets open beyond maxFrames

	target scriptTarget // of the next token
	chain  scriptTarget // the name that ends with the current token, if any
	values []scriptOpen // symbols that end with a statement, member or property

	reread int // bytes read more than once

	classes []scriptClass // classes whose bodies have not begun

	defaultName scriptTarget // the word "default", before the exported value
}

// A scriptOpen is a symbol that ends with the current statement, property or
// member of a frame.
type scriptOpen struct{ frames, symbol int }

// A scriptClass is a class before its body, in a frame.
type scriptClass struct {
	frames   int
	symbol   int // ends with the body; -1 for none
	declared bool
}

func (s *scriptScanner) top() *scriptFrame { return &s.frames[len(s.frames)-1] }

func (s *scriptScanner) push(kind byte) *scriptFrame {
	if len(s.frames) >= maxFrames {
		s.beyond++
		return &scriptFrame{}
	}
	s.frames = append(s.frames, scriptFrame{kind: kind, fresh: kind <= frameObject, symbol: -1, mark: len(s.found.symbols)})
	return s.top()
}

// pop closes the innermost frame, and the symbols that end with it. The current
// token is its closing bracket, or a token that takes its place.
func (s *scriptScanner) pop() scriptFrame {
	f := *s.top()
	s.endValues(s.prevEnd)
	if f.symbol >= 0 {
		s.found.symbols[f.symbol].end = s.at
	}
	for n := len(s.classes); n > 0 && s.classes[n-1].frames >= len(s.frames); n-- {
		s.classes = s.classes[:n-1]
	}
	s.frames = s.frames[:len(s.frames)-1]
	return f
}

// endValues ends the symbols that end with the current statement, property or
// member of the innermost frame.
func (s *scriptScanner) endValues(end int) {
	for n := len(s.values); n > 0 && s.values[n-1].frames >= len(s.frames); n-- {
		s.found.symbols[s.values[n-1].symbol].end = end
		s.values = s.values[:n-1]
	}
}

// step reads one token, or a declaration up to its body.
func (s *scriptScanner) step() {
	switch s.top().kind {
	case frameTag:
		s.elementTag()
		return
	case frameText:
		s.elementText()
		return
	}
	valued := s.isValue
	s.next()
	f := s.top()
	if s.tok == scriptEOF || s.extends(valued) {
		return
	}
	if s.newLine && !f.fresh && f.kind <= frameClass && s.endsStatement(valued) {
		s.endStatement(s.prevEnd)
	}
	if !f.fresh || s.beyond > 0 {
		s.expression(valued)
		return
	}
	s.target, s.chain = scriptTarget{}, scriptTarget{}
	switch f.kind {
	case frameBlock:
		s.statement(f)
	case frameClass:
		s.member(f)
	case frameObject:
		s.property(f)
	}
}

// endsStatement reports whether a line end before the current token ends a
// statement: the tokens before it are complete, and the next ones cannot continue
// them.
func (s *scriptScanner) endsStatement(valued bool) bool {
	if !valued {
		return s.prev == scriptWord && string(s.src[s.prevStart:s.prevEnd]) == "return"
	}
	switch s.tok {
	case scriptWord:
		switch string(s.text()) {
		case "in", "instanceof", "as", "satisfies", "of":
			return false
		}
		return true
	case scriptValue:
		return s.src[s.start] != '`' && s.src[s.start] != '/'
	case '{', '@', '~', '#':
		return true
	case '!':
		return true
	case scriptOperator:
		return s.at-s.start == 2 && (s.src[s.start] == '+' || s.src[s.start] == '-') && s.src[s.start] == s.src[s.start+1]
	}
	return false
}

// endStatement ends the statement, member or property, and the symbols that end
// with it.
func (s *scriptScanner) endStatement(end int) {
	f := s.top()
	s.endValues(end)
	f.fresh, f.modified, f.declares, f.ternaries = true, false, false, 0
}

// expression reads one token of an expression. valued means that the tokens before
// it end a value.
func (s *scriptScanner) expression(valued bool) {
	target := s.target
	s.target = scriptTarget{}
	if s.beyond > 0 {
		s.count()
		return
	}
	chain := s.chain
	s.chain = scriptTarget{}
	switch s.tok {
	case scriptWord:
		s.chain = chain
		s.word(target)
	case '.':
		s.chain = chain
	case '=':
		s.assignment(chain)
	case '(', '[':
		f := s.push(frameParen)
		f.target = target
		f.control = s.tok == '(' && s.isControl(chain)
		f.arrow = !valued && (s.prev == scriptArrow || s.prev == '>')
		s.isValue = false
	case '{':
		s.brace(valued)
	case ')', ']', '}':
		s.closing()
	case ',':
		s.comma()
	case ';':
		s.semicolon()
	case '?':
		s.top().ternaries++
	case ':':
		s.colon()
	case '<':
		s.angle(valued, target)
	case scriptArrow:
		if s.top().kind == frameBlock {
			s.top().fresh = false
		}
	}
}

// count counts brackets beyond maxFrames.
func (s *scriptScanner) count() {
	switch s.tok {
	case '(', '[', '{':
		s.beyond++
	case ')', ']', '}':
		s.beyond--
	}
}

// word reads a word in an expression.
func (s *scriptScanner) word(target scriptTarget) {
	if s.prev == '.' {
		s.chain.name, s.chain.end = s.start, s.at
		if s.chain.kind == "" { // qualifies something that is not a name
			s.chain = s.named()
			s.chain.isProperty = true
		}
		return
	}
	s.chain = s.named()
	switch string(s.text()) {
	case "function":
		s.chain = scriptTarget{}
		s.functionValue(target)
		return
	case "class":
		s.chain = scriptTarget{}
		s.classValue(target)
		return
	case "async":
		s.target = target
		return
	case "else", "do":
		if f := s.top(); f.kind == frameBlock {
			f.fresh, f.modified = true, false
		}
		return
	}
	if target.kind != "" {
		if tok, _, _ := s.peek(); tok == scriptArrow {
			s.beginValue(target)
		}
	}
}

// named returns a target named by the current token.
func (s *scriptScanner) named() scriptTarget {
	return scriptTarget{kind: "function", start: s.start, chain: s.start, name: s.start, end: s.at, doc: s.comments}
}

// brace reads "{" in an expression. The token before it tells statements from
// properties.
func (s *scriptScanner) brace(valued bool) {
	s.isValue = false
	switch {
	case s.prev == scriptArrow:
		s.push(frameBlock)
	case valued:
		s.top().fresh = false
		s.push(frameBlock).ends = true
	default:
		s.push(frameObject)
	}
}

// isControl reports whether parentheses after the word are not those of a call.
func (s *scriptScanner) isControl(word scriptTarget) bool {
	if word.kind == "" || word.chain != word.name || word.isProperty {
		return false
	}
	switch string(s.src[word.name:word.end]) {
	case "if", "while", "for", "with", "switch", "catch":
		return true
	case "await":
		return bytes.HasSuffix(bytes.TrimRight(s.src[:word.name], " "), []byte("for"))
	}
	return false
}

// closing reads a closing bracket.
func (s *scriptScanner) closing() {
	if s.tok == '}' {
		for len(s.frames) > 1 && s.top().kind == frameParen {
			s.pop() // its opening bracket was never closed
		}
	} else if s.top().kind != frameParen {
		return
	}
	if len(s.frames) == 1 {
		s.top().fresh = true
		return
	}
	f := s.pop()
	around := s.top()
	switch {
	case f.kind == frameParen:
		s.closingParen(f)
	case f.kind == frameExpression:
		s.isValue = false
	case f.ends:
		s.isValue = false
		if around.kind <= frameClass {
			s.endStatement(s.at)
		}
	case f.kind == frameBlock && f.target.kind != "":
		s.called()
	}
}

// called removes the symbol of a function expression that is called at once: the
// name then holds the result, not the function.
func (s *scriptScanner) called() {
	n := len(s.values) - 1
	if n < 0 || s.values[n].frames != len(s.frames) {
		return
	}
	if tok, _, _ := s.peek(); tok == '(' {
		s.found.symbols[s.values[n].symbol].start = -1
		s.values = s.values[:n]
	}
}

// closingParen checks whether the parentheses enclosed the parameters of an arrow
// function. If so, it drops the symbols found in them.
func (s *scriptScanner) closingParen(f scriptFrame) {
	if f.control {
		s.isValue = false
		if around := s.top(); around.kind == frameBlock {
			around.fresh, around.modified = true, false
		}
		return
	}
	if s.tok != ')' {
		return
	}
	switch tok, _, _ := s.peek(); tok {
	case ':':
		if f.target.kind == "" && !f.arrow || s.lang == JavaScript {
			return
		}
		saved := s.scriptLexer
		s.next()
		s.next()
		if s.skipType(true); s.tok != scriptArrow {
			s.goBack(saved)
			return
		}
		s.isValue = false
	case scriptArrow:
	default:
		return
	}
	s.found.symbols = s.found.symbols[:f.mark]
	if f.target.kind != "" {
		s.beginValue(f.target)
	}
}

// goBack returns to the saved state, unless too much of the source has been read
// twice already.
func (s *scriptScanner) goBack(saved scriptLexer) {
	if s.reread += s.at - saved.at; s.reread <= len(s.src) {
		s.scriptLexer = saved
	}
}

func (s *scriptScanner) comma() {
	s.endValues(s.prevEnd)
	switch f := s.top(); {
	case f.kind == frameObject:
		f.fresh, f.modified = true, false
	case f.kind == frameBlock && f.declares:
		s.declarator(-1)
	}
}

func (s *scriptScanner) semicolon() {
	if s.top().kind <= frameObject {
		s.endStatement(s.at)
	}
}

// colon reads ":". After "?" it is part of an expression; among statements it ends
// a label or case.
func (s *scriptScanner) colon() {
	f := s.top()
	if f.ternaries > 0 {
		f.ternaries--
		return
	}
	if f.kind == frameBlock {
		f.fresh, f.modified = true, false
	}
}

// angle reads "<", which may begin an XML element or the parameters of a generic
// arrow function.
func (s *scriptScanner) angle(valued bool, target scriptTarget) {
	if valued && s.at < len(s.src) && s.src[s.at] == '<' { // shifts bits
		s.at++
		s.tok, s.isValue = scriptOperator, false
		s.skipAssignment()
		return
	}
	if s.beginsElement(!valued) {
		s.push(frameTag)
		return
	}
	if s.lang == JavaScript || valued && !s.beginsArguments() {
		return
	}
	s.skipAngles()
	s.redo()
	s.isValue = valued
	s.target = target
}

// beginsArguments reports whether the current token "<", after a value, begins
// type arguments: no space stands around it.
func (s *scriptScanner) beginsArguments() bool {
	if s.prev != scriptWord && s.prev != ')' || s.prevEnd != s.start || s.at >= len(s.src) {
		return false
	}
	c := s.src[s.at]
	return isLetter(c) || c == '{' || c == '[' || c == '\n'
}
