package data

import (
	"encoding/json"
	"strings"

	"github.com/citekit/citekit"
)

const (
	maxJSONDepth = 1 << 20
	maxCapture   = 4 * maxSummary // most bytes of a string that are kept
)

// mapJSON maps RFC 8259 JSON, and the extensions of configuration files: comments,
// and commas before a closing bracket. The top items are the keys of the outermost
// object or the elements of the outermost array.
func mapJSON(r *reader) (*citekit.Draft, error) {
	j := &jsonScanner{r: r, b: newBuilder()}
	j.skip()
	if err := j.value(); err != nil {
		return nil, err
	}
	if _, ok := j.skip(); ok {
		return nil, malformed(r.line, "something after the end of the JSON value")
	}
	s := &citekit.Draft{Nodes: j.b.tree(), Method: "keys", Metadata: map[string]any{"format": string(JSON)}}
	if r.lines() == 1 {
		s.Nodes = nil
	}
	if len(s.Nodes) > 0 && s.Nodes[0].Type == "rows" {
		s.Method = "rows"
	}
	return s, nil
}

// A jsonScanner scans one JSON value and reports it to a builder. It does not
// recurse.
type jsonScanner struct {
	r     *reader
	b     *builder
	stack []byte // the open brackets: { and [
	text  []byte // the last string read, escaped and maybe truncated
	last  int    // line of the last byte other than white space

	// note, if not nil, receives every key, its depth, from 1, and the offset of its
	// value.
	note func(key string, depth int)
}

// value reads the next value.
func (j *jsonScanner) value() error {
	opened, err := j.begin()
	if err != nil {
		return err
	}
	for len(j.stack) > 0 {
		if opened, err = j.step(opened); err != nil {
			return err
		}
	}
	return nil
}

// step reads the end of a container or its next element. opened says that the
// container has no element yet; the result is the opened of the next step.
func (j *jsonScanner) step(opened bool) (bool, error) {
	c, ok := j.skip()
	if !ok {
		return false, j.cut()
	}
	if c == ',' && !opened {
		j.pass()
		if c, ok = j.skip(); !ok {
			return false, j.cut()
		}
	} else if !opened && c != j.closer() {
		return false, malformed(j.r.line, "neither a comma nor %q after a value", j.closer())
	}
	if c == j.closer() {
		j.pass()
		j.stack = j.stack[:len(j.stack)-1]
		if len(j.stack) > 0 {
			j.b.end(j.last, j.r.offset())
		}
		return false, nil
	}
	return j.element(c)
}

func (j *jsonScanner) cut() error {
	return malformed(j.r.line, "the file ends inside a JSON value")
}

func (j *jsonScanner) closer() byte {
	if j.stack[len(j.stack)-1] == '{' {
		return '}'
	}
	return ']'
}

func (j *jsonScanner) pass() {
	j.r.next()
	j.last = j.r.line
}

// element reads a key and its value, or an array element. If the value is a
// container, element returns true after its opening bracket.
func (j *jsonScanner) element(c byte) (bool, error) {
	line, offset := j.r.line, j.r.offset()
	kind, name := "element", ""
	if j.stack[len(j.stack)-1] == '{' {
		kind = "key"
		if c != '"' {
			return false, malformed(line, "no key in quotes where one should be")
		}
		keep := j.b.tracks()
		if err := j.string(keep); err != nil {
			return false, err
		}
		if keep {
			name = unquote(j.text)
		}
		if c, ok := j.skip(); !ok || c != ':' {
			return false, malformed(j.r.line, "no colon after a key")
		}
		j.pass()
		if _, ok := j.skip(); !ok {
			return false, j.cut()
		}
	}
	j.b.start(kind, name, line, offset)
	if j.note != nil {
		j.note(name, len(j.stack))
	}
	opened, err := j.begin()
	if err == nil && !opened {
		j.b.end(j.last, j.r.offset())
	}
	return opened, err
}

