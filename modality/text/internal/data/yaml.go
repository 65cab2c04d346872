package data

import (
	"bytes"
	"context"
	"strings"

	"github.com/citekit/citekit"
)

// mapYAML maps the block collections of YAML 1.2 by their indentation. It reads
// scalars and flow collections only to find their ends. It ignores anchors, aliases
// and tags, so nothing is ever expanded. Lines with a template instruction, {{ … }},
// are skipped.
func mapYAML(ctx context.Context, src []byte) (*citekit.Draft, error) {
	y := &yamlScanner{ctx: ctx, src: src, b: newBuilder(), line: 1}
	y.b.wrapped = 1
	if err := y.scan(); err != nil {
		return nil, err
	}
	nodes := y.b.tree()
	if len(nodes) == 1 && nodes[0].Type == "element" {
		nodes = nodes[0].Children
	}
	if len(nodes) == 0 && !y.flow {
		return nil, malformed(1, "neither a mapping nor a list")
	}
	s := &citekit.Draft{Nodes: nodes, Method: "keys", Metadata: map[string]any{"format": string(YAML)}}
	if y.documents > 1 {
		s.Metadata["documents"] = y.documents
	}
	if len(nodes) > 0 && nodes[0].Type == "rows" {
		s.Method = "rows"
	}
	return s, nil
}

// A yamlScanner reads lines and reports the collections that their indentation forms
// to a builder.
type yamlScanner struct {
	ctx  context.Context
	src  []byte
	b    *builder
	pos  int
	line int // of pos, from 1
	bol  int // offset of the beginning of the line

	open []yamlEntry // open collections of the document
	last int         // line of the last content

	inDocument bool
	documents  int
	marker     int    // line of a --- without content after it so far, or 0
	kind       string // kind of the document, as in Kubernetes
	flow       bool   // whether a flow collection was found

	summary summary
}

// A yamlEntry is a key with its value, or a sequence element.
type yamlEntry struct {
	column   int
	sequence bool
	explicit bool // whether the key has a question mark
	key      string
}

func (y *yamlScanner) scan() error {
	for y.pos < len(y.src) {
		if y.line%1024 == 0 && y.ctx.Err() != nil {
			return y.ctx.Err()
		}
		y.bol = y.pos
		if err := y.readLine(); err != nil {
			return err
		}
	}
	y.endDocument()
	return nil
}

// readLine reads a line that begins outside scalars, and the further lines of scalars
// that begin on it.
func (y *yamlScanner) readLine() error {
	for y.pos < len(y.src) && y.src[y.pos] == ' ' {
		y.pos++
	}
	column := y.pos - y.bol
	y.blanks()
	switch {
	case y.atEnd():
		y.endLine()
		return nil
	case y.src[y.pos] == '#':
		y.summary.add(y.src[y.pos:y.lineEnd(y.pos)], y.line, column)
		y.endLine()
		return nil
	case column == 0 && y.atMarker("---"):
		y.endDocument()
		y.marker = y.line
		y.pos += 3
		if y.blanks(); y.atEnd() || y.src[y.pos] == '#' {
			y.endLine()
			return nil
		}
		y.startDocument()
		return y.value(-1)
	case column == 0 && y.atMarker("..."):
		y.endDocument()
		y.endLine()
		return nil
	case column == 0 && y.src[y.pos] == '%' && !y.inDocument:
		y.endLine()
		return nil
	case y.atTemplate():
		y.endLine()
		return nil
	}
	y.startDocument()
	return y.block(column)
}

