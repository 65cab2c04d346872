package database_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sqlite"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/internal/test/sqlitetest"
	"github.com/citekit/citekit/modality/document/internal/database"
	"github.com/citekit/citekit/modality/modalitytest"
)

func table(name string, first, last int, cols ...string) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Table: name, Rows: citekit.Range{First: first, Last: last}, Cols: cols}
}

// holds checks that evidence is a database whose text is given.
func holds(want string) func(t testing.TB, got []byte, x *citekit.Content) {
	return func(t testing.TB, got []byte, x *citekit.Content) {
		t.Helper()
		if text, err := textOf(t, got, citekit.Location{Modality: citekit.Document}); err != nil || text != want {
			t.Errorf("the evidence has the text %q, %v; want %q", text, err, want)
		}
	}
}

func textOf(t testing.TB, data []byte, loc citekit.Location) (string, error) {
	t.Helper()
	var all strings.Builder
	for run, err := range new(database.Resolver).ReadText(t.Context(), source(data), loc) {
		if err != nil {
			return "", err
		}
		all.WriteString(run.Text)
	}
	return all.String(), nil
}

func source(data []byte) *citekit.Source { return doctest.Source("shop.db", data) }

func TestConformance(t *testing.T) {
	orders := "10\tapple\t1.5\n20\tpear\t2.0\n30\tfig dry\t\n"
	long := "40\t" + strings.Repeat("00", 300) + "\t0.5\n"
	modalitytest.Test(t, new(database.Resolver), modalitytest.Fixture{
		Name:   "shop.db",
		Source: sqlitetest.Small(t),
		Good: []modalitytest.Case{
			{Name: "row", Location: table("orders", 2, 2), WantText: "20\tpear\t2.0\n", Check: holds("20\tpear\t2.0\n")},
			{Name: "rows", Location: table("orders", 1, 3), WantText: orders, Check: holds(orders)},
			{Name: "table", Location: citekit.Location{Modality: citekit.Document, Table: "orders"}, WantText: orders + long, Check: holds(orders + long)},
			{Name: "columns", Location: table("Orders", 2, 3, "PRICE", "1"), WantText: "20\t2.0\n30\t\n", Check: holds("20\t2.0\n30\t\n")},
			{Name: "without rowids", Location: table("tags", 1, 2), WantText: "a\t1\nb\t2\n", Check: holds("a\t1\nb\t2\n")},
		},
		OutOfRange: []citekit.Location{table("orders", 4, 5), table("orders", 9, 1<<62), table("persons", 1, 1), table("orders", 1, 1, "cost"), table("orders", 1, 1, "4")},
		Foreign:    citekit.Location{Modality: citekit.Text, Rows: citekit.Range{First: 1, Last: 1}},
		Extent:     citekit.Extent{Modality: citekit.Document, Tables: 2, MediaType: "application/vnd.sqlite3"},
		Garbage:    [][]byte{[]byte("SQLite format 3\x00"), append([]byte("SQLite format 3\x00"), make([]byte, 1000)...)},
	})
}

func TestMap(t *testing.T) {
	d, err := new(database.Resolver).Map(t.Context(), source(sqlitetest.Small(t)), citekit.MapRequest{Modality: citekit.Document})
	if err != nil || len(d.Nodes) != 2 || d.Metadata["tables"] != 2 {
		t.Fatalf("%+v, %v", d, err)
	}
	if n := d.Nodes[0]; n.Type != "table" || n.Title != "orders" || n.Location.Table != "orders" || n.Summary != "4 rows: id, name, price" {
		t.Errorf("%+v", n)
	}
}

func TestViews(t *testing.T) {
	_, err := textOf(t, sqlitetest.Small(t), citekit.Location{Modality: citekit.Document, Table: "cheap"})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a view: %v", err)
	}
}

// TestChanges has evidence say what it has otherwise than the source.
func TestChanges(t *testing.T) {
	data := sqlitetest.Small(t)
	data[18], data[19] = 2, 2 // written with a write-ahead log, which need not be there
	for _, test := range []struct {
		loc  citekit.Location
		want []string
	}{
		{table("orders", 1, 1), nil},
		{table("orders", 1, 1, "name"), []string{"names and types alone"}},
		{table("tags", 1, 1), []string{"names and types alone", "rowids from 1"}},
	} {
		c, err := new(database.Resolver).Resolve(t.Context(), source(data), citekit.Request{Location: test.loc})
		if err != nil || len(c.Changes) != len(test.want) {
			t.Errorf("%v: %v, %v", test.loc, c, err)
			continue
		}
		for i, want := range test.want {
			if !strings.Contains(c.Changes[i], want) {
				t.Errorf("%q, want %q", c.Changes[i], want)
			}
		}
		body, _ := io.ReadAll(c.Body)
		if _, err := sqlite.Open(t.Context(), bytes.NewReader(body), int64(len(body))); err != nil {
			t.Error(err)
		}
		if bytes.Contains(body, []byte("pear")) {
			t.Error("the evidence has a row that was not asked for")
		}
	}
}
