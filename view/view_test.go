package view_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/internal/test/testcorpus"
	"github.com/citekit/citekit/view"
)

// open returns a Viewer over a folder with files, and the folder.
func open(t testing.TB, files map[string]string) (*view.Viewer, *corpus.Corpus, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := corpus.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if report, err := c.Ingest(t.Context()); err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
	return view.New(c.Library, &view.Options{Layers: c.Layers, Verifier: c.Verifier}), c, dir
}

// see returns a view, which must be there.
func see(t testing.TB, v *view.Viewer, req view.Request) *view.View {
	t.Helper()
	got, err := v.View(t.Context(), req)
	if err != nil {
		t.Fatalf("%+v: %v", req, err)
	}
	return got
}

// marked returns the words that are marked, those of a span in one text.
func marked(v *view.View) (words []string) {
	for _, s := range v.Spans {
		for _, m := range s.Marks {
			words = append(words, string([]rune(s.Text)[m[0]:m[1]]))
		}
	}
	return words
}

// selected returns the texts of the spans of the address.
func selected(v *view.View) (texts []string) {
	if v.Selected == nil {
		return nil
	}
	for _, r := range append([][2]int{*v.Selected}, v.More...) {
		for _, s := range v.Spans[r[0]:r[1]] {
			texts = append(texts, s.Text)
		}
	}
	return texts
}

