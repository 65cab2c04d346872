package subtitle

import "bytes"

// readSRT reads SubRip, which has no specification. The text of a cue continues to the
// next line of times, except for the number above that. As in players, numbers may be
// missing and text may contain blank lines.
func (p *parser) readSRT(l *lines) {
	var open bool
	var cue Cue
	var words block
	for line, ok := l.next(); ok && !p.full; line, ok = l.next() {
		start, end, isTimes := parseTimes(line)
		if !isTimes {
			words.add(line, l.number)
			continue
		}
		first := words.cutNumber(l.number, open)
		if open {
			p.add(words.close(cue, plainSRT))
		}
		open, cue = true, Cue{Start: start, End: end, First: first, Last: l.number}
		words = block{text: words.text[:0]}
	}
	if open {
		p.add(words.close(cue, plainSRT))
	}
}

// A block holds lines of text.
type block struct {
	text   []byte // each line ends with LF
	last   int    // number of the last line that is not blank
	number int    // number of the last nonblank line if that is a whole number, else 0
	before int    // number of the nonblank line before that
	length int    // length of the text before that
}

func (b *block) add(line []byte, number int) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	b.number = 0
	if isNumber(line) {
		b.number, b.before, b.length = number, b.last, len(b.text)
	}
	b.text = append(append(b.text, line...), '\n')
	b.last = number
}

// cutNumber removes the cue number at the end of the block, which belongs to the cue
// with times at line, and returns the first line of that cue. If the block is only a
// number followed by a blank line, and there is a previous cue, the number is that
// cue's text.
func (b *block) cutNumber(line int, hasBefore bool) int {
	if b.number == 0 || hasBefore && b.length == 0 && b.number+1 < line {
		return line
	}
	first := b.number
	b.text, b.last = b.text[:b.length], b.before
	return first
}

// close returns c with the text, as plain text.
func (b *block) close(c Cue, plain func(string) string) Cue {
	c.Last = max(c.Last, b.last)
	c.Text = plain(string(b.text))
	return c
}
