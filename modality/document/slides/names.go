package slides

import (
	"strings"

	"github.com/citekit/citekit/internal/ooxml"
	"github.com/citekit/citekit/internal/xmlspan"
)

// chartex is the namespace of the charts that came with Office 2016.
const chartex = "http://schemas.microsoft.com/office/drawing/2014/chartex"

// scan returns a scanner of a part, with short names for namespaces.
func scan(text string) *xmlspan.Scanner {
	s := xmlspan.New(text)
	s.Namespace = func(uri string) string {
		if uri == chartex {
			return "cx"
		}
		return ooxml.Namespace(uri)
	}
	return s
}

// children calls visit at the Start of each child of the element whose Start
// is the token at hand, and steps to its End. What visit leaves of a child is
// passed over.
func children(s *xmlspan.Scanner, visit func()) {
	depth := s.Depth
	for s.Next() {
		if s.Kind == xmlspan.End && s.Depth == depth {
			return
		}
		if s.Kind != xmlspan.Start || s.Depth != depth+1 {
			continue
		}
		visit()
		if s.Kind == xmlspan.Start && s.Depth == depth+1 {
			s.Skip()
		}
	}
}

// descend calls visit at the Start of each element within the one whose Start
// is the token at hand, at any depth, and steps to its End. Of alternatives it
// takes the first: the others say the same again.
func descend(s *xmlspan.Scanner, visit func()) {
	depth := s.Depth
	var alternatives choices
	for s.Next() {
		if s.Kind == xmlspan.End && s.Depth == depth {
			return
		}
		if s.Kind != xmlspan.Start {
			continue
		}
		if alternatives.passes(s) {
			s.Skip()
			continue
		}
		visit()
	}
}

// choices remembers at which depths an alternative was taken.
type choices map[int]bool

// passes reports whether the Start at hand is of an alternative that says again
// what another one said.
func (c *choices) passes(s *xmlspan.Scanner) bool {
	if s.Space != "mc" {
		return false
	}
	if *c == nil {
		*c = make(choices)
	}
	switch s.Local {
	case "AlternateContent":
		delete(*c, s.Depth+1)
	case "Choice":
		again := (*c)[s.Depth]
		(*c)[s.Depth] = true
		return again
	case "Fallback":
		return (*c)[s.Depth]
	}
	return false
}

// chars returns the characters of the element whose Start is the token at
// hand, and steps to its End.
func chars(s *xmlspan.Scanner) string {
	depth := s.Depth
	var text strings.Builder
	for s.Next() {
		switch {
		case s.Kind == xmlspan.End && s.Depth == depth:
			return text.String()
		case s.Kind == xmlspan.Text:
			text.WriteString(s.Value())
		}
	}
	return text.String()
}
