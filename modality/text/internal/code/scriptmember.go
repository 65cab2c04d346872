package code

// property reads the start of an object property: a method, or a name and its
// value.
func (s *scriptScanner) property(f *scriptFrame) {
	switch s.tok {
	case '}':
		s.closing()
		return
	case ',', ';':
		return
	case scriptWord, scriptValue, '[', '*':
	default:
		f.fresh = false
		s.expression(false)
		return
	}
	f.begin, f.doc, f.fresh = s.start, s.comments, false
	s.modifiers(f)
	t, ok := s.key()
	if !ok {
		return
	}
	t.kind, t.start, t.doc = "method", f.begin, f.doc
	switch s.tok {
	case ':':
		s.target = t
		s.isValue = false
	case '(', '<':
		s.methodOf(f, t, false)
	default:
		s.redo()
	}
}

// key reads the name of a property or member, up to the token after it. A computed
// name is kept as written.
func (s *scriptScanner) key() (t scriptTarget, ok bool) {
	t = s.named()
	switch s.tok {
	case '[':
		s.skipBalanced()
		t.end = s.prevEnd
	case scriptWord, scriptValue:
		s.next()
	default:
		s.redo()
		return t, false
	}
	return t, true
}

// modifiers skips the words and decorators before the name of a property or
// member.
func (s *scriptScanner) modifiers(f *scriptFrame) {
	for {
		switch s.tok {
		case '*':
		case scriptWord:
			if !scriptModifiers[string(s.text())] {
				return
			}
			if tok, _, _ := s.peek(); tok != scriptWord && tok != scriptValue && tok != '[' && tok != '*' && tok != '{' {
				return
			}
		default:
			return
		}
		f.modified = true
		s.next()
	}
}

var scriptModifiers = wordSet(`async get set static public private protected abstract override readonly declare accessor`)

// methodOf reads a method after its name. A method without a body is a declaration
// if it is in a class of TypeScript, and no method elsewhere.
func (s *scriptScanner) methodOf(f *scriptFrame, t scriptTarget, inClass bool) {
	s.signature()
	name, _ := s.targetName(t)
	switch {
	case s.tok == '{' && (inClass || !scriptControls[name]):
		i := s.add(f, "method", name)
		s.body(i)
		s.top().ends = inClass
	case inClass && s.lang != JavaScript:
		s.addWhole(f, "method", name)
	default:
		s.redo()
	}
}

var scriptControls = wordSet(`if for while switch`)

// member reads the start of a class member.
func (s *scriptScanner) member(f *scriptFrame) {
	switch s.tok {
	case '}':
		s.closing()
		return
	case ';', ',':
		f.modified = false
		return
	}
	if !f.modified {
		f.begin, f.doc = s.start, s.comments
	}
	if s.tok == '@' {
		f.modified = true
		s.decorator()
		return
	}
	s.modifiers(f)
	if s.tok == '{' { // after "static"
		s.isValue = false
		f.modified = false
		s.push(frameBlock).ends = true
		return
	}
	t, ok := s.key()
	if f.modified = false; !ok {
		f.fresh = false
		s.next()
		s.expression(false)
		return
	}
	if s.tok == '?' || s.tok == '!' {
		s.next()
	}
	t.kind, t.start, t.doc = "method", f.begin, f.doc
	s.afterName(f, t)
}

// afterName reads the tokens after the name of a member.
func (s *scriptScanner) afterName(f *scriptFrame, t scriptTarget) {
	if s.tok == '(' || s.tok == '<' {
		s.methodOf(f, t, true)
		return
	}
	if s.tok == ':' {
		s.next()
		s.skipType(false)
	}
	if s.tok == '=' {
		f.fresh = false
		s.target = t
		return
	}
	if s.tok != ';' {
		s.redo()
		s.isValue = true // a type may end with ">"
	}
}

// interfaceBody reads the members of an interface from "{" to the token after
// "}", and keeps its methods.
func (s *scriptScanner) interfaceBody() {
	for s.next(); s.tok != scriptEOF && s.tok != '}'; {
		switch s.tok {
		case scriptWord, scriptValue, '[':
		case '(', '<':
			s.signature()
			continue
		default:
			s.skipOne()
			continue
		}
		m := scriptFrame{begin: s.start, doc: s.comments}
		s.modifiers(&m)
		t, ok := s.key()
		if !ok {
			s.next()
			continue
		}
		if s.tok == '?' {
			s.next()
		}
		method := s.tok == '(' || s.tok == '<'
		s.signature()
		name, _ := s.targetName(t)
		if !method || name == "new" && s.src[t.name] == 'n' {
			continue
		}
		i := s.add(&m, "method", name)
		if s.found.symbols[i].end = s.prevEnd; s.tok == ';' || s.tok == ',' {
			s.found.symbols[i].end = s.at
		}
	}
	s.next()
}

// skipOne skips a token, or a whole bracketed group that it opens.
func (s *scriptScanner) skipOne() {
	switch s.tok {
	case '(', '[', '{':
		s.skipBalanced()
	case '<':
		s.skipAngles()
	default:
		s.next()
	}
}