// block reads the item at a column: a sequence element, a key, or a scalar. A line
// may have several, as in "- a: b".
func (y *yamlScanner) block(column int) error {
	for {
		if len(y.open) > maxYAMLDepth {
			return malformed(y.line, "more than %d collections inside each other", maxYAMLDepth)
		}
		switch {
		case y.indicator('-'):
			y.closeTo(column, true)
			y.start(yamlEntry{column: column, sequence: true})
			y.pos++
		case y.indicator('?'):
			y.closeTo(column, false)
			y.start(yamlEntry{column: column, explicit: true, key: y.restOfLine(y.pos + 1)})
			y.pos++
		case y.indicator(':') && y.hasExplicit(column):
			y.closeTo(column, true) // the key may follow a sequence
			y.last = y.line
			y.pos++
		default:
			key, after, ok := y.key()
			if !ok {
				return y.value(y.parentColumn())
			}
			y.closeTo(column, false)
			y.start(yamlEntry{column: column, key: key})
			y.pos = after
			return y.value(column)
		}
		if y.blanks(); y.atEnd() || y.src[y.pos] == '#' {
			y.endLine()
			return nil
		}
		column = y.pos - y.bol
	}
}

// parentColumn returns the least indentation of continued scalar lines, minus one.
func (y *yamlScanner) parentColumn() int {
	if len(y.open) == 0 {
		return -1
	}
	return y.open[len(y.open)-1].column
}

// indicator reports whether c is at pos as a separate token.
func (y *yamlScanner) indicator(c byte) bool {
	return y.src[y.pos] == c && y.spaceAt(y.pos+1)
}

// spaceAt reports whether p is at white space or at the end.
func (y *yamlScanner) spaceAt(p int) bool {
	return p >= len(y.src) || y.src[p] == ' ' || y.src[p] == '\n' || y.src[p] == '\t'
}

func (y *yamlScanner) atEnd() bool { return y.pos >= len(y.src) || y.src[y.pos] == '\n' }

func (y *yamlScanner) atMarker(mark string) bool {
	return bytes.HasPrefix(y.src[y.pos:], []byte(mark)) && y.spaceAt(y.pos+3)
}

// atTemplate reports whether the line is a template instruction.
func (y *yamlScanner) atTemplate() bool {
	line := bytes.TrimSpace(y.src[y.pos:y.lineEnd(y.pos)])
	return bytes.HasPrefix(line, []byte("{{")) && bytes.HasSuffix(line, []byte("}}")) ||
		bytes.HasPrefix(line, []byte("{%")) && bytes.HasSuffix(line, []byte("%}"))
}

func (y *yamlScanner) blanks() {
	for y.pos < len(y.src) && (y.src[y.pos] == ' ' || y.src[y.pos] == '\t') {
		y.pos++
	}
}

// lineEnd returns the end of the line at p, before its LF.
func (y *yamlScanner) lineEnd(p int) int {
	if i := bytes.IndexByte(y.src[p:], '\n'); i >= 0 {
		return p + i
	}
	return len(y.src)
}

// endLine skips the rest of the line.
func (y *yamlScanner) endLine() {
	y.pos = y.lineEnd(y.pos)
	if y.pos < len(y.src) {
		y.pos++
		y.line++
		y.bol = y.pos
	}
}

func (y *yamlScanner) restOfLine(p int) string {
	rest := y.src[min(p, len(y.src)):min(p+4*maxTitle, len(y.src))]
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return strings.TrimSpace(string(line))
}

const (
	maxComment   = 2 << 10 // most bytes read of a comment above a key
	maxYAMLDepth = 1_000
)

func (y *yamlScanner) startDocument() {
	if y.inDocument {
		return
	}
	line := y.line
	if y.marker > 0 {
		line = y.marker
	}
	y.inDocument, y.marker, y.kind, y.last = true, 0, "", y.line
	y.documents++
	y.b.start("element", "", line, int64(y.pos))
}

func (y *yamlScanner) endDocument() {
	if !y.inDocument {
		return
	}
	y.closeInside(-1)
	if y.kind != "" && y.b.kept() {
		y.b.nameByTitle(y.kind)
	}
	y.b.end(y.last, int64(y.bol))
	y.inDocument = false
}

// closeTo closes the entries that do not contain a key or an element at column. The
// elements of a sequence may be in the column of its key.
func (y *yamlScanner) closeTo(column int, sequence bool) {
	y.closeInside(column)
	for k := len(y.open); k > 0 && y.open[k-1].column == column; k-- {
		if sequence && !y.open[k-1].sequence {
			return
		}
		y.close()
	}
}

