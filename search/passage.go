package search

import (
	"context"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/textlayer"
)

// The limits of a passage. A passage of a longer text ends at the end of a
// paragraph, a line or a word, in this order of preference.
const (
	usualBytes = 2000 // a passage that could continue ends here
	mostBytes  = 4000 // text that belongs together is kept together up to here
	mostLines  = 120
	mostTime   = 60 // seconds

	// shortBytes is the largest length of a paragraph that is kept with the
	// next one: a heading, a caption, or a sentence that introduces a list.
	shortBytes = 200
)

// gap is how many bytes separate two runs: a line feed that belongs to neither.
const gap = 1

// A passage is a part of a text that is found and shown as one. It belongs to
// one node, and in a text with pages it is on one page.
type passage struct {
	from, to int64 // bytes of the text
	text     string
	place    *place // nil where no node is about it
}

// A cutter makes passages of a text.
type cutter struct {
	yield func(passage, error) bool
	open  passage          // not yet yielded; empty if its text is
	short passage          // paragraph after it that belongs to the next one, if there is one
	most  int              // limit of the open passage, in bytes
	lines int              // line ends in the open passage
	since float64          // start of the open passage, in seconds
	in    citekit.Location // of the previous run
	lead  int64            // end of the text that precedes its node
	ended bool             // yield returned false
}

// passages yields the passages of a layer, whose text is divided into
// stretches. It skips passages without letters and digits.
func passages(ctx context.Context, layer *textlayer.Layer, parts []stretch) iter.Seq2[passage, error] {
	return func(yield func(passage, error) bool) {
		c := cutter{yield: yield}
		for run := range layer.Runs() {
			for len(parts) > 0 && parts[0].to <= run.From {
				parts = parts[1:]
			}
			for _, s := range parts {
				if s.from >= run.To || c.ended {
					break
				}
				text, err := layer.Text(ctx, max(s.from, run.From), min(s.to, run.To))
				if err != nil {
					yield(passage{}, err)
					return
				}
				c.add(s, run, text)
			}
			if c.ended {
				return
			}
		}
		c.flush()
	}
}

// add adds the part of a run that is in a stretch.
func (c *cutter) add(s stretch, run textlayer.Run, text string) {
	at := max(s.from, run.From)
	if s.place != c.open.place || len(run.Location.Pages) > 0 || at > c.end()+gap || !sameWithin(c.in, run.Location) {
		c.flush()
	}
	c.in = run.Location
	c.lead = s.from + s.lead
	if !run.Location.Time.IsZero() {
		if c.open.text == "" {
			c.since = run.Location.Time.Start
		} else if run.Location.Time.End-c.since > mostTime && !strings.HasPrefix(text, " ") { // not within a cue
			c.flush()
			c.since = run.Location.Time.Start
		}
	}
	c.most = usualBytes
	if s.to-s.from <= mostBytes || len(run.Location.Pages) > 0 && len(text) <= mostBytes {
		c.most = mostBytes
	}
	for text != "" && !c.ended {
		n := paragraph(text)
		c.put(passage{from: at, to: at + int64(n), text: text[:n], place: s.place})
		text, at = text[n:], at+int64(n)
	}
}

// sameWithin reports whether two locations are within the same member, message,
// part, table and sheet: a passage does not cross the end of one.
func sameWithin(a, b citekit.Location) bool {
	return a.Member == b.Member && a.Message == b.Message && a.Part == b.Part && a.Table == b.Table && a.Sheet == b.Sheet
}

// end returns the end, in the text, of what is not yet yielded.
func (c *cutter) end() int64 { return max(c.open.to, c.short.to) }

