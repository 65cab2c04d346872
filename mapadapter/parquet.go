package mapadapter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/citekit/citekit"
)

// errDecoder reports that the decoder failed: the cause may be the file or the
// decoder.
var errDecoder = formatError("the decoder of Parquet cannot read it; write the table as JSON lines")

// readParquet returns the rows of a Parquet file. It reads columns of texts,
// numbers, truth values and lists of these, and leaves out other columns.
func readParquet(ctx context.Context, data []byte) (rows []record, err error) {
	defer func() {
		// The decoder panics on some files, damaged or not.
		if p := recover(); p != nil {
			rows, err = nil, errDecoder
		}
	}()
	if err := checkFooter(data); err != nil {
		return nil, err
	}
	if data, err = pruneFooter(data); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, errDecoder
	}
	switch n := f.NumRows(); {
	case n < 0:
		return nil, errThrift
	case n > maxRows:
		return nil, tooLarge("the Parquet file has %d rows; at most %d", n, maxRows)
	}
	if err := checkPages(data, f); err != nil {
		return nil, err
	}
	t, err := newParquetTable(f.Schema())
	if err != nil {
		return nil, err
	}
	for _, group := range f.RowGroups() {
		if err := t.readGroup(ctx, group); err != nil {
			return nil, err
		}
	}
	return t.rows, nil
}

// A parquetTable gathers rows.
type parquetTable struct {
	names []string // of leaf columns; "" for those that are left out
	lists []bool   // whether each column is a list
	kinds []parquet.Kind

	rows  []record
	bytes int
}

func newParquetTable(schema *parquet.Schema) (*parquetTable, error) {
	paths := schema.Columns()
	if len(paths) > maxColumns {
		return nil, tooLarge("the Parquet file has %d columns; at most %d", len(paths), maxColumns)
	}
	leaves := make(map[string]int)
	for _, path := range paths {
		leaves[path[0]]++
	}
	t := &parquetTable{}
	for _, path := range paths {
		name := path[0]
		leaf, ok := schema.Lookup(path...)
		if !ok || leaves[name] != 1 || leaf.MaxRepetitionLevel > 1 {
			name = "" // a struct, or lists in lists
		}
		t.names = append(t.names, name)
		t.lists = append(t.lists, leaf.MaxRepetitionLevel == 1)
		t.kinds = append(t.kinds, leaf.Node.Type().Kind())
	}
	return t, nil
}

func (t *parquetTable) readGroup(ctx context.Context, group parquet.RowGroup) error {
	rows := group.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, 64)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			if err := t.add(row); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return errDecoder
		case n == 0:
			return formatError("the Parquet file ends in the middle of its rows")
		case len(t.rows) > maxRows:
			return tooLarge("the Parquet file has more than %d rows", maxRows)
		}
	}
}

func (t *parquetTable) add(row parquet.Row) error {
	r := make(record)
	for _, value := range row {
		column := value.Column()
		if column < 0 || column >= len(t.names) {
			return errThrift
		}
		name := t.names[column]
		if name == "" {
			continue
		}
		v := t.value(value, t.kinds[column])
		if !t.lists[column] {
			r[name] = v
			continue
		}
		list, _ := r[name].([]any)
		if v != nil {
			list = append(list, v)
		}
		r[name] = list
	}
	if t.bytes > maxTableBytes {
		return fmt.Errorf("the Parquet file has more than %d MiB of values: %w", maxTableBytes>>20, citekit.ErrTooLarge)
	}
	t.rows = append(t.rows, r)
	return nil
}

// valueCost is the number of bytes a value takes in addition to those of its
// text, including its part of the row.
const valueCost = 100

func (t *parquetTable) value(v parquet.Value, kind parquet.Kind) any {
	t.bytes += valueCost
	if v.IsNull() {
		return nil
	}
	switch kind {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		return int64(v.Int32())
	case parquet.Int64:
		return v.Int64()
	case parquet.Float:
		return float64(v.Float())
	case parquet.Double:
		return v.Double()
	case parquet.ByteArray, parquet.FixedLenByteArray:
		b := v.ByteArray()
		t.bytes += len(b)
		return string(b)
	}
	return nil
}
