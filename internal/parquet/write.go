package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
)

const pageTarget = 1 << 20 // bytes of a written page

// Cut returns a Parquet file of rows and columns, given as for [File.Read], of at most
// limit bytes. The elements of its schema are copied byte by byte, and each value is
// that of the source. Values are uncompressed in encoding PLAIN, in one row group.
// Anything else in the footer, such as statistics and key-value pairs, is omitted
// because it describes all rows.
func (f *File) Cut(ctx context.Context, columns []int, first, last int, limit int) ([]byte, error) {
	w := &writer{work: f.begin(ctx), first: first, last: last, limit: limit}
	w.out = append(w.out, magic...)
	schema := [][]byte{f.root(len(columns))}
	for _, column := range columns {
		c := f.Columns[column]
		schema = append(schema, f.schema[c.schema.first:c.schema.last]...)
		if err := w.column(c.root, nil); err != nil {
			return nil, err
		}
	}
	footer := w.footer(schema)
	if len(w.out)+len(footer) > limit {
		return nil, w.tooLarge()
	}
	w.out = append(w.out, footer...)
	w.out = binary.LittleEndian.AppendUint32(w.out, uint32(len(footer)))
	return append(w.out, magic...), nil
}

// root returns the root of a schema with so many columns.
func (f *File) root(columns int) []byte {
	if columns == len(f.Columns) {
		return f.schema[0]
	}
	r := new(record)
	r.text(4, f.Name)
	r.number(5, thriftI32, int64(columns))
	return r.end()
}

type writer struct {
	*work
	first, last int
	limit       int
	out         []byte
	chunks      [][]byte
}

func (w *writer) tooLarge() error {
	return fmt.Errorf("rows of more than %d bytes; ask for fewer: %w", w.limit, ErrLarge)
}

// column writes the leaves of a node; path is the path of names to the node.
func (w *writer) column(n *node, path []string) error {
	path = append(path[:len(path):len(path)], n.name)
	if n.kind != kindGroup {
		return w.leaf(n, path)
	}
	for _, child := range n.children {
		if err := w.column(child, path); err != nil {
			return err
		}
	}
	return nil
}

// leaf writes the column chunk of a leaf.
func (w *writer) leaf(n *node, path []string) error {
	start := len(w.out)
	p := &pageWriter{leaf: n}
	total := int64(0)
	for g, group := range w.f.Groups {
		from, to := max(w.first, group.First), min(w.last, group.First+group.Rows-1)
		if from > to {
			continue
		}
		n, err := w.copy(g, from-group.First, to-from+1, p)
		total += n
		if err != nil {
			return err
		}
	}
	if err := w.flush(p); err != nil {
		return err
	}
	w.chunks = append(w.chunks, chunkRecord(n, path, total, start, len(w.out)-start))
	return nil
}

// copy writes the values of some rows of a group.
func (w *writer) copy(group, skip, rows int, p *pageWriter) (total int64, err error) {
	c := w.cursor(group, p.leaf.leaf)
	defer c.close()
	if err := c.skip(skip); err != nil {
		return 0, err
	}
	var row triplets
	for range rows {
		if err := w.ctx.Err(); err != nil {
			return total, err
		}
		row.reset()
		if err := c.row(&row); err != nil {
			return total, err
		}
		total += int64(len(row.values))
		p.add(&row)
		if size := p.size(); size >= pageTarget {
			if err := w.flush(p); err != nil {
				return total, err
			}
		}
	}
	return total, nil
}

// flush writes a page.
func (w *writer) flush(p *pageWriter) error {
	if p.n == 0 {
		return nil
	}
	if len(w.out)+p.size() > w.limit {
		return w.tooLarge()
	}
	w.out = p.appendTo(w.out)
	*p = pageWriter{leaf: p.leaf}
	return nil
}

// A pageWriter collects the values of a page.
type pageWriter struct {
	leaf       *node
	n          int
	reps, defs []byte
	values     []byte
	bits       int // bits used in the last byte of values, if they are booleans
}

