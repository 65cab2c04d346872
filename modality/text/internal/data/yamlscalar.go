package data

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// plain reads a plain scalar up to a comment. It continues on lines that are indented
// more than column.
func (y *yamlScanner) plain(column int) {
	text, ended := y.plainLine()
	y.tell(text)
	for !ended && y.pos < len(y.src) {
		p, line := y.pos, y.line
		for p < len(y.src) && y.src[p] == '\n' || p < len(y.src) && y.blankLine(p) {
			p = min(y.lineEnd(p)+1, len(y.src))
			line++
		}
		indent := 0
		for p+indent < len(y.src) && y.src[p+indent] == ' ' {
			indent++
		}
		at := p + indent
		if at >= len(y.src) || indent <= column || y.src[at] == '#' || indent == 0 && y.marks(at) {
			return
		}
		if column < 0 && y.keyAt(at) {
			return
		}
		y.pos, y.line, y.bol = at, line, p
		y.last = line
		_, ended = y.plainLine()
	}
}

// keyAt reports whether a key is at p, for files that are not YAML throughout.
func (y *yamlScanner) keyAt(p int) bool {
	pos := y.pos
	y.pos = p
	_, _, ok := y.key()
	y.pos = pos
	return ok
}

// marks reports whether a document ends at p, the beginning of a line.
func (y *yamlScanner) marks(p int) bool {
	return slices.ContainsFunc([]string{"---", "..."}, func(mark string) bool {
		return bytes.HasPrefix(y.src[p:], []byte(mark)) && y.spaceAt(p+3)
	})
}

func (y *yamlScanner) blankLine(p int) bool {
	return len(bytes.TrimSpace(y.src[p:y.lineEnd(p)])) == 0
}

// plainLine reads a line of a plain scalar, and reports whether a comment ends it.
func (y *yamlScanner) plainLine() (string, bool) {
	line := y.src[y.pos:y.lineEnd(y.pos)]
	ended := false
	for i := 1; i < len(line); i++ {
		if line[i] == '#' && (line[i-1] == ' ' || line[i-1] == '\t') {
			line, ended = line[:i], true
		}
	}
	text := strings.TrimSpace(string(line[:min(len(line), maxCapture)]))
	y.endLine()
	return text, ended
}

// quoted reads a quoted scalar, on one or more lines.
func (y *yamlScanner) quoted() error {
	start, line := y.pos, y.line
	end, closed := quotedEnd(y.src, start)
	if !closed {
		return malformed(line, "quotes that do not end")
	}
	y.passTo(end)
	if end-start <= 2*maxCapture {
		y.tell(unquoteYAML(y.src[start:end]))
	}
	y.endLine()
	return nil
}

// passTo moves to p, counting lines.
func (y *yamlScanner) passTo(p int) {
	passed := y.src[y.pos:p]
	y.line += bytes.Count(passed, []byte("\n"))
	if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
		y.bol = y.pos + i + 1
	}
	y.pos = p
	y.last = y.line
}

// quotedEnd returns where the quoted scalar at p ends.
func quotedEnd(src []byte, p int) (end int, closed bool) {
	quote := src[p]
	for i := p + 1; i < len(src); i++ {
		switch {
		case src[i] == '\\' && quote == '"':
			i++
		case src[i] == quote && quote == '\'' && i+1 < len(src) && src[i+1] == quote:
			i++
		case src[i] == quote:
			return i + 1, true
		}
	}
	return len(src), false
}

// unquoteYAML returns the value of a quoted scalar. Line ends stay, as they become
// spaces later.
func unquoteYAML(scalar []byte) string {
	inside := string(scalar[1 : len(scalar)-1])
	if scalar[0] == '\'' {
		return strings.ReplaceAll(inside, "''", "'")
	}
	var s string
	if json.Unmarshal([]byte(`"`+strings.ReplaceAll(inside, "\n", " ")+`"`), &s) == nil {
		return s
	}
	return strings.ReplaceAll(inside, `\`, "")
}

// flowCollection reads a flow collection.
func (y *yamlScanner) flowCollection() error {
	y.flow = true
	end, closed := y.flowEnd(len(y.src))
	if !closed {
		return malformed(y.line, "a bracket or quotes that do not close")
	}
	y.passTo(end)
	y.endLine()
	return nil
}

// flowEnd returns where the collection at pos ends, if that is before stop.
func (y *yamlScanner) flowEnd(stop int) (end int, closed bool) {
	depth, before := 0, byte('[')
	for p := y.pos; p < stop; p++ {
		c := y.src[p]
		switch {
		case c == '#' && y.spaceAt(p-1):
			p = y.lineEnd(p) - 1
			continue
		case (c == '"' || c == '\'') && strings.IndexByte("[{,:", before) >= 0:
			end, closed := quotedEnd(y.src[:stop], p)
			if !closed {
				return 0, false
			}
			p = end - 1
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if depth == 0 {
			return p + 1, true
		}
		if !y.spaceAt(p) {
			before = c
		}
	}
	return 0, false
}

// blockScalar reads a block scalar, whose lines are indented more than column: as its
// header says, or as much as its first line.
func (y *yamlScanner) blockScalar(column int) error {
	indent, keep := 0, false
	for y.pos++; y.pos < len(y.src) && !y.spaceAt(y.pos); y.pos++ {
		switch c := y.src[y.pos]; {
		case '1' <= c && c <= '9':
			indent = max(column, 0) + int(c-'0')
		case c == '+':
			keep = true
		}
	}
	y.endLine()
	start := y.pos
	for y.pos < len(y.src) {
		end := y.lineEnd(y.pos)
		spaces := 0
		for y.pos+spaces < end && y.src[y.pos+spaces] == ' ' {
			spaces++
		}
		blank := y.pos+spaces == end
		switch {
		case blank && (indent == 0 || spaces <= max(indent, 0)):
			if keep {
				y.last = y.line
			}
		case indent == 0 && spaces > column && !(spaces == 0 && y.marks(y.pos)):
			indent = max(spaces, 1)
			if spaces == 0 {
				indent = -1
			}
			y.last = y.line
		case indent != 0 && spaces >= indent && !(spaces == 0 && y.marks(y.pos)):
			y.last = y.line
		default:
			y.tellBlock(start)
			return nil
		}
		y.endLine()
	}
	y.tellBlock(start)
	return nil
}

// tellBlock reports the beginning of the lines from start to pos to the builder.
func (y *yamlScanner) tellBlock(start int) {
	if y.b.kept() {
		y.tell(string(y.src[start:min(y.pos, start+maxCapture)]))
	}
}
