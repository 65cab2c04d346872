package parquet

import (
	"context"
	"fmt"
)

const (
	maxHeld = 192 << 20 // bytes of pages that are held at once
	perRow  = 8         // bytes that a row or a value counts as

	maxRowValues = 1 << 20 // values of a column in one row
	keptValues   = 4 << 10 // values for which space is kept from row to row
)

// A work is one reading of rows. It bounds what is held and what is decoded, because a
// few bytes can stand for many values.
type work struct {
	ctx  context.Context
	f    *File
	held int64
	left int64
}

func (f *File) begin(ctx context.Context) *work {
	return &work{ctx: ctx, f: f, left: 1<<30 + 256*f.size}
}

// spend counts n bytes of decoded values.
func (w *work) spend(n int64) error {
	if w.left -= n; w.left < 0 {
		return fmt.Errorf("the rows have more values than a file of %d bytes may unpack to; ask for fewer rows: %w", w.f.size, ErrLarge)
	}
	return nil
}

func (w *work) hold(n int64) error {
	if w.held += n; w.held > maxHeld {
		return fmt.Errorf("pages of more than %d bytes at a time; ask for fewer columns: %w", maxHeld, ErrLarge)
	}
	return nil
}

// A cursor reads the values of a leaf in one row group, row by row.
type cursor struct {
	w    *work
	leaf *node
	c    chunk
	at   int64 // offset of the next page
	left int64 // values from there on

	dictionary *values
	page       *page // nil before the first
	i          int   // index of the next value in it
	there      int   // index of the next value that is not null
}

func (w *work) cursor(group, leaf int) *cursor {
	c := w.f.Groups[group].chunks[leaf]
	return &cursor{w: w, leaf: w.f.leaves[leaf], c: c, at: c.start, left: c.values}
}

// close releases the pages.
func (c *cursor) close() {
	if c.page != nil {
		c.w.held -= c.page.cost
	}
	if c.dictionary != nil {
		c.w.held -= c.dictionary.cost()
	}
	c.page, c.dictionary = nil, nil
}

// Triplets are the values of a leaf in some rows, with their levels. A null is a nil
// value.
type triplets struct {
	reps, defs []byte
	values     [][]byte
}

func (t *triplets) reset() {
	if cap(t.values) > keptValues {
		*t = triplets{}
	}
	t.reps, t.defs, t.values = t.reps[:0], t.defs[:0], t.values[:0]
}

var errWide = fmt.Errorf("a row of more than %d values in a column; ask for other columns: %w", maxRowValues, ErrLarge)

// skip skips rows. It does not decode a page whose number of rows is known.
func (c *cursor) skip(rows int) error {
	for rows > 0 {
		if c.page == nil || c.i == c.page.n {
			passed, err := c.pass(rows)
			if err != nil {
				return err
			}
			rows -= passed
			continue
		}
		if err := c.row(nil); err != nil {
			return err
		}
		rows--
	}
	return nil
}

// pass skips the next page if that has at most rows rows, and otherwise reads it.
func (c *cursor) pass(rows int) (passed int, err error) {
	h, err := c.header()
	if err != nil {
		return 0, err
	}
	n := h.rows
	if c.leaf.rep == 0 {
		n = h.values
	}
	if h.kind == pageDictionary || n < 0 || n > int64(rows) {
		return 0, c.take(h)
	}
	if h.values > c.left {
		return 0, errCount
	}
	c.at, c.left = h.data+h.compressed, c.left-h.values
	return int(n), nil
}

var errCount = fmt.Errorf("a column has other values than its row group says: %w", ErrDamaged)

// header reads the header of the next page, skipping index and empty pages.
func (c *cursor) header() (h header, err error) {
	for c.left > 0 && c.at < c.c.end {
		if err := c.w.ctx.Err(); err != nil {
			return h, err
		}
		if h, err = c.w.f.readHeader(c.at, c.c.end); err != nil {
			return h, err
		}
		if h.kind == pageDictionary || h.kind != pageIndex && h.values > 0 {
			return h, nil
		}
		c.at = h.data + h.compressed
	}
	return h, errCount
}

// take reads the page that belongs to a header.
func (c *cursor) take(h header) error {
	w := c.w
	if c.page != nil {
		w.held -= c.page.cost
		c.page = nil
	}
	c.at = h.data + h.compressed
	if err := w.spend(h.size + h.values*perRow); err != nil {
		return err
	}
	data, err := w.f.load(h, c.c.codec)
	if err != nil {
		return err
	}
	switch h.kind {
	case pageDictionary:
		if c.dictionary != nil {
			return errCount
		}
		v, err := plain(c.leaf, data, int(h.values))
		if err != nil {
			return err
		}
		c.dictionary = &v
		return w.hold(v.cost())
	case pageData, pageData2:
	default:
		return fmt.Errorf("pages of type %d: %w", h.kind, ErrUnsupported)
	}
	if c.left -= h.values; c.left < 0 {
		return errCount
	}
	p, err := decode(c.leaf, h, data, c.dictionary)
	if err != nil {
		return err
	}
	c.page, c.i, c.there = p, 0, 0
	return w.hold(p.cost)
}

