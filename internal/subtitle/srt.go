package subtitle

import "bytes"

// readSRT reads SubRip, which no specification defines: the words of a cue go
// on to the next line of times, save for the number above that. Numbers may be
// missing and blank lines may stand between words, as players take them.
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

// A block holds lines of words.
type block struct {
	text   []byte // each line with LF
	last   int    // number of the last line that is not blank
	number int    // line that is a whole number, if it is the last that is not blank
	before int    // last line before that
	length int    // of the text before that
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

// cutNumber removes the number of the cue whose times are at line, if the
// block ends with it, and returns the first line of that cue. A number that is
// all there is and has a blank line below it is taken for the words of the cue
// before, if there is one.
func (b *block) cutNumber(line int, hasBefore bool) int {
	if b.number == 0 || hasBefore && b.length == 0 && b.number+1 < line {
		return line
	}
	first := b.number
	b.text, b.last = b.text[:b.length], b.before
	return first
}

// close returns c with the words, made plain.
func (b *block) close(c Cue, plain func(string) string) Cue {
	c.Last = max(c.Last, b.last)
	c.Text = plain(string(b.text))
	return c
}
