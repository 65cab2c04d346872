package markup

import (
	"bytes"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/sentence"
)

const (
	maxNesting = 64   // depth of nodes
	maxTitle   = 300  // bytes
	maxSummary = 300  // bytes
	maxProse   = 700  // bytes of a section that are read for its summary
	maxInline  = 1024 // bytes of a title that are read for its markup
)

// A heading begins a section.
type heading struct {
	level int // a lower number is a higher level
	line  int // the first line of the heading, from 1
	title string
	prose string // beginning of the text below it, without markup

	// source is the position of the markup, for readers that render titles at
	// the end.
	source source
}

// A source is the markup of a heading and of the first paragraphs below it, as
// byte offsets.
type source struct {
	title  span
	prose  [3]span
	proses int
}

// A span is a half-open run of bytes.
type span struct{ start, end int }

// An outline collects the findings of a reader.
type outline struct {
	src   []byte
	lines int // number of lines in src

	title    string
	facts    about.Facts
	headings []heading

	bodyLine int     // first line after front matter, from 1
	before   heading // text before the first heading

	counts  map[int]int // headings by level
	strides map[int]int // of every so many headings of a level one is kept; 0 means all
	seen    map[int]int // headings by level, including dropped ones
	deepest int         // headings of a deeper level are dropped; 0 means none are
	kept    bool        // whether the last heading was kept
}

func newOutline(src []byte) *outline {
	return &outline{
		src: src, lines: countLines(src), bodyLine: 1,
		counts: make(map[int]int), strides: make(map[int]int), seen: make(map[int]int),
	}
}

func countLines(src []byte) int {
	n := bytes.Count(src, []byte("\n"))
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return n
}

// add adds a heading, which is at or below the previous ones. If there are more
// than a map can have, it thins them out.
func (o *outline) add(h heading) {
	o.kept = o.wants(h.level)
	if !o.kept {
		return
	}
	o.headings = append(o.headings, h)
	o.counts[h.level]++
	for len(o.headings) >= about.MaxMappedNodes {
		o.coarsen()
	}
}

func (o *outline) wants(level int) bool {
	if o.deepest != 0 && level > o.deepest {
		return false
	}
	o.seen[level]++
	stride := o.strides[level]
	return stride == 0 || (o.seen[level]-1)%stride == 0
}

// coarsen drops the headings of the deepest level or, if hardly any would
// remain, every second one of them.
func (o *outline) coarsen() {
	deepest := 0
	for level := range o.counts {
		deepest = max(deepest, level)
	}
	if rest := len(o.headings) - o.counts[deepest]; rest >= about.MaxMappedNodes/100 {
		o.drop(deepest, func(int) bool { return false })
		delete(o.counts, deepest)
		o.deepest = deepest - 1
		return
	}
	o.drop(deepest, func(i int) bool { return i%2 == 0 })
	o.counts[deepest] = (o.counts[deepest] + 1) / 2
	o.strides[deepest] = max(o.strides[deepest], 1) * 2
}

// drop removes the headings of a level that keep rejects by index, from 0,
// among the headings of that level.
func (o *outline) drop(level int, keep func(i int) bool) {
	last, i := o.headings[len(o.headings)-1].line, 0
	o.headings = slices.DeleteFunc(o.headings, func(h heading) bool {
		if h.level != level {
			return false
		}
		i++
		return !keep(i - 1)
	})
	o.kept = len(o.headings) > 0 && o.headings[len(o.headings)-1].line == last
}

// current returns the heading that text now belongs to, or nil if that heading
// was dropped.
func (o *outline) current() *heading {
	switch {
	case len(o.seen) == 0:
		return &o.before
	case !o.kept || len(o.headings) == 0:
		return nil
	}
	return &o.headings[len(o.headings)-1]
}

// addProse adds text, without markup, to the current section.
func (o *outline) addProse(text string) {
	h := o.current()
	if h == nil || len(h.prose) >= maxProse {
		return
	}
	if h.prose != "" {
		h.prose += " "
	}
	h.prose += plain.Cut(text, maxProse)
}

// wantsProse reports whether the current section needs more text for its
// summary.
func (o *outline) wantsProse() bool {
	h := o.current()
	return h != nil && len(h.prose) < maxSummary
}

// structure returns the headings as a tree.
func (o *outline) structure() *citekit.Draft {
	s := &citekit.Draft{Title: plain.Words(o.title, maxTitle), Method: "headings", Metadata: make(map[string]any)}
	o.facts.Note(s.Metadata)
	if len(o.headings) == 0 {
		return s
	}
	if n := o.preamble(); n != nil {
		s.Nodes = append(s.Nodes, n)
	}
	s.Nodes = append(s.Nodes, o.sections()...)
	return s
}

// onlyTitle returns the title of the first heading if no other has the same or
// a higher level.
func (o *outline) onlyTitle() string {
	for i, h := range o.headings {
		if i > 0 && h.level <= o.headings[0].level {
			return ""
		}
	}
	if len(o.headings) == 0 {
		return ""
	}
	return o.headings[0].title
}

// preamble returns a node for the text before the first heading, or nil.
func (o *outline) preamble() *citekit.Node {
	last := o.headings[0].line - 1
	first := 0
	for line, text := range linesOf(o.src) {
		if line > last {
			break
		}
		if line >= o.bodyLine && len(bytes.TrimSpace(text)) > 0 {
			first = line
			break
		}
	}
	if first == 0 {
		return nil
	}
	return &citekit.Node{
		ID:       "preamble",
		Type:     "passage",
		Location: lineRange(first, last),
		Summary:  sentence.Lead(o.before.prose, maxSummary),
	}
}

// sections nests the headings: each belongs to the closest earlier one of a
// higher level.
func (o *outline) sections() []*citekit.Node {
	type open struct {
		level int
		node  *citekit.Node
	}
	var roots []*citekit.Node
	var stack []open
	closeTo := func(level, end int) {
		for len(stack) > 0 && (stack[len(stack)-1].level >= level || len(stack) >= maxNesting) {
			endSection(stack[len(stack)-1].node, end)
			stack = stack[:len(stack)-1]
		}
	}
	for _, h := range o.headings {
		closeTo(h.level, h.line-1)
		node := h.node()
		if len(stack) == 0 {
			roots = append(roots, node)
		} else {
			parent := stack[len(stack)-1].node
			parent.Children = append(parent.Children, node)
		}
		stack = append(stack, open{h.level, node})
	}
	for len(stack) > 0 {
		endSection(stack[len(stack)-1].node, o.lines)
		stack = stack[:len(stack)-1]
	}
	return roots
}

// endSection ends a section at line, or later if the section begins or a
// subsection ends later: several HTML headings may share a line.
func endSection(n *citekit.Node, line int) {
	last := max(n.Location.Lines.First, line)
	if k := len(n.Children); k > 0 {
		last = max(last, n.Children[k-1].Location.Lines.Last)
	}
	n.Location.Lines.Last = last
}

func (h *heading) node() *citekit.Node {
	return &citekit.Node{
		Title:    plain.Words(h.title, maxTitle),
		Type:     "section",
		Location: lineRange(h.line, h.line),
		Summary:  sentence.Lead(h.prose, maxSummary),
	}
}

func lineRange(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: last}}
}
