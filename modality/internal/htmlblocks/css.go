package htmlblocks

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Look is how the text of an element looks, as style sheets and attributes say. The zero
// Look is that of plain text.
type Look struct {
	Script Script
	Struck bool

	gone   bool // is not displayed, and nothing in it
	unseen bool // takes place without being seen
}

// Hidden reports whether the text is not seen.
func (l Look) Hidden() bool { return l.gone || l.unseen }

// Properties that change what text means.
const (
	display    = iota // 1: none, -1: other
	visibility        // 1: hidden, -1: visible
	strike            // 1: through, -1: none
	place             // 1: above the line, 2: below it, -1: on it
	properties
)

// A declaration is the value of a property; 0 for none. The greatest priority wins.
type declaration struct {
	value    int8
	priority uint64
}

type declarations [properties]declaration

func (d *declarations) put(property int, value int8, priority uint64) {
	if value != 0 && priority >= d[property].priority {
		d[property] = declaration{value, priority}
	}
}

// Priorities: that of an attribute hidden is 0. Below these bits are the numbers of ids, of
// classes and of tags in a selector, and the place in the sheets.
const (
	important = 1 << 62
	inStyle   = 1 << 61
	mayApply  = 1 << 60 // of a rule that depends on more, against those that do not
)

// A rule is what style sheets say of elements of a tag, an id and classes, each "" or none
// for any.
type rule struct {
	tag, id string
	classes []string
	declarations
}

// A Sheet is what style sheets say of the look of text: the rules that name elements by
// their tags, ids and classes. A nil one says nothing. Of rules that depend on more, as on
// other elements or on the pointer, only those count that show what others hide: nothing is
// left out that may be seen.
type Sheet struct {
	rules map[string][]*rule // by "#id", ".class" or tag, "*" for any
	known map[string]*rule   // by selector
	order uint64
	bytes int
}

// Bounds of a sheet, and of the work on an element.
const (
	maxSheet   = 4 << 20 // bytes
	maxRules   = 1 << 14
	maxNested  = 8   // blocks of @media in each other
	maxNamed   = 8   // classes in a selector
	maxClasses = 32  // of an element
	maxTests   = 128 // of rules for an element
)

// Add adds the rules of a style sheet, which precede those before. Those beyond its bounds are left out.
func (s *Sheet) Add(css string) {
	if s.bytes += len(css); s.bytes > maxSheet {
		return
	}
	if s.rules == nil {
		s.rules, s.known = make(map[string][]*rule), make(map[string]*rule)
	}
	s.read(withoutComments(css), false, 0)
}

func withoutComments(css string) string {
	var b strings.Builder
	for {
		i := nextMark(css, "/")
		b.WriteString(css[:i])
		if css = css[i:]; css == "" {
			return b.String()
		}
		if !strings.HasPrefix(css, "/*") {
			b.WriteByte('/')
			css = css[1:]
			continue
		}
		b.WriteByte(' ')
		end := strings.Index(css[2:], "*/")
		if end < 0 {
			return b.String()
		}
		css = css[end+4:]
	}
}

// nextMark returns the index of the first of some characters that is in no string and not
// escaped; len(css) if there is none.
func nextMark(css, marks string) int {
	quote := byte(0)
	for i := 0; i < len(css); i++ {
		switch c := css[i]; {
		case c == '\\':
			i++
		case quote != 0 && (c == quote || c == '\n'):
			quote = 0
		case quote != 0:
		case strings.IndexByte(marks, c) >= 0:
			return i
		case c == '"' || c == '\'':
			quote = c
		}
	}
	return len(css)
}

// braced returns what is in the block at the start of css, behind its brace, and what follows it.
func braced(css string) (inner, rest string) {
	depth := 1
	for i := 0; ; i++ {
		i += nextMark(css[i:], "{}")
		if i >= len(css) {
			return css, ""
		}
		if depth++; css[i] == '}' {
			if depth -= 2; depth == 0 {
				return css[:i], css[i+1:]
			}
		}
	}
}

