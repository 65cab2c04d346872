package code

// statement reads the beginning of a statement.
func (s *scriptScanner) statement(f *scriptFrame) {
	if !f.modified {
		f.begin, f.doc = s.start, s.comments
	}
	switch s.tok {
	case scriptWord:
		if s.declaration(f) {
			return
		}
	case '@':
		f.modified = true
		s.decorator()
		return
	case '{':
		s.isValue = false
		s.push(frameBlock).ends = true
		return
	}
	f.fresh = false
	s.expression(false)
}

// declaration reads the start of a declaration, or a word before one, and reports
// whether there was one.
func (s *scriptScanner) declaration(f *scriptFrame) bool {
	switch string(s.text()) {
	case "function":
		s.functionDeclaration(f)
	case "class":
		s.classDeclaration(f)
	case "const", "let", "var":
		return s.variables(f)
	case "export":
		if tok, _, _ := s.peek(); tok != scriptWord && tok != '@' {
			return false
		}
		f.modified = true
	case "default":
		return f.modified && s.exportDefault(f)
	case "async":
		_, next, newLine := s.peek()
		if newLine || string(next) != "function" {
			return false
		}
		f.modified = true
	case "declare", "abstract":
		if tok, _, newLine := s.peek(); tok != scriptWord || newLine {
			return false
		}
		f.modified = true
	case "interface", "enum", "type", "namespace", "module", "global":
		return s.typeDeclaration(f)
	default:
		return false
	}
	return true
}

// exportDefault reads "default" after "export". An unnamed export gets the name
// "default".
func (s *scriptScanner) exportDefault(f *scriptFrame) bool {
	s.defaultName = s.named()
	switch _, next, _ := s.peek(); string(next) {
	case "function", "class", "abstract", "interface", "enum", "async", "@":
		return true
	}
	f.fresh = false
	s.target = s.defaultName
	s.target.start, s.target.doc = f.begin, f.doc
	return true
}

// variables reads the start of a variable declaration.
func (s *scriptScanner) variables(f *scriptFrame) bool {
	if _, next, _ := s.peek(); string(next) == "enum" {
		f.modified = true
		return true
	}
	f.fresh, f.declares = false, true
	s.declarator(f.begin)
	return true
}

// declarator reads the name of a variable, with its type and "=". The symbol of
// its value begins at begin, or with the name if begin is negative.
func (s *scriptScanner) declarator(begin int) {
	s.next()
	switch s.tok {
	case '{':
		s.isValue = false
		s.push(frameObject)
		return
	case scriptWord:
	default:
		s.redo()
		s.isValue = false
		return
	}
	t := s.named()
	if begin >= 0 {
		t.start, t.doc = begin, s.top().doc
	}
	if s.next(); s.tok == '!' {
		s.next()
	}
	if s.tok == ':' {
		s.next()
		s.skipType(false)
	}
	if s.tok != '=' {
		s.redo()
		s.isValue = true // a type may end with ">"
		return
	}
	s.target = t
}

// decorator reads a decorator, starting at "@".
func (s *scriptScanner) decorator() {
	s.next()
	for s.tok == scriptWord {
		if s.next(); s.tok != '.' {
			break
		}
		s.next()
	}
	if s.tok == '(' && !s.newLine || s.prev == '@' {
		s.skipBalanced()
	}
	s.redo()
	s.isValue = false
}

// add adds a symbol that begins with the statement or member, and returns its
// index.
func (s *scriptScanner) add(f *scriptFrame, kind, name string) int {
	if name == "" && s.defaultName.kind != "" {
		name = "default"
	}
	s.defaultName = scriptTarget{}
	s.found.symbols = append(s.found.symbols, symbol{kind: kind, name: name, start: f.begin, doc: f.doc.text(s.src, f.begin)})
	return len(s.found.symbols) - 1
}

// addWhole adds a symbol that ends before the current token, or with it if it is a
// semicolon.
func (s *scriptScanner) addWhole(f *scriptFrame, kind, name string) {
	i := s.add(f, kind, name)
	s.found.symbols[i].end = s.endHere()
	s.endStatement(s.found.symbols[i].end)
}

// endHere returns the end of the tokens before the current one, including a
// semicolon that may follow.
func (s *scriptScanner) endHere() int {
	if s.tok == ';' {
		return s.at
	}
	end := s.prevEnd
	s.redo()
	s.isValue = true
	return end
}