func (p *pageWriter) size() int { return len(p.reps) + len(p.defs) + len(p.values) + p.n/8 }

func (p *pageWriter) add(t *triplets) {
	p.n += len(t.values)
	if p.leaf.rep > 0 {
		p.reps = append(p.reps, t.reps...)
	}
	if p.leaf.def > 0 {
		p.defs = append(p.defs, t.defs...)
	}
	for _, v := range t.values {
		switch {
		case v == nil:
		case p.leaf.kind == kindBoolean:
			if p.bits%8 == 0 {
				p.values = append(p.values, 0)
			}
			p.values[len(p.values)-1] |= v[0] & 1 << (p.bits % 8)
			p.bits++
		case p.leaf.kind == kindByteArray:
			p.values = binary.LittleEndian.AppendUint32(p.values, uint32(len(v)))
			p.values = append(p.values, v...)
		default:
			p.values = append(p.values, v...)
		}
	}
}

// appendTo appends the page, as a page of version 1.
func (p *pageWriter) appendTo(out []byte) []byte {
	var body bytes.Buffer
	for _, l := range []struct {
		levels  []byte
		highest byte
	}{{p.reps, p.leaf.rep}, {p.defs, p.leaf.def}} {
		if l.highest == 0 {
			continue
		}
		runs := runsOf(l.levels)
		body.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(runs))))
		body.Write(runs)
	}
	body.Write(p.values)
	data := new(record)
	data.number(1, thriftI32, int64(p.n))
	data.number(2, thriftI32, encPlain)
	data.number(3, thriftI32, encRLE)
	data.number(4, thriftI32, encRLE)
	h := new(record)
	h.number(1, thriftI32, pageData)
	h.number(2, thriftI32, int64(body.Len()))
	h.number(3, thriftI32, int64(body.Len()))
	h.record(5, data.end())
	return append(append(out, h.end()...), body.Bytes()...)
}

// runsOf run-length encodes levels, one byte each.
func runsOf(levels []byte) (out []byte) {
	for len(levels) > 0 {
		n := 1
		for n < len(levels) && levels[n] == levels[0] {
			n++
		}
		out = append(binary.AppendUvarint(out, uint64(n)<<1), levels[0])
		levels = levels[n:]
	}
	return out
}

// chunkRecord returns the ColumnChunk of a leaf.
func chunkRecord(n *node, path []string, values int64, start, size int) []byte {
	var names [][]byte
	for _, name := range path {
		names = append(names, append(binary.AppendUvarint(nil, uint64(len(name))), name...))
	}
	m := new(record)
	m.number(1, thriftI32, int64(n.kind))
	m.list(2, thriftI32, [][]byte{binary.AppendVarint(nil, encPlain), binary.AppendVarint(nil, encRLE)})
	m.list(3, thriftBinary, names)
	m.number(4, thriftI32, 0)
	m.number(5, thriftI64, values)
	m.number(6, thriftI64, int64(size))
	m.number(7, thriftI64, int64(size))
	m.number(9, thriftI64, int64(start))
	c := new(record)
	c.number(2, thriftI64, 0)
	c.record(3, m.end())
	return c.end()
}

// footer returns the metadata of the written file.
func (w *writer) footer(schema [][]byte) []byte {
	rows := int64(max(w.last-w.first+1, 0))
	var groups [][]byte
	if rows > 0 {
		g := new(record)
		g.list(1, thriftStruct, w.chunks)
		g.number(2, thriftI64, int64(len(w.out)-len(magic)))
		g.number(3, thriftI64, rows)
		groups = append(groups, g.end())
	}
	m := new(record)
	m.number(1, thriftI32, w.f.version)
	m.list(2, thriftStruct, schema)
	m.number(3, thriftI64, rows)
	m.list(4, thriftStruct, groups)
	m.text(6, "citekit")
	return m.end()
}
