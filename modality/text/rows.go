package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lineform"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/text/internal/data"
)

// A rowCut is a range of rows of comma-separated values, with the row of their
// header.
type rowCut struct {
	scanner rowScanner
	rows    citekit.Range
	names   []string // as requested
	columns []int    // from 0, sorted; nil for all

	header cut // empty if the rows include it
	body   cut
	width  int // number of fields of the header, if columns are selected
}

// table returns the index of the rows of src, or an error that says why it has
// none.
func (r *Resolver) table(ctx context.Context, src *citekit.Source) (*rowIndex, error) {
	x, err := r.index(ctx, src)
	if err != nil {
		return nil, err
	}
	return x.table(ctx, src)
}

// table returns the index of the rows of a source, with no rows read at first.
func (x *index) table(ctx context.Context, src *citekit.Source) (*rowIndex, error) {
	if format, _ := data.FormatOf(src.Name(), nil); format != data.CSV {
		return nil, fmt.Errorf("rows and cols of a text that is no .csv or .tsv file; cite its lines, such as lines=5-7: %w", errors.ErrUnsupported)
	}
	x.tableOnce.Lock()
	defer x.tableOnce.Unlock()
	if x.rows != nil {
		return x.rows, nil
	}
	head, err := io.ReadAll(io.LimitReader(newUnified(ctx, src, x.coding, nil), headBytes))
	if err != nil {
		return nil, err
	}
	x.rows = newRowIndex(x, lineform.Delimiter(head))
	x.rows.load(ctx, src)
	return x.rows, nil
}

// findRows returns the rows and columns that loc selects.
func (r *Resolver) findRows(ctx context.Context, src *citekit.Source, loc citekit.Location) (rowCut, error) {
	x, err := r.table(ctx, src)
	if err != nil {
		return rowCut{}, err
	}
	rows := loc.Rows
	if rows.IsZero() {
		if rows.Last, err = x.count(ctx, src); err != nil {
			return rowCut{}, err
		}
		rows = citekit.Range{First: 1, Last: max(rows.Last, 1)}
	}
	c := rowCut{scanner: newRowScanner(x.coding, x.delimiter), rows: rows, names: loc.Cols}
	c.body = cut{coding: x.coding, first: 1}
	if c.body.start, c.body.end, err = x.find(ctx, src, rows); err != nil {
		return rowCut{}, err
	}
	c.header = cut{coding: x.coding, first: 1}
	if rows.First > 1 {
		if _, c.header.end, err = x.find(ctx, src, citekit.Range{First: 1, Last: 1}); err != nil {
			return rowCut{}, err
		}
	}
	return c, c.findColumns(ctx, src)
}

// resolveRows implements Resolve for rows or columns.
func (r *Resolver) resolveRows(ctx context.Context, src *citekit.Source, loc citekit.Location) (*citekit.Content, error) {
	c, err := r.findRows(ctx, src, loc)
	if err != nil {
		return nil, err
	}
	charset, guessed, err := c.charset(ctx, src)
	if err != nil {
		return nil, err
	}
	content := &citekit.Content{
		MediaType: mediaType(src.Name()),
		Ext:       extension(src.Name()),
		Charset:   charset,

		CharsetGuessed: guessed,
	}
	if c.columns == nil {
		content.Size = c.header.end + c.body.end - c.body.start
		content.Body = &rowBody{io.MultiReader(
			newBody(ctx, src, 0, c.header.end), newBody(ctx, src, c.body.start, c.body.end))}
		return content, nil
	}
	return content, c.project(ctx, src, content)
}

// charset returns the charset of the rows and their header.
func (c rowCut) charset(ctx context.Context, src *citekit.Source) (name string, guessed bool, err error) {
	if c.header.end > 0 {
		name, guessed, err = c.header.charset(ctx, src)
		if err != nil || name != "utf-8" {
			return name, guessed, err
		}
	}
	return c.body.charset(ctx, src)
}

// A rowBody reads rows.
type rowBody struct{ io.Reader }

func (rowBody) Close() error { return nil }

const (
	heldRows = 4 << 20 // bytes of rows up to which their columns are held in memory
	maxTold  = message.MaxChanges - 1
)

// project fills content with the columns of c. Few bytes are read at once.
// Otherwise the Body reads from src, and project reads the rows once before
// that, to learn their size.
func (c rowCut) project(ctx context.Context, src *citekit.Source, content *citekit.Content) error {
	p := c.projection(ctx, src)
	if c.body.end-c.body.start <= heldRows {
		text, err := io.ReadAll(p)
		if err != nil {
			return err
		}
		content.Body, content.Size = &rowBody{bytes.NewReader(text)}, int64(len(text))
		content.Changes = p.changes()
		return nil
	}
	size, err := io.Copy(io.Discard, p)
	if err != nil {
		return err
	}
	content.Changes, content.Size = p.changes(), size
	content.Body = &rowBody{c.projection(ctx, src)}
	return nil
}

// text calls yield for each row until it returns false. They include the header only
// if it is one of the rows.
func (c rowCut) text(ctx context.Context, src *citekit.Source, yield func(citekit.TextRun) bool) error {
	charset, _, err := c.charset(ctx, src)
	if err != nil {
		return err
	}
	p := c.projection(ctx, src)
	p.sources = p.sources[len(p.sources)-1:]
	p.row = c.rows.First
	p.mark = 0
	d := decoder(charset)
	for {
		row := p.row
		if err := p.fill(); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		d.Reset()
		text, _, err := decode(d, p.out, true)
		if err != nil {
			return err
		}
		p.out = p.out[:0]
		at := citekit.Location{Modality: citekit.Text, Rows: citekit.Range{First: row, Last: row}, Cols: c.names}
		if !yield(citekit.TextRun{Text: text, Location: at}) {
			return nil
		}
	}
}
