package parquet_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/internal/test/parquettest"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/document/parquet"
	"github.com/citekit/citekit/modality/modalitytest"
)

func rows(first, last int, cols ...string) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Table: "Order", Rows: citekit.Range{First: first, Last: last}, Cols: cols}
}

func source(data []byte) *citekit.Source { return doctest.Source("orders.parquet", data) }

// holds checks that evidence is a file that another reader finds so many rows in.
func holds(want int) func(t testing.TB, got []byte, x *citekit.Content) {
	return func(t testing.TB, got []byte, x *citekit.Content) {
		t.Helper()
		if _, n := parquettest.Columns(t, got); n != want || len(x.Changes) != 1 {
			t.Errorf("%d rows, changes %q; want %d rows and that the pairs are left out", n, x.Changes, want)
		}
	}
}

func TestConformance(t *testing.T) {
	data := parquettest.File(t, 9, 4, "snappy")
	modalitytest.Test(t, new(parquet.Resolver), modalitytest.Fixture{
		Name: "orders.parquet", Source: data,
		Good: []modalitytest.Case{
			{Name: "row", Location: rows(2, 2, "id", "name"), WantText: "20\tfig\n", Check: holds(1)},
			{Name: "over groups", Location: rows(4, 5, "ID", "2"), WantText: "40\t\n50\tfig\n", Check: holds(2)},
			{Name: "nested", Location: rows(2, 3, "tags", "to"), WantText: "[\"t0\",\"t1\"]\t{\"city\":\"Ulm\",\"zip\":89002}\n[]\t{\"city\":\"Ulm\",\"zip\":null}\n", Check: holds(2)},
		},
		OutOfRange: []citekit.Location{rows(9, 10), rows(1<<40, 1<<62), rows(1, 1, "cost"), {Modality: citekit.Document, Table: "persons"}},
		Foreign:    citekit.Location{Modality: citekit.Text, Rows: citekit.Range{First: 1, Last: 1}},
		Extent:     citekit.Extent{Modality: citekit.Document, Tables: 1, MediaType: "application/vnd.apache.parquet"},
		Garbage:    [][]byte{[]byte("PAR1"), data[:len(data)/2], append([]byte("PAR1\x15\x04"), make([]byte, 1000)...)},
	})
}

// TestMap maps through the resolver of all documents, which is given this one.
func TestMap(t *testing.T) {
	all := &document.Resolver{More: map[string]citekit.Resolver{parquet.Format: new(parquet.Resolver)}}
	d, err := all.Map(t.Context(), source(parquettest.File(t, 9, 4, "zstd")), citekit.MapRequest{Modality: citekit.Document})
	if err != nil || len(d.Nodes) != 1 || d.Metadata["row_groups"] != 3 {
		t.Fatalf("%+v, %v", d, err)
	}
	table := d.Nodes[0]
	if table.Location.Table != "Order" || !strings.HasPrefix(table.Summary, "9 rows: id INT64, name STRING, price DOUBLE") {
		t.Errorf("%+v", table)
	}
	if len(table.Children) != 3 || table.Children[1].Title != "Rows 5-8" {
		t.Errorf("%d row groups: %+v", len(table.Children), table.Children)
	}
	if !strings.Contains(all.Version(), "parquet/2") {
		t.Errorf("the version %q does not name the room", all.Version())
	}
}
