package e2e

import (
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sqlitetest"
	"github.com/citekit/citekit/reanchor"
	"github.com/citekit/citekit/verify"
)

// TestSpacedNames checks that an address whose name of a sheet, a table or a member
// has spaces that are not escaped is reported with the address to write, and that
// text behind a name that is whole is left alone.
func TestSpacedNames(t *testing.T) {
	files := map[string][]byte{
		"counts.xlsx": endFiles(t)["counts.xlsx"],
		"all.zip":     zipped(t, "in/my notes.txt", "Herons fish.\nStorks nest.\n", "in/my", "One line.\n"),
		"shop.db":     sqlitetest.Make(t, `create table "bird counts"(name text); insert into "bird counts" values('heron');`)[0],
	}
	lib := mapped(t, files)
	verifier := verify.New(lib, nil)
	for text, write := range map[string]string{
		"“11” [doc://counts#sheet=Bird counts&cells=A1].":                 "doc://counts#sheet=Bird%20counts&cells=A1",
		"“11” [doc://counts#sheet=Bird counts].":                          "doc://counts#sheet=Bird%20counts",
		"“11” see doc://counts#sheet=Bird counts, which says so.":         "doc://counts#sheet=Bird%20counts",
		"“heron” [doc://shop#table=bird counts&rows=1].":                  "doc://shop#table=bird%20counts&rows=1",
		"“Herons fish.” [text://all#member=in/my notes.txt&lines=1].":     "text://all#member=in/my%20notes.txt&lines=1-1",
		"“One line.” text://all#member=in/my notes.txt is another.":       "",
		"“11” [doc://counts#sheet=Bird%20counts&cells=A1] counts 11.":     "",
		"“heron” [doc://shop#table=bird%20counts&rows=1] counts as such.": "",
	} {
		report, err := verifier.Text(t.Context(), text, nil)
		if err != nil || len(report.Entries) != 1 {
			t.Fatalf("%s: %+v, %v", text, report, err)
		}
		e := report.Entries[0]
		switch {
		case write == "" && !e.Holds():
			t.Errorf("%s: %s %v", text, e.Class, e.Problem)
		case write != "" && (e.Holds() || e.Class != verify.Unchecked || !strings.Contains(e.Problem.Error(), "write %20 for spaces: "+write+":")):
			t.Errorf("%s: %s %v", text, e.Class, e.Problem)
		}
		moved, err := reanchor.New(lib, nil).Rewrite(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if problem := moved.Citations[0].Result.Problem; moved.Text != text || errors.Is(problem, citekit.ErrSyntax) != (write != "") {
			t.Errorf("reanchor %s: %s, %v", text, moved.Text, problem)
		}
	}
}
