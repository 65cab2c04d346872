// Package parquettest makes Parquet files for tests. It uses an independent
// implementation of the format, so that the reader of citekit is compared with
// another one.
package parquettest

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// An Order is a row. Its columns use the different encodings of the format.
type Order struct {
	ID    int64            `parquet:"id"`
	Name  *string          `parquet:"name,optional,dict"`
	Price *float64         `parquet:"price,optional"`
	Paid  bool             `parquet:"paid"`
	At    time.Time        `parquet:"at,timestamp(microsecond)"`
	Tags  []string         `parquet:"tags,list"`
	Sizes map[string]int32 `parquet:"sizes"`
	To    Place            `parquet:"to"`
	Notes []Note           `parquet:"notes"`
	Count int32            `parquet:"count,delta"`
	Text  string           `parquet:"text,delta"`
	Split float64          `parquet:"split,split"`
	Code  [4]byte          `parquet:"code"`
	Cents int64            `parquet:"cents,decimal(2:18)"`
}

type Place struct {
	City string `parquet:"city"`
	Zip  *int32 `parquet:"zip,optional"`
}

type Note struct {
	By    string   `parquet:"by"`
	Lines []string `parquet:"lines,list"`
}

// Row returns a row, counted from 1.
func Row(i int) Order {
	o := Order{
		ID: int64(i * 10), Paid: i%3 == 0, At: time.UnixMicro(1_700_000_000_000_000 + int64(i)*1_500_000).UTC(),
		To: Place{City: "Ulm"}, Count: int32(i * i), Text: fmt.Sprintf("text of %d", i/2), Split: float64(i) / 4,
		Code: [4]byte{0xff, byte(i), 0, 1}, Cents: int64(i)*101 - 300,
	}
	if i%4 != 0 {
		name := []string{"apple", "pear\tgreen", "fig"}[i%3]
		o.Name = &name
	}
	if i%5 != 0 {
		price := float64(i) + 0.5
		o.Price = &price
	}
	for k := range i % 3 {
		o.Tags = append(o.Tags, fmt.Sprintf("t%d", k))
		o.Notes = append(o.Notes, Note{By: "b", Lines: make([]string, k)})
	}
	if i%2 == 0 {
		zip := int32(89000 + i)
		o.To.Zip, o.Sizes = &zip, map[string]int32{"m": int32(i)}
	}
	return o
}

// Codecs are the supported compressions, by name.
var Codecs = map[string]parquet.WriterOption{
	"none": parquet.Compression(&parquet.Uncompressed), "snappy": parquet.Compression(&parquet.Snappy),
	"gzip": parquet.Compression(&parquet.Gzip), "zstd": parquet.Compression(&parquet.Zstd),
	"brotli": parquet.Compression(&parquet.Brotli), "lz4_raw": parquet.Compression(&parquet.Lz4Raw),
}

// File returns a file with that many rows, in groups of perGroup rows.
func File(t testing.TB, rows, perGroup int, codec string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[Order](&out, Codecs[codec], parquet.DataPageVersion(2), parquet.PageBufferSize(512), parquet.KeyValueMetadata("secret", "of all rows"))
	for i := 1; i <= rows; i++ {
		if _, err := w.Write([]Order{Row(i)}); err != nil {
			t.Fatal(err)
		}
		if i%perGroup == 0 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Read returns the rows of a file.
func Read(t testing.TB, data []byte) []Order {
	t.Helper()
	rows, err := parquet.Read[Order](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("the other reader: %v", err)
	}
	return rows
}

// Columns returns the names of the columns of a file, and how many rows it has.
func Columns(t testing.TB, data []byte) (names []string, rows int) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("the other reader: %v", err)
	}
	r := parquet.NewReader(f)
	defer r.Close()
	for buffer := make([]parquet.Row, 10); ; {
		n, err := r.ReadRows(buffer)
		if rows += n; err == io.EOF {
			break
		} else if err != nil || n == 0 {
			t.Fatalf("the other reader: %d rows, %v", n, err)
		}
	}
	for _, column := range f.Root().Columns() {
		names = append(names, strings.ToLower(column.Name()))
	}
	return names, rows
}