// begin reads a scalar or an opening bracket; opened is true for a bracket.
func (j *jsonScanner) begin() (opened bool, err error) {
	c, ok := j.r.peek()
	switch {
	case !ok:
		return false, j.cut()
	case c == '{' || c == '[':
		if len(j.stack) == maxJSONDepth {
			return false, malformed(j.r.line, "more than %d values inside each other", maxJSONDepth)
		}
		j.pass()
		j.stack = append(j.stack, c)
		return true, nil
	case c == '"':
		kept := j.b.kept()
		if err := j.string(kept); err != nil {
			return false, err
		}
		if kept {
			j.b.value(unquote(j.text))
		}
		return false, nil
	}
	return false, j.word()
}

// skip skips white space and comments, and returns the next byte.
func (j *jsonScanner) skip() (byte, bool) {
	for {
		c, ok := j.r.peek()
		switch {
		case !ok:
			return 0, false
		case c == ' ' || c == '\t' || c == '\r':
			j.r.pos++
		case c == '\n':
			j.r.pos++
			j.r.line++
		case c == '/':
			j.r.pos++
			if !j.comment() {
				return '/', true
			}
		default:
			return c, true
		}
	}
}

// comment skips a comment whose first slash was read.
func (j *jsonScanner) comment() bool {
	c, _ := j.r.next()
	switch c {
	case '/':
		for c, ok := j.r.next(); ok && c != '\n'; c, ok = j.r.next() {
		}
		return true
	case '*':
		var before byte
		for c, ok := j.r.next(); ok; c, ok = j.r.next() {
			if before == '*' && c == '/' {
				return true
			}
			before = c
		}
	}
	return false
}

// string reads a string. If keep is set, it keeps the beginning.
func (j *jsonScanner) string(keep bool) error {
	j.pass()
	j.text = j.text[:0]
	for part := j.r.rest(); len(part) > 0; part = j.r.rest() {
		n := 0
		for n < len(part) && part[n] != '"' && part[n] != '\\' && part[n] >= ' ' {
			n++
		}
		if keep {
			j.text = append(j.text, part[:min(n, max(maxCapture-len(j.text), 0))]...)
		}
		j.r.pos += n
		if n == len(part) {
			continue
		}
		if part[n] < ' ' {
			return malformed(j.r.line, "a control character in a string")
		}
		j.r.pos++
		if part[n] == '"' {
			return nil
		}
		c, ok := j.r.peek()
		if !ok || strings.IndexByte(`"\/bfnrtu`, c) < 0 {
			return malformed(j.r.line, "a backslash before what it does not escape")
		}
		j.r.pos++
		if keep && len(j.text) < maxCapture {
			j.text = append(j.text, '\\', c)
		}
	}
	return j.cut()
}

// unquote returns the value of a string, or its beginning.
func unquote(text []byte) string {
	quoted := make([]byte, 0, len(text)+2)
	quoted = append(append(append(quoted, '"'), text...), '"')
	var s string
	if json.Unmarshal(quoted, &s) == nil {
		return s
	}
	return strings.ReplaceAll(string(text), `\`, "")
}

// maxWord is more bytes than any useful number has.
const maxWord = 4 << 10

// word reads a number or a literal. It accepts NaN and Infinity, as Python writes
// them.
func (j *jsonScanner) word() error {
	j.text = j.text[:0]
	for c, ok := j.r.peek(); ok && strings.IndexByte(" \t\r\n,]}:/", c) < 0; c, ok = j.r.peek() {
		if len(j.text) == maxWord {
			return malformed(j.r.line, "no JSON value")
		}
		j.text = append(j.text, c)
		j.r.pos++
	}
	j.last = j.r.line
	switch string(j.text) {
	case "true", "false", "null", "NaN", "Infinity", "-Infinity":
		return nil
	}
	if !json.Valid(j.text) {
		return malformed(j.r.line, "no JSON value")
	}
	return nil
}
