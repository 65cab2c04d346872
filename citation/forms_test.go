package citation_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/internal/plain"
)

// each calls f with many citations.
func each(t *testing.T, f func(t *testing.T, c citation.Citation)) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		f(t, randomCitation(rng))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestMarkdownRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, c citation.Citation) {
		note, err := c.Footnote("1")
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{c.Markdown(), note, "See " + c.Markdown() + ", or <http://a.example>.\n\n" + note} {
			found := citation.ParseMarkdown(form)
			if len(found) == 0 || strings.HasPrefix(form, "See ") && len(found) != 2 {
				t.Fatalf("%d found in %q", len(found), form)
			}
			for _, got := range found {
				if got.Address.String() != c.Address.String() || got.Quote != plain.Line(c.Quote) {
					t.Fatalf("%q is %v with %q; want %v with %q", form, got.Address, got.Quote, c.Address, plain.Line(c.Quote))
				}
			}
		}
		if strings.Contains(note, "\n") || strings.Contains(c.Markdown(), "\n") {
			t.Fatalf("%q has several lines", note)
		}
	})
}

// TestMarkdownReadsAsAddress has addresses with "&", which stays in a link unless a
// reference of HTML may begin with it.
func TestMarkdownReadsAsAddress(t *testing.T) {
	for address, want := range map[string]string{
		"doc://x#sheet=pets&cells=A1:C3":  "](doc://x#sheet=pets&cells=A1:C3)",
		"virtual://x/?a=1&copy=2&copy;&b": "](virtual://x/?a=1&copy=2&amp;copy;&b)",
		"virtual://x/?a&#38;b":            "](virtual://x/?a&amp;#38;b)",
	} {
		a, err := citekit.ParseAddress(address)
		if err != nil {
			t.Fatal(err)
		}
		c := citation.Citation{Address: a}
		got := c.Markdown()
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s; want %s", got, want)
		}
		if found := citation.ParseMarkdown(got); len(found) != 1 || found[0].Address.String() != a.String() {
			t.Errorf("%s is read as %v", got, found)
		}
	}
}

func TestCSLRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, c citation.Citation) {
		data, err := c.CSL()
		if err != nil {
			t.Fatal(err)
		}
		got, err := citation.ParseCSL(data)
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: %v", data, err)
		}
		checkSame(t, string(data), got[0], c)
		if got[0].Quote != strings.ToValidUTF8(c.Quote, "\uFFFD") && utf8.ValidString(c.Quote) {
			t.Errorf("%s: quote %q; want %q", data, got[0].Quote, c.Quote)
		}
	})
}

func TestBibTeXRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, c citation.Citation) {
		entry, err := c.BibTeX()
		if err != nil {
			t.Fatal(err)
		}
		got, err := citation.ParseBibTeX("Comment with user@example.org\n@string{x = {y}}\n" + entry)
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: %d, %v", entry, len(got), err)
		}
		checkSame(t, entry, got[0], c)
		if got[0].Quote != plain.Line(c.Quote) {
			t.Errorf("%s: quote %q; want %q", entry, got[0].Quote, plain.Line(c.Quote))
		}
	})
}

// checkSame checks what bibliographies keep.
func checkSame(t *testing.T, form string, got, want citation.Citation) {
	t.Helper()
	if got.Address.String() != want.Address.String() {
		t.Errorf("%s: address %v; want %v", form, got.Address, want.Address)
	}
	title := plain.Line(want.Work.Title)
	if title == "" {
		title = want.Address.Resource
	}
	if got.Work.Title != title {
		t.Errorf("%s: title %q; want %q", form, got.Work.Title, title)
	}
	var authors []string
	for _, name := range want.Work.Authors {
		if name = plain.Line(name); name != "" {
			authors = append(authors, name)
		}
	}
	if !slices.Equal(got.Work.Authors, authors) {
		t.Errorf("%s: authors %q; want %q", form, got.Work.Authors, authors)
	}
	if date := strings.TrimSuffix(want.Work.Date, "T12:00:00Z"); got.Work.Date != date {
		t.Errorf("%s: date %q; want %q", form, got.Work.Date, date)
	}
}

func TestAnnotationRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, c citation.Citation) {
		c.Quote, c.Prefix, c.Suffix = strings.ToValidUTF8(c.Quote, ""), strings.ToValidUTF8(c.Prefix, ""), strings.ToValidUTF8(c.Suffix, "")
		data, err := c.Annotation()
		if err != nil {
			t.Fatal(err)
		}
		got, err := citation.ParseAnnotation(data)
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: %v", data, err)
		}
		g := got[0]
		if g.Address.String() != c.Address.String() || g.Quote != c.Quote || g.Position != c.Position || c.Quote != "" && (g.Prefix != c.Prefix || g.Suffix != c.Suffix) {
			t.Fatalf("%s is\n%+v; want\n%+v", data, g, c)
		}
	})
}

