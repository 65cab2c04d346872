package data

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
)

const (
	delimiters    = ",;\t|"
	maxQuoted     = 1 << 20 // bytes of a field in quotes
	maxFirst      = 64 << 10
	sampleRecords = 10
)

// mapCSV gathers the records of RFC 4180, with any of four delimiters, into
// runs of rows. Fields in quotes may have lines. A first record of names is the
// header: the columns, and no row.
func mapCSV(r *reader) (*citekit.Draft, error) {
	delimiter := findDelimiter(r.rest())
	c := csvScanner{r: r, delimiter: delimiter, rows: newRuns(maxRuns)}
	if err := c.scan(); err != nil {
		return nil, err
	}
	meta := map[string]any{"format": string(CSV), "delimiter": string(delimiter), "rows": c.count}
	if c.columns != nil {
		meta["columns"] = c.columns
	}
	nodes := c.rows.nodes()
	if c.count == 0 {
		nodes = []*citekit.Node{{Type: "rows", Location: linesAt(1, r.lines())}}
	}
	return &citekit.Draft{Nodes: nodes, Method: "rows", Metadata: meta}, nil
}

// A fieldState is where in a field a byte of a record stands.
type fieldState byte

const (
	fieldStart fieldState = iota
	inField
	inQuotes
	afterQuote // which ends the field, or stands for itself if another follows
)

// after returns the state behind a byte that ends no record.
func (s fieldState) after(b, delimiter byte) fieldState {
	switch {
	case s == inQuotes:
		if b == '"' {
			return afterQuote
		}
		return inQuotes
	case b == delimiter:
		return fieldStart
	case b == '"' && s != inField:
		return inQuotes
	}
	return inField
}

type csvScanner struct {
	r         *reader
	delimiter byte
	rows      *runs
	columns   []string
	records   int
	count     int // of rows

	state  fieldState
	quote  int   // line where quotes opened last
	opened int64 // and offset

	line  int   // first of the record
	start int64 // its offset
	first []byte
}

func (c *csvScanner) scan() error {
	c.begin()
	for part := c.r.rest(); len(part) > 0; part = c.r.rest() {
		n, ended := c.record(part)
		if c.records == 0 {
			c.first = append(c.first, part[:min(n, maxFirst-len(c.first))]...)
		}
		c.r.skip(n)
		if ended {
			c.finish(c.r.line - 1)
		}
		if c.state == inQuotes && c.r.offset()-c.opened > maxQuoted {
			break
		}
	}
	if c.state == inQuotes {
		return malformed(c.quote, "a field in quotes that does not end")
	}
	if c.r.offset() > c.start {
		c.finish(c.r.line)
	}
	return nil
}

// record returns how many bytes of part belong to the record that is open, at
// least one, and whether they end it.
func (c *csvScanner) record(part []byte) (n int, ended bool) {
	state, opened := c.state, -1
	for i, b := range part {
		if b == '\n' && state != inQuotes {
			n, ended = i+1, true
			break
		}
		before := state
		state = state.after(b, c.delimiter)
		if before == fieldStart && state == inQuotes {
			opened = i
		}
	}
	if !ended {
		n = len(part)
	}
	if opened >= 0 {
		c.quote = c.r.line + bytes.Count(part[:opened], []byte("\n"))
		c.opened = c.r.offset() + int64(opened)
	}
	c.state = state
	return n, ended
}

func (c *csvScanner) begin() {
	c.line, c.start, c.state = c.r.line, c.r.offset(), fieldStart
}

// finish ends a record whose last line is given.
func (c *csvScanner) finish(last int) {
	size := c.r.offset() - c.start
	if size > 1 {
		c.records++
		if c.records == 1 {
			c.columns = header(fields(c.first, c.delimiter))
		}
		if c.records > 1 || c.columns == nil {
			c.count++
			c.rows.add(&citekit.Node{Type: "rows", Location: linesAt(c.line, last)}, 1, size)
		}
	}
	c.begin()
}

// header returns the names of columns, or nil if fields are data: one is a
// number, empty, or there twice.
func header(fields []string) []string {
	seen := make(map[string]bool)
	var names []string
	for _, f := range fields[:min(len(fields), maxColumns)] {
		name := title(f)
		_, err := strconv.ParseFloat(name, 64)
		if err == nil || name == "" || seen[name] {
			return nil
		}
		seen[name] = true
		names = append(names, name)
	}
	return names
}

// fields divides a record.
func fields(record []byte, delimiter byte) []string {
	var all []string
	var field []byte
	state := fieldStart
	for _, b := range bytes.TrimRight(record, "\n") {
		before := state
		state = state.after(b, delimiter)
		switch {
		case state == fieldStart:
			all, field = append(all, string(field)), nil
		case state == afterQuote, state == inQuotes && before == fieldStart:
		default:
			field = append(field, b)
		}
	}
	return append(all, string(field))
}

// findDelimiter returns the delimiter that divides the first records into the
// same number of fields, the most of them; else a comma.
func findDelimiter(sample []byte) byte {
	best, most := byte(','), 1
	for _, delimiter := range []byte(delimiters) {
		n := 0
		records := 0
		for line := range bytes.Lines(sample) {
			if bytes.Count(line, []byte{'"'})%2 == 1 || records == sampleRecords {
				break // a field of several lines
			}
			if len(bytes.TrimSpace(line)) == 0 || line[len(line)-1] != '\n' && records > 0 {
				continue
			}
			count := len(fields(line, delimiter))
			if records++; records > 1 && count != n {
				n = 1
				break
			}
			n = count
		}
		if n > most {
			best, most = delimiter, n
		}
	}
	if most == 1 { // none divides all alike
		first, _, _ := bytes.Cut(sample, []byte("\n"))
		for _, delimiter := range []byte(delimiters) {
			if n := strings.Count(string(first), string(delimiter)) + 1; n > most {
				best, most = delimiter, n
			}
		}
	}
	return best
}
