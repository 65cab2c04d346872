package handover_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/command/internal/handover"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

const text = `# When is the range widest? Когда 中文

It is "widest at new moon" [doc://rows#pages=1], and "and at full moon of that year" [doc://rows#pages=1].
Turned: "widest at new moon" [doc://turned#pages=1]. Fields without a quote [doc://form#pages=1]. "This is page two" [doc://packed#pages=2].
The notes say "Кириллица и 中文 здесь" [text://notes#lines=5], and not "the loom weaves lace" [text://notes#lines=3-3].
"Purple monkeys dance" [doc://rows#pages=1]. Missing [doc://gone#pages=1]. All of it [doc://rows].
`

func sources() map[string]string {
	return map[string]string{
		"rows.pdf": string(pdftest.Rows("/CropBox [20 30 580 780]", rows)), "turned.pdf": string(pdftest.TurnedRows(rows)),
		"form.pdf": string(pdftest.Fields()), "packed.pdf": string(pdftest.Text(true, "one", "two")),
		"notes.md": "# Notes\n\nThe engine weaves patterns as the loom weaves flowers.\n\nКириллица и 中文 здесь.\n",
	}
}

// TestDossier makes a dossier twice, in two time zones, and compares each page of evidence
// with the evidence, as text and as pixels outside the highlights.
func TestDossier(t *testing.T) {
	sharedtest.NotShort(t)
	c := open(t, sources())
	opts := &handover.DossierOptions{Name: "answer.md"}
	made, err := handover.New(c).Dossier(t.Context(), text, opts)
	if err != nil {
		t.Fatal(err)
	}
	if made.Included != 6 || made.Report.Holds() {
		t.Errorf("%d pieces, all holds: %v; want 6 and false", made.Included, made.Report.Holds())
	}
	local := time.Local
	time.Local = time.FixedZone("far", 14*3600)
	again, err := handover.New(c).Dossier(t.Context(), text, opts)
	if time.Local = local; err != nil || !bytes.Equal(again.Data, made.Data) {
		t.Errorf("a second time there are other bytes: %v", err)
	}
	if len(made.Data) > 200<<10 {
		t.Errorf("%d bytes; the fonts are not cut", len(made.Data))
	}
	doc, err := api.ReadContext(bytes.NewReader(made.Data), model.NewDefaultConfiguration())
	if err == nil {
		err = api.ValidateContext(doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	bookmarks, err := api.Bookmarks(bytes.NewReader(made.Data), model.NewDefaultConfiguration())
	if err != nil || len(bookmarks) != 7 {
		t.Fatalf("bookmarks %v, %v; want the table and 6 pieces", bookmarks, err)
	}
	if n := len(annotations(t, made.Data)); n != 4 {
		t.Errorf("%d highlights, want 4: what does not hold has none", n)
	}
	file := filepath.Join(t.TempDir(), "dossier.pdf")
	if err := os.WriteFile(file, made.Data, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "qpdf", "--check", file)
	if cover := run(t, "pdftotext", "-f", "1", "-l", "2", file, "-"); !strings.Contains(cover, "Когда 中文") || !strings.Contains(cover, "Not found") {
		t.Errorf("the cover: %s", cover)
	}
	for i, a := range map[int]citekit.Address{1: address(t, "doc://rows#pages=1"), 2: address(t, "doc://turned#pages=1"), 3: address(t, "doc://form#pages=1"), 4: address(t, "doc://packed#pages=2")} {
		at := fmt.Sprint(bookmarks[i].Kids[0].PageFrom)
		e, err := c.ResolveAddress(t.Context(), a, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, got := run(t, "pdftotext", "-layout", e.OutputPath, "-"), run(t, "pdftotext", "-layout", "-f", at, "-l", at, file, "-")
		if want != got {
			t.Errorf("%s: the text is\n%s\nand that of the evidence\n%s", a, got, want)
		}
		compare(t, a, pixels(t, e.OutputPath, "1"), pixels(t, file, at))
	}
}

// TestDossierLetters reads the cover of dossiers in many scripts: what their fonts have is
// there, and of other letters it says why there are codes.
func TestDossierLetters(t *testing.T) {
	sharedtest.NotShort(t)
	const east, arabic = "潮汐在新月时最大。潮の満ち引き、新月。조석은 신월에 가장 크다.", "المد"
	c := open(t, map[string]string{"notes.md": "# 潮汐\n\n" + strings.Repeat(east, 12) + "\n\n" + arabic + "\n", "潮汐.pdf": string(pdftest.Rows("", rows))})
	pages := slices.DeleteFunc(resources(t, c), func(id string) bool { return id == "notes" })[0]
	for _, test := range []struct {
		text, want string // as PDFium copies it, which turns Arabic
		lines      int    // that the quote needs at least
		noted      bool
	}{
		{"# 潮汐与月\n\n\"" + strings.Repeat(east, 3) + "\" [text://notes#lines=3]. \"widest at new moon\" [doc://" + pages + "#pages=1].\n", strings.Repeat(east, 3), 3, false},
		{"# Tides\n\n\"" + arabic + "\" [text://notes#lines=5].\n", "دملا", 1, true},
	} {
		made, err := handover.New(c).Dossier(t.Context(), test.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !made.Report.Holds() {
			t.Errorf("%s: the quote does not hold", test.text)
		}
		written := open(t, map[string]string{"dossier.pdf": string(made.Data)})
		var cover strings.Builder
		for run, err := range written.ReadText(t.Context(), "dossier", address(t, "doc://dossier#pages=1").Location) {
			if err != nil {
				t.Fatal(err)
			}
			cover.WriteString(run.Text)
		}
		got := strings.NewReplacer("\n", "", " ", "").Replace(cover.String())
		if want := strings.ReplaceAll(test.want, " ", ""); !strings.Contains(got, want) || strings.Count(cover.String(), "\n") < test.lines+3 {
			t.Errorf("the cover has not %s on %d lines: %s", test.want, test.lines, cover.String())
		}
		if noted := strings.Contains(got, "fontsofthesesheetslack"); noted != test.noted {
			t.Errorf("%s: the cover says that letters lack: %v", test.text, noted)
		}
		t.Run("valid", func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "dossier.pdf")
			if err := os.WriteFile(file, made.Data, 0o600); err != nil {
				t.Fatal(err)
			}
			run(t, "qpdf", "--check", file)
			if got := run(t, "pdftotext", file, "-"); strings.Contains(got, "Error") {
				t.Errorf("poppler finds %s", got)
			}
		})
	}
}

// resources returns the ids of a corpus.
func resources(t *testing.T, c *corpus.Corpus) []string {
	t.Helper()
	all, err := c.Resources(t.Context())
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	return all
}

func address(t *testing.T, text string) citekit.Address {
	t.Helper()
	a, err := citekit.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// pixels draws a page by poppler.
func pixels(t *testing.T, file, page string) image.Image {
	t.Helper()
	out := filepath.Join(t.TempDir(), "page")
	run(t, "pdftoppm", "-r", "60", "-f", page, "-l", page, "-singlefile", "-png", file, out)
	drawn, err := png.Decode(bytes.NewReader(sharedtest.Read(t, out+".png")))
	if err != nil {
		t.Fatal(err)
	}
	return drawn
}

// compare checks that two pictures differ only in yellow.
func compare(t *testing.T, a citekit.Address, want, got image.Image) {
	t.Helper()
	if want.Bounds() != got.Bounds() {
		t.Fatalf("%s: %v and %v pixels", a, want.Bounds(), got.Bounds())
	}
	other := 0
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			r1, g1, b1, _ := want.At(x, y).RGBA()
			r2, g2, b2, _ := got.At(x, y).RGBA()
			if isYellow := r2 >= g2 && g2 >= b2 && b2 < b1; (r1 != r2 || g1 != g2 || b1 != b2) && !isYellow {
				other++
			}
		}
	}
	if other > 0 {
		t.Errorf("%s: %d pixels differ that are not highlighted", a, other)
	}
}

// TestDossierHTML makes the page of a dossier: its policy, its table and its evidence.
func TestDossierHTML(t *testing.T) {
	c := open(t, map[string]string{"notes.md": sources()["notes.md"], "x.md": "# <script>alert(1)</script>\n\nThe <b>mast</b> & sail.\n"})
	maker := handover.New(c)
	maker.Link = func(a citekit.Address, quote string) string { return "https://cite.example/view/" + a.String() }
	hostile := "# A </style><img src=x onerror=alert(1)>\n\n" + `"the loom weaves flowers" [text://notes#lines=3-3]. "The <b>mast</b> & sail" [text://x#lines=3].`
	made, err := maker.Dossier(t.Context(), hostile, &handover.DossierOptions{HTML: true})
	if err != nil {
		t.Fatal(err)
	}
	page := string(made.Data)
	for _, want := range []string{
		"default-src 'none'", "<mark>the loom weaves flowers</mark>", "&lt;img src=x", "<svg class=\"qr\"", "https://cite.example/view/text://notes#lines=3-3",
		`<script type="application/octet-stream" id="evidence-2">`, "The &lt;b&gt;mast",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, bad := range []string{"<img src=x", "<b>", "http://", "<link", "@import", "url("} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	again, err := maker.Dossier(t.Context(), hostile, &handover.DossierOptions{HTML: true})
	if err != nil || !bytes.Equal(made.Data, again.Data) {
		t.Errorf("a second time there are other bytes: %v", err)
	}
}

// TestDossierHTMLDirections makes a page of a text and of a source in Arabic: what comes from them
// finds its direction by itself.
func TestDossierHTMLDirections(t *testing.T) {
	c := open(t, map[string]string{"المد.md": "# المد\n\nالمد هو 潮汐 هنا.\n"})
	id := resources(t, c)[0]
	made, err := handover.New(c).Dossier(t.Context(), "# عن المد\n\n\"المد هو 潮汐 هنا\" [text://"+id+"#lines=3].\n", &handover.DossierOptions{HTML: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<h1 dir="auto">عن المد</h1>`, `<h2 dir="auto">1. المد, line 3</h2>`, `<p dir="auto">“المد هو 潮汐 هنا”</p>`,
		`<blockquote dir="auto">المد هو 潮汐 هنا</blockquote>`, `<p class="passage" dir="auto"># المد

<mark>المد هو 潮汐 هنا</mark>`,
	} {
		if !strings.Contains(string(made.Data), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// TestDossierLimits makes dossiers of too much, and of nothing.
func TestDossierLimits(t *testing.T) {
	c := open(t, map[string]string{"notes.md": sources()["notes.md"]})
	maker := handover.New(c)
	var many strings.Builder
	for i := range handover.MaxCitations + 1 {
		fmt.Fprintf(&many, "Sentence %d [text://notes#lines=3].\n", i)
	}
	if _, err := maker.Dossier(t.Context(), many.String(), nil); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("%d citations: %v", handover.MaxCitations+1, err)
	}
	made, err := maker.Dossier(t.Context(), "Nothing is cited here.\n", nil)
	if err != nil || made.Included != 0 || !made.Report.CitesNothing() {
		t.Errorf("a text without citations: %+v, %v", made, err)
	}
}

// BenchmarkDossier makes a dossier of five extracts.
func BenchmarkDossier(b *testing.B) {
	c := open(b, map[string]string{"manual.pdf": string(pdftest.Manual(60))})
	var text strings.Builder
	for i := range 5 {
		fmt.Fprintf(&text, "See there [doc://manual#pages=%d-%d].\n", 10*i+1, 10*i+5)
	}
	maker := handover.New(c)
	for b.Loop() {
		made, err := maker.Dossier(b.Context(), text.String(), nil)
		if err != nil || made.Included != 5 {
			b.Fatalf("%+v, %v", made, err)
		}
		b.ReportMetric(float64(len(made.Data)), "bytes")
	}
}
