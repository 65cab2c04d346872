// Package linkset gathers the links that a reader finds in a text, within
// limits on their number and size.
package linkset

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/relations"
)

// The kinds of links, as [relations.Link] has them.
const (
	Hyperlink = "hyperlink"
	Image     = "image"
	Import    = "import"
	Include   = "include"
	Citation  = "citation"
	Reference = "reference"
	Anchor    = "anchor"
)

const (
	maxLinks  = 200_000  // of one source
	maxBytes  = 32 << 20 // of their texts and targets
	maxText   = 200      // bytes
	maxTarget = 4 << 10  // bytes; a longer target is left out
	examined  = 4        // bytes of a text that are read for each that is kept
)

// A Set gathers links. The zero value is ready to use.
type Set struct {
	links []relations.Link
	bytes int
}

// Full reports whether no more links are kept.
func (s *Set) Full() bool { return len(s.links) >= maxLinks || s.bytes >= maxBytes }

// Add keeps a link that stands on the lines from first to last, if it may. The
// text may have markup of white space; a target with control characters, or
// that is not UTF-8, is no link.
func (s *Set) Add(first, last int, kind, text, target string) {
	s.AddTo(first, last, kind, text, target, citekit.Location{})
}

// AddTo is Add for a link to a place in the same source.
func (s *Set) AddTo(first, last int, kind, text, target string, to citekit.Location) {
	target = strings.TrimSpace(target)
	if s.Full() || target == "" && to.IsWhole() || !isTarget(target) {
		return
	}
	text = plain.Cut(plain.Line(plain.Cut(text, maxText*examined)), maxText)
	s.bytes += len(text) + len(target)
	s.links = append(s.links, relations.Link{
		From:   citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: max(first, last)}},
		Kind:   kind,
		Text:   strings.Clone(text),
		Target: strings.Clone(target),
		To:     to,
	})
}

// isTarget reports whether a target may be one.
func isTarget(target string) bool {
	return len(target) <= maxTarget && utf8.ValidString(target) &&
		!strings.ContainsFunc(target, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// Last returns the link that was added last, or nil. It may be changed until
// the next one is added.
func (s *Set) Last() *relations.Link {
	if len(s.links) == 0 {
		return nil
	}
	return &s.links[len(s.links)-1]
}

// Links returns what was gathered, by the first line.
func (s *Set) Links() []relations.Link {
	slices.SortStableFunc(s.links, func(a, b relations.Link) int {
		return cmp.Compare(a.From.Lines.First, b.From.Lines.First)
	})
	return s.links
}
