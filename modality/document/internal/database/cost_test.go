package database_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sqlitetest"
	"github.com/citekit/citekit/modality/document/internal/database"
)

// allText returns how much text a database has, in bytes.
func allText(t *testing.T, data []byte) (int, error) {
	t.Helper()
	n := 0
	src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "a.sqlite", Size: int64(len(data))})
	for run, err := range new(database.Resolver).ReadText(t.Context(), src, citekit.Location{Modality: citekit.Document}) {
		if err != nil {
			return n, err
		}
		n += len(run.Text)
	}
	return n, nil
}

// TestShortRows has rows of one value in a table to which columns were added later.
func TestShortRows(t *testing.T) {
	var scripts []string
	for _, rows := range []int{1000, 2000, 4000} {
		var b strings.Builder
		fmt.Fprintf(&b, "create table t(a); with recursive n(i) as (select 1 union all select i+1 from n where i<%d) insert into t select i from n;", rows)
		for i := range 200 {
			fmt.Fprintf(&b, "alter table t add column c%d;", i)
		}
		scripts = append(scripts, b.String())
	}
	for _, data := range sqlitetest.Make(t, scripts...) {
		if n, err := allText(t, data); err != nil || n == 0 || n > len(data) {
			t.Errorf("%d bytes of text from %d, %v", n, len(data), err)
		}
	}
}

// TestRowsShareBytes has a page whose cells are all in the same place.
func TestRowsShareBytes(t *testing.T) {
	data := sqlitetest.Make(t, "pragma page_size=512; create table t(a); insert into t values (zeroblob(300));")[0]
	page := data[512:1024]
	const cells, header = 50, 8
	binary.BigEndian.PutUint16(page[3:], cells)
	for i := range cells {
		copy(page[header+2*i:], page[header:header+2])
	}
	if _, err := allText(t, data); !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "share their bytes") {
		t.Error(err)
	}
}

// TestManyRows reads more rows than a text may have runs: all are there, the first ones by
// themselves.
func TestManyRows(t *testing.T) {
	const rows = 300_000
	script := fmt.Sprintf("create table a(n); create table b(n); "+
		"insert into a with recursive c(x) as (select 1 union all select x+1 from c where x<%d) select x from c; insert into b select n from a where n<=10;", rows)
	src := source(sqlitetest.Make(t, script)[0])
	next, runs, table := 1, 0, "a"
	for run, err := range new(database.Resolver).ReadText(t.Context(), src, citekit.Location{Modality: citekit.Document}) {
		if err != nil {
			t.Fatal(err)
		}
		if run.Location.Table != table {
			if next != rows+1 {
				t.Errorf("%d rows of a", next-1)
			}
			next, table = 1, "b"
		}
		r := run.Location.Rows
		if r.First != next || strings.Count(run.Text, "\n") != r.Last-r.First+1 || !strings.HasPrefix(run.Text, fmt.Sprint(next, "\n")) {
			t.Fatalf("%s: %.40q after row %d", run.Location, run.Text, next-1)
		}
		if runs++; runs <= 100_000 && r.First != r.Last {
			t.Fatalf("%s is not one row", run.Location)
		}
		next = r.Last + 1
	}
	if next != 11 || runs > 200_000 {
		t.Errorf("%d rows of b, %d runs", next-1, runs)
	}
}
