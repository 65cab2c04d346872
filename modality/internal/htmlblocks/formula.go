package htmlblocks

import "strings"

// A Formula reads a formula of MathML, so that digits of different parts of it do not become
// one number: ½ is 1/2, and not 12.
type Formula struct {
	open    []mathElement // the innermost last; the first is around the formula
	skipped int           // elements that are open in one that is too deep
}

// maxMathDepth is how deep parts of formulas are read within others.
const maxMathDepth = 64

type mathElement struct {
	name  string
	attr  func(name string) (string, bool)
	parts []mathPart
}

// A mathPart is a child: an element, or characters, which have no name. Two that are bare
// stand beside each other as they are.
type mathPart struct {
	name, text string
	bare       bool
}

// Start opens an element by its local name. Attr returns its attributes; it is called before
// the element is closed.
func (f *Formula) Start(name string, attr func(name string) (string, bool)) {
	if len(f.open) > maxMathDepth {
		if f.skipped++; f.skipped == 1 {
			f.add(mathPart{name, "…", true})
		}
		return
	}
	f.begin()
	f.open = append(f.open, mathElement{name: name, attr: attr})
}

func (f *Formula) begin() {
	if len(f.open) == 0 {
		f.open = append(f.open, mathElement{})
	}
}

// Text adds characters.
func (f *Formula) Text(text string) {
	if text != "" && f.skipped == 0 {
		f.add(mathPart{"", text, true})
	}
}

func (f *Formula) add(p mathPart) {
	f.begin()
	top := &f.open[len(f.open)-1]
	top.parts = append(top.parts, p)
}

// End closes the innermost open element with a name, and those in it.
func (f *Formula) End(name string) {
	if f.skipped > 0 {
		f.skipped--
		return
	}
	for i := len(f.open) - 1; i > 0; i-- {
		if f.open[i].name == name {
			f.closeTo(i)
			return
		}
	}
}

// closeTo closes all but the n outermost elements.
func (f *Formula) closeTo(n int) {
	for len(f.open) > n {
		last := &f.open[len(f.open)-1]
		text, bare := last.read()
		f.open = f.open[:len(f.open)-1]
		f.add(mathPart{last.name, text, bare})
	}
}

// String closes all elements and returns the formula on one line.
func (f *Formula) String() string {
	f.begin()
	f.closeTo(1)
	text, _ := f.open[0].joined()
	return strings.Join(strings.FieldsFunc(text, isSpace), " ")
}

// Bare reports whether a formula that was returned is only characters beside each other, so
// that its digits may be of a number around it.
func (f *Formula) Bare() bool {
	_, bare := f.open[0].joined()
	return bare
}

// Touch reports whether a digit ends one text and one begins the next, if only above the line.
func Touch(before, next string) bool {
	if before == "" || !strings.Contains(digits, before[len(before)-1:]) {
		return false
	}
	for _, r := range next {
		return strings.ContainsRune(digits+"⁰¹²³⁴⁵⁶⁷⁸⁹", r)
	}
	return false
}

// members returns the texts of the elements and characters in e that are no white space, and
// at least n.
func (e *mathElement) members(n int) []string {
	var all []string
	for _, p := range e.parts {
		if text := strings.TrimFunc(p.text, isSpace); text != "" || p.name != "" {
			all = append(all, text)
		}
	}
	for len(all) < n {
		all = append(all, "")
	}
	return all
}

// joined returns the texts of the children, with a space between digits that are not of one
// number, and whether all are bare.
func (e *mathElement) joined() (text string, bare bool) {
	var b strings.Builder
	bare = true
	apart := false // what comes is not of the number before
	for _, p := range e.parts {
		if bare, apart = bare && p.bare, apart || !p.bare; p.text == "" {
			continue
		}
		if apart && Touch(b.String(), p.text) {
			b.WriteByte(' ')
		}
		b.WriteString(p.text)
		apart = !p.bare
	}
	return b.String(), bare
}

// invisible are the operators that are not seen.
var invisible = strings.NewReplacer("\u2061", "", "\u2062", "", "\u2063", "", "\u2064", "")

// read returns the text of an element, and whether it is bare.
func (e *mathElement) read() (text string, bare bool) {
	switch e.name {
	case "mo":
		text, _ = e.joined()
		text = invisible.Replace(text)
		return text, text != ""
	case "sup", "sub":
		text, bare = e.joined()
		if e.name == "sub" {
			return Below.Write(text), bare
		}
		return Above.Write(text), bare
	case "mfrac":
		m := e.members(2)
		if line, _ := e.attr("linethickness"); strings.HasPrefix(line, "0") && !strings.ContainsAny(line, "123456789") {
			return "(" + m[0] + " " + m[1] + ")", false
		}
		return Fraction(m[0], m[1]), false
	case "msup":
		m := e.members(2)
		return Base(m[0]) + Power(m[1]), false
	case "mover":
		m := e.members(2)
		if strings.ContainsFunc(m[1], isWordRune) {
			m[1] = Power(m[1])
		}
		return m[0] + m[1], false
	case "msub", "munder":
		m := e.members(2)
		return Base(m[0]) + Index(m[1]), false
	case "msubsup", "munderover":
		m := e.members(3)
		return Base(m[0]) + Index(m[1]) + Power(m[2]), false
	case "mmultiscripts":
		return e.scripts(), false
	case "msqrt":
		text, _ = e.joined()
		return Root("", text), false
	case "mroot":
		m := e.members(2)
		return Root(m[1], m[0]), false
	case "mfenced":
		return e.fenced(), false
	case "mtable":
		return strings.Join(e.members(0), "; "), false
	case "mtr", "mlabeledtr":
		return strings.Join(e.members(0), " "), false
	case "maction", "semantics":
		return e.members(1)[0], false
	case "menclose":
		text, bare = e.joined()
		if lines, _ := e.attr("notation"); strings.Contains(lines, "strike") && text != "" {
			return "~~" + text + "~~", false
		}
		return text, bare
	case "mphantom", "annotation", "annotation-xml", "none", "mprescripts":
		return "", false
	case "mspace":
		return " ", false
	}
	return e.joined()
}

func isWordRune(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// scripts returns the text of indexes and powers on both sides of the first element.
func (e *mathElement) scripts() string {
	var sides [2]strings.Builder
	side, n := 0, -1
	base := ""
	for _, p := range e.parts {
		switch {
		case p.name == "":
			continue
		case p.name == "mprescripts":
			side, n = 1, 0
			continue
		case n < 0:
			base = p.text
		case p.text != "" && n%2 == 0:
			sides[side].WriteString(Index(p.text))
		case p.text != "":
			sides[side].WriteString(Power(p.text))
		}
		n++
	}
	return sides[1].String() + base + sides[0].String()
}

// fenced returns the text of an mfenced, whose signs are its attributes.
func (e *mathElement) fenced() string {
	get := func(name, usual string) string {
		if value, ok := e.attr(name); ok {
			return value
		}
		return usual
	}
	sep := []rune(strings.Join(strings.Fields(get("separators", ",")), ""))
	var b strings.Builder
	b.WriteString(get("open", "("))
	for i, m := range e.members(0) {
		if i > 0 && len(sep) > 0 {
			b.WriteRune(sep[min(i, len(sep))-1])
		} else if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(m)
	}
	return b.String() + get("close", ")")
}
