package parquet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/citekit/citekit/internal/parquet"
	"github.com/citekit/citekit/internal/test/parquettest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

func open(t testing.TB, data []byte) *parquet.File {
	t.Helper()
	f, err := parquet.ReadFooter(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f.Of(bytes.NewReader(data))
}

func all(f *parquet.File) (columns []int) {
	for i := range f.Columns {
		columns = append(columns, i)
	}
	return columns
}

// column returns the index of a column.
func column(f *parquet.File, name string) int {
	return slices.IndexFunc(f.Columns, func(c *parquet.Column) bool { return c.Name == name })
}

// TestCut compares the rows of a cut, as another reader has them, with those
// that were written, for all compressions. The other writer makes pages of the
// second version, as those of the first that it makes of optional columns have
// levels too many; the cut has those of the first, which are read in turn.
func TestCut(t *testing.T) {
	sharedtest.NotShort(t)
	for codec := range parquettest.Codecs {
		t.Run(codec, func(t *testing.T) {
			f := open(t, parquettest.File(t, 300, 120, codec))
			if f.Rows != 300 || len(f.Groups) != 3 || !f.Pairs {
				t.Fatalf("%d rows in %d groups", f.Rows, len(f.Groups))
			}
			for _, rows := range [][2]int{{1, 1}, {5, 7}, {119, 242}, {300, 300}, {1, 300}} {
				cut, err := f.Cut(t.Context(), all(f), rows[0], rows[1], 1<<20)
				if err != nil {
					t.Fatal(rows, err)
				}
				again, err := f.Cut(t.Context(), all(f), rows[0], rows[1], 1<<20)
				if err != nil || !bytes.Equal(cut, again) || bytes.Contains(cut, []byte("secret")) {
					t.Errorf("rows %v: cut again it differs, or has what the footer says: %v", rows, err)
				}
				var want []parquettest.Order
				for i := rows[0]; i <= rows[1]; i++ {
					want = append(want, parquettest.Row(i))
				}
				if diff := cmp.Diff(want, parquettest.Read(t, cut), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("rows %v: %s", rows, diff)
				}
				if got, want := text(t, open(t, cut), 1, rows[1]-rows[0]+1), text(t, f, rows[0], rows[1]); got != want {
					t.Errorf("rows %v: the text of the cut is %q, want %q", rows, got, want)
				}
			}
		})
	}
}

func TestCutColumns(t *testing.T) {
	f := open(t, parquettest.File(t, 20, 7, "snappy"))
	cut, err := f.Cut(t.Context(), []int{column(f, "id"), column(f, "notes")}, 6, 9, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	names, rows := parquettest.Columns(t, cut)
	if !slices.Equal(names, []string{"id", "notes"}) || rows != 4 || bytes.Contains(cut, []byte("Ulm")) {
		t.Errorf("columns %q, %d rows", names, rows)
	}
	if _, err := f.Cut(t.Context(), all(f), 1, 20, 500); !errors.Is(err, parquet.ErrLarge) {
		t.Errorf("a cut of more than the limit: %v", err)
	}
}

func text(t testing.TB, f *parquet.File, first, last int) string {
	t.Helper()
	var out strings.Builder
	err := f.Read(t.Context(), all(f), first, last, func(values []string) error {
		fmt.Fprintf(&out, "%q\n", values)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestText(t *testing.T) {
	f := open(t, parquettest.File(t, 5, 5, "zstd"))
	want := `["20" "fig" "2.5" "false" "2023-11-14T22:13:23Z" "[\"t0\",\"t1\"]" "{\"m\":2}" "{\"city\":\"Ulm\",\"zip\":89002}" ` +
		`"[{\"by\":\"b\",\"lines\":[]},{\"by\":\"b\",\"lines\":[\"\"]}]" "4" "text of 1" "0.5" "blob of 4 bytes" "-0.98"]` + "\n"
	if got := text(t, f, 2, 2); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := text(t, f, 4, 4); !strings.HasPrefix(got, `["40" "" "4.5"`) {
		t.Errorf("a null: %s", got)
	}
	var types []string
	for _, c := range f.Columns {
		types = append(types, c.Type)
	}
	wantTypes := []string{"INT64", "STRING", "DOUBLE", "BOOLEAN", "TIMESTAMP", "list<STRING>", "map<STRING, INT32>", "struct<city STRING, zip INT32>"}
	if !slices.Equal(types[:len(wantTypes)], wantTypes) {
		t.Errorf("types %q", types)
	}
}

// TestValues leaves out the columns with fields.
func TestValues(t *testing.T) {
	f := open(t, parquettest.File(t, 5, 2, "gzip"))
	var rows [][]any
	if err := f.Values(t.Context(), f.Plain(), func(values []any) error {
		rows = append(rows, slices.Clone(values))
		return nil
	}); err != nil || len(rows) != 5 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	want := []any{int64(40), nil, 4.5, false, int64(1_700_000_006_000_000), []any{"t0"}, int64(16), "text of 2", 1.0, "\xff\x04\x00\x01", int64(104)}
	if diff := cmp.Diff(want, rows[3]); diff != "" {
		t.Errorf("row 4: %s", diff)
	}
}

// TestEncrypted knows a footer that is encrypted.
func TestEncrypted(t *testing.T) {
	data := parquettest.File(t, 1, 1, "none")
	copy(data[len(data)-4:], "PARE")
	if _, err := parquet.ReadFooter(bytes.NewReader(data), int64(len(data))); !errors.Is(err, parquet.ErrEncrypted) {
		t.Error(err)
	}
}

// TestDamaged changes bytes of a file: what is read is an error or rows, and
// a cut that is made can be opened.
func TestDamaged(t *testing.T) {
	data := parquettest.File(t, 4, 2, "snappy")
	for i := 0; i < len(data); i += 97 {
		for _, b := range []byte{0, 0xff, data[i] ^ 1} {
			damaged := bytes.Clone(data)
			damaged[i] = b
			try(t, damaged)
		}
	}
	for i := 0; i < len(data); i += 101 {
		try(t, data[:i])
	}
	huge := bytes.Clone(data)
	binary.LittleEndian.PutUint32(huge[len(huge)-8:], 1<<31)
	try(t, huge)
}

// try reads a file that need not be one.
func try(t *testing.T, data []byte) {
	t.Helper()
	known := func(err error) {
		t.Helper()
		for _, is := range []error{parquet.ErrDamaged, parquet.ErrLarge, parquet.ErrEncrypted, parquet.ErrUnsupported, context.DeadlineExceeded} {
			if err == nil || errors.Is(err, is) {
				return
			}
		}
		t.Errorf("an error of another kind: %v", err)
	}
	footer, err := parquet.ReadFooter(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		known(err)
		return
	}
	f := footer.Of(bytes.NewReader(data))
	last := min(f.Rows, 100)
	known(f.Read(t.Context(), all(f), 1, last, func([]string) error { return nil }))
	cut, err := f.Cut(t.Context(), all(f), 1, last, 4<<20)
	if err != nil {
		known(err)
		return
	}
	if _, err := parquet.ReadFooter(bytes.NewReader(cut), int64(len(cut))); err != nil {
		t.Errorf("the cut cannot be opened: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(parquettest.File(f, 5, 3, "none"))
	f.Add(parquettest.File(f, 5, 3, "zstd"))
	f.Fuzz(func(t *testing.T, data []byte) { try(t, data) })
}
