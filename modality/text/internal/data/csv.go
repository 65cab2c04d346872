package data

import (
	"bytes"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lineform"
)

const maxFirst = 64 << 10

// mapCSV groups the records of RFC 4180, with any of four delimiters, into runs of
// rows. Quoted fields may contain line ends. If the first record has only names, it
// is the header: it gives the columns and is not a row.
func mapCSV(r *reader) (*citekit.Draft, error) {
	delimiter := lineform.Delimiter(r.rest())
	c := csvScanner{r: r, delimiter: delimiter, rows: newRuns(maxRuns)}
	if err := c.scan(); err != nil {
		return nil, err
	}
	meta := map[string]any{"format": string(CSV), "delimiter": string(delimiter), "rows": c.records}
	if c.columns != nil {
		meta["columns"] = c.columns
	}
	nodes := c.rows.nodes()
	if c.count == 0 {
		nodes = []*citekit.Node{{Type: "rows", Location: linesAt(1, r.lines())}}
	}
	return &citekit.Draft{Nodes: nodes, Method: "rows", Metadata: meta}, nil
}

type csvScanner struct {
	r         *reader
	delimiter byte
	rows      *runs
	columns   []string
	records   int // all records, as rows= counts them
	named     int // records that are not blank
	count     int // those without the header

	state  lineform.FieldState
	quote  int   // line of the last opening quote
	opened int64 // its offset

	line  int   // first line of the record
	start int64 // offset of the record
	first []byte
}

func (c *csvScanner) scan() error {
	c.begin()
	for part := c.r.rest(); len(part) > 0; part = c.r.rest() {
		n, ended := c.record(part)
		if c.named == 0 {
			c.first = append(c.first, part[:min(n, maxFirst-len(c.first))]...)
		}
		c.r.skip(n)
		if ended {
			c.finish(c.r.line - 1)
		}
		if c.state == lineform.InQuotes && c.r.offset()-c.opened > lineform.MaxQuoted {
			break
		}
	}
	if c.state == lineform.InQuotes {
		return malformed(c.quote, "a field in quotes that does not end")
	}
	if c.r.offset() > c.start {
		c.finish(c.r.line)
	}
	return nil
}

// record returns how many bytes of part belong to the open record, at least one, and
// whether the record ends with them.
func (c *csvScanner) record(part []byte) (n int, ended bool) {
	state, opened := c.state, -1
	for i, b := range part {
		if b == '\n' && state != lineform.InQuotes {
			n, ended = i+1, true
			break
		}
		before := state
		state = state.After(b, c.delimiter)
		if before == lineform.FieldStart && state == lineform.InQuotes {
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
	c.line, c.start, c.state = c.r.line, c.r.offset(), lineform.FieldStart
}

// finish ends a record, whose last line is last.
func (c *csvScanner) finish(last int) {
	size := c.r.offset() - c.start
	c.records++
	if size > 1 {
		if c.named++; c.named == 1 {
			c.columns = header(lineform.Fields(c.first, c.delimiter))
		}
		if c.named > 1 || c.columns == nil {
			c.count++
			c.rows.add(&citekit.Node{Type: "rows", Location: linesAt(c.line, last)}, 1, size)
		}
	}
	c.begin()
}

// header returns the column names, or nil if fields are data: one is a number, empty
// or a duplicate.
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
