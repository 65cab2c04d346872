package ooxml

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// maxWithin is how deep parts of formulas are read within others.
const maxWithin = 32

// A Formulas reads the parts of formulas (ECMA-376, part 1, section 22.1), such as fractions,
// so that digits of different parts do not become one number.
type Formulas struct {
	// Part returns the text of the element whose Start is the token at hand.
	Part func(s *xmlspan.Scanner) string

	Within int // parts that are open
}

// Read reads the part of a formula whose Start is the token at hand, as it is to be written
// after before, and reports whether it is one. Otherwise it reads nothing.
func (f Formulas) Read(s *xmlspan.Scanner, before string) (string, bool) {
	if s.Space != "m" {
		return "", false
	}
	switch s.Local {
	case "f", "rad", "nary", "d", "m", "eqArr", "sub", "sup", "lim", "sSup", "sSub", "sSubSup", "phant", "borderBox":
	default:
		return "", false
	}
	if f.Within >= maxWithin {
		s.Skip()
		return "…", true
	}
	text, apart := "", true
	switch parts := f.parts; s.Local {
	case "f":
		p := parts(s)
		if text = htmlblocks.Fraction(p.first("num"), p.first("den")); p.set["type"] == "noBar" {
			text = "(" + strings.TrimSpace(p.first("num")) + " " + strings.TrimSpace(p.first("den")) + ")"
		}
	case "rad":
		p := parts(s)
		text = htmlblocks.Root(p.first("deg"), p.first("e"))
	case "nary":
		p := parts(s)
		text = cmp.Or(p.set["chr"], "∫") + p.first("sub") + p.first("sup") + " " + p.first("e")
	case "d":
		p := parts(s)
		begin, sep, end := p.sign("begChr", "("), p.sign("sepChr", "|"), p.sign("endChr", ")")
		text, apart = begin+strings.Join(p.all["e"], sep)+end, false
	case "m", "eqArr":
		p := parts(s)
		text = strings.Join(append(p.all["mr"], p.all["e"]...), "; ")
	case "sSup", "sSub", "sSubSup":
		p := parts(s)
		text, apart = htmlblocks.Base(p.first("e"))+p.first("sub")+p.first("sup"), false
	case "phant":
		if p := parts(s); p.set["show"] != "0" && p.set["show"] != "off" && p.set["show"] != "false" {
			text, apart = p.first("e"), false
		}
	case "borderBox":
		p := parts(s)
		if text, apart = p.first("e"), false; p.struck && text != "" {
			text = "~~" + text + "~~"
		}
	case "sub", "lim":
		text, apart = htmlblocks.Index(f.Part(s)), false
	case "sup":
		text, apart = htmlblocks.Power(f.Part(s)), false
	}
	if r, _ := utf8.DecodeLastRuneInString(before); apart && text != "" && strings.ContainsRune("0123456789⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", r) {
		text = " " + text
	}
	return text, true
}

// formulaParts are the parts of a formula by their names, and what its properties set.
type formulaParts struct {
	all map[string][]string
	set map[string]string

	struck bool // lines go through it
}

func (p formulaParts) first(name string) string {
	if len(p.all[name]) == 0 {
		return ""
	}
	return p.all[name][0]
}

// sign returns a sign that properties set, which may be none.
func (p formulaParts) sign(name, usual string) string {
	if set, ok := p.set[name]; ok {
		return set
	}
	return usual
}

// parts reads the parts of the element whose Start is the token at hand.
func (f Formulas) parts(s *xmlspan.Scanner) formulaParts {
	p := formulaParts{all: make(map[string][]string), set: make(map[string]string)}
	for range s.Starts() {
		name := s.Local
		switch {
		case s.Space != "m":
		case strings.HasSuffix(name, "Pr"):
			for range s.Starts() {
				value, ok := s.Attr("m", "val")
				if ok {
					p.set[s.Local] = value
				}
				if strings.HasPrefix(s.Local, "strike") {
					p.struck = p.struck || value != "0" && value != "off" && value != "false"
				}
			}
		case name == "mr":
			row := f.parts(s)
			p.all[name] = append(p.all[name], strings.Join(row.all["e"], " "))
		case name == "sub":
			p.all[name] = append(p.all[name], htmlblocks.Index(f.Part(s)))
		case name == "sup":
			p.all[name] = append(p.all[name], htmlblocks.Power(f.Part(s)))
		default:
			p.all[name] = append(p.all[name], f.Part(s))
		}
	}
	return p
}
