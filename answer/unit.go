package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/lineform"
	"github.com/citekit/citekit/internal/sentence"
	"github.com/citekit/citekit/search"
)

// maxSentence is the maximum length of a sentence, in characters.
const maxSentence = 600

// A unit is a sentence of a passage, or its equivalent: a line of code, a row
// of a table, an entry of a log, cues up to the end of a sentence.
type unit struct {
	from, to int    // bytes of the passage
	text     string // word for word; for cues, without the text between them
	heading  string // the text above it: the heading, or the header of its table
	title    bool   // it is a heading itself, or names one in a table of contents
	row      bool   // of a table, or an entry of a log
	pieces   []string

	cells citekit.Location // of a row of a table on a page; else the whole
}

// unitsOf returns the sentences of a passage in order. Header is the header of
// the table in which the passage begins, or "".
func unitsOf(text, header string) []unit {
	lines := lineform.Of(text)
	c := &unitCutter{text: text, header: header, width: usualWidth(lines)}
	for i, l := range lines {
		c.line(l, i+1 < len(lines) && lines[i+1].Kind == lineform.Rule)
	}
	c.flush()
	return c.units
}

// withRows returns the units of a text with the rows of tables in place of the units that have
// some of them, each under the header of its table.
func withRows(units []unit, rows []search.TableRow, text string) []unit {
	if len(rows) == 0 {
		return units
	}
	var all []unit
	add := func(from, to int, u unit) {
		if trimmed := strings.TrimSpace(text[from:to]); trimmed != "" {
			from += strings.Index(text[from:to], trimmed)
			u.from, u.to, u.text = from, from+len(trimmed), trimmed
			all = append(all, u)
		}
	}
	next := 0 // of rows
	for _, u := range units {
		from, inside := u.from, false
		for ; next < len(rows) && rows[next].From < u.to; next++ {
			if r := rows[next]; r.From >= from {
				add(from, r.From, unit{heading: u.heading, title: u.title})
				add(r.From, r.To, unit{heading: u.heading + "\n" + r.Header, row: true, title: r.IsHeader, cells: r.Location})
				from, inside = r.To, true
			}
		}
		switch {
		case !inside && (len(all) == 0 || all[len(all)-1].to <= u.from):
			all = append(all, u)
		case from < u.to:
			add(max(from, all[len(all)-1].to), max(u.to, all[len(all)-1].to), unit{heading: u.heading})
		}
	}
	return all
}

var (
	itemAhead = lazyregexp.New(`^\s*([-*+•·–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s`)
	speaker   = lazyregexp.New(`^<v(?:\.\S*)? ?([^>]*)>`)
)

// usualWidth returns the length of the longer lines of prose, in bytes.
func usualWidth(lines []lineform.Line) int {
	var widths []int
	for _, l := range lines {
		if l.Kind == lineform.Prose {
			widths = append(widths, len(strings.TrimSpace(l.Text)))
		}
	}
	if len(widths) == 0 {
		return 0
	}
	slices.Sort(widths)
	return widths[len(widths)*9/10]
}

// A unitCutter makes units from lines.
type unitCutter struct {
	text    string
	header  string // of the table, "" outside
	heading string
	width   int
	units   []unit

	open []lineform.Line // lines of prose, or of cues, not cut yet
	cues bool
}

func (c *unitCutter) line(l lineform.Line, header bool) {
	switch l.Kind {
	case lineform.Blank:
		if !c.cues {
			c.flush()
			c.header = ""
		}
		return
	case lineform.Cue:
		if !c.cues {
			c.flush()
		}
		c.cues = true
		return
	case lineform.Prose:
		if c.cues {
			c.cue(l)
			return
		}
		if len(c.open) > 0 && c.breaks(c.open[len(c.open)-1], l) {
			c.flush()
		}
		c.open = append(c.open, l)
		return
	}
	if c.cues {
		c.cue(l)
		return
	}
	c.flush()
	switch l.Kind {
	case lineform.Heading:
		c.heading, c.header = strings.TrimLeft(strings.TrimSpace(l.Text), "# "), ""
		c.add(l.From, l.To, unit{title: true})
	case lineform.Contents:
		c.add(l.From, l.To, unit{title: true})
	case lineform.Rule:
	case lineform.Row:
		if header || c.header == "" && !strings.ContainsAny(l.Text, "0123456789") {
			c.header = l.Text
			c.add(l.From, l.To, unit{title: true})
			return
		}
		c.add(l.From, l.To, unit{row: true})
	case lineform.Entry:
		c.add(l.From, l.To, unit{row: true})
	default:
		c.add(l.From, l.To, unit{})
	}
}