// read reads rules, which may apply or do.
func (s *Sheet) read(css string, maybe bool, depth int) {
	for {
		css = strings.TrimLeft(css, " \t\r\n\f;}")
		css = strings.TrimPrefix(strings.TrimPrefix(css, "<!--"), "-->")
		i := nextMark(css, "{;")
		if i == len(css) {
			return
		}
		prelude := strings.TrimSpace(css[:i])
		at := strings.HasPrefix(prelude, "@")
		if css[i] == ';' {
			if at {
				css = css[i+1:]
				continue
			}
			if i += nextMark(css[i:], "{"); i == len(css) {
				return
			}
			prelude = "" // is no selector
		}
		var inner string
		inner, css = braced(css[i+1:])
		switch {
		case at && depth < maxNested:
			name, condition, _ := strings.Cut(strings.ToLower(prelude), " ")
			switch applies, may := mediaApplies(condition); {
			case name == "@media" && may:
				s.read(inner, maybe || !applies, depth+1)
			case name == "@layer":
				s.read(inner, maybe, depth+1)
			case name == "@supports" || name == "@container" || name == "@scope":
				s.read(inner, true, depth+1)
			}
		case !at:
			s.add(prelude, inner, maybe)
		}
	}
}

// mediaApplies reports whether a list of media has that of a screen, and whether it may.
func mediaApplies(list string) (applies, may bool) {
	for media := range strings.SplitSeq(strings.ToLower(list), ",") {
		switch media = strings.TrimPrefix(strings.TrimSpace(media), "only "); {
		case media == "" || media == "screen" || media == "all":
			applies, may = true, true
		case strings.HasPrefix(media, "screen") || strings.HasPrefix(media, "all") || strings.HasPrefix(media, "not") || strings.HasPrefix(media, "("):
			may = true
		}
	}
	return applies, may
}

// add adds the rules of a list of selectors.
func (s *Sheet) add(selectors, body string, maybe bool) {
	s.order++
	base := declare(body, s.order)
	if base == (declarations{}) {
		return
	}
	for selectors != "" {
		i := nextMark(selectors, ",([")
		for i < len(selectors) && selectors[i] != ',' { // of no list
			if end := strings.IndexByte(selectors[i:], map[byte]byte{'(': ')', '[': ']'}[selectors[i]]); end < 0 {
				return
			} else {
				i += end
			}
			i += nextMark(selectors[i:], ",([")
		}
		r, depends, ok := selected(selectors[:i])
		selectors = strings.TrimPrefix(selectors[i:], ",")
		if !ok {
			continue
		}
		by := uint64(0)
		if r.id != "" {
			by |= 1 << 52
		}
		if by |= uint64(min(len(r.classes), 255)) << 44; r.tag != "*" {
			by |= 1 << 36
		}
		if depends = depends || maybe; depends {
			by = mayApply
		}
		s.put(r, base, by, depends)
	}
}

// put adds a rule.
func (s *Sheet) put(r rule, base declarations, by uint64, maybe bool) {
	key, name := r.tag, r.tag+"#"+r.id+"."+strings.Join(r.classes, ".")
	switch {
	case r.id != "":
		key = "#" + r.id
	case len(r.classes) > 0:
		key = "." + r.classes[0]
	}
	known := s.known[name]
	if known == nil {
		if len(s.known) == maxRules {
			return
		}
		known = &r
		s.known[name], s.rules[key] = known, append(s.rules[key], known)
	}
	for property, d := range base {
		if maybe && (property > visibility || d.value > 0) {
			continue
		}
		known.put(property, d.value, d.priority|by)
	}
}

// selected returns the rule of the elements that a selector selects, and whether that
// depends on more. ok is false if it selects no elements.
func selected(selector string) (r rule, depends, ok bool) {
	selector = strings.TrimSpace(selector)
	r.tag = "*"
	ok = selector != ""
	for selector != "" && ok {
		switch c := selector[0]; c {
		case ' ', '\t', '\r', '\n', '\f', '>', '+', '~':
			selector = strings.TrimLeft(selector, " \t\r\n\f>+~")
			r, depends = rule{tag: "*"}, true
		case '*':
			selector = selector[1:]
		case '.', '#':
			var name string
			if name, selector = identifier(selector[1:]); name == "" {
				return r, depends, false
			}
			if c == '#' {
				depends, r.id = depends || r.id != "", name
			} else if r.classes = append(r.classes, name); len(r.classes) > maxNamed {
				return r, depends, false
			}
		case '[':
			end := nextMark(selector, "]")
			selector, depends = selector[min(end+1, len(selector)):], true
		case ':':
			var name string
			name, selector = identifier(strings.TrimPrefix(selector[1:], ":"))
			switch name = strings.ToLower(name); name {
			case "", "before", "after", "first-line", "first-letter", "marker", "selection", "placeholder", "backdrop":
				ok = false // no element
			}
			if strings.HasPrefix(selector, "(") {
				depth, i := 0, 0
				for {
					i += nextMark(selector[i:], "()")
					if i == len(selector) {
						return r, depends, false
					}
					if depth++; selector[i] == ')' {
						depth -= 2
					}
					if i++; depth == 0 {
						break
					}
				}
				selector = selector[i:]
			}
			depends = true
		default:
			if r.tag, selector = identifier(selector); r.tag == "" {
				ok = false
			}
			r.tag = strings.ToLower(r.tag)
		}
	}
	return r, depends, ok
}

