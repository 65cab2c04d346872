package verify_test

import (
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/internal/test/testcorpus"
	"github.com/citekit/citekit/verify"
)

// A quote in one cell has the address of that cell, whatever was cited.
func TestCellOfAQuote(t *testing.T) {
	sharedtest.Once(t)
	s := newShelf(t, map[string]string{
		"m.xlsx": string(testcorpus.Workbook(
			[]string{"File", "Size", "", "Share of the whole"},
			[]string{"", "652641", "", "35.3%", "9\t8"},
			[]string{"code.h", "97323", "", "23.0%"})),
		"n.csv":  "date,temp,n\n2024-01-05,17.5,3\n2024-01-06,\"91,5\",4\n",
		"o.csv":  "Grad\n17,5\n18,0\n",
		"q.csv":  "who,said,said,n\nBob,\"a \"\"b\"\" c\",no,1\nEve,\"two\nlines\",\"it \"\"is\"\"\",2\nIda,late,yes,3\n",
		"h.html": "<!doctype html><h1>Top</h1><p>The heron waits.</p><table><tr><th>Name<th>Count<tr><td>North<td>13</table><p>The tide turns.</p><table><tr><td>South<td>13</table>",
		"c.csv":  "Tag;Grad;n\nMontag;17,5;3\n",
		"w.docx": string(testcorpus.WordTable([]string{"States"}, []string{"Block", "State"}, []string{"1", "intact"}, []string{"2", "damaged"}, []string{"3", "(910)"})),
		"p.pdf":  string(pdftest.Ruled("Table 1: Revenue\nItem|Q2|Q3\nRevenue|4,350|4,512\nCosts|3,950|12\nStaff|12|4,512\n", "Table 2\nSite|Count\nNorth|=1+2\n", "Table 3\nSite|Count\nSouth|4,350\nWest|(39)\n")),
	})
	for _, c := range []struct {
		quote, cited string
		class        verify.Class
		at           string
	}{
		{"35.3%", "doc://m#sheet=Q4&cells=D2", verify.Exact, "sheet=Q4&cells=D2"},
		{"35.3%", "doc://m#sheet=Q4&cells=A2:D2", verify.Exact, "sheet=Q4&cells=D2"},
		{"35.3%", "doc://m#sheet=Q4&rows=2", verify.Exact, "sheet=Q4&cells=D2"},
		{"35.3%", "doc://m", verify.Exact, "sheet=Q4&cells=D2"},
		{"35.3%", "doc://m#sheet=Q4&cells=B2", verify.Elsewhere, "sheet=Q4&cells=D2"},
		{"652641", "doc://m#sheet=Q4&cells=D2", verify.Elsewhere, "sheet=Q4&cells=B2"},
		{"9 8", "doc://m#sheet=Q4", verify.Exact, "sheet=Q4&cells=E2"},
		{"of the", "doc://m#sheet=Q4&cells=D1", verify.Exact, "sheet=Q4&cells=D1"},
		{"code.h 97323", "doc://m#sheet=Q4&rows=3", verify.Exact, "sheet=Q4&cells=A3:B3"},
		{"35.3% 9 8 code.h 97323", "doc://m#sheet=Q4", verify.Exact, "sheet=Q4&cells=A2:E3"},
		{"17.5", "text://n#rows=2&cols=temp", verify.Exact, "rows=2&cols=temp"}, // "17.5,3" might be one number
		{"2024-01-05", "text://n#rows=2&cols=date", verify.Exact, "rows=2&cols=date"},
		{"7.5", "text://n#rows=2&cols=temp", verify.NotFound, ""},
		{"17.5", "text://n#lines=2", verify.Exact, "lines=2-2"},
		{"2024-01-05", "text://n", verify.Exact, "lines=2-2"},
		{"17.5,3", "text://n", verify.Exact, "lines=2-2"},
		{"3", "text://n#lines=2", verify.Exact, "lines=2-2"},
		{"5", "text://n#lines=2", verify.NotFound, ""},
		{"91,5", "text://n#lines=3", verify.Exact, "lines=3-3"},
		{"91", "text://n#lines=3", verify.NotFound, ""},
		{"17,5", "text://c#lines=2", verify.Exact, "lines=2-2"},
		{"17", "text://c#lines=2", verify.NotFound, ""},
		{"17", "text://o#lines=2", verify.NotFound, ""},
		{`a "b" c`, "text://q#rows=2", verify.Repaired, "rows=2"},
		{`a "b" c`, "text://q#rows=2&cols=2", verify.Repaired, "rows=2&cols=2"},
		{`a "b" c`, "text://q", verify.Repaired, "lines=2-2"},
		{`a "b" c`, "text://q#rows=2&cols=who", verify.Elsewhere, "rows=2&cols=2"}, // "said" is two columns
		{`a "c" b`, "text://q#rows=2", verify.Altered, "lines=2-2"},
		{`it "is"`, "text://q#rows=4", verify.Elsewhere, "rows=3&cols=3"}, // on line 4
		{"Ida", "text://q#rows=2", verify.Elsewhere, "rows=4&cols=who"},   // on line 5
		{"Ida,late", "text://q#rows=2", verify.Elsewhere, "rows=4"},
		{"Ida", "text://q#lines=2", verify.Elsewhere, "lines=5-5"},
		{"Ida", "text://h#blocks=1", verify.Elsewhere, "lines=5-5"}, // of q
		{"North", "text://h#table=2", verify.Elsewhere, "blocks=3&cells=A2"},
		{"North 13", "text://h#blocks=5", verify.Elsewhere, "blocks=3"},
		{"13", "text://h#table=1&cells=A2", verify.Elsewhere, "lines=1-1"}, // in two cells
		{"The tide turns.", "text://h#table=2&cells=A1", verify.Elsewhere, "blocks=4"},
		{"The tide turns.", "text://h#blocks=2", verify.Elsewhere, "blocks=4"},
		{"damaged", "doc://w#blocks=2&cells=B3", verify.Exact, "blocks=2&cells=B3"},
		{"damaged", "doc://w#blocks=2", verify.Exact, "blocks=2"},
		{"damaged", "doc://w#blocks=2&cells=B2", verify.Elsewhere, "blocks=2&cells=B3"},
		{"910", "doc://w#blocks=2&cells=B4", verify.Altered, "blocks=2"},
		{"(910)", "doc://w#blocks=2&cells=B4", verify.Exact, "blocks=2&cells=B4"},
		{"damaged", "doc://w#table=1&cells=B3", verify.Exact, "blocks=2&cells=B3"},
		{"damaged", "doc://w#table=1", verify.Exact, "blocks=2"},
		{"4,350", "doc://p#pages=1&table=1&cells=B2", verify.Exact, "pages=1&table=1&cells=B2"},
		{"4,512", "doc://p#pages=1&table=1&cells=C2", verify.Exact, "pages=1&table=1&cells=C2"},
		{"4,512", "doc://p#pages=1&table=1&cells=B2", verify.Elsewhere, "pages=1"}, // it is in two cells
		{"3,950", "doc://p#pages=1&table=1&cells=B2", verify.Elsewhere, "pages=1&table=1&cells=B3"},
		{"Revenue 4,350 4,512", "doc://p#pages=1&table=1&cells=A2:C2", verify.Exact, "pages=1&table=1&cells=A2:C2"},
		{"Revenue 4,350", "doc://p#pages=1&table=1&cells=A3:C3", verify.Elsewhere, "pages=1&table=1&cells=A2:C2"},
		{"North", "doc://p#pages=1&table=1&cells=A2", verify.Elsewhere, "pages=2&table=1&cells=A2"},
		{"=1+2", "doc://p#pages=2&table=1", verify.Exact, "pages=2&table=1"},
		{"4,350", "doc://p#pages=1", verify.Exact, "pages=1"},
		{"4,350", "doc://p#pages=3&table=1&cells=A2", verify.Elsewhere, "pages=3&table=1&cells=B2"}, // though page 1 has it too
		{"39", "doc://p#pages=3&table=1&cells=B3", verify.NotFound, ""},
	} {
		a, err := citekit.ParseAddress(c.cited)
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Quote(t.Context(), verify.Request{Quote: c.quote, Address: a})
		if err != nil || v.Class != c.class || v.Address.Location.String() != c.at {
			t.Errorf("%q at %s: %s at %s, %v, %v; want %s at %s", c.quote, c.cited, v.Class, v.Address, v.Problem, err, c.class, c.at)
		}
		if byNumber := a.Location.Table != "" && len(a.Location.Pages) == 0; v.Holds() && !byNumber && !a.Location.Contains(v.Address.Location) {
			t.Errorf("%s is not in %s", v.Address, a)
		}
	}
}
