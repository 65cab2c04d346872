package pdf

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

func TestCleanTitle(t *testing.T) {
	for in, want := range map[string]string{
		" a\t b\u00a0c\r\n": "a b c",
		"\u202aleft\u202c":  "left",
		"\x1b[31mred \x07":  "[31mred",
		"\u200b \x00":       "",
		"می\u200cخواهم":     "می\u200cخواهم",
		"so\u00adft":        "soft",
	} {
		if got := cleanTitle(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	long := strings.Repeat("wörter ", 200)
	if got := cleanTitle(long); len(got) > maxTitle || !strings.HasSuffix(got, "wörter") {
		t.Errorf("a long title has %d bytes and ends in %q", len(got), got[len(got)-10:])
	}
	if got := cleanTitle(strings.Repeat("ö", 400)); len(got) > maxTitle || !utf8.ValidString(got) {
		t.Errorf("a long word has %d bytes", len(got))
	}
}

func TestSensibleTitle(t *testing.T) {
	for in, want := range map[string]string{
		"The Go Programming Language":  "The Go Programming Language",
		"R":                            "R",
		"Microsoft Word - thesis.docx": "",
		"untitled":                     "",
		"1.txt - Notepad":              "",
		"report_final.indd":            "",
		"Node.js in action":            "Node.js in action",
		"Harbour Statistics 2012.psd":  "",
		"  ":                           "",
		"---":                          "",
	} {
		if got := sensibleTitle(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestPlaceholder drops titles in metadata that name nothing.
func TestPlaceholder(t *testing.T) {
	pages := []page{{read: true, letters: []string{"thegrasshopperandtheant"}}}
	for _, test := range []struct {
		title, author string
		want          bool
	}{
		{"none", "none", true},
		{"none", "", true},
		{"c4efeb87-488c", "", true},
		{"Report_final", "", true},
		{"grasshopper", "", false}, // it is on the page
		{"R", "", false},
		{"none of the above", "", false},
		{"Ann Lee", "Ann Lee", true},
	} {
		if got := isPlaceholder(test.title, test.author, pages); got != test.want {
			t.Errorf("%q by %q: got %t", test.title, test.author, got)
		}
	}
	if isPlaceholder("none", "", nil) {
		t.Error("a title is dropped although no page was read")
	}
}

// TestShortField says that a unit is no heading, and a chapter is.
func TestShortField(t *testing.T) {
	for text, want := range map[string]bool{"单位：万元": false, "単位：千円": false, "第一章：总则和一般规定的说明": true, "企业资信状况": true} {
		if got := isSensible(text, 0); got != want {
			t.Errorf("%s: got %t", text, got)
		}
	}
}

func TestOnce(t *testing.T) {
	for in, want := range map[string]string{
		"Brand Footnotes Brand Footnotes": "Brand Footnotes",
		"Bora Bora":                       "Bora Bora",
		"Brand Footnotes Brand":           "Brand Footnotes Brand",
		"":                                "",
	} {
		if got := once(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestTitleOnPage takes the lines of a title, and not what else is as large.
func TestTitleOnPage(t *testing.T) {
	at := func(text string, x, y, size float64) pdfium.Line {
		return pdfium.Line{Text: text, Size: size, Box: pdfium.Box{X1: x, Y1: y / 800, X2: x + 0.3, Y2: (y + size) / 800}}
	}
	for name, test := range map[string]struct {
		lines []pdfium.Line
		want  string
	}{
		"two lines": {[]pdfium.Line{at("Background Checks", 0.1, 100, 20), at("in the Year 2015", 0.1, 124, 20)}, "Background Checks in the Year 2015"},
		"beside":    {[]pdfium.Line{at("Background Checks", 0.1, 100, 20), at("Returned", 0.6, 100, 20)}, "Background Checks"},
		"far below": {[]pdfium.Line{at("Background Checks", 0.1, 100, 20), at("Handgun", 0.1, 300, 20)}, "Background Checks"},
		"twice":     {[]pdfium.Line{at("Brand Footnotes", 0.1, 100, 20), at("Brand Footnotes", 0.1, 124, 20)}, "Brand Footnotes"},
	} {
		pages := []page{{Layout: pdfium.Layout{Height: 800, Lines: append(test.lines, at("The body of the text is long and small.", 0.1, 500, 10))}, read: true}}
		markLines(pages)
		if got := titleOn(pages, measure{size: 10}); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// TestTitleBesideOthers takes the title, and neither a stamp, a date nor the scrap of
// a scan, also if a later heading is as large.
func TestTitleBesideOthers(t *testing.T) {
	at := func(text string, x1, y1, x2, y2, size float64) pdfium.Line {
		return pdfium.Line{Text: text, Size: size, Box: pdfium.Box{X1: x1, Y1: y1, X2: x2, Y2: y2}}
	}
	title := at("Reading Without Light", 0.2, 0.1, 0.8, 0.12, 14)
	joined := at("ORDER Printed 12/15/2024", 0.1, 0.04, 0.9, 0.07, 16)
	joined.Gap, joined.GapAt = 16, len("ORDER")
	body := []pdfium.Line{}
	for i := range 8 {
		y := 0.5 + 0.02*float64(i)
		body = append(body, at("The body of the text is long and small, as it often is.", 0.1, y, 0.9, y+0.015, 10))
	}
	later := at("Results", 0.1, 0.1, 0.3, 0.12, 14)
	for name, test := range map[string]struct {
		first []pdfium.Line
		pages int
		want  string
	}{
		"up the margin":     {append([]pdfium.Line{at("Preprint 1234.56789 of January", 0.02, 0.2, 0.04, 0.7, 20), title}, body...), 1, "Reading Without Light"},
		"an address":        {append([]pdfium.Line{at("www.example.org", 0.1, 0.02, 0.5, 0.05, 20), title}, body...), 1, "Reading Without Light"},
		"a date":            {append([]pdfium.Line{at("25 August 2021", 0.1, 0.02, 0.5, 0.05, 20), title}, body...), 1, "Reading Without Light"},
		"joined":            {append([]pdfium.Line{joined}, body...), 1, "ORDER"},
		"a scrap":           {append([]pdfium.Line{at("etzt„ ed1.4.1. kQA", 0.1, 0.7, 0.5, 0.75, 30)}, body...), 1, ""},
		"headings as large": {append([]pdfium.Line{title}, body...), 5, ""},
		"an abstract":       {append([]pdfium.Line{title, at("Abstract", 0.4, 0.3, 0.5, 0.32, 12)}, body...), 5, "Reading Without Light"},
		"a title page":      {[]pdfium.Line{title, at("Ann Lee", 0.4, 0.3, 0.5, 0.32, 10)}, 5, "Reading Without Light"},
		"not a title page":  {[]pdfium.Line{title, at("Ann Lee", 0.4, 0.3, 0.5, 0.32, 10)}, 2, ""},
	} {
		pages := make([]page, test.pages)
		for i := range pages {
			pages[i] = page{Layout: pdfium.Layout{Height: 800, Width: 600, Lines: append([]pdfium.Line{later}, body...)}, number: i + 1, read: true}
		}
		pages[0].Lines = test.first
		markLines(pages)
		if got := titleOn(pages, bodyOf(pages)); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// TestNotSections says that entries of a bibliography and the addresses of authors are
// no sections.
func TestNotSections(t *testing.T) {
	for text, want := range map[string]bool{
		"LEE, A., AND B. ROY (1988): “Lower Bounds.”": false,
		"Lee, A. and Roy, B.":                         false,
		"Ann Lee — email: ann at example dot org":     false,
		"Email and the Web":                           true,
		"Lee, Ann and the Harbour":                    true,
	} {
		if got := isSensible(text, 0); got != want {
			t.Errorf("%s: got %t", text, got)
		}
	}
}

// TestPlaceholderBesideTitle prefers the title on the page to one word in the metadata,
// and keeps that if the page has no title.
func TestPlaceholderBesideTitle(t *testing.T) {
	line := func(text string, y, size float64) pdfium.Line {
		return pdfium.Line{Text: text, Size: size, Box: pdfium.Box{X1: 0.1, Y1: y, X2: 0.6, Y2: y + size/800}}
	}
	for _, test := range []struct {
		inFile string
		size   float64 // of the title on the page
		want   string
	}{
		{"basic", 28, "Basic Harbour Manual"},
		{"basic", 10, "basic"},
		{"Harbours", 28, "Harbours"},
		{"", 28, "Basic Harbour Manual"},
	} {
		pages := []page{{Layout: pdfium.Layout{Height: 800, Width: 600, Lines: []pdfium.Line{line("Basic Harbour Manual", 0.2, test.size), line("The body of the text is long and small.", 0.5, 10)}}, number: 1, read: true}}
		markLines(pages)
		m := &mapper{facts: &facts{pages: 1, info: pdf.Info{Title: test.inFile}}, pages: pages}
		if got, err := m.title(t.Context()); got != test.want || err != nil {
			t.Errorf("%q, %v points: got %q, %v", test.inFile, test.size, got, err)
		}
	}
}

func TestNumberDepth(t *testing.T) {
	for in, want := range map[string]int{
		"1 Introduction":      1,
		"1. Introduction":     1,
		"2.3 Methods":         2,
		"2.3.1. Methods":      3,
		"A.1 Tables":          2,
		"A. Tables":           1,
		"A word":              0,
		"IV. Results":         1,
		"I see":               1,
		"Introduction":        0,
		"1998":                0,
		"3.5":                 0,
		"§ 12 Scope":          1,
		"12345 is no section": 0,
	} {
		if got := numberDepth(in); got != want {
			t.Errorf("%q: %d levels, want %d", in, got, want)
		}
	}
}

func TestCaptionKind(t *testing.T) {
	for in, want := range map[string]string{
		"Figure 3: A thing":        "figure",
		"Fig. 2. A thing":          "figure",
		"FIGURE 12.4 — A thing":    "figure",
		"Table B.7 – Numbers":      "table",
		"Tabelle 1: Zahlen":        "table",
		"Abb. 4: Ein Ding":         "figure",
		"Figures are useful":       "",
		"Table of Contents":        "",
		"Tables 3 and 4":           "",
		"Figure 3: A thing .... 9": "",
		"Figment 3: A thing":       "",
	} {
		if got := captionKind(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestMisplacedEntry checks that an entry whose target is before that of its
// parent does not reach to the entry that follows it.
func TestMisplacedEntry(t *testing.T) {
	sections := arrange([]entry{
		{title: "one", page: 1}, {title: "two", page: 5},
		{title: "three", page: 10}, {title: "first", page: 11, depth: 1}, {title: "elsewhere", page: 3, depth: 1}, {title: "last", page: 15, depth: 1},
		{title: "four", page: 20},
	}, 30)
	got := map[string]citekit.Range{}
	var note func([]*section)
	note = func(sections []*section) {
		for _, s := range sections {
			got[s.title] = citekit.Range{First: s.first, Last: s.last}
			note(s.children)
		}
	}
	note(sections)
	want := map[string]citekit.Range{
		"one": {First: 1, Last: 4}, "two": {First: 5, Last: 9}, "three": {First: 10, Last: 19}, "first": {First: 11, Last: 14},
		"elsewhere": {First: 3, Last: 4}, "last": {First: 15, Last: 19}, "four": {First: 20, Last: 30},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzLines has one page of lines with a hostile text mapped.
func FuzzLines(f *testing.F) {
	f.Add("Chapter 1", "1.1 Title", 18.0, 10.0, 0.2, 0.3)
	f.Add("Figure 1: x", "Table 2. y", 9.0, 9.0, 0.9, 0.1)
	f.Add("a . . . . . 3", "\u202e\x00-", 0.0, -1.0, 1.0, 0.0)
	f.Fuzz(func(t *testing.T, a, b string, sizeA, sizeB, yA, yB float64) {
		p := page{number: 1, read: true}
		p.Height, p.Width = 800, 600
		for i := range 6 {
			text, size, y := a, sizeA, yA
			if i%2 == 1 {
				text, size, y = b, sizeB, yB
			}
			p.Lines = append(p.Lines, pdfium.Line{Text: strings.ToValidUTF8(text, ""), Size: size, Box: pdfium.Box{X1: 0.1, Y1: y, X2: 0.5, Y2: y + 0.01}})
		}
		p.Drawn = []pdfium.Box{{X1: 0.1, Y1: yB, X2: 0.6, Y2: yA}, {X1: 0, Y1: 0, X2: 1, Y2: 1}}
		pages := []page{p}
		markLines(pages)
		entries := findHeadings(pages)
		sections := arrange(entries, 1)
		m := &mapper{facts: &facts{pages: 1}, pages: pages}
		nodes := m.nodes(sections)
		summarize(sections, pages, bodyOf(pages))
		addFigures(&nodes, sections, pages, nil, bodyOf(pages))
		for _, n := range nodes {
			if !utf8.ValidString(n.Title) || strings.ContainsFunc(n.Title, unicode.IsControl) || len(n.Title) > maxTitle || len(n.Summary) > maxSummary {
				t.Errorf("title %q, summary %q", n.Title, n.Summary)
			}
			if len(n.Location.Pages) != 1 || n.Location.Pages[0].First != 1 || n.Location.Pages[0].Last != 1 {
				t.Errorf("pages %v", n.Location.Pages)
			}
		}
	})
}
