package rows_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/rows"
)

func TestColumns(t *testing.T) {
	known := []string{"id", "Name", "ID", "2x"}
	for _, c := range []struct {
		names []string
		want  []int
		says  string
	}{
		{[]string{"ID", "name"}, []int{1, 2}, ""},
		{[]string{"4", "id", "Id"}, []int{0, 3}, ""},
		{nil, nil, ""},
		{[]string{"5"}, nil, "no column '5'; there are id, Name, ID, 2x"},
	} {
		got, err := rows.Columns(known, c.names)
		if !slices.Equal(got, c.want) || (err != nil) != (c.says != "") {
			t.Errorf("%q: %v, %v", c.names, got, err)
		}
		if err != nil && (!errors.Is(err, citekit.ErrRange) || !strings.Contains(strings.ReplaceAll(err.Error(), `"`, "'"), c.says)) {
			t.Errorf("%q: %v", c.names, err)
		}
	}
	if got := rows.List(make([]string, 30)); !strings.HasSuffix(got, " and others, 30 in all") {
		t.Errorf("%q", got)
	}
}

func TestRange(t *testing.T) {
	loc := citekit.Location{Modality: citekit.Document, Table: "t"}
	if first, last, err := rows.Range(loc, 7); first != 1 || last != 7 || err != nil {
		t.Errorf("all: %d-%d, %v", first, last, err)
	}
	loc.Rows = citekit.Range{First: 2, Last: 7}
	if first, last, err := rows.Range(loc, 7); first != 2 || last != 7 || err != nil {
		t.Errorf("some: %d-%d, %v", first, last, err)
	}
	if _, _, err := rows.Range(loc, 6); !errors.Is(err, citekit.ErrRange) {
		t.Errorf("too many: %v", err)
	}
}

// TestText adds more rows than have runs of their own, over two tables.
func TestText(t *testing.T) {
	var runs []citekit.TextRun
	text := rows.Text{Yield: func(run citekit.TextRun, _ error) bool {
		runs = append(runs, run)
		return true
	}}
	for _, table := range []string{"a", "b"} {
		text.Begin(citekit.Location{Modality: citekit.Document, Table: table}, 1)
		for range 50_600 {
			if !text.Add([]string{"x\ty", "1"}) {
				t.Fatal("no more rows are wanted")
			}
		}
		text.End()
	}
	if want := 100_000 + 3; len(runs) != want {
		t.Fatalf("%d runs, want %d", len(runs), want)
	}
	last := runs[len(runs)-1]
	if runs[0].Text != "x y\t1\n" || runs[50_600].Location.Table != "b" || fmt.Sprint(last.Location.Rows) != "50401-50600" {
		t.Errorf("%q, %v, %v", runs[0].Text, runs[50_600].Location, last.Location)
	}
}