// identifier returns the name at the start of css, with its escapes read, and what follows.
func identifier(css string) (name, rest string) {
	var b strings.Builder
	for css != "" {
		c := css[0]
		switch {
		case c >= 0x80, 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
			css = css[1:]
			continue
		case c != '\\' || len(css) == 1:
			return b.String(), css
		}
		css = css[1:]
		n := 0
		for n < min(len(css), 6) && strings.IndexByte("0123456789abcdefABCDEF", css[n]) >= 0 {
			n++
		}
		if n == 0 {
			_, n = utf8.DecodeRuneInString(css)
			b.WriteString(css[:n])
			css = css[n:]
			continue
		}
		code, _ := strconv.ParseUint(css[:n], 16, 32)
		b.WriteRune(rune(code))
		if css = css[n:]; css != "" && isSpace(rune(css[0])) {
			css = css[1:]
		}
	}
	return b.String(), ""
}

// declare reads declarations.
func declare(body string, priority uint64) (d declarations) {
	for body != "" {
		i := nextMark(body, ";{")
		one := body[:i]
		if body = body[i:]; strings.HasPrefix(body, "{") { // of a rule in it
			_, body = braced(body[1:])
			continue
		}
		body = strings.TrimPrefix(body, ";")
		name, value, _ := strings.Cut(one, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		switch name {
		case "display", "visibility", "text-decoration", "text-decoration-line", "vertical-align", "font-variant-position":
		default:
			continue
		}
		by := priority
		value = strings.ToLower(value)
		if before, after, ok := strings.Cut(value, "!"); ok && strings.TrimSpace(after) == "important" {
			value, by = before, by|important
		}
		property, set := valueOf(name, strings.TrimSpace(value))
		d.put(property, set, by)
	}
	return d
}

// valueOf returns what a declaration says of a property; 0 for nothing.
func valueOf(name, value string) (property int, set int8) {
	if value == "" || value == "inherit" || strings.Contains(value, "var(") {
		return 0, 0
	}
	switch name {
	case "display":
		if value == "none" {
			return display, 1
		}
		return display, -1
	case "visibility":
		switch value {
		case "hidden", "collapse":
			return visibility, 1
		case "visible", "initial":
			return visibility, -1
		}
		return visibility, 0
	case "text-decoration", "text-decoration-line":
		if strings.Contains(value, "line-through") {
			return strike, 1
		}
		return strike, -1
	}
	switch by := lift(value); {
	case value == "super" || by >= 1:
		return place, 1
	case value == "sub" || by <= -1:
		return place, 2
	case name == "vertical-align":
		return place, -1
	}
	return place, 0
}

// lift returns how far a length is, as a part of what raises text and does not only adjust
// it; 0 if it is none.
func lift(length string) float64 {
	for _, unit := range []struct {
		name string
		by   float64
	}{{"rem", .2}, {"em", .2}, {"ex", .4}, {"%", 20}, {"pt", 2}, {"px", 3}} {
		if number, ok := strings.CutSuffix(length, unit.name); ok {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil || n != n {
				return 0
			}
			return n / unit.by
		}
	}
	return 0
}

// Look returns how the text of an element looks that stands in text of a look. The element
// has attributes class, id, style and hidden; attr returns their values.
func (s *Sheet) Look(around Look, tag string, attr func(name string) (value string, ok bool)) Look {
	var d declarations
	if value, ok := attr("hidden"); ok && !strings.EqualFold(value, "until-found") {
		d.put(display, 1, 0)
	}
	if s != nil && len(s.rules) > 0 {
		s.match(&d, tag, attr)
	}
	if style, ok := attr("style"); ok {
		for property, own := range declare(withoutComments(style), inStyle) {
			d.put(property, own.value, own.priority)
		}
	}
	l := around
	l.gone = l.gone || d[display].value > 0
	if d[visibility].value != 0 {
		l.unseen = d[visibility].value > 0
	}
	l.Struck = l.Struck || d[strike].value > 0
	if by := d[place].value; by > 0 && kindOf(atom.Lookup([]byte(tag)), tag) == inline && !isPart(atom.Lookup([]byte(tag))) {
		l.Script = Above + Script(by-1)
	}
	return l
}

// match adds what rules say of an element.
func (s *Sheet) match(d *declarations, tag string, attr func(string) (string, bool)) {
	id, _ := attr("id")
	list, _ := attr("class")
	classes := make(map[string]bool)
	left := maxTests
	try := func(key string) {
		rules := s.rules[key]
		rules = rules[:min(len(rules), left)]
		left -= len(rules)
		for _, r := range rules {
			if (r.tag == "*" || r.tag == tag) && (r.id == "" || r.id == id) && hasAll(classes, r.classes) {
				for property, own := range r.declarations {
					d.put(property, own.value, own.priority)
				}
			}
		}
	}
	var order []string
	for class := range strings.FieldsSeq(list) {
		if len(order) < maxClasses && !classes[class] {
			classes[class], order = true, append(order, class)
		}
	}
	if id != "" {
		try("#" + id)
	}
	for _, class := range order {
		try("." + class)
	}
	try(tag)
	try("*")
}

func hasAll(have map[string]bool, want []string) bool {
	for _, class := range want {
		if !have[class] {
			return false
		}
	}
	return true
}

// Styles returns the style sheets in a page, or nil if it has none.
func Styles(page []byte, xml bool) *Sheet {
	if !hasFold(page, "<style") {
		return nil
	}
	var s Sheet
	tokens := html.NewTokenizer(bytes.NewReader(page))
	tokens.AllowCDATA(xml)
	hidden, within, reads := atom.Atom(0), 0, false // what is in them has no effect
	for {
		kind := tokens.Next()
		switch kind {
		case html.ErrorToken:
			if len(s.rules) == 0 {
				return nil
			}
			return &s
		case html.TextToken:
			if reads {
				s.Add(string(tokens.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, more := tokens.TagName()
			if xml {
				name = name[bytes.IndexByte(name, ':')+1:]
			}
			tag := atom.Lookup(name)
			if kind == html.SelfClosingTagToken && xml {
				tokens.NextIsNotRawText()
				continue
			}
			starts := kind != html.EndTagToken
			reads = starts && tag == atom.Style && hidden == 0 && isSheet(tagAttrs(tokens, more))
			switch {
			case hidden == 0 && starts && (tag == atom.Noscript || tag == atom.Template):
				hidden, within = tag, 1
			case hidden != 0 && tag == hidden && starts:
				within++
			case hidden != 0 && tag == hidden:
				if within--; within == 0 {
					hidden = 0
				}
			}
		}
	}
}

// isSheet reports whether an element style or link with attributes has rules for a screen.
func isSheet(attrs map[string]string) bool {
	applies, _ := mediaApplies(attrs["media"])
	kind := strings.ToLower(strings.TrimSpace(attrs["type"]))
	return applies && (kind == "" || strings.HasPrefix(kind, "text/css"))
}

// IsSheet reports whether a link whose attributes attr returns leads to a style sheet that
// applies to a screen.
func IsSheet(attr func(name string) string) bool {
	rel := strings.ToLower(attr("rel"))
	return strings.Contains(rel, "stylesheet") && !strings.Contains(rel, "alternate") && isSheet(map[string]string{"media": attr("media"), "type": attr("type")})
}

func tagAttrs(tokens *html.Tokenizer, more bool) map[string]string {
	var attrs map[string]string
	for more {
		var key, value []byte
		if key, value, more = tokens.TagAttr(); attrs == nil {
			attrs = make(map[string]string)
		}
		if _, known := attrs[string(key)]; !known {
			attrs[string(key)] = string(value)
		}
	}
	return attrs
}

// hasFold reports whether text has a word in any case, which is in lower case and ASCII.
func hasFold(text []byte, word string) bool {
	for {
		i := bytes.IndexAny(text, word[:1]+strings.ToUpper(word[:1]))
		if i < 0 || len(text)-i < len(word) {
			return false
		}
		if bytes.EqualFold(text[i:i+len(word)], []byte(word)) {
			return true
		}
		text = text[i+1:]
	}
}

// lookOfTag returns how the text looks in an element with a start tag.
func (s *Sheet) lookOfTag(around Look, tag []byte, xml bool) Look {
	tokens := html.NewTokenizer(bytes.NewReader(tag))
	if kind := tokens.Next(); kind != html.StartTagToken && kind != html.SelfClosingTagToken {
		return around
	}
	name, more := tokens.TagName()
	if xml {
		name = name[bytes.IndexByte(name, ':')+1:]
	}
	element, attrs := string(name), tagAttrs(tokens, more)
	return s.Look(around, element, func(name string) (string, bool) {
		value, ok := attrs[name]
		return value, ok
	})
}
