package data

import (
	"bytes"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sentence"
)

const (
	enoughLines = 40 // lines after which a passage may end
	mostLines   = 120
	enoughBytes = 2_000
	mostBytes   = 4_000
	minCapital  = 500 // bytes of a passage after which a line in capitals ends it

	maxPassages     = 10_000
	maxLineHead     = 2 << 10
	maxPassageHead  = 4 * maxSummary
	maxPassageTitle = 100
)

// mapProse groups paragraphs into passages. A passage ends before a heading such as
// CHAPTER IV, or, once it is long enough, at a blank line. Files in diffs, messages
// in mailboxes and sections of manual pages also begin passages. The title of a
// passage is the first sentence in prose, and the first line without comment marks in
// other text.
func mapProse(r *reader, prose bool) (*citekit.Draft, error) {
	head := r.rest()
	p := proseMapper{prose: prose, runs: newRuns(maxPassages), marks: markerOf(head)}
	documentTitle := ""
	if prose && p.marks == nil {
		documentTitle = titleAbove(head)
	}
	line := 0
	r.eachLine(maxLineHead, func(head []byte, size int64) {
		line++
		p.line(head, line, size)
	})
	p.endParagraph()
	p.endPassage()
	s := &citekit.Draft{Title: documentTitle, Nodes: p.runs.nodes(), Method: "passages", Metadata: map[string]any{"format": string(Prose)}}
	if !prose {
		s.Method, s.Metadata["format"] = "lines", string(Lines)
	}
	if len(s.Nodes) == 0 { // only white space
		s.Nodes = []*citekit.Node{{Type: "passage", Location: linesAt(1, max(line, 1))}}
	}
	return s, nil
}

// A passage is a run of lines with the beginning of its text.
type passage struct {
	first, last int // lines, from 1; 0 for none
	size        int64
	head        []byte
	heading     heading // kind of heading in its first line
	title       string  // "" if its text gives the title
	inner       bool    // whether it begins inside something, such as a function
}

func (p *passage) lines() int { return p.last - p.first + 1 }

// take appends next, which follows p.
func (p *passage) take(next *passage) {
	if p.first == 0 {
		p.first, p.heading, p.title, p.inner = next.first, next.heading, next.title, next.inner
	}
	p.last = next.last
	p.size += next.size
	if room := maxPassageHead - len(p.head); room > 0 {
		p.head = append(append(p.head, next.head[:min(len(next.head), room)]...), '\n')
	}
}

// reset empties p and keeps its memory.
func (p *passage) reset() { *p = passage{head: p.head[:0]} }

type proseMapper struct {
	prose     bool
	runs      *runs
	marks     marker // nil if there is none
	open      passage
	paragraph passage
}

func (p *proseMapper) line(head []byte, line int, size int64) {
	if len(bytes.TrimSpace(head)) == 0 {
		p.endParagraph()
		return
	}
	next := passage{first: line, last: line, size: size, head: head, inner: isInner(head)}
	if p.marks != nil {
		p.mark(head, &next)
	}
	switch {
	case p.paragraph.first == 0 && next.heading == none:
		next.heading = headingOf(head)
	case p.paragraph.first != 0 && p.paragraph.lines() == 1:
		p.paragraph.noteSecond(head)
	}
	p.paragraph.take(&next)
	long := p.paragraph.size >= mostBytes || p.paragraph.lines() >= mostLines
	fair := p.paragraph.size >= enoughBytes || p.paragraph.lines() >= enoughLines
	if long || fair && p.mayEnd(head) {
		p.endParagraph()
	}
}

// mark begins a passage if the line is marked, and records the title of a message.
func (p *proseMapper) mark(head []byte, next *passage) {
	if title, ok := p.marks(head); ok {
		p.endParagraph()
		p.endPassage()
		next.heading, next.title = marked, title
		return
	}
	if p.paragraph.heading == marked && p.paragraph.title == "" {
		p.paragraph.title = subject(head)
	}
}

// mayEnd reports whether a long paragraph may end with the line: it ends a sentence
// or, in code, a block.
func (p *proseMapper) mayEnd(line []byte) bool {
	if p.prose {
		return endsSentence(line)
	}
	return strings.IndexByte("})]", line[0]) >= 0 || endsSentence(line)
}

// isInner reports whether a line of code is indented or begins with a closing
// bracket.
func isInner(line []byte) bool { return strings.IndexByte(" \t})]", line[0]) >= 0 }

// endParagraph adds the paragraph to the open passage, or begins a passage with it.
func (p *proseMapper) endParagraph() {
	next := &p.paragraph
	if next.first == 0 {
		return
	}
	if next.heading == capitals && next.lines() > 1 { // a heading stands alone
		next.heading = none
	}
	if p.open.first != 0 && p.breaks(next) {
		p.endPassage()
	}
	p.open.take(next)
	next.reset()
}

// breaks reports whether next begins a new passage.
func (p *proseMapper) breaks(next *passage) bool {
	size, lines := p.open.size, next.first-p.open.first
	switch {
	case next.heading == chapter && p.open.heading == chapter && p.open.last-p.open.first < 3:
		return false // such as PART ONE before CHAPTER I
	case next.heading == chapter:
		return true
	case (next.heading == capitals || next.heading == above) && size >= minCapital:
		return true
	case !p.prose && next.inner && size < mostBytes && next.last-p.open.first < mostLines:
		return false
	case size >= enoughBytes || lines >= enoughLines:
		return true
	}
	tooLong := size+next.size > mostBytes || next.last-p.open.first+1 > mostLines
	return tooLong && (2*size >= enoughBytes || 2*lines >= enoughLines)
}

func (p *proseMapper) endPassage() {
	if p.open.first == 0 {
		return
	}
	n := &citekit.Node{Type: "passage", Location: linesAt(p.open.first, p.open.last)}
	text := p.open.head
	n.Title, text = p.titleOf(text)
	if line, rest, _ := bytes.Cut(text, []byte("\n")); isRule(line) {
		text = rest
	}
	if p.prose {
		n.Summary = sentence.Lead(string(text), maxSummary)
	}
	p.runs.append(run{node: n, count: p.open.lines(), size: p.open.size})
	p.open.reset()
}
