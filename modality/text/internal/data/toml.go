package data

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sentence"
)

// mapTOML maps the tables of TOML 1.0 and the keys before the first table. A table
// contains the tables whose names begin with its own.
func mapTOML(ctx context.Context, src []byte) (*citekit.Draft, error) {
	t := &tomlScanner{ctx: ctx, src: src, b: newBuilder(), line: 1}
	if err := t.scan(); err != nil {
		return nil, err
	}
	return t.structure(TOML), nil
}

// A tomlScanner scans the lines of a file with tables.
type tomlScanner struct {
	ctx  context.Context
	src  []byte
	b    *builder
	pos  int
	line int // of pos, from 1
	last int // line of the last content

	tables  [][]string // names of the open tables
	array   []bool     // which of them are array elements
	summary summary
}

// structure closes the open tables and returns the structure.
func (t *tomlScanner) structure(format Format) *citekit.Draft {
	for len(t.tables) > 0 {
		t.closeTable()
	}
	s := &citekit.Draft{Nodes: t.b.tree(), Method: "keys", Metadata: map[string]any{"format": string(format)}}
	if len(s.Nodes) > 0 && s.Nodes[0].Type == "rows" {
		s.Method = "rows"
	}
	return s
}

func (t *tomlScanner) scan() error {
	for t.pos < len(t.src) {
		if t.line%1024 == 0 && t.ctx.Err() != nil {
			return t.ctx.Err()
		}
		line := t.rest()
		var err error
		switch text := bytes.TrimSpace(line); {
		case len(text) == 0:
			t.pass(len(line))
		case text[0] == '#':
			t.summary.add(text, t.line, 0)
			t.pass(len(line))
		case text[0] == '[':
			err = t.header(text)
			t.pass(len(line))
		default:
			err = t.keyValue()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rest returns the rest of the line, including its line end.
func (t *tomlScanner) rest() []byte {
	rest := t.src[t.pos:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return rest[:i+1]
	}
	return rest
}

func (t *tomlScanner) pass(n int) {
	t.line += bytes.Count(t.src[t.pos:t.pos+n], []byte("\n"))
	t.pos += n
}

// header reads the line [a.b] or [[a.b]] that begins a table.
func (t *tomlScanner) header(text []byte) error {
	array := bytes.HasPrefix(text, []byte("[["))
	inner := text[1:]
	if array {
		inner = text[2:]
	}
	parts, n := dottedKey(inner)
	closing := "]"
	if array {
		closing = "]]"
	}
	rest, ok := bytes.CutPrefix(inner[n:], []byte(closing))
	if rest = bytes.TrimSpace(rest); len(parts) == 0 || !ok || len(rest) > 0 && rest[0] != '#' {
		return malformed(t.line, "no name of a table in brackets")
	}
	t.openTable(parts, strings.TrimSpace(string(inner[:n])), array)
	return nil
}

// openTable closes the open tables that do not contain parts, and opens one.
func (t *tomlScanner) openTable(parts []string, title string, array bool) {
	for k := len(t.tables); k > 0; k-- {
		if above := t.tables[k-1]; len(above) < len(parts) && slices.Equal(above, parts[:len(above)]) {
			break
		}
		t.closeTable()
	}
	own := parts
	if k := len(t.tables); k > 0 {
		own = parts[len(t.tables[k-1]):]
	}
	tracks := t.b.tracks()
	t.b.start("table", title, t.line, int64(t.pos))
	if tracks {
		it := t.b.parent()
		it.named = array
		it.node.ID = bareName(strings.Join(own, "-"))
		it.node.Summary = t.summary.above(t.line, 0)
	}
	t.tables, t.array = append(t.tables, parts), append(t.array, array)
	t.last = t.line
}

func (t *tomlScanner) closeTable() {
	k := len(t.tables) - 1
	if t.array[k] && t.b.kept() && t.b.parent().rank > 0 {
		t.b.nameByTitle(t.tables[k][len(t.tables[k])-1])
	}
	t.b.end(t.last, int64(t.pos))
	t.tables, t.array = t.tables[:k], t.array[:k]
}

// keyValue reads a key and its value, on one or more lines.
func (t *tomlScanner) keyValue() error {
	line := t.line
	rest := t.rest()
	indent := len(rest) - len(bytes.TrimLeft(rest, " \t"))
	parts, n := dottedKey(rest[indent:])
	if n += indent; len(parts) == 0 || n >= len(rest) || rest[n] != '=' {
		return malformed(line, "neither a key with a value nor a table")
	}
	name := strings.TrimSpace(string(rest[indent:n]))
	if len(parts) == 1 {
		name = parts[0]
	}
	tracks := t.b.tracks()
	t.b.start("key", name, line, int64(t.pos))
	if tracks {
		t.b.parent().node.Summary = t.summary.above(line, 0)
	}
	start := t.pos + n + 1
	end, ok := tomlValueEnd(t.src, start)
	if !ok {
		return malformed(line, "a value that does not end")
	}
	value := bytes.TrimSpace(t.src[start:end])
	if len(value) == 0 {
		return malformed(line, "a key without a value")
	}
	t.b.value(tomlText(value))
	t.pass(end - t.pos)
	t.last = t.line
	t.b.end(t.line, int64(end))
	rest = t.rest()
	if after := bytes.TrimSpace(rest); len(after) > 0 && after[0] != '#' {
		return malformed(t.line, "something after a value")
	}
	t.pass(len(rest))
	return nil
}

// dottedKey parses a key of one or more parts. n is its length in bytes, including
// the white space after it.
func dottedKey(text []byte) (parts []string, n int) {
	for {
		for n < len(text) && (text[n] == ' ' || text[n] == '\t') {
			n++
		}
		start := n
		if n < len(text) && (text[n] == '"' || text[n] == '\'') {
			end, closed := tomlStringEnd(text, n)
			if !closed {
				return nil, n
			}
			parts, n = append(parts, tomlText(text[n:end])), end
		} else {
			for n < len(text) && strings.IndexByte(" \t.=]\n\"'#", text[n]) < 0 {
				n++
			}
			if n == start {
				return nil, n
			}
			parts = append(parts, string(text[start:n]))
		}
		for n < len(text) && (text[n] == ' ' || text[n] == '\t') {
			n++
		}
		if n == len(text) || text[n] != '.' {
			return parts, n
		}
		n++
	}
}

// tomlValueEnd returns where the value after p ends: at a comment, or at a line end
// outside brackets and strings.
func tomlValueEnd(src []byte, p int) (end int, ok bool) {
	depth := 0
	for ; p < len(src); p++ {
		switch src[p] {
		case '"', '\'':
			end, closed := tomlStringEnd(src, p)
			if !closed {
				return 0, false
			}
			p = end - 1
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth < 0 {
				return 0, false
			}
		case '#':
			if depth == 0 {
				return p, true
			}
			if i := bytes.IndexByte(src[p:], '\n'); i >= 0 {
				p += i
			}
		case '\n':
			if depth == 0 {
				return p, true
			}
		}
	}
	return p, depth == 0
}

// tomlStringEnd returns where the string that begins at p ends.
func tomlStringEnd(src []byte, p int) (end int, closed bool) {
	quote := src[p]
	long := bytes.Repeat([]byte{quote}, 3)
	if !bytes.HasPrefix(src[p:], long) {
		for i := p + 1; i < len(src) && src[i] != '\n'; i++ {
			if src[i] == '\\' && quote == '"' {
				i++
			} else if src[i] == quote {
				return i + 1, true
			}
		}
		return len(src), false
	}
	for i := p + 3; i < len(src); i++ {
		if src[i] == '\\' && quote == '"' {
			i++
		} else if bytes.HasPrefix(src[i:], long) {
			end := i + 3 // up to two quotes may precede the closing ones
			for end < min(i+5, len(src)) && src[end] == quote {
				end++
			}
			return end, true
		}
	}
	return len(src), false
}

// tomlText returns the value of a string, or its beginning; other values stay as
// written.
func tomlText(value []byte) string {
	value = value[:min(len(value), maxCapture)]
	if value[0] != '"' && value[0] != '\'' {
		return strings.TrimSpace(string(value))
	}
	quotes := string(value[:1])
	if bytes.HasPrefix(value, []byte(strings.Repeat(quotes, 3))) {
		quotes = strings.Repeat(quotes, 3)
	}
	text := strings.TrimSuffix(strings.TrimPrefix(string(value), quotes), quotes)
	if quotes[0] == '\'' {
		return text
	}
	return unquote([]byte(strings.ReplaceAll(strings.ReplaceAll(text, "\\\n", ""), "\n", " ")))
}

// A summary is the comment directly above a line.
type summary struct {
	text         []byte
	last, column int
}

// add adds a comment line with # or ; at column.
func (s *summary) add(comment []byte, line, column int) {
	if s.last != line-1 || s.column != column {
		s.text = s.text[:0]
	}
	s.last, s.column = line, column
	if text := bytes.TrimLeft(comment, "#; \t"); len(s.text) < maxComment {
		s.text = append(append(s.text, text[:min(len(text), maxComment)]...), '\n')
	}
}

// above returns the first sentences of the comment above the content at column of
// line, or "".
func (s *summary) above(line, column int) string {
	if s.last != line-1 || s.column != column || len(s.text) == 0 {
		return ""
	}
	return sentence.Lead(string(s.text), maxSummary)
}
