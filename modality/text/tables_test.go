package text_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
)

// TestTables checks the cells of tables of HTML with their spans, headers and captions.
func TestTables(t *testing.T) {
	src := citekit.NewSource(strings.NewReader(tablesPage), citekit.SourceInfo{Name: "p.html", Size: int64(len(tablesPage)), Declared: citekit.Text})
	r := new(text.Resolver)
	for _, c := range []struct{ at, want string }{
		{"", `{"at":"blocks=2","extent":"A1:C4","headers":1,"caption":"Sales 2024","cells":[{"at":"A1:B1","text":"Region","header":true},{"at":"C1","text":"Q3","header":true},{"at":"A2:A3","text":"North","header":true},{"at":"B2","text":"a"},{"at":"C2","text":"(910)"},{"at":"B3:C3","text":"b c"},{"at":"A4","text":""},{"at":"B4","text":"x"}]}
{"at":"blocks=4","extent":"A1:B1","cells":[{"at":"A1","text":"1","header":true},{"at":"B1","text":"2","header":true}]}`},
		{"table=1&cells=C2:C3", `{"at":"blocks=2&cells=C2:C3","extent":"A1:C4","headers":1,"caption":"Sales 2024","cells":[{"at":"C2","text":"(910)"},{"at":"B3:C3","text":"b c"}]}`},
		{"blocks=4", `{"at":"blocks=4","extent":"A1:B1","cells":[{"at":"A1","text":"1","header":true},{"at":"B1","text":"2","header":true}]}`},
		{"blocks=1", ""},
	} {
		loc, _, err := citekit.ParseFragment(c.at)
		if err != nil {
			t.Fatal(err)
		}
		loc.Modality = citekit.Text
		tables, err := r.Tables(t.Context(), src, loc)
		var all []string
		for _, table := range tables {
			data, err := table.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, strings.ReplaceAll(string(data), `\u0026`, "&"))
		}
		if got := strings.Join(all, "\n"); err != nil || got != c.want {
			t.Errorf("%q: %s, %v; want %s", c.at, got, err, c.want)
		}
	}
	if _, err := r.Tables(t.Context(), src, citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("the tables of lines: %v", err)
	}
	if _, err := r.Tables(t.Context(), src, citekit.Location{Modality: citekit.Text, Table: "3"}); !errors.Is(err, citekit.ErrRange) {
		t.Errorf("table 3 of 2: %v", err)
	}
}

// TestTableSpans checks that merged cells end with their group of rows, and that cells read
// as the text does.
func TestTableSpans(t *testing.T) {
	const page = `<!doctype html><title>T</title><p>10<sup>2</sup></p>
<table><thead><tr><th rowspan=2>A<th>B<th>C</thead><tbody><tr><td>1<td>2<td>10<sup>2</sup><tr><td rowspan=0>4<td>5<td>6<tr><td>7</tbody></table>`
	src := citekit.NewSource(strings.NewReader(page), citekit.SourceInfo{Name: "p.html", Size: int64(len(page)), Declared: citekit.Text})
	r := new(text.Resolver)
	tables, err := r.Tables(t.Context(), src, citekit.Location{Modality: citekit.Text})
	if err != nil || len(tables) != 1 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	data, err := tables[0].MarshalJSON()
	const want = `{"at":"blocks=2","extent":"A1:C4","headers":1,"cells":[{"at":"A1","text":"A","header":true},{"at":"B1","text":"B","header":true},{"at":"C1","text":"C","header":true},{"at":"A2","text":"1"},{"at":"B2","text":"2"},{"at":"C2","text":"10²"},{"at":"A3:A4","text":"4"},{"at":"B3","text":"5"},{"at":"C3","text":"6"},{"at":"B4","text":"7"}]}`
	if string(data) != want || err != nil {
		t.Errorf("%s, %v; want %s", data, err, want)
	}
	for at, want := range map[string]string{"blocks=2&cells=A2:C2": "1\t2\t10²\n", "blocks=1": "10²\n", "lines=1": "10²\n\n"} {
		loc, _, err := citekit.ParseFragment(at)
		if err != nil {
			t.Fatal(err)
		}
		loc.Modality = citekit.Text
		got := ""
		for run, err := range r.ReadText(t.Context(), src, loc) {
			if err != nil {
				t.Fatal(err)
			}
			got += run.Text
		}
		if got != want {
			t.Errorf("%s reads %q, want %q", at, got, want)
		}
	}
}

const tablesPage = `<!doctype html><title>T</title><p>Before</p>
<table><caption>Sales <b>2024</b></caption><thead><tr><th colspan=2>Region<th>Q3</thead>
<tr><th rowspan=2>North<td>a<td>(910)<tr><td colspan=2>b<br>c<tr><td><td>x</table>
<p>After</p><table><tr><th>1<th>2</table>`