// functionHead reads a function from the word "function" to the token after its
// parameters and result type, and returns the function's name.
func (s *scriptScanner) functionHead() (name string) {
	if s.next(); s.tok == '*' {
		s.next()
	}
	if s.tok == scriptWord {
		name = string(s.text())
		s.next()
	}
	s.signature()
	return name
}

// signature reads the parameters and result type of a function or method.
func (s *scriptScanner) signature() {
	if s.tok == '<' {
		s.skipAngles()
	}
	if s.tok == '(' {
		s.skipBalanced()
	}
	if s.tok == ':' {
		s.next()
		s.skipType(false)
	}
}

func (s *scriptScanner) functionDeclaration(f *scriptFrame) {
	name := s.functionHead()
	if s.tok != '{' {
		s.addWhole(f, "function", name)
		return
	}
	i := s.add(f, "function", name)
	s.body(i)
}

// body opens the body of the symbol with index i, which ends with the body.
func (s *scriptScanner) body(i int) {
	s.isValue = false
	s.found.symbols[i].end = s.at // in case the source ends here
	b := s.push(frameBlock)
	b.symbol, b.ends = i, true
}

// functionValue reads a function in an expression, assigned to the target.
func (s *scriptScanner) functionValue(target scriptTarget) {
	name := s.functionHead()
	if s.tok != '{' {
		s.redo()
		return
	}
	s.given(target, name)
	s.isValue = false
	s.push(frameBlock).target = target
}

// given adds the symbol of a value that has its own name.
func (s *scriptScanner) given(target scriptTarget, own string) {
	if target.kind == "" {
		return
	}
	i := s.beginValue(target)
	title := s.found.symbols[i].title
	if own != "" && (title == "module.exports" || title == "exports") {
		s.found.symbols[i].name, s.found.symbols[i].title = own, ""
	}
}

// className reads the name of a class, if it has one, from the word "class" to the
// token after the name.
func (s *scriptScanner) className() (name string) {
	if s.next(); s.tok == scriptWord {
		if word := string(s.text()); word != "extends" && word != "implements" {
			name = word
			s.next()
		}
	}
	return name
}

// heritage reads the tokens between the name of an interface and its body, and
// reports whether there is a body.
func (s *scriptScanner) heritage() bool {
	for s.tok != scriptEOF {
		switch s.tok {
		case '{':
			return true
		case '<':
			s.skipAngles()
			continue
		case '(', '[':
			s.skipBalanced()
			continue
		case ';', '}', ')':
			return false
		}
		s.next()
	}
	return false
}

func (s *scriptScanner) classDeclaration(f *scriptFrame) {
	name := s.className()
	i := s.add(f, "class", name)
	s.found.symbols[i].end = s.at
	f.fresh = false
	s.class(i, true)
}

// classValue reads a class in an expression, assigned to the target.
func (s *scriptScanner) classValue(target scriptTarget) {
	name := s.className()
	if target.kind != "" {
		target.kind = "class"
	}
	s.given(target, name)
	s.class(-1, false)
}

// class reads what a class extends. Calls in it are read like expressions; the
// body is found after them.
func (s *scriptScanner) class(symbol int, declared bool) {
	for s.tok == scriptWord || s.tok == '.' || s.tok == ',' || s.tok == '<' {
		s.skipOne()
	}
	c := scriptClass{len(s.frames), symbol, declared}
	switch s.tok {
	case '{':
		s.classBody(c)
	case '(', '[':
		s.classes = append(s.classes, c)
		s.redo()
		s.isValue = true
	default:
		s.redo()
	}
}

func (s *scriptScanner) classBody(c scriptClass) {
	s.isValue = false
	b := s.push(frameClass)
	b.symbol, b.ends = c.symbol, c.declared
}

// extends reads one token after a call in the extends clause of a class, and
// reports whether it did.
func (s *scriptScanner) extends(valued bool) bool {
	n := len(s.classes) - 1
	if n < 0 || s.classes[n].frames != len(s.frames) || s.beyond > 0 {
		return false
	}
	switch s.tok {
	case '{':
		c := s.classes[n]
		s.classes = s.classes[:n]
		s.classBody(c)
	case '<':
		s.skipAngles()
		s.redo()
		s.isValue = true
	case ';', '}', ')', ']':
		s.classes = s.classes[:n]
		return false
	default:
		s.expression(valued)
	}
	return true
}