// cue adds a line of a cue. A sentence ends where the next speaker begins.
func (c *unitCutter) cue(l lineform.Line) {
	if m := speaker.FindStringSubmatch(l.Text); m != nil {
		c.flush()
		c.cues, c.heading = true, m[1]
		l.From += len(m[0])
		l.Text = l.Text[len(m[0]):]
	}
	c.open = append(c.open, l)
}

// breaks reports whether a line of prose does not continue the line before: it
// is an item of a list, or the line before ends early and is not a sentence.
func (c *unitCutter) breaks(before, l lineform.Line) bool {
	if itemAhead.MatchString(l.Text) {
		return true
	}
	above := strings.TrimSpace(before.Text)
	r, _ := utf8.DecodeRuneInString(strings.TrimSpace(l.Text))
	ends, _ := utf8.DecodeLastRuneInString(above)
	if len(c.open) == 1 && len(above)*10 < c.width*4 && !strings.ContainsRune(".,;:!?", ends) && len(l.Text)*10 > c.width*7 {
		return true // a heading
	}
	short := len(above)*10 < c.width*7
	return short && !strings.ContainsRune(",;-–—", ends) && !unicode.IsLower(r)
}

// flush cuts the open lines into sentences.
func (c *unitCutter) flush() {
	open, cues := c.open, c.cues
	c.open, c.cues = nil, false
	if len(open) == 0 {
		return
	}
	if cues {
		c.cut(open)
		return
	}
	from, to := open[0].From, open[len(open)-1].To
	for start, end := range sentence.Split(c.text[from:to]) {
		c.add(from+start, from+end, unit{})
	}
}

// cut cuts cues, whose lines are joined by spaces.
func (c *unitCutter) cut(cues []lineform.Line) {
	var joined strings.Builder
	var starts []int // in joined, of each line
	for _, l := range cues {
		starts = append(starts, joined.Len())
		joined.WriteString(l.Text + "\n")
	}
	text := joined.String()
	at := func(off int) int { // in the passage
		i, found := slices.BinarySearch(starts, off)
		if !found {
			i--
		}
		return cues[i].From + off - starts[i]
	}
	for start, end := range sentence.Split(text) {
		from, to := at(start), at(end-1)+1
		u := unit{text: text[start:end]}
		for _, l := range cues {
			if a, b := max(l.From, from), min(l.To, to); a < b {
				u.pieces = append(u.pieces, c.text[a:b])
			}
		}
		c.add(from, to, u)
	}
}

// add adds a unit of the bytes [from, to), in parts if it is too long.
func (c *unitCutter) add(from, to int, u unit) {
	if u.text == "" {
		trimmed := strings.TrimSpace(c.text[from:to])
		from += strings.Index(c.text[from:to], trimmed)
		to = from + len(trimmed)
	}
	if from >= to {
		return
	}
	u.heading = c.heading
	if u.row && c.header != "" {
		u.heading += "\n" + c.header
	}
	if utf8.RuneCountInString(c.text[from:to]) <= maxSentence || u.text != "" && utf8.RuneCountInString(u.text) <= maxSentence {
		u.from, u.to = from, to
		if u.text == "" {
			u.text = c.text[from:to]
		}
		c.units = append(c.units, u)
		return
	}
	u.text, u.pieces = "", nil
	for from < to {
		end := cutAt(c.text[from:to])
		c.add(from, from+end, u)
		from += end
	}
}

// cutAt returns the length of the first part of a text, in bytes: up to a line
// end, or else up to a space, or else the maximum number of characters.
func cutAt(text string) int {
	n, count := len(text), 0
	for i := range text {
		if count++; count > maxSentence {
			n = i
			break
		}
	}
	if n == len(text) {
		return n
	}
	if i := strings.LastIndexByte(text[:n], '\n'); i > 0 {
		return i + 1
	}
	if i := strings.LastIndexByte(text[:n], ' '); i > 0 {
		return i + 1
	}
	return n
}