// more makes sure that a value can be read, and reports whether there is one.
func (c *cursor) more() (bool, error) {
	for c.page == nil || c.i == c.page.n {
		if c.left == 0 {
			return false, nil
		}
		h, err := c.header()
		if err != nil {
			return false, err
		}
		if err := c.take(h); err != nil {
			return false, err
		}
	}
	return true, nil
}

// row adds the values of the next row to t, unless t is nil.
func (c *cursor) row(t *triplets) error {
	for n := 0; ; n++ {
		more, err := c.more()
		if err != nil {
			return err
		}
		p, rep := c.page, byte(0)
		if more && p.reps != nil {
			rep = p.reps[c.i]
		}
		switch {
		case !more && n == 0, more && n == 0 && rep != 0:
			return errCount
		case !more, n > 0 && rep == 0:
			return nil
		case n > maxRowValues:
			return errWide
		}
		def := c.leaf.def
		if p.defs != nil {
			def = p.defs[c.i]
		}
		var value []byte
		if def == c.leaf.def {
			if t != nil {
				value = p.values.at(c.there)
			}
			c.there++
		}
		c.i++
		if t != nil {
			t.reps, t.defs, t.values = append(t.reps, rep), append(t.defs, def), append(t.values, value)
		}
		if c.leaf.rep == 0 {
			return nil
		}
	}
}

// Read calls yield with the texts of each row from first to last, counted from 1, both
// included. The texts are in the order of columns, which are indexes of Columns, and
// are valid until yield returns. An error of yield ends the reading and is returned.
func (f *File) Read(ctx context.Context, columns []int, first, last int, yield func(texts []string) error) error {
	return read(f.begin(ctx), columns, first, last, func(a *assembler, n *node) (string, int, error) {
		text, err := a.text(n)
		return text, len(text), err
	}, yield)
}

// Values calls yield with the values of each row: an int64, float64, bool, string or
// nil for a null, or a []any of these without its nulls. The values are in the order
// of columns, which are some of those of Plain; the slice is valid until yield
// returns. An error of yield ends the reading and is returned.
func (f *File) Values(ctx context.Context, columns []int, yield func(values []any) error) error {
	return read(f.begin(ctx), columns, 1, f.Rows, (*assembler).plain, yield)
}

// read yields what show makes of the values of each row; show returns how many bytes
// it takes, too.
func read[V any](w *work, columns []int, first, last int, show func(*assembler, *node) (V, int, error), yield func([]V) error) error {
	shown := make([]V, len(columns))
	for g, group := range w.f.Groups {
		from, to := max(first, group.First), min(last, group.First+group.Rows-1)
		if from > to {
			continue
		}
		err := w.readGroup(g, columns, from-group.First, to-from+1, func(i int, a *assembler, n *node) (size int, err error) {
			shown[i], size, err = show(a, n)
			return size, err
		}, func() error { return yield(shown) })
		if err != nil {
			return err
		}
	}
	return nil
}

// readGroup calls show for the values of each column of a row, and then yield.
func (w *work) readGroup(group int, columns []int, skip, rows int, show func(i int, a *assembler, n *node) (size int, err error), yield func() error) error {
	cursors := make([][]*cursor, len(columns))
	for i, column := range columns {
		for leaf := w.f.Columns[column].leaves.first; leaf < w.f.Columns[column].leaves.last; leaf++ {
			c := w.cursor(group, leaf)
			defer c.close()
			if err := c.skip(skip); err != nil {
				return err
			}
			cursors[i] = append(cursors[i], c)
		}
	}
	a := new(assembler)
	for range rows {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		spent := int64(perRow)
		for i, column := range columns {
			a.reset(w.f.Columns[column].leaves.first, len(cursors[i]))
			count := 0
			for k, c := range cursors[i] {
				if err := c.row(&a.leaves[k]); err != nil {
					return err
				}
				if count += len(a.leaves[k].values); count > maxRowValues {
					return errWide
				}
			}
			size, err := show(i, a, w.f.Columns[column].root)
			if err != nil {
				return err
			}
			spent += int64(size)
		}
		if err := w.spend(spent); err != nil {
			return err
		}
		if err := yield(); err != nil {
			return err
		}
	}
	return nil
}
