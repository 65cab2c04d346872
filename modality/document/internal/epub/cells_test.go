package epub_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/epub"
)

func cells(part, block int, notation string) citekit.Location {
	loc := at(part, block, block)
	loc.Cells = citekit.Document.Sheet("S", notation).Cells
	return loc
}

const tables = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Two</title></head><body>
<p>Before</p>
<section class="s"><table id="t" class="wide"><caption>Sizes</caption><thead><tr class="h"><th>name</th><th colspan="2">size</th></tr></thead>
<tbody><tr><td rowspan="2">a <b>bold</b></td><td>1</td><td><a href="c1.xhtml">2</a></td></tr>
<tr><td>3</td><td><img src="img/a%20pic.png" alt="four"/></td></tr><tr><td/><td>secret</td></tr></tbody></table></section>
<figure><img src="cover.png" alt="cover"/><table><tr><td>in a figure</td></tr></table></figure>
<p>After secret</p></body></html>`

// TestCells checks the text and the evidence of cells of tables.
func TestCells(t *testing.T) {
	data := with(t, map[string]string{"OPS/c2.xhtml": tables})
	for _, c := range []struct {
		block    int
		notation string
		want     string
		changes  int
	}{
		{2, "A1", "name\n", 0}, {2, "B1:C1", "size\n", 0}, {2, "B2:C3", "1\t2\n3\tfour\n", 0}, {2, "A1:C2", "name\tsize\na bold\t1\t2\n", 0},
		{2, "C1:C2", "\t\n2\n", 1}, {2, "B3:C3", "3\tfour\n", 0}, {2, "A3:B3", "\t3\n", 1}, {3, "A1", "in a figure\n", 0},
	} {
		loc := cells(2, c.block, c.notation)
		text, _ := readAll(t, data, loc)
		if strings.Trim(text, "\t\n") != strings.Trim(c.want, "\t\n") {
			t.Errorf("%s: %q, want %q", c.notation, text, c.want)
		}
		members, changes := cut(t, data, loc)
		if got, _ := readAll(t, pack(t, members), at(1)); got != text {
			t.Errorf("%s: the evidence has the text %q, want %q", c.notation, got, text)
		}
		if said := strings.Contains(strings.Join(changes, "\n"), "begin outside"); said != (c.changes == 1) {
			t.Errorf("%s: changes %q", c.notation, changes)
		}
		part := members["OPS/c2.xhtml"]
		wellFormed(t, "c2.xhtml", part)
		if _, picture := members["OPS/img/a pic.png"]; picture != strings.Contains(c.want, "four") || strings.Contains(part, "secret") || strings.Contains(part, "Before") || members["OPS/cover.png"] != "" {
			t.Errorf("%s has what is not of the cells, or lacks it: %s", c.notation, part)
		}
	}
	members, _ := cut(t, data, cells(2, 2, "B2:C3"))
	if part := members["OPS/c2.xhtml"]; !strings.Contains(part, `<section class="s"><table id="t" class="wide">`) || !strings.Contains(part, `<td><a href="c1.xhtml">2</a></td>`) {
		t.Errorf("the tags around the cells, or a cell, are lost: %s", part)
	}
}

func TestCellsRefused(t *testing.T) {
	data := with(t, map[string]string{"OPS/c2.xhtml": tables})
	for _, c := range []struct {
		block    int
		notation string
		want     error
	}{
		{1, "A1", errors.ErrUnsupported}, {2, "D1", citekit.ErrRange}, {2, "A5", citekit.ErrRange}, {3, "A1:B1", citekit.ErrRange}, {9, "A1", citekit.ErrRange},
	} {
		_, err := new(epub.Resolver).Resolve(t.Context(), source(data), citekit.Request{Location: cells(2, c.block, c.notation)})
		if !errors.Is(err, c.want) {
			t.Errorf("block %d, cells %s: %v, want %v", c.block, c.notation, err, c.want)
		}
		for _, err := range new(epub.Resolver).ReadText(t.Context(), source(data), cells(2, c.block, c.notation)) {
			if !errors.Is(err, c.want) {
				t.Errorf("text of block %d, cells %s: %v, want %v", c.block, c.notation, err, c.want)
			}
		}
	}
}

// FuzzCells puts any markup in the place of a table: cells that are read have
// evidence of the same text.
func FuzzCells(f *testing.F) {
	f.Add(tables)
	f.Add(`<table><tr><td>a<td rowspan=2>b<tr><td>c</table>`)
	f.Add(`<html><body><table><thead><tr><td rowspan="0">a</td></tr></thead><tbody><tr><td>b</td></tr></tbody></table></body></html>`)
	f.Add(`<html><body><figure><table><tr><td><table><tr><td>x</td></tr></table></td></tr></table></figure></body></html>`)
	f.Fuzz(func(t *testing.T, page string) {
		data := with(t, map[string]string{"OPS/c2.xhtml": page})
		for block := 1; block <= 3; block++ {
			loc := cells(2, block, "A1:B2")
			content, err := new(epub.Resolver).Resolve(t.Context(), source(data), citekit.Request{Location: loc})
			if err != nil {
				if !isKnown(err) {
					t.Fatal(err)
				}
				continue
			}
			evidence, err := io.ReadAll(content.Body)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := readAll(t, data, loc)
			if got, _ := readAll(t, evidence, at(1)); got != want {
				t.Errorf("the evidence has the text %q, want %q", got, want)
			}
		}
	})
}

// TestTables checks the cells of tables with their spans, headers and captions.
func TestTables(t *testing.T) {
	const page = `<p>before</p><table><caption>Sales</caption><tr><th colspan="2">Region</th><th>Q3</th></tr>` +
		`<tr><td rowspan="2">North</td><td>a<br/>b</td><td>(910)</td></tr><tr><td>c</td><td/></tr></table><p>after</p>` +
		`<table><thead><tr><th rowspan="2">A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td rowspan="0">2</td></tr><tr><td>3</td></tr></tbody></table>` +
		`<table><tr><td rowspan="9">a</td><td>b</td></tr><tr><td>c</td></tr><tbody><tr><td>d</td></tr></tbody></table>`
	data := with(t, map[string]string{"OPS/c2.xhtml": `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Two</title></head><body>` + page + `</body></html>`})
	for _, c := range []struct{ at, want string }{
		{"part=2&blocks=2", `{"at":"part=2&blocks=2","extent":"A1:C3","headers":1,"caption":"Sales","cells":[{"at":"A1:B1","text":"Region","header":true},{"at":"C1","text":"Q3","header":true},{"at":"A2:A3","text":"North"},{"at":"B2","text":"a b"},{"at":"C2","text":"(910)"},{"at":"B3","text":"c"},{"at":"C3","text":""}]}`},
		{"part=2&table=1&cells=C2", `{"at":"part=2&blocks=2&cells=C2","extent":"A1:C3","headers":1,"caption":"Sales","cells":[{"at":"C2","text":"(910)"}]}`},
		{"part=2&blocks=1", ""},
		{"part=2&blocks=4-5", `{"at":"part=2&blocks=4","extent":"A1:B3","headers":1,"cells":[{"at":"A1","text":"A","header":true},{"at":"B1","text":"B","header":true},{"at":"A2","text":"1"},{"at":"B2:B3","text":"2"},{"at":"A3","text":"3"}]}
{"at":"part=2&blocks=5","extent":"A1:B3","cells":[{"at":"A1:A2","text":"a"},{"at":"B1","text":"b"},{"at":"B2","text":"c"},{"at":"A3","text":"d"}]}`},
	} {
		loc, _, err := citekit.ParseFragment(c.at)
		if err != nil {
			t.Fatal(err)
		}
		loc.Modality = citekit.Document
		tables, err := new(epub.Resolver).Tables(t.Context(), source(data), loc)
		var all []string
		for _, table := range tables {
			data, err := table.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, strings.ReplaceAll(string(data), `\u0026`, "&"))
		}
		if got := strings.Join(all, "\n"); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.at, got, err, c.want)
		}
	}
}
