package code

import "strings"

// assignment reads "=" after the name in chain.
func (s *scriptScanner) assignment(chain scriptTarget) {
	if chain.kind == "" {
		return
	}
	s.target = chain
	if f := s.top(); f.kind == frameBlock && f.begin == chain.start {
		s.target.doc = f.doc
	}
}

// beginValue adds the symbol for a value assigned to the target, and returns its
// index. The symbol ends with the statement, member or property.
func (s *scriptScanner) beginValue(t scriptTarget) int {
	name, title := s.targetName(t)
	s.found.symbols = append(s.found.symbols, symbol{kind: t.kind, name: name, title: title, start: t.start, doc: t.doc.text(s.src, t.start)})
	s.values = append(s.values, scriptOpen{len(s.frames), len(s.found.symbols) - 1})
	return len(s.found.symbols) - 1
}

// targetName returns the bare name of a target, and its title. Both include the
// qualifiers, except uninformative ones such as "exports" and "this".
func (s *scriptScanner) targetName(t scriptTarget) (name, title string) {
	title = unquote(string(s.src[t.name:t.end]))
	if t.chain == t.name {
		return title, ""
	}
	whole := string(s.src[t.chain:t.end])
	if len(whole) > maxTitle {
		return title, ""
	}
	var named []string
	for part := range strings.SplitSeq(whole, ".") {
		switch part = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(part), "?")); part {
		case "exports", "module", "this", "self", "window", "globalThis", "global", "prototype":
		default:
			named = append(named, part)
		}
	}
	if len(named) == 0 {
		return title, strings.Join(strings.Fields(whole), "")
	}
	return strings.Join(named, "-"), strings.Join(strings.Fields(whole), "")
}

// unquote returns the text of a string without its quotes. Other text is returned
// unchanged.
func unquote(text string) string {
	if n := len(text); n >= 2 && (text[0] == '"' || text[0] == '\'' || text[0] == '`') && text[n-1] == text[0] {
		return text[1 : n-1]
	}
	return text
}
