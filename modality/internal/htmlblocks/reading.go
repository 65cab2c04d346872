package htmlblocks

import (
	"bytes"
	"cmp"
	"context"
	"html"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// A ShownText is the text that a page shows, laid out to be read, and where it stands in
// the page. It does not change.
type ShownText struct {
	Text  string // ends with LF unless it is empty
	marks []mark
	long  []longPart
}

// A longPart is a formula on several lines of the page, whose text counts to the first of
// them: where the text is, and the last line.
type longPart struct {
	Span
	line int
}

// A mark says on which line of the page the text stands from an offset up to the next
// mark. Offset and line grow from mark to mark.
type mark struct{ at, line int }

// Read returns the text of a page, which is UTF-8 with LF at the end of each line. The
// words are those of [Text]. A blank line stands between blocks and between items of
// lists. Where a line of the page ends within a block, so does one of the text; but a row
// of a table is one line unless a cell has more than words.
// The text is empty if it would stand on more than 1,048,576 lines. Read fails only with
// ctx.Err().
func Read(ctx context.Context, page []byte, xml bool) (*ShownText, error) {
	if bytes.IndexByte(page, '\r') >= 0 {
		page = bytes.ReplaceAll(page, []byte("\r"), []byte(" ")) // it ends no line
	}
	t := newTextReader(page, xml, Styles(page, xml), Look{})
	t.layout, t.scripted = &layout{line: 1}, true
	for n := 0; t.next(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(t.layout.marks) > maxMarks {
			return new(ShownText), nil
		}
	}
	return &ShownText{Text: t.finish(), marks: t.layout.marks, long: t.layout.long}, ctx.Err()
}

// maxMarks bounds the memory of a text.
const maxMarks = 1 << 20

// Size returns how many bytes of memory it takes, roughly.
func (r *ShownText) Size() int64 { return int64(len(r.Text) + 16*len(r.marks) + 24*len(r.long)) }

// Lines returns the first and the last line of the page on which the bytes [from, to)
// of the text stand, counted from 1. There must be such bytes.
func (r *ShownText) Lines(from, to int) (first, last int) {
	first, last = r.lineAt(from), r.lineAt(to-1)
	i, _ := slices.BinarySearchFunc(r.long, to, func(p longPart, to int) int { return cmp.Compare(p.Start, to) })
	if i > 0 && r.long[i-1].End > from {
		last = max(last, r.long[i-1].line)
	}
	return first, last
}

func (r *ShownText) lineAt(at int) int {
	i, found := slices.BinarySearchFunc(r.marks, at, func(m mark, at int) int { return cmp.Compare(m.at, at) })
	if !found {
		i--
	}
	return r.marks[i].line
}

// Span returns the bytes of the text that stand on some lines of the page.
func (r *ShownText) Span(first, last int) Span { return Span{r.startOf(first), r.startOf(last + 1)} }

// startOf returns where the text begins that stands on a line or behind it.
func (r *ShownText) startOf(line int) int {
	i, _ := slices.BinarySearchFunc(r.marks, line, func(m mark, line int) int { return cmp.Compare(m.line, line) })
	if i == len(r.marks) {
		return len(r.Text)
	}
	return r.marks[i].at
}

// A layout is what a reader needs to know to lay out its text.
type layout struct {
	marks []mark
	long  []longPart
	line  int // of the page, that is being read

	blank bool // there is a blank line before the next word

	filled bool // the cell has words
	apart  bool // the next word of the cell is not of the same paragraph
	tabs   int  // before the next word of the row
	broken bool // the row has a cell that is more than a part of a line
}

// mark notes the line that is being read for the text from an offset on.
func (l *layout) mark(at int) {
	if n := len(l.marks); n == 0 || l.marks[n-1].line < l.line {
		l.marks = append(l.marks, mark{at, l.line})
	}
}

// addLines adds the text of a token line by line.
func (t *textReader) addLines() {
	raw := string(t.tokens.Raw())
	text := string(t.tokens.Text())
	if strings.Count(text, "\n") != strings.Count(raw, "\n") { // a reference is a line end
		lines := strings.Split(raw, "\n")
		for i, line := range lines {
			lines[i] = strings.ReplaceAll(html.UnescapeString(line), "\n", " ")
		}
		text = strings.Join(lines, "\n")
	}
	for line := range strings.Lines(text) {
		if len(t.layout.marks) > maxMarks {
			return
		}
		t.add(line)
		if strings.HasSuffix(line, "\n") {
			t.layout.line++
		}
	}
}

// layGap writes what stands before the next word.
func (t *textReader) layGap() {
	l := t.layout
	if l.apart && l.filled {
		t.leaveRow()
	}
	switch {
	case !t.begun:
		if l.blank && t.text.Len() > 0 {
			t.text.WriteByte('\n')
		}
		l.blank = false
	case t.cells > 0 && !l.filled || !t.space || t.pre > 0:
	case t.cells > 0 || l.marks[len(l.marks)-1].line == l.line:
		t.text.WriteByte(' ')
	default:
		t.text.WriteByte('\n')
	}
	if l.tabs > 0 {
		l.mark(t.text.Len())
		t.text.WriteString(strings.Repeat("\t", l.tabs))
	}
	l.filled, l.tabs, l.apart = true, 0, false
}

// leaveRow makes what follows in a row stand on lines of its own.
func (t *textReader) leaveRow() {
	t.newLine()
	t.cells = 0
	t.layout.tabs, t.layout.apart, t.layout.broken = 0, false, true
}

// endRow ends a row of a table.
func (t *textReader) endRow() {
	t.newLine()
	t.cells = 0
	t.layout.tabs, t.layout.apart, t.layout.broken = 0, false, false
}

func (t *textReader) layStart(tag atom.Atom, kind kind) {
	l := t.layout
	if t.cells > 0 && (isHeading(tag) || kind == block && tag != atom.P) {
		t.leaveRow()
	}
	switch {
	case tag == atom.Td || tag == atom.Th:
		if l.broken {
			t.newLine()
			t.cells, l.broken = 0, false
		}
		if t.cells++; t.cells > 1 {
			l.tabs++
		}
		l.filled, l.apart, t.space = false, false, false
	case tag == atom.Tr:
		t.endRow()
	case t.cells > 0:
		l.apart = l.apart || kind == wraps || tag == atom.P || isPart(tag) || tag == atom.Br
	case tag == atom.Br:
		l.blank = l.blank || !t.begun
		t.newLine()
	case kind == block || kind == wraps || isPart(tag):
		t.newLine()
		l.blank = l.blank || isApart(tag, kind)
	}
}

// isApart reports whether a blank line stands before an element.
func isApart(tag atom.Atom, kind kind) bool {
	return kind == block || kind == wraps || tag == atom.Li || tag == atom.Dt
}

func (t *textReader) layEnd(tag atom.Atom, kind kind) {
	l := t.layout
	switch {
	case tag == atom.Tr:
		t.endRow()
		return
	case (tag == atom.Td || tag == atom.Th) && t.cells > 0:
		t.space, l.apart = false, false
		return
	case tag == atom.Table:
		t.endRow()
	case kind != block && kind != wraps && !isPart(tag):
		return
	case t.cells > 0:
		l.apart = true
		return
	}
	t.newLine()
	l.blank = l.blank || kind == block || kind == wraps
}