// put adds a paragraph, which may be too long for one passage.
func (c *cutter) put(p passage) {
	if c.short.text != "" {
		if !c.hasRoom(c.short, p) {
			c.yieldOpen()
		}
		c.join(c.short)
		c.short = passage{}
	}
	if c.open.text != "" && len(p.text) <= shortBytes && !c.leads() {
		c.short = p
		return
	}
	for p.text != "" && !c.ended {
		room := c.most - len(c.open.text)
		n := beginning(p.text, min(len(p.text), max(room, 0)), mostLines-c.lines)
		if n < len(p.text) && c.open.text != "" && !c.leads() { // it begins a new passage
			c.yieldOpen()
			continue
		}
		c.join(passage{from: p.from, to: p.from + int64(n), text: p.text[:n], place: p.place})
		p.from, p.text = p.from+int64(n), p.text[n:]
		if p.text != "" {
			c.yieldOpen()
		}
	}
}

// hasRoom reports whether two paragraphs fit after the open passage.
func (c *cutter) hasRoom(a, b passage) bool {
	return b.to-c.open.from <= int64(c.most) && c.lines+lineEnds(a.text)+lineEnds(b.text) <= mostLines
}

// leads reports whether the open passage needs the text after it to be useful.
func (c *cutter) leads() bool {
	return (len(c.open.text) <= shortBytes || c.open.to <= c.lead) && c.lines < mostLines
}

// join adds p, which must fit, to the open passage.
func (c *cutter) join(p passage) {
	c.lines += lineEnds(p.text)
	if c.open.text == "" {
		c.open = p
		return
	}
	if c.open.to+gap == p.from {
		c.open.text += "\n"
	}
	c.open.to, c.open.text = p.to, c.open.text+p.text
}

// flush yields everything. A short paragraph at the end is joined with the text
// before it.
func (c *cutter) flush() {
	if short := c.short; short.text != "" {
		c.short = passage{}
		if len(c.open.text)+gap+len(short.text) > mostBytes || c.lines+lineEnds(short.text) > mostLines {
			c.yieldOpen()
		}
		c.join(short)
	}
	c.yieldOpen()
}

// yieldOpen yields the open passage and starts a new one.
func (c *cutter) yieldOpen() {
	p := c.open
	c.open, c.lines = passage{}, 0
	if !c.ended && strings.IndexFunc(p.text, isWordRune) >= 0 {
		c.ended = !c.yield(p, nil)
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// paragraph returns the length of the first paragraph of a text, with the blank
// lines after it.
func paragraph(text string) int {
	inText := false
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		blank := strings.TrimSpace(text[at:end]) == ""
		if !blank && inText && at > 0 && isBlankBefore(text, at) {
			return at
		}
		inText = inText || !blank
		at = end
	}
	return len(text)
}

// isBlankBefore reports whether the line before the one that starts at an offset
// is blank.
func isBlankBefore(text string, at int) bool {
	line := text[:at-1]
	return strings.TrimSpace(line[strings.LastIndexByte(line, '\n')+1:]) == ""
}

// beginning returns the length of the longest start of a text that has at most
// max bytes and lines line ends. It ends after a line, else after a word, else
// between characters, and has at least one character.
func beginning(text string, max, lines int) int {
	if n := linesEnd(text[:min(len(text), max+1)], lines); n < max {
		max = n
	}
	if max >= len(text) {
		return len(text)
	}
	if i := strings.LastIndexByte(text[:max], '\n'); i >= 0 {
		return i + 1
	}
	if i := strings.LastIndexFunc(text[:max], unicode.IsSpace); i > 0 {
		_, size := utf8.DecodeRuneInString(text[i:])
		return i + size
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	if max == 0 {
		_, max = utf8.DecodeRuneInString(text)
	}
	return max
}

// linesEnd returns the length of the first lines of a text.
func linesEnd(text string, lines int) int {
	at := 0
	for ; lines > 0; lines-- {
		i := strings.IndexAny(text[at:], "\n\r")
		if i < 0 {
			return len(text)
		}
		if at += i + 1; text[at-1] == '\r' && at < len(text) && text[at] == '\n' {
			at++
		}
	}
	return at
}

func lineEnds(text string) int {
	return strings.Count(text, "\n") + strings.Count(text, "\r") - strings.Count(text, "\r\n")
}
