package contents_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/test/sqlitetest"
)

// TestRunsOfTables checks that each row of a table is a run of its own.
func TestRunsOfTables(t *testing.T) {
	var long strings.Builder
	for i := range 300 {
		fmt.Fprintf(&long, "%d,customer %d\n", i, i)
	}
	s := newShelf(t, map[string]string{
		"shop.db": string(sqlitetest.Small(t)), "list.csv": "id,name\r\n1,pear\r\n2,\"a\r\nfig\"\r\n3,plum\r\n", "tabs.tsv": "id\tname\n1\tpear\n", "long.csv": long.String(),
	})
	for id, want := range map[string]string{
		"doc://shop#table=tags":             "table=tags&rows=1 table=tags&rows=2",
		"doc://shop#table=orders&rows=2-3":  "table=orders&rows=2 table=orders&rows=3",
		"text://list":                       "lines=1-1 lines=2-2 lines=3-3 lines=4-4 lines=5-5",
		"text://list#lines=4-5":             "lines=4-4 lines=5-5",
		"text://list#rows=2-4":              "rows=2 rows=3 rows=4",
		"text://list#rows=2-3&cols=name,id": "rows=2&cols=name,id rows=3&cols=name,id",
		"tabs":                              "lines=1-1 lines=2-2",
	} {
		c := s.read(t, contents.Request{IDs: []string{id}, Runs: true})
		var got []string
		for _, run := range c.Items[0].Runs {
			_, selectors, _ := strings.Cut(run.Address.String(), "#")
			got = append(got, selectors)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s has the runs %q, %v; want %q", id, got, c.Items[0].Err, want)
		}
		checkRuns(t, c.Items[0])
	}
	cursor, line := "", 0
	for {
		c := s.read(t, contents.Request{IDs: []string{"long"}, Runs: true, MaxTokens: 900, Cursor: cursor})
		for _, run := range c.Items[0].Runs {
			line++
			text := string([]rune(c.Items[0].Text)[run.Start:run.End])
			if want := fmt.Sprintf("text://long#lines=%d-%d", line, line); run.Address.String() != want || !strings.HasPrefix(text, fmt.Sprintf("%d,", line-1)) {
				t.Fatalf("%q is at %s, want %s", text, run.Address, want)
			}
		}
		if cursor = c.NextCursor; cursor == "" {
			break
		}
	}
	if line != 300 {
		t.Errorf("%d lines", line)
	}
}
