// Package linkset gathers the links that a reader finds in a text. It limits
// their number and size, cleans their texts, and refuses invalid targets. The
// links are returned in the order of their lines.
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

// The kinds of links, see [relations.Link].
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
	examined  = 4        // bytes of a text that are read for each byte that is kept
)

// A Set gathers links. The zero value is ready to use.
type Set struct {
	links []relations.Link
	bytes int
}

// Full reports whether no more links are kept.
func (s *Set) Full() bool { return len(s.links) >= maxLinks || s.bytes >= maxBytes }

// Add adds a link on the lines from first to last, unless a limit is reached.
// White space in the text is normalized. A link whose target has control
// characters or is not UTF-8 is left out.
func (s *Set) Add(first, last int, kind, text, target string) {
	s.addTo(first, last, kind, text, target, citekit.Location{})
}

// addTo is like Add for a link to a place in the same source.
func (s *Set) addTo(first, last int, kind, text, target string, to citekit.Location) {
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

// isTarget reports whether a target is valid.
func isTarget(target string) bool {
	return len(target) <= maxTarget && utf8.ValidString(target) &&
		!strings.ContainsFunc(target, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// Links returns the links in the order of their first lines.
func (s *Set) Links() []relations.Link {
	slices.SortStableFunc(s.links, func(a, b relations.Link) int {
		return cmp.Compare(a.From.Lines.First, b.From.Lines.First)
	})
	return s.links
}