// An annotation of another program has no address of ours as its id.
func TestParseAnnotationOfOthers(t *testing.T) {
	got, err := citation.ParseAnnotation([]byte(`{"@context": ["http://www.w3.org/ns/anno.jsonld"], "type": ["Annotation"], "target": [
		"https://example.org/page",
		{"source": "doc://book", "selector": {"type": "FragmentSelector", "value": "page=3", "conformsTo": "https://www.rfc-editor.org/rfc/rfc8118"}},
		{"source": {"id": "text://notes"}, "selector": [{"type": "FragmentSelector", "value": "line=9,25", "conformsTo": "http://tools.ietf.org/rfc/rfc5147"}, {"type": "XPathSelector", "value": "/p"}]},
		{"source": "text://notes", "selector": {"type": "FragmentSelector", "value": "page=3", "conformsTo": "http://tools.ietf.org/rfc/rfc3778"}}]}`))
	if err != nil || len(got) != 4 {
		t.Fatal(len(got), err)
	}
	if got[0].Work.Path != "https://example.org/page" || got[0].Address.Resource != "" {
		t.Errorf("%+v", got[0])
	}
	for i, want := range []string{"doc://book#pages=3", "text://notes#lines=10-25", "text://notes"} {
		if got[i+1].Address.String() != want {
			t.Errorf("%v; want %s", got[i+1].Address, want)
		}
	}
}

func TestDirectiveRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, c citation.Citation) {
		d := citation.TextDirective{Prefix: c.Prefix, Start: c.Quote, End: c.Work.Part, Suffix: c.Suffix}
		for _, text := range []*string{&d.Prefix, &d.Start, &d.End, &d.Suffix} {
			*text = strings.ToValidUTF8(*text, "")
		}
		if d.Start == "" {
			return
		}
		got, err := citation.ParseTextDirective("#page=3:~:other=1&" + d.String())
		if err != nil || got != d {
			t.Fatalf("%q is %+v, %v; want %+v", d, got, err, d)
		}
		if i := strings.IndexFunc(d.String(), func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"<>#&\^{}|`, r) }); i >= 0 {
			t.Fatalf("%q has a sign at %d that no URL has there", d, i)
		}
	})
}

func TestDirective(t *testing.T) {
	c := citation.Citation{Quote: "well-known,  words", Prefix: "the\n", Suffix: " & more"}
	if got, want := c.Directive().String(), "text=the-,well%2Dknown%2C%20words,-%26%20more"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	c.Quote = strings.Repeat("word ", 100) + "end"
	if d := c.Directive(); d.Start != strings.TrimSpace(strings.Repeat("word ", 11))+" word" || !strings.HasSuffix(d.End, "word end") || len(d.End) > 60 {
		t.Errorf("%+v", d)
	}
	c = citation.Citation{Quote: "Open it.\n\nClose\nit again.", Prefix: "A title\n\nFirst ", Suffix: " Then\n\nmore"}
	if got, want := c.Directive().String(), "text=First-,Open%20it.,Close%20it%20again.,-Then"; got != want {
		t.Errorf("of two paragraphs: %s; want %s", got, want)
	}
	for _, bad := range []string{"", "page=3", "text=", "text=a,b,c", "text=-a", "text=a-", "text=a-b", "text=%", "text=%ff", "text=,a", "text=a,b,c,d,e"} {
		if d, err := citation.ParseTextDirective(bad); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%s: %+v, %v", bad, d, err)
		}
	}
}

