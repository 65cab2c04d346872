package word_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/word"
)

// tablesAt returns the tables at a location as JSON.
func tablesAt(t *testing.T, data []byte, loc citekit.Location) (all []string) {
	t.Helper()
	tables, err := new(word.Resolver).Tables(t.Context(), doctest.Source("x.docx", data), loc)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		data, err := table.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.ReplaceAll(string(data), `\u0026`, "&"))
	}
	return all
}

// TestTables checks the cells of tables with their spans, headers and notes.
func TestTables(t *testing.T) {
	cell := func(props, text string) string {
		return `<w:tc><w:tcPr>` + props + `</w:tcPr>` + para("", text) + `</w:tc>`
	}
	body := para("", "before") +
		`<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>` + cell(`<w:gridSpan w:val="2"/>`, "Region") + cell("", "Q3") + `</w:tr>` +
		`<w:tr>` + cell(`<w:vMerge w:val="restart"/>`, "North") + cell("", "a") + cell("", "(910)") + `</w:tr>` +
		`<w:tr>` + cell(`<w:vMerge/>`, "") + cell("", "b") + cell(`<w:vMerge/>`, "own") + `</w:tr>` +
		`<w:tr><w:trPr><w:gridBefore w:val="2"/></w:trPr>` + cell("", "x\t y") + `</w:tr></w:tbl>` +
		para("", "after") + `<w:tbl><w:tr>` + cell("", "alone") + `</w:tr></w:tbl>`
	data := docx{body: body}.pack(t)
	docs := map[string][]byte{"docx": data, "odt": packODT(t, `<text:p>before</text:p>`+
		`<table:table><table:table-column table:number-columns-repeated="3"/><table:table-header-rows><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>Region</text:p></table:table-cell><table:covered-table-cell/><table:table-cell><text:p>Q3</text:p></table:table-cell></table:table-row></table:table-header-rows>`+
		`<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>North</text:p></table:table-cell><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell table:number-rows-spanned="9"><text:p>(910)</text:p></table:table-cell></table:table-row>`+
		`<table:table-row><table:covered-table-cell/><table:table-cell><text:p>b</text:p></table:table-cell><table:table-cell><text:p>own</text:p></table:table-cell></table:table-row>`+
		`<table:table-row><table:covered-table-cell table:number-columns-repeated="2"/><table:table-cell><text:p>x</text:p><text:p>y</text:p></table:table-cell></table:table-row></table:table>`+
		`<text:p>after</text:p><table:table><table:table-row><table:table-cell><text:p>alone</text:p></table:table-cell></table:table-row></table:table>`)}
	const head = `{"at":"A1:B1","text":"Region","header":true},{"at":"C1","text":"Q3","header":true},`
	const middle = `{"at":"A2:A3","text":"North"},{"at":"B2","text":"a"},{"at":"C2","text":"(910)"},{"at":"B3","text":"b"},{"at":"C3","text":"own"}`
	for name, data := range docs {
		all := tablesAt(t, data, whole)
		want := []string{`{"at":"blocks=2","extent":"A1:C4","headers":1,"cells":[` + head + middle + `,{"at":"C4","text":"x y"}]}`, `{"at":"blocks=4","extent":"A1","cells":[{"at":"A1","text":"alone"}]}`}
		if len(all) != 2 || all[0] != want[0] || all[1] != want[1] {
			t.Errorf("%s: %q, want %q", name, all, want)
		}
		if got, want := tablesAt(t, data, numbered("1", "A2:C3")), `{"at":"blocks=2&cells=A2:C3","extent":"A1:C4","headers":1,"cells":[`+middle+`]}`; len(got) != 1 || got[0] != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if got := tablesAt(t, data, blocks(3, 3)); len(got) != 0 {
			t.Errorf("%s: the tables of a paragraph: %s", name, got)
		}
	}
}