// A pptx is a presentation with a text on each slide.
func pptx(texts ...string) string {
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	types := `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/>`
	ids, rels := "", ""
	files := []string{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="` + office + `/officeDocument" Target="ppt/presentation.xml"/></Relationships>`}
	for i, text := range texts {
		types += fmt.Sprintf(`<Override PartName="/ppt/slides/slide%d.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.slide+xml"/>`, i+1)
		ids += fmt.Sprintf(`<p:sldId id="%d" r:id="r%d"/>`, 256+i, i+1)
		rels += fmt.Sprintf(`<Relationship Id="r%d" Type="%s/slide" Target="slides/slide%d.xml"/>`, i+1, office, i+1)
		files = append(files, fmt.Sprintf("ppt/slides/slide%d.xml", i+1), `<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>`+text+`</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`)
	}
	return string(doctest.Zip(append(files, "[Content_Types].xml", types+`</Types>`,
		"ppt/presentation.xml", `<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="`+office+`"><p:sldIdLst>`+ids+`</p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`+rels+`</Relationships>`)...))
}

var kinds = map[string]string{
	"book.pdf":   string(pdftest.Text(false, "one", "two", "three")),
	"plan.docx":  string(testcorpus.WordTable([]string{"The harbour opens at six.", "Ships leave at high water."}, []string{"Name", "Draught"}, []string{"Möwe", "2.5 m"})),
	"talk.pptx":  pptx("Tides rise twice a day.", "The moon pulls the sea."),
	"sums.xlsx":  string(testcorpus.Workbook([]string{"Month", "Level", "Level"}, []string{"May", "31 cm", "12 cm"}, []string{"June", "", "31 cm"})),
	"gauge.csv":  "place,level\nDover,31 cm\nCalais,\"28 cm\"\n",
	"notes.md":   "# Notes\n\nSpring tides come after *full moon*.\n\nNeap tides follow.\n",
	"tide.go":    "package tide\n\n// High says when.\nfunc High(day int) int {\n\treturn day*50 // minutes\n}\n",
	"page.html":  "<html><head><title>Sea</title></head><body><h1>Sea</h1><p>The sea is <b>deep</b> here.</p><p>And salt.</p></body></html>",
	"letter.eml": "From: a@example.org\r\nTo: b@example.org\r\nSubject: Tide\r\nContent-Type: text/plain\r\n\r\nThe water was high on Monday.\r\nWe waited.\r\n",
	"film.srt":   "1\n00:00:01,000 --> 00:00:04,000\nThe tide is coming in.\n\n2\n00:00:05,000 --> 00:00:07,000\nNobody saw it.\n",
	"wide.txt":   "𝄞 Flut und Ebbe 潮汐\nzweite Zeile\r\ndritte Zeile\n\nletzte",
}

// TestKinds marks a quote in a source of each kind, letter for letter.
func TestKinds(t *testing.T) {
	v, _, _ := open(t, kinds)
	for _, one := range []struct {
		address, quote string
		kind           view.Kind
		format         string
		want           []string // that are marked
		pictures       int
	}{
		{"doc://book#pages=2", "page two", view.Pages, "pdf", []string{"page two"}, 1},
		{"doc://book", "page three", view.Pages, "pdf", []string{"page three"}, 1},
		{"doc://book#pages=1,3", "page three", view.Pages, "pdf", []string{"page three"}, 2},
		{"doc://plan#blocks=2", "leave at high water", view.Blocks, "docx", []string{"leave at high water"}, 0},
		{"doc://talk#pages=2", "moon pulls", view.Slides, "pptx", []string{"moon pulls"}, 0},
		{"doc://sums#sheet=Q4&cells=A2:C2", "12 cm", view.Cells, "xlsx", []string{"12 cm"}, 0},
		{"doc://sums#sheet=Q4&cells=B2", "31 cm", view.Cells, "xlsx", []string{"31 cm"}, 0},
		{"text://gauge#lines=2", "31 cm", view.Rows, "csv", []string{"31 cm"}, 0},
		{"text://notes#lines=3", "come after *full moon*", view.Lines, "md", []string{"come after *full moon*"}, 0},
		{"text://notes#lines=3", "come after full moon", view.Lines, "md", []string{"come after *full moon"}, 0},
		{"text://tide#lines=5", "return day*50", view.Lines, "go", []string{"return day*50"}, 0},
		{"text://page", "The sea is deep here.", view.Lines, "html", []string{"The sea is deep here."}, 0},
		{"text://letter", "high on Monday.\r\nWe waited", view.Parts, "eml", []string{"high on Monday.", "We waited"}, 0},
		{"text://film", "tide is coming", view.Lines, "srt", []string{"tide is coming"}, 0},
		{"text://wide#lines=1", "Flut und Ebbe 潮汐", view.Lines, "txt", []string{"Flut und Ebbe 潮汐"}, 0},
		{"text://wide", "Ebbe 潮汐 zweite", view.Lines, "txt", []string{"Ebbe 潮汐", "zweite"}, 0},
		{"text://wide", "Flut […] dritte Zeile", view.Lines, "txt", []string{"Flut", "dritte Zeile"}, 0},
	} {
		got := see(t, v, view.Request{Address: one.address, Quote: one.quote})
		if got.Kind != one.kind || got.Format != one.format || got.State != view.Current || len(got.Pictures) != one.pictures {
			t.Errorf("%s: %s %s %s, %d pictures", one.address, got.Kind, got.Format, got.State, len(got.Pictures))
		}
		if got.Quote == nil || got.Quote.Class != "exact" && got.Quote.Class != "repaired" || !slices.Equal(marked(got), one.want) {
			t.Errorf("%s, %q: %+v marks %q, not %q\n%+v", one.address, one.quote, got.Quote, marked(got), one.want, got.Spans)
		}
		for _, wrong := range []string{strings.Replace(one.quote, one.quote[len(one.quote)-3:], "xyzzy", 1), "words that nobody wrote anywhere"} {
			if got := see(t, v, view.Request{Address: one.address, Quote: wrong}); len(marked(got)) > 0 || got.Quote.Class == "exact" || got.Quote.Class == "repaired" {
				t.Errorf("%s, %q: %+v marks %q", one.address, wrong, got.Quote, marked(got))
			}
		}
	}
}

// TestAlone marks words that have no place of their own in the stored text: where they
// stand once in what is at the address, and nothing where that is not so.
func TestAlone(t *testing.T) {
	v, _, _ := open(t, map[string]string{
		"sums.xlsx": string(testcorpus.Workbook([]string{"Level", "Level", "Level"}, []string{"a", "b a", "a"}, []string{"x x", "x x", "y"})),
		"gauge.csv": "place,level,level\n31 cm,31 cm,31 cm or 31 cm\nx,31 cm or 31 cm,31 cm or 31 cm\n",
		"plan.docx": string(testcorpus.WordTable([]string{"Before"}, []string{"same", "same"}, []string{"two", "words"})),
		"page.html": "<h1>Sea</h1>\n<p>The sea is <b>deep</b>\nhere.</p><p>The water</p><p>The water is salt\nwater.</p><table><tr><td>b</td><td>c</td></tr><tr><td>c</td><td>d</td></tr></table>",
	})
	for _, one := range []struct {
		address, quote, note string
		want                 []string
		before               string // the mark in its span
	}{
		{"doc://sums#sheet=Q4&cells=B1", "Level", "", []string{"Level"}, "Level\t"},
		{"doc://sums#sheet=Q4&cells=C2", "a", "", []string{"a"}, "a\tb a\t"},
		{"doc://sums#sheet=Q4&cells=B3", "x", "more than once", nil, ""},
		{"doc://sums#sheet=Q4&cells=B3", "x x", "", []string{"x x"}, "x x\t"},
		{"text://gauge#rows=2&cols=2", "31 cm", "", []string{"31 cm"}, "31 cm\t"},
		{"text://gauge#rows=2&cols=place", "31 cm", "", []string{"31 cm"}, ""},
		{"text://gauge#rows=3&cols=2", "31 cm", "more than once", nil, ""},
		{"doc://plan#blocks=2&cells=B1", "same", "not known", nil, ""},
		{"doc://plan#blocks=2&cells=B2", "words", "", []string{"words"}, "Name\tvalue"},
		{"text://page#blocks=2", "deep here", "", []string{"deep", "here"}, ""},
		{"text://page#blocks=4", "water", "more than once", nil, ""},
		{"text://page#blocks=4", "salt water", "", []string{"salt", "water"}, ""},
		{"text://page#blocks=3", "water", "not known", nil, ""},
		{"text://page#blocks=5&cells=B1", "c", "not known", nil, ""},
	} {
		got := see(t, v, view.Request{Address: one.address, Quote: one.quote})
		if got.Quote.Class != "exact" || strings.Join(marked(got), " ") != strings.Join(one.want, " ") {
			t.Errorf("%s, %q: %+v marks %q, not %q", one.address, one.quote, got.Quote, marked(got), one.want)
		}
		if notes := strings.Join(got.Quote.Notes, "\n"); one.note != "" && !strings.Contains(notes, one.note) || one.note == "" && strings.Contains(notes, "marked") {
			t.Errorf("%s, %q: %q", one.address, one.quote, notes)
		}
		for _, s := range got.Spans {
			if len(s.Marks) > 0 && strings.HasSuffix(one.before, "\t") && s.Marks[0][0] != len(one.before) {
				t.Errorf("%s, %q: marks at %d of %q", one.address, one.quote, s.Marks, s.Text)
			}
		}
	}
	if got := see(t, v, view.Request{Address: "text://page#blocks=2"}); strings.Join(strings.Fields(strings.Join(selected(got), " ")), " ") != "The sea is deep here." {
		t.Errorf("a block of HTML: %q of %+v", selected(got), got.Spans)
	}
	if got := see(t, v, view.Request{Address: "text://page#blocks=3"}); got.Selected != nil || !strings.Contains(got.Note, "not known") {
		t.Errorf("a block whose place is not known: %q, %s", selected(got), got.Note)
	}
}

// TestElsewhere marks nothing of words that stand at another place.
func TestElsewhere(t *testing.T) {
	v, _, _ := open(t, kinds)
	got := see(t, v, view.Request{Address: "doc://book#pages=1", Quote: "This is page two"})
	if len(marked(got)) > 0 || got.Quote.Class != "elsewhere" || got.Quote.Address != "doc://book#pages=2" {
		t.Errorf("%+v", got)
	}
	for _, p := range got.Pictures {
		if len(p.Marks) > 0 {
			t.Errorf("%+v", p)
		}
	}
}

// TestWrongAddress checks that an address that leads to nothing is never taken for the
// nearest place.
func TestWrongAddress(t *testing.T) {
	v, _, _ := open(t, kinds)
	for address, want := range map[string]error{
		"doc://book#pages=4":             citekit.ErrRange,
		"doc://book#pages=3-5":           citekit.ErrRange,
		"text://wide#lines=99":           citekit.ErrRange,
		"doc://plan#blocks=9":            citekit.ErrRange,
		"doc://sums#sheet=None&cells=A1": citekit.ErrRange,
		"doc://nothing":                  os.ErrNotExist,
		"book.nonode":                    os.ErrNotExist,
		"doc://book#pages=":              citekit.ErrSyntax,
		"text://book#lines=1":            citekit.ErrSyntax,
	} {
		if got, err := v.View(t.Context(), view.Request{Address: address}); !errors.Is(err, want) {
			t.Errorf("%s: %v, not %v: %+v", address, err, want, got)
		}
	}
}

// TestStates views sources that have changed or are gone.
func TestStates(t *testing.T) {
	v, _, dir := open(t, kinds)
	const quote = "page two"
	fresh := see(t, v, view.Request{Address: "doc://book#pages=2", Quote: quote})
	if err := os.WriteFile(filepath.Join(dir, "book.pdf"), pdftest.Text(false, "one", "II", "three"), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := see(t, v, view.Request{Address: "doc://book#pages=2", Quote: quote})
	if changed.State != view.Changed || changed.Note == "" || len(changed.Pictures) > 0 || !slices.Equal(selected(changed), selected(fresh)) {
		t.Errorf("changed: %+v, before %+v", changed, fresh)
	}
	if !slices.Equal(marked(changed), []string{quote}) || !changed.Quote.Stale {
		t.Errorf("the text of the earlier version is kept: %+v", changed)
	}
	if got := see(t, v, view.Request{Address: "doc://book#pages=2", Quote: "page II"}); len(marked(got)) > 0 {
		t.Errorf("marks of the new version: %+v", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "wide.txt"), []byte("something else\n"), 0o600); err != nil { // of which no text is kept
		t.Fatal(err)
	}
	if got := see(t, v, view.Request{Address: "text://wide#lines=1", Quote: "something else"}); got.State != view.Changed || len(got.Spans) > 0 || got.Note == "" {
		t.Errorf("not kept: %+v", got)
	}
	for _, quote := range []string{"something else", "something other", "nowhere at all"} {
		got := see(t, v, view.Request{Address: "text://wide#lines=1", Quote: quote})
		if q := got.Quote; q == nil || q.Class != "unchecked" || !q.Stale || q.Text != "" || q.Address != "" || len(q.Difference) > 0 || !strings.Contains(q.Problem, "not those that were mapped") || len(marked(got)) > 0 {
			t.Errorf("%q of a version that is not kept: %+v", quote, got.Quote)
		}
	}
	for _, name := range []string{"book.pdf", "wide.txt"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := see(t, v, view.Request{Address: "doc://book#pages=2", Quote: quote}); got.State != view.Missing || got.Note == "" || len(got.Pictures) > 0 {
		t.Errorf("missing: %+v", got)
	}
	if got := see(t, v, view.Request{Address: "text://wide#lines=1"}); got.State != view.Missing || len(got.Spans) > 0 {
		t.Errorf("missing, not kept: %+v", got)
	}
	if got := see(t, v, view.Request{Address: "text://notes#lines=1&v=0123456789ab"}); got.State != view.Changed || len(got.Spans) > 0 {
		t.Errorf("another version: %+v", got)
	}
}

// TestCursors walks over whole texts in both directions.
func TestCursors(t *testing.T) {
	sharedtest.Once(t)
	var lines, long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&lines, "line %d %s\n", i+1, strings.Repeat("é", i%90))
		if i%7 == 0 {
			lines.WriteString("\n")
		}
	}
	long.WriteString(strings.Repeat("潮", 70_000)) // one line of several spans
	v, c, _ := open(t, map[string]string{"lines.txt": lines.String(), "long.txt": long.String(), "book.pdf": kinds["book.pdf"], "crlf.txt": strings.Repeat("a\r\n\r\nb\r\n", 900)})
	for _, start := range []string{"text://lines", "text://lines#lines=1500", "text://long", "doc://book#pages=2", "text://crlf#lines=1000-1010"} {
		first := see(t, v, view.Request{Address: start})
		spans := first.Spans
		for cursor := first.After; cursor != ""; {
			next := see(t, v, view.Request{Address: start, Cursor: cursor})
			checkBounds(t, next)
			spans, cursor = append(spans, next.Spans...), next.After
		}
		for cursor := first.Before; cursor != ""; {
			next := see(t, v, view.Request{Address: start, Cursor: cursor})
			checkBounds(t, next)
			spans, cursor = slices.Concat(next.Spans, spans), next.Before
		}
		layer, err := c.Layers.Open(t.Context(), first.DocumentID)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := layer.Text(t.Context(), 0, layer.Len())
		if err != nil {
			t.Fatal(err)
		}
		layer.Close()
		rest := whole
		for i, s := range spans {
			for i > 0 && !strings.HasPrefix(rest, s.Text) || strings.TrimLeft(s.Text, "\r\n") == "" && s.Text != "" {
				if rest == "" || rest[0] != '\n' && rest[0] != '\r' {
					t.Fatalf("%s: span %d %q does not follow: %.40q", start, i, s.Text, rest)
				}
				rest = rest[1:]
			}
			rest = rest[len(s.Text):]
		}
		if strings.Trim(rest, "\r\n") != "" {
			t.Errorf("%s: %d spans lack %.80q", start, len(spans), rest)
		}
		if n := strings.Count(whole, "\n"); first.Kind == view.Lines && start != "text://long" && len(spans) != n {
			t.Errorf("%s: %d spans of %d lines", start, len(spans), n)
		}
	}
}

func checkBounds(t *testing.T, v *view.View) {
	t.Helper()
	n := 0
	for _, s := range v.Spans {
		n += len(s.Text)
	}
	if n > view.MaxText || len(v.Spans) > view.MaxSpans || len(v.Spans) == 0 {
		t.Errorf("%d spans with %d bytes", len(v.Spans), n)
	}
}

// TestSpanAddresses reads the address of each span, which has the text of that span.
func TestSpanAddresses(t *testing.T) {
	v, _, _ := open(t, kinds)
	for _, address := range []string{"doc://book", "doc://plan", "doc://talk", "doc://sums", "text://gauge", "text://notes", "text://tide", "text://letter", "text://film", "text://wide"} {
		for _, s := range see(t, v, view.Request{Address: address}).Spans {
			if s.Text == "" {
				continue
			}
			got := see(t, v, view.Request{Address: s.Address})
			if strings.Join(selected(got), "\n") != s.Text {
				t.Errorf("%s: %q, the span has %q", s.Address, selected(got), s.Text)
			}
		}
	}
}

// TestHostileTitles gives titles as the data that they are.
func TestHostileTitles(t *testing.T) {
	const title = `<script>alert(1)</script> "'&`
	v, _, _ := open(t, map[string]string{"x.md": "# " + title + "\n\ntext\n"})
	got := see(t, v, view.Request{Address: "text://x"})
	if !strings.Contains(got.Label+got.Document.Title, "alert(1)") || !strings.Contains(got.Spans[0].Text, title) {
		t.Errorf("%+v", got)
	}
}

// TestLayout compares the lines of pages with their text, and their boxes with the mark
// of a quote of all of the line.
func TestLayout(t *testing.T) {
	v, _, _ := open(t, kinds)
	got := see(t, v, view.Request{Address: "doc://book#pages=2-3", Quote: "This is page two", Layout: true})
	if len(got.Pictures) != 2 || got.Pictures[0].Width != 300 || got.Pictures[0].Height != 200 || len(got.Pictures[0].Marks) != 1 || len(got.Pictures[1].Marks) != 0 {
		t.Fatalf("%+v", got.Pictures)
	}
	for i, s := range got.Spans[got.Selected[0]:got.Selected[1]] {
		if len(s.Layout) != 1 || s.Layout[0].From != 0 || s.Layout[0].To != len([]rune(s.Text)) {
			t.Fatalf("%+v", s)
		}
		box := s.Layout[0].Box
		if i == 0 && box != got.Pictures[0].Marks[0] {
			t.Errorf("%v, and the mark is %v", box, got.Pictures[0].Marks)
		}
		if box[0] < .09 || box[0] > .11 || box[1] < .1 || box[1]+box[3] > .3 || box[2] < .5 || box[0]+box[2] > 1 {
			t.Errorf("a line at 30, 50 of 300, 200 is at %v", box)
		}
	}
	if got.Spans[0].Layout != nil {
		t.Errorf("a page that is not at the address: %+v", got.Spans[0])
	}
	if got := see(t, v, view.Request{Address: "doc://book#pages=2"}); got.Spans[1].Layout != nil || got.Pictures[0].Width != 300 {
		t.Errorf("not asked for: %+v", got)
	}
}

// TestManyPages views books of more pages than a view has, and than it may read.
func TestManyPages(t *testing.T) {
	sharedtest.Once(t)
	v, _, _ := open(t, map[string]string{"long.pdf": string(pdftest.Manual(300))})
	for address, want := range map[string]int{"doc://long": view.MaxPictures, "doc://long#pages=250": 1, "doc://long#pages=5-6,9": 3} {
		got := see(t, v, view.Request{Address: address, Layout: true})
		if len(got.Pictures) != want || got.Extent.Unit != "pages" || got.Extent.Total != 300 {
			t.Errorf("%s: %d pictures, %+v", address, len(got.Pictures), got.Extent)
		}
		checkBounds(t, got)
	}
}

// BenchmarkPage views the pages of a book one after another, as who turns them does, and
// one page again.
func BenchmarkPage(b *testing.B) {
	v, _, _ := open(b, map[string]string{"long.pdf": string(pdftest.Manual(2400))})
	n := 0
	for _, req := range []view.Request{{}, {Layout: true}, {Quote: "page"}} {
		b.Run(fmt.Sprintf("layout=%t,quote=%s", req.Layout, req.Quote), func(b *testing.B) {
			for b.Loop() {
				n = n%2400 + 1
				req.Address = fmt.Sprintf("doc://long#pages=%d", n)
				see(b, v, req)
			}
		})
	}
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			see(b, v, view.Request{Address: "doc://long#pages=7", Layout: true, Quote: "page"})
		}
	})
}

// BenchmarkSheet views rows of a sheet of a million cells.
func BenchmarkSheet(b *testing.B) {
	rows := make([][]string, 50_000)
	for i := range rows {
		for j := range 20 {
			rows[i] = append(rows[i], fmt.Sprint(i*j))
		}
	}
	v, _, _ := open(b, map[string]string{"sums.xlsx": string(testcorpus.Workbook(rows...))})
	n := 0
	for b.Loop() {
		n = n%49_000 + 997
		see(b, v, view.Request{Address: fmt.Sprintf("doc://sums#sheet=Q4&cells=B%d:D%d", n, n+3)})
	}
}