func TestURL(t *testing.T) {
	page := citekit.Address{Resource: "b", Location: citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: 3, Last: 5}}}}
	for _, test := range []struct {
		c          citation.Citation
		base, want string
	}{
		{citation.Citation{Address: page}, "https://x.example/b.pdf", "https://x.example/b.pdf#page=3"},
		{citation.Citation{Address: page, Quote: "a b"}, "b.pdf?v=1", "b.pdf?v=1#page=3:~:text=a%20b"},
		{citation.Citation{Address: citekit.Address{Resource: "t", Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 10, Last: 25}}}}, "t.txt", "t.txt#line=9,25"},
		{citation.Citation{}, "t.txt", "t.txt"},
	} {
		if got, err := test.c.URL(test.base); got != test.want || err != nil {
			t.Errorf("%s, %v; want %s", got, err, test.want)
		}
	}
	for _, bad := range []string{"", "a#b", "http://[", "%zz"} {
		if _, err := (&citation.Citation{}).URL(bad); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Titles of a megabyte, and line ends in them, do not come out.
func TestHostileTitles(t *testing.T) {
	m := &citekit.ResourceMap{ResourceID: "x", Title: strings.Repeat("evil\n](http://x)\u202e ", 1<<16), Metadata: map[string]any{"author": strings.Repeat("a;b\n;", 1<<18), "date": strings.Repeat("9", 1<<20)}}
	w := citation.WorkOf(m, &citekit.Node{Title: "\x00\n"})
	if len(w.Title) > 600 || len(w.Authors) > 50 || len(w.Date) > 400 || w.Part != "" || strings.ContainsAny(w.Title, "\n\u202e") {
		t.Errorf("%d bytes of title, %d authors, part %q", len(w.Title), len(w.Authors), w.Part)
	}
}

func TestPlace(t *testing.T) {
	for address, want := range map[string]string{
		"doc://a": "", "doc://a#pages=3": "page 3", "doc://a#pages=3-5,9": "pages 3–5, 9", "text://a#lines=7-7": "line 7",
		"text://a#lines=7-9": "lines 7–9", "video://a#t=62-3670.5": "1:02–1:01:10.5", "video://a#t=4.5-11.5": "0:04.5–0:11.5", "video://a#t=4-11": "0:04–0:11", "audio://a#t=2.25-": "from 0:02.25", "audio://a#t=1.23456-2": "0:01.234–0:02", "audio://a#t=1.23451-1.23456": "0:01.23451–0:01.23456", "audio://a#t=5-": "from 0:05", "audio://a#t=0-0.5": "0:00–0:00.5", "audio://a#t=1.2-1.9": "0:01.2–0:01.9", "audio://a#t=1.2-2.9": "0:01.2–0:02.9", "image://a#bbox=0,0.07,0.5,1": "region 0%–50% from the left, 7%–100% from the top",
		"doc://a#sheet=Q4%20R&cells=B5:D10": "sheet Q4 R, cells B5:D10", "doc://a#blocks=7&cells=B5": "block 7, cell B5", "text://a#rows=5-7&cols=name,price": "rows 5–7, columns name, price",
		"doc://a#sheet=Q4&cols=B:D": "sheet Q4, columns B:D", "doc://a#table=orders&rows=5": "table orders, row 5", "doc://a#part=4-6": "parts 4–6", "text://a#part=1.2&lines=3-9": "part 1.2, lines 3–9",
		"text://a#message=3&part=1": "message 3, part 1", "doc://a#member=in.zip!/a.pdf&pages=3,5": "file in.zip!/a.pdf, pages 3, 5",
		"doc://a#blocks=12-15": "blocks 12–15", "doc://a#pages=3&bbox=0,0,0.123456,1": "page 3, region 0%–12.346% from the left, 0%–100% from the top",
	} {
		a, err := citekit.ParseAddress(address)
		if got := citation.Place(a.Location); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", address, got, err, want)
		}
	}
}

// TestPlaceInForms has places that are not pages in the fields that bibliographies
// have for them.
func TestPlaceInForms(t *testing.T) {
	for address, want := range map[string][2]string{
		"doc://a#pages=3-5":                   {"pages = {3--5},", `"page":"3-5",`},
		"text://a#lines=10-20":                {"note = {lines 10–20},", `"note":"lines 10–20",`},
		"doc://a#sheet=Q4_R&cells=B5":         {`note = {sheet Q4\_R, cell B5},`, `"note":"sheet Q4_R, cell B5",`},
		"doc://a#member=b.pdf&pages=3":        {"note = {file b.pdf, page 3},", `"note":"file b.pdf, page 3",`},
		"image://a#bbox=0,0,0.5,1":            {`note = {region 0\%–50\% from the left, 0\%–100\% from the top},`, `"note":"region 0%–50% from the left, 0%–100% from the top",`},
		"doc://a#pages=3&bbox=0,0,0.5,1":      {`note = {page 3, region 0\%–50\% from`, `"note":"page 3, region 0%–50% from`},
		"text://a#member=b%20c.txt&lines=1-2": {"note = {file b c.txt, lines 1–2},", `"note":"file b c.txt, lines 1–2",`},
		"video://a#t=62-70":                   {"note = {1:02–1:10},", `"note":"1:02–1:10",`},
	} {
		a, err := citekit.ParseAddress(address)
		if err != nil {
			t.Fatal(err)
		}
		c := citation.Citation{Address: a}
		entry, err := c.BibTeX()
		if err != nil || !strings.Contains(entry, want[0]) || strings.Count(entry, "note = ") != strings.Count(want[0], "note = ") {
			t.Errorf("%s: %s, %v; want %s", address, entry, err, want[0])
		}
		item, err := c.CSL()
		if err != nil || !strings.Contains(string(item), want[1]) || strings.Count(string(item), `"note"`) != strings.Count(want[1], `"note"`) {
			t.Errorf("%s: %s, %v; want %s", address, item, err, want[1])
		}
	}
}

