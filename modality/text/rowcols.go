package text

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lineform"
	"github.com/citekit/citekit/internal/message"
)

// findColumns finds the requested columns among the names of the header.
func (c *rowCut) findColumns(ctx context.Context, src *citekit.Source) error {
	if len(c.names) == 0 {
		return nil
	}
	start := int64(c.body.coding.mark)
	end := c.header.end
	if c.rows.First == 1 {
		end = c.body.end
	}
	row, err := newRowReader(ctx, src, c.scanner, start, end).next()
	if err != nil && err != io.EOF {
		return err
	}
	header, err := c.values(row)
	if err != nil {
		return err
	}
	c.width = len(header)
	c.columns, err = pickColumns(c.names, header)
	return err
}

// values returns the values of the fields of a row.
func (c *rowCut) values(row []byte) ([]string, error) {
	d := decoder(c.body.coding.charset)
	spans, _ := c.scanner.fields(row)
	values := make([]string, len(spans))
	for i, f := range spans {
		d.Reset()
		text, _, err := decode(d, row[f.start:f.end], true)
		if err != nil {
			return nil, err
		}
		values[i] = lineform.FieldValue(text)
	}
	return values, nil
}

// maxListed is the maximum number of columns named in an error.
const maxListed = 20

// pickColumns returns the columns with the names, sorted, each once.
func pickColumns(names, header []string) ([]int, error) {
	var columns []int
	for _, name := range names {
		column, err := pickColumn(name, header)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column)
	}
	slices.Sort(columns)
	return slices.Compact(columns), nil
}

// pickColumn returns the column with a name, or that number.
func pickColumn(name string, header []string) (int, error) {
	column, isUnique := lineform.Column(name, header)
	switch {
	case column < 0:
		return 0, fmt.Errorf("no column %s; there are %s: %w", message.Quote(name), listed(header), citekit.ErrRange)
	case !isUnique:
		return 0, fmt.Errorf("several columns are named %s; write the number of one, such as cols=%d: %w", message.Quote(name), column+1, citekit.ErrRange)
	}
	return column, nil
}

// listed lists the names of columns for an error.
func listed(header []string) string {
	var names []string
	for i, name := range header {
		if i == maxListed || len(strings.Join(names, ", ")) > 500 {
			return strings.Join(names, ", ") + fmt.Sprintf(" and others, %d in all", len(header))
		}
		if name == "" {
			name = fmt.Sprint(i + 1)
		}
		names = append(names, message.Clip(name))
	}
	return strings.Join(names, ", ")
}

// A projection reads rows, or some columns of them.
type projection struct {
	rowCut
	sources []*rowReader // the header, unless the rows include it, and the rows
	mark    int          // bytes of the byte order mark at the beginning
	row     int          // number of the next row
	out     []byte
	given   int // bytes of out that were returned
	err     error

	odd  int      // rows with more or fewer fields than the header
	told []string // messages about the first of these
}

func (c rowCut) projection(ctx context.Context, src *citekit.Source) *projection {
	p := &projection{rowCut: c, row: 1, mark: c.body.coding.mark}
	if c.header.end > 0 {
		p.sources = append(p.sources, newRowReader(ctx, src, c.scanner, int64(p.mark), c.header.end))
	}
	p.sources = append(p.sources, newRowReader(ctx, src, c.scanner, max(c.body.start, int64(p.mark)), c.body.end))
	return p
}

// Read implements [io.Reader].
func (p *projection) Read(b []byte) (int, error) {
	for p.given == len(p.out) {
		p.out, p.given = p.out[:0], 0
		if err := p.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.out[p.given:])
	p.given += n
	return n, nil
}

// fill adds the next row to the output. It keeps its error.
func (p *projection) fill() error {
	if p.err != nil {
		return p.err
	}
	if p.mark > 0 {
		mark := make([]byte, p.mark)
		if p.err = readFull(p.sources[0].ctx, p.sources[0].src, mark, 0); p.err != nil {
			return p.err
		}
		p.out, p.mark = append(p.out, mark...), 0
	}
	row, err := p.sources[0].next()
	if err == io.EOF && len(p.sources) > 1 {
		p.sources, p.row = p.sources[1:], p.rows.First
		row, err = p.sources[0].next()
	}
	if p.err = err; err != nil {
		return err
	}
	p.add(row)
	p.row++
	return nil
}

// add adds the columns of a row, with unchanged bytes. Missing fields are
// empty.
func (p *projection) add(row []byte) {
	if p.columns == nil {
		p.out = append(p.out, row...)
		return
	}
	fields, end := p.scanner.fields(row)
	for i, column := range p.columns {
		if i > 0 {
			p.out = append(p.out, p.scanner.encoded(p.scanner.delimiter)...)
		}
		if column < len(fields) {
			p.out = append(p.out, row[fields[column].start:fields[column].end]...)
		}
	}
	p.out = append(p.out, row[end:]...)
	if len(fields) != p.width && end > 0 {
		if p.odd++; p.odd <= maxTold {
			p.told = append(p.told, fmt.Sprintf("row %d has %s, the header %d%s", p.row, message.Count(len(fields), "field"), p.width, p.lacking(len(fields))))
		}
	}
}

// lacking describes the handling of a row with missing fields.
func (p *projection) lacking(fields int) string {
	if fields <= p.columns[len(p.columns)-1] {
		return "; what it lacks is empty"
	}
	return ""
}

// changes lists the differences between the columns and the source.
func (p *projection) changes() []string {
	if p.odd > len(p.told) {
		return append(p.told, fmt.Sprintf("%d more rows have more or fewer fields than the header", p.odd-len(p.told)))
	}
	return p.told
}
