package code

// typeDeclaration reads a declaration that only TypeScript has, from the word that
// may begin it, and reports whether it did.
func (s *scriptScanner) typeDeclaration(f *scriptFrame) bool {
	word := string(s.text())
	saved := s.scriptLexer
	s.next()
	named := s.tok == scriptWord || s.tok == scriptValue && word == "module"
	if s.newLine || !named && !(word == "global" && s.tok == '{' && f.modified) {
		s.goBack(saved)
		return false
	}
	if s.declareType(f, word) {
		return true
	}
	s.goBack(saved)
	return false
}

// declareType reads a declaration, starting at its name.
func (s *scriptScanner) declareType(f *scriptFrame, word string) bool {
	name := unquote(string(s.text()))
	if word != "global" {
		s.next()
	}
	switch word {
	case "interface":
		return s.interfaceDeclaration(f, name)
	case "type":
		return s.alias(f, name)
	case "enum":
		if s.tok != '{' {
			return false
		}
		s.skipBalanced()
		s.addWhole(f, "enum", name)
		return true
	}
	return s.namespace(f, word, name)
}

func (s *scriptScanner) interfaceDeclaration(f *scriptFrame, name string) bool {
	if !s.heritage() {
		return false
	}
	at := *f
	s.interfaceBody()
	s.addBraced(&at, "interface", name)
	return true
}

// addBraced adds a symbol that ends with the brace before the current token.
func (s *scriptScanner) addBraced(f *scriptFrame, kind, name string) {
	i := s.add(f, kind, name)
	s.found.symbols[i].end = s.prevEnd
	s.redo()
	s.endStatement(s.at)
	s.isValue = false
}

func (s *scriptScanner) alias(f *scriptFrame, name string) bool {
	if s.tok == '<' {
		s.skipAngles()
	}
	if s.tok != '=' {
		return false
	}
	s.next()
	s.skipType(false)
	s.addWhole(f, "type", name)
	return true
}

func (s *scriptScanner) namespace(f *scriptFrame, word, name string) bool {
	kind := "namespace"
	if word == "module" {
		kind = "module"
	}
	for s.tok == '.' {
		if s.next(); s.tok != scriptWord {
			return false
		}
		name += "." + string(s.text())
		s.next()
	}
	if word == "global" {
		name = word
	}
	if s.tok == '{' {
		s.body(s.add(f, kind, name))
		return true
	}
	if !f.modified {
		return false
	}
	s.addWhole(f, kind, name)
	return true
}

// skipBalanced skips a bracketed group, up to the token after its closing bracket.
func (s *scriptScanner) skipBalanced() {
	depth := 0
	for s.tok != scriptEOF {
		switch s.tok {
		case '(', '[', '{':
			depth++
			s.isValue = false
		case ')', ']', '}':
			depth--
		}
		s.next()
		if depth <= 0 {
			return
		}
	}
}

// skipAngles skips the parameters or arguments of a type, from "<" to the token
// after ">".
func (s *scriptScanner) skipAngles() {
	depth := 0
	for s.tok != scriptEOF {
		switch s.tok {
		case '<':
			depth++
		case '>':
			depth--
		case '(', '[', '{':
			s.skipBalanced()
			continue
		case ')', ']', '}', ';':
			return // it was an operator
		}
		s.next()
		if depth <= 0 {
			return
		}
	}
}

// skipType skips a type, up to the token after it. ofArrow means that it is the
// result type of an arrow function, which ends before "=>".
func (s *scriptScanner) skipType(ofArrow bool) {
	conditions := 0
	for s.tok != scriptEOF {
		if !s.typeOperand() {
			return
		}
		for s.typeSuffix() {
		}
		switch s.tok {
		case '|', '&', '.':
		case scriptArrow:
			if ofArrow {
				return
			}
		case '?':
			conditions++
		case ':':
			if conditions == 0 {
				return
			}
			conditions--
		case scriptWord:
			if word := string(s.text()); s.newLine && word != "extends" || word != "extends" && word != "is" {
				return
			}
		default:
			return
		}
		s.next()
	}
}

// typeOperand skips an operand of a type expression and the operators before it,
// and reports whether there was one.
func (s *scriptScanner) typeOperand() bool {
	for {
		switch s.tok {
		case '(', '[', '{':
			s.skipBalanced()
			return true
		case '<':
			s.skipAngles()
		case scriptValue:
			s.next()
			return true
		case '|', '&', '-', scriptOperator, '?', '*':
			s.next()
		case scriptWord:
			if !s.typePrefix() {
				s.next()
				return true
			}
			s.next()
		default:
			return false
		}
	}
}

// typePrefix reports whether the word is a type operator that precedes a type.
func (s *scriptScanner) typePrefix() bool {
	switch string(s.text()) {
	case "keyof", "typeof", "unique", "infer", "readonly", "asserts", "new", "abstract":
		tok, _, newLine := s.peek()
		switch tok {
		case scriptWord, scriptValue, '(', '[', '{', '<':
			return !newLine
		}
	}
	return false
}

// typeSuffix skips a suffix of a type that needs no operator, and reports whether
// there was one.
func (s *scriptScanner) typeSuffix() bool {
	switch {
	case s.newLine:
		return false
	case s.tok == '[':
		s.skipBalanced()
	case s.tok == '<':
		s.skipAngles()
	case s.tok == '(' && string(s.src[s.prevStart:s.prevEnd]) == "import":
		s.skipBalanced()
	default:
		return false
	}
	return true
}
