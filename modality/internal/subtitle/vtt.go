package subtitle

import (
	"bytes"
	"html"
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

// readVTT reads WebVTT, https://www.w3.org/TR/webvtt1/: blocks of lines separated by
// empty lines. A block is a cue if its first or second line has times; comments, styles
// and regions do not. A line of times elsewhere also begins a cue, as in the parser of
// section 6.1.
func (p *parser) readVTT(l *lines) {
	var cue *Cue
	var words block
	inBlock := 1 // lines of the block so far; starts at 1 because the signature is no identifier
	finish := func() {
		if cue != nil {
			c := words.close(*cue, plainVTT)
			c.Speaker = speakerVTT(string(words.text))
			p.add(c)
		}
		cue, words = nil, block{text: words.text[:0]}
	}
	for line, ok := l.next(); ok && !p.full; line, ok = l.next() {
		if len(line) == 0 {
			finish()
			inBlock = 0
			continue
		}
		inBlock++
		if !bytes.Contains(line, []byte("-->")) {
			words.add(line, l.number)
			continue
		}
		first := l.number
		if cue == nil && inBlock == 2 {
			first-- // include the identifier
		}
		finish()
		if start, end, ok := parseTimes(line); ok {
			cue = &Cue{Start: start, End: end, First: first, Last: l.number}
		}
	}
	finish()
}

func plainVTT(text string) string { return plain.Line(wordsVTT(text)) }

// wordsVTT returns the text of a cue without its tags.
func wordsVTT(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "<")
		b.WriteString(before)
		if !found {
			break
		}
		_, text, _ = strings.Cut(rest, ">")
	}
	return html.UnescapeString(b.String())
}

// speakerVTT returns the speaker named by the first voice tag.
func speakerVTT(text string) string {
	for {
		_, rest, found := strings.Cut(text, "<v")
		if !found {
			return ""
		}
		tag, after, _ := strings.Cut(rest, ">")
		if i := strings.IndexAny(tag, " \t\n"); i == 0 || i > 0 && tag[0] == '.' {
			return plain.Line(html.UnescapeString(tag[i:]))
		}
		text = after
	}
}
