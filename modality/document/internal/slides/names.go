package slides

import (
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// chartex is the namespace of the charts that Office 2016 introduced.
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
// is the token at hand, and steps to its End. It skips the parts of a child that
// visit does not read.
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
// is the token at hand, at any depth, and steps to its End. It visits only the
// first of several alternatives, because the others repeat its content.
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

// choices records the depths at which an alternative was visited.
type choices map[int]bool

// passes reports whether the Start at hand begins an alternative that repeats the
// content of one already visited.
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
