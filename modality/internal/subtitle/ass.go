package subtitle

import (
	"bytes"
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

// fieldsOfEvents is the field order of SSA, for files without one. ASS has the same
// number of fields, with the times in the same places.
const fieldsOfEvents = "Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"

// readASS reads the dialogue of ASS and SSA: one event a line, with fields named by a
// Format line.
func (p *parser) readASS(l *lines) {
	order := newEventOrder(fieldsOfEvents)
	events := false
	for line, ok := l.next(); ok && !p.full; line, ok = l.next() {
		line = bytes.TrimSpace(line)
		if bytes.HasPrefix(line, []byte("[")) {
			events = bytes.EqualFold(line, []byte("[Events]"))
			continue
		}
		kind, rest, found := bytes.Cut(line, []byte(":"))
		if !events || !found {
			continue
		}
		switch string(kind) {
		case "Format":
			order = newEventOrder(string(rest))
		case "Dialogue":
			if c, ok := order.cue(string(rest)); ok {
				c.First, c.Last = l.number, l.number
				p.add(c)
			}
		}
	}
}

// An eventOrder holds the index of each field of an event, from 0; -1 if it is missing.
type eventOrder struct {
	count, start, end, name int
}

const maxEventFields = 64

func newEventOrder(format string) eventOrder {
	names := strings.SplitN(format, ",", maxEventFields)
	o := eventOrder{count: len(names), start: -1, end: -1, name: -1}
	for i, name := range names {
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "start":
			o.start = i
		case "end":
			o.end = i
		case "name", "actor":
			o.name = i
		}
	}
	return o
}

// cue reads an event. Its text is the last field, the only one that may have commas.
func (o eventOrder) cue(event string) (Cue, bool) {
	fields := strings.SplitN(event, ",", o.count)
	if len(fields) < o.count || o.start < 0 || o.end < 0 {
		return Cue{}, false
	}
	start, ok := parseClock(fields[o.start])
	if !ok {
		return Cue{}, false
	}
	end, ok := parseClock(fields[o.end])
	c := Cue{Start: start, End: end, Text: plainASS(fields[o.count-1])}
	if o.name >= 0 {
		c.Speaker = plain.Line(fields[o.name])
	}
	return c, ok
}

func plainASS(text string) string { return plain.Line(wordsASS(text)) }

// wordsASS returns text without override blocks, and without the drawings that they
// begin.
func wordsASS(text string) string {
	var b strings.Builder
	drawing := false
	for {
		before, rest, found := strings.Cut(text, "{")
		if !drawing {
			b.WriteString(before)
		}
		override, after, closed := strings.Cut(rest, "}")
		if found && !closed { // a literal brace
			b.WriteString("{" + rest)
			break
		}
		if !found {
			break
		}
		drawing = drawsAfter(override, drawing)
		text = after
	}
	return strings.NewReplacer(`\N`, "\n", `\n`, "\n", `\h`, " ").Replace(b.String())
}

// drawsAfter reports whether a drawing follows an override block: \p with a scale above
// 0 begins one, \p0 ends it.
func drawsAfter(override string, before bool) bool {
	for _, tag := range strings.Split(override, `\`)[1:] {
		if scale, ok := strings.CutPrefix(tag, "p"); ok && scale != "" && scale[0] >= '0' && scale[0] <= '9' {
			before = strings.Trim(scale, "0 ") != ""
		}
	}
	return before
}
