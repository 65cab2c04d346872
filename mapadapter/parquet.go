package mapadapter

import (
	"bytes"
	"context"
	"errors"

	"github.com/citekit/citekit/internal/parquet"
)

// Limits on a table.
const (
	maxRows       = 2_000_000
	maxTableBytes = 512 << 20 // of the values of a Parquet file
	maxColumns    = 1000      // of a Parquet file

	// valueCost is the number of bytes a value takes in addition to those of its
	// text, including its part of the row.
	valueCost = 100
)

// readParquet returns the rows of a Parquet file. It reads columns of texts,
// numbers, truth values and lists of these, and leaves out other columns.
func readParquet(ctx context.Context, data []byte) ([]record, error) {
	r := bytes.NewReader(data)
	footer, err := parquet.ReadFooter(r, r.Size())
	switch {
	case errors.Is(err, parquet.ErrLarge):
		return nil, tooLarge("%w", err)
	case err != nil:
		return nil, formatError("%w", err)
	case footer.Rows > maxRows:
		return nil, tooLarge("the Parquet file has %d rows; at most %d", footer.Rows, maxRows)
	case len(footer.Columns) > maxColumns:
		return nil, tooLarge("the Parquet file has %d columns; at most %d", len(footer.Columns), maxColumns)
	}
	columns := footer.Plain()
	var rows []record
	size := 0
	err = footer.Of(r).Values(ctx, columns, func(values []any) error {
		row := make(record, len(columns))
		for i, v := range values {
			row[footer.Columns[columns[i]].Name] = v
			size += valueBytes(v)
		}
		if size > maxTableBytes {
			return tooLarge("the Parquet file has more than %d MiB of values", maxTableBytes>>20)
		}
		rows = append(rows, row)
		return nil
	})
	switch {
	case err == nil:
		return rows, nil
	case errors.Is(err, parquet.ErrLarge):
		return nil, tooLarge("%w", err)
	case errors.Is(err, parquet.ErrDamaged), errors.Is(err, parquet.ErrEncrypted), errors.Is(err, parquet.ErrUnsupported):
		return nil, formatError("%w", err)
	}
	return nil, err
}

// valueBytes estimates the memory of a value, in bytes.
func valueBytes(v any) int {
	size := valueCost
	switch v := v.(type) {
	case string:
		size += len(v)
	case []any:
		for _, item := range v {
			size += valueBytes(item)
		}
	}
	return size
}