func TestCSVFragment(t *testing.T) {
	for _, fragment := range []string{"row=4", "row=5-7", "row=4-*", "row=*", "col=2;5-9", "cell=4,1", "cell=4,1-6,2", "cell=4,1-6,*;8,2"} {
		cells, err := citation.ParseCSVFragment(fragment)
		if err != nil {
			t.Errorf("%s: %v", fragment, err)
			continue
		}
		if back, err := citation.CSVFragment(cells...); back != fragment || err != nil {
			t.Errorf("%s comes back as %s, %v", fragment, back, err)
		}
	}
	for _, bad := range []string{"", "row=", "row=0", "row=5-4", "row=*-4", "col=a", "cell=4", "cell=4,1-6", "cell=4,1,2", "row=1;", "row=1;x", "line=1", "row=1-2-3"} {
		if cells, err := citation.ParseCSVFragment(bad); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%s: %v, %v", bad, cells, err)
		}
	}
	for _, bad := range [][]citation.Cells{nil, {{}}, {{Rows: citekit.Range{First: 2, Last: 1}}}, {{Rows: citekit.Range{First: 1, Last: 1}}, {Columns: citekit.Range{First: 1, Last: 1}}}} {
		if f, err := citation.CSVFragment(bad...); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%v: %s, %v", bad, f, err)
		}
	}
}

func TestCellsLines(t *testing.T) {
	table := "h1,h2\r\n\"a\nb\",1\n\nx,\"q\"\"\r\nr\"\rlast,2"
	for fragment, want := range map[string]citekit.Range{
		"row=1": {First: 1, Last: 1}, "row=2": {First: 2, Last: 3}, "row=2-3": {First: 2, Last: 4}, "row=4": {First: 5, Last: 6},
		"row=4-*": {First: 5, Last: 7}, "row=*": {First: 7, Last: 7}, "col=1": {First: 1, Last: 7}, "cell=2,1-4,2": {First: 2, Last: 6},
	} {
		cells, err := citation.ParseCSVFragment(fragment)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := cells[0].Lines(table)
		if lines != want || err != nil {
			t.Errorf("%s: lines %v, %v; want %v", fragment, lines, err, want)
		}
	}
	if lines, err := (citation.Cells{Rows: citekit.Range{First: 3, Last: 9}}).Lines(table); !errors.Is(err, citekit.ErrRange) {
		t.Errorf("rows 3-9: %v, %v", lines, err)
	}
	if c, err := citation.RowsAt(table, citekit.Range{First: 3, Last: 5}); err != nil || c.Rows != (citekit.Range{First: 2, Last: 4}) {
		t.Errorf("lines 3-5: %v, %v", c, err)
	}
	if c, err := citation.RowsAt(table, citekit.Range{First: 3, Last: 8}); !errors.Is(err, citekit.ErrRange) {
		t.Errorf("lines 3-8: %v, %v", c, err)
	}
}

func TestWrongShapes(t *testing.T) {
	for _, bad := range []string{"", "null x", "3", `"x"`, "[1]", "{", `{"type": 3}`, `{"author": "x"}`, `[{"issued": {"date-parts": [["x"]]}}]`} {
		if c, err := citation.ParseCSL([]byte(bad)); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("CSL %s: %v, %v", bad, c, err)
		}
	}
	for _, bad := range []string{"", "[]", "3", "{}", `{"type": "Annotation"}`, `{"type": "Annotation", "target": 3}`, `{"type": "Annotation", "target": {"selector": 3}}`} {
		if c, err := citation.ParseAnnotation([]byte(bad)); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("annotation %s: %v, %v", bad, c, err)
		}
	}
	for _, bad := range []string{"no entry", "@misc{a, title}", "@misc{a, title = {x}", "@misc{a, title = {x", `@misc{a, title = "x}`, "@misc{a, title = }"} {
		if c, err := citation.ParseBibTeX(bad); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("BibTeX %s: %v, %v", bad, c, err)
		}
	}
	for _, label := range []string{"", "a b", "a]", "^", "\n"} {
		if note, err := (&citation.Citation{}).Footnote(label); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("label %q: %s, %v", label, note, err)
		}
	}
	c := citation.Citation{Quote: "of no address"}
	if _, err := c.CSL(); !errors.Is(err, citekit.ErrSyntax) {
		t.Error(err)
	}
	if _, err := c.BibTeX(); !errors.Is(err, citekit.ErrSyntax) {
		t.Error(err)
	}
	if _, err := c.Annotation(); !errors.Is(err, citekit.ErrSyntax) {
		t.Error(err)
	}
}