// closeInside closes the entries that begin after column.
func (y *yamlScanner) closeInside(column int) {
	for k := len(y.open); k > 0 && y.open[k-1].column > column; k-- {
		y.close()
	}
}

func (y *yamlScanner) hasExplicit(column int) bool {
	for _, e := range y.open {
		if e.explicit && e.column == column {
			return true
		}
	}
	return false
}

func (y *yamlScanner) start(e yamlEntry) {
	kind := "key"
	if e.sequence {
		kind = "element"
	}
	tracks := y.b.tracks()
	y.b.start(kind, e.key, y.line, int64(y.pos))
	if tracks && !e.sequence {
		y.b.parent().node.Summary = y.summary.above(y.line, e.column)
	}
	y.open = append(y.open, e)
	y.last = y.line
}

// close closes the innermost entry at the last content.
func (y *yamlScanner) close() {
	y.b.end(y.last, int64(y.bol))
	y.open = y.open[:len(y.open)-1]
}

// key parses a key followed by a colon on the same line. after is the offset of its
// value.
func (y *yamlScanner) key() (name string, after int, ok bool) {
	p, end := y.properties(y.pos), y.lineEnd(y.pos)
	if p >= end {
		return "", 0, false
	}
	switch y.src[p] {
	case '"', '\'':
		stop, closed := quotedEnd(y.src[:end], p)
		if !closed {
			return "", 0, false
		}
		return y.keyBefore(unquoteYAML(y.src[p:stop]), stop)
	case '{', '[':
		stop, closed := y.flowEnd(end)
		if !closed || p != y.pos {
			return "", 0, false
		}
		return y.keyBefore(string(y.src[p:stop]), stop)
	case '|', '>', '#', '@', '`', ',', '}', ']':
		return "", 0, false
	}
	for q := p; q < end; q++ {
		switch y.src[q] {
		case ':':
			if y.spaceAt(q + 1) {
				return strings.TrimSpace(string(y.src[p:q])), q + 1, true
			}
		case '#':
			if q > p && y.spaceAt(q-1) {
				return "", 0, false
			}
		}
	}
	return "", 0, false
}

// keyBefore returns a key that ends at p, if a colon follows.
func (y *yamlScanner) keyBefore(key string, p int) (name string, after int, ok bool) {
	for p < len(y.src) && (y.src[p] == ' ' || y.src[p] == '\t') {
		p++
	}
	return key, p + 1, p < len(y.src) && y.src[p] == ':' && y.spaceAt(p+1)
}

// properties returns where the node at p begins after its anchor and tag.
func (y *yamlScanner) properties(p int) int {
	for p < len(y.src) && (y.src[p] == '&' || y.src[p] == '!') {
		for !y.spaceAt(p) {
			p++
		}
		for p < len(y.src) && (y.src[p] == ' ' || y.src[p] == '\t') {
			p++
		}
	}
	return p
}

// value reads the node at pos, or none if the line ends. The lines of the node
// are indented further than column.
func (y *yamlScanner) value(column int) error {
	y.last = y.line
	y.blanks()
	y.pos = y.properties(y.pos)
	if y.atEnd() || y.src[y.pos] == '#' {
		y.endLine()
		return nil
	}
	switch y.src[y.pos] {
	case '|', '>':
		return y.blockScalar(column)
	case '"', '\'':
		return y.quoted()
	case '{', '[':
		return y.flowCollection()
	}
	y.plain(column)
	return nil
}

// tell gives the builder the beginning of a scalar.
func (y *yamlScanner) tell(text string) {
	y.b.value(text)
	k := len(y.open)
	if k == 0 || y.open[k-1].sequence {
		return
	}
	switch key := y.open[k-1].key; {
	case key == "kind" && k == 1:
		y.kind = text
	case key == "name" && k == 2 && y.open[0].key == "metadata" && len(y.b.open) > 0:
		y.b.open[0].setName(text, nameRank(key))
	}
}
