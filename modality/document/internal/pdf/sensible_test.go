package pdf

import (
	"slices"
	"testing"

	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

// TestSensible has what is set as headings are, of each rule both sides.
func TestSensible(t *testing.T) {
	for text, want := range map[string]bool{
		"Results and Discussion":                        true,
		"iOS in practice":                               true,
		"World War II":                                  true,
		"Item 265":                                      true,
		"Report for 2019":                               true,
		"What factors motivated the attacks?":           true,
		"第二节 公司基本情况":                                    true,
		"Über die Größe":                                true,
		"The Birth of Word Processing (1960s - 1970s)":  true,
		"Stroke (acute) and its causes":                 true,
		"A) Terms":                                      true,
		"Home | News":                                   true,
		"はじめに":                                          true,
		"2018 and after":                                true,
		"Dr. No":                                        false,
		"Mrs Ada Lovelace":                              false,
		"Lovelace, A.; Babbage, C.":                     false,
		"A. Lovelace":                                   false,
		"М.Ю. Иванова":                                  false,
		"Total Common Stocks":                           false,
		"Cloud Computing $0.44M":                        false,
		"Old Town 76506 North County":                   false,
		"00002 Assumption":                              false,
		"Report ID: A-1 Warehouse: East":                false,
		"- one of a list":                               false,
		"£, and above":                                  false,
		"(1/16 of 1%)) equal to":                        false,
		"法海阔』咱国司":                                       false,
		"One megawatt can power many homes during":      false,
		"The others go on in the next column. your own": false,
		"As others have found (2005). Markers":          false,
		"What you need before they send us this form":   false,
		"This text shows a square.":                     false,
		"には一定の相関があることを確認し":                              false,
		"Warning!":                                      false,
		"Journal of Signs, Vol. 95, No. 2":              false,
		"Tenth revised page no. 2":                      false,
		"(This page intentionally left blank.)":         false,
		"F(w) |F||G|":                                   false,
		"Oqnbddchmfr ne sgd Khmfthrshb Lddshmf":         false,
		"WV#TEX*AB":                                     false,
		"ann@example.org":                               false,
		"https://example.org/a":                         false,
		"doi:10.1000/182":                               false,
		"1309 S. Mary Avenue":                           false,
		"Sunnyvale, CA 94087":                           false,
		"November 3, 2011":                              false,
		"Monday, December 5, 2011":                      false,
		"3 mai 2004":                                    false,
		"2020-01-31":                                    false,
		"TOTAL USD 273.13":                              false,
		"Data set downloads 0 652,412 2,348,928":        false,
		"External relations and development 732":        false,
		"A = 0.15 A = 0.20":                             false,
		"<Revision>":                                    false,
		"return x == y;":                                false,
		"and the rest of it":                            false,
		"The rest of the":                               false,
		"Opened (but never closed":                      false,
		"One ends. Another begins here":                 false,
		"Alternate assessments have been required since then by all": false,
		"(measured in hundreds)":                                     false,
		"page 1 / 1":                                                 false,
		"Copyright 2020 by nobody":                                   false,
		"Name:":                                                      false,
		"實、准确、完整，不存在虚假记载":                                            false,
		"ϳЃǢϸͣϋçϣƐ ϙϭʵ":                                              false,
		"zyxwvutsrqponmlkjihgfedcbazyxwvutsrqponmlkjihgfedcba":       false,
	} {
		if got := isSensible(text, 0); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for text, levels := range map[string]int{"1. Introduction": 1, "1 Introduction": 1, "6.4 The changing face (Tables 6.6 - 6.9)": 2, "2.1 STRUCTURAL FUNDS 2007-2013": 2} {
		if !isSensible(text, levels) {
			t.Errorf("%q is none", text)
		}
	}
	for text, levels := range map[string]int{"5.3.2 #aV*gh#ZX": 3, "6.4.2 The goal of the event shall be assigned to the other": 3, "3. I understand and agree that the cost may change while it is being processed by them": 1} {
		if isSensible(text, levels) {
			t.Errorf("%q is one", text)
		}
	}
}

func TestByline(t *testing.T) {
	for text, want := range map[string]bool{
		"Ada Lovelace and Charles Babbage":       true,
		"J. R. Smith, A. Jones, and K. O'Brien":  true,
		"Daniel V. Bailey1 and Christof Paar2":   true,
		"Department of Physics, University of X": true,
		"Mary Jones*, Peter Miller†":             true,
		"Will Jonesb,2, and Wes Millera,2":       true,
		"Power Sleep":                            false,
		"Materials and Methods":                  false,
		"Rise and Fall":                          false,
		"Results":                                false,
	} {
		if got := isByline(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestRunTitle(t *testing.T) {
	for text, want := range map[string]bool{
		"The quick brown fox jumps over the lazy dog.": true,
		"CALENDAR OF EVENTS":                           true,
		"processor reference chart":                    false,
		"in the 19th and 20th Centuries":               false,
		"<div class=\"a\">":                            false,
		"x = y + 1;":                                   false,
		"12.5 13.7":                                    false,
		"Volume Discount: -$1,840.63 (5%)":             false,
		"Review: A. B. Date: 12/07/2024":               false,
		"(normally, 1 min).":                           false,
		"(a) whatever follows":                         true,
		"∼2–10% of all women":                          false,
		"o o":                                          false,
		"":                                             false,
	} {
		if got := isRunTitle(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestRunningHeadings has a head that the pages share but for a number.
func TestRunningHeadings(t *testing.T) {
	h := func(page int, top float64, title string) heading {
		return heading{entry: entry{title: title, page: page, top: top}}
	}
	got := withoutRunning([]heading{h(1, 0.05, "Part 1 of the Code"), h(1, 0.4, "Scope"), h(2, 0.051, "Part 2 of the Code"), h(2, 0.4, "Scope"), h(3, 0.06, "Alone")})
	if len(got) != 3 || got[0].title != "Scope" || got[2].title != "Alone" {
		t.Errorf("%+v", got)
	}
}

// TestSamePlace has a line of a form that stands at the same place of three
// pages, and a heading that stands on three at different ones.
func TestSamePlace(t *testing.T) {
	var found []heading
	for page := 1; page <= 3; page++ {
		found = append(found,
			heading{entry: entry{title: "Net pay", page: page, top: 0.5}},
			heading{entry: entry{title: "References", page: page, top: 0.2 + 0.15*float64(page)}})
	}
	got := withoutRunning(found)
	if len(got) != 3 || got[0].title != "References" || got[2].title != "References" {
		t.Errorf("%+v", got)
	}
	if got = withoutRunning(found[:4]); len(got) != 4 {
		t.Errorf("of two pages: %+v", got)
	}
}

func TestQuantities(t *testing.T) {
	var found []heading
	for _, title := range []string{"3 Methods", "34 Exhibits", "40 Animals", "41 Plants", "2018 in short", "96 Broken", "1.2 Scope"} {
		found = append(found, heading{entry: entry{title: title}})
	}
	var got []string
	for _, h := range withoutQuantities(found) {
		got = append(got, h.title)
	}
	if want := []string{"3 Methods", "40 Animals", "41 Plants", "2018 in short", "1.2 Scope"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// lineAt returns a line of ten points at a place of a page of 600 by 800
// points.
func lineAt(x, y, width float64, text string) pdfium.Line {
	const height = 0.015
	return pdfium.Line{Text: text, Size: 10, Box: pdfium.Box{X1: x, Y1: y, X2: x + width, Y2: y + height}}
}

func pageOf(lines ...pdfium.Line) *page {
	pages := []page{{number: 1, read: true, Layout: pdfium.Layout{Width: 600, Height: 800, Lines: lines}}}
	markLines(pages)
	return &pages[0]
}

func TestRunTitleOfPage(t *testing.T) {
	text := lineAt(0.1, 0.30, 0.42, "At the end of the phase, each of the nodes has the")
	rest := lineAt(0.1, 0.32, 0.42, "knowledge of the others. It then goes on.")
	large := lineAt(0.1, 0.60, 0.4, "Scalability")
	large.Size = 16
	first := large
	first.Box.Y1, first.Box.Y2 = 0.20, 0.22
	table := []pdfium.Line{lineAt(0.1, 0.2, 0.1, "Product"), lineAt(0.4, 0.2, 0.1, "Price"), lineAt(0.7, 0.2, 0.1, "Place")}
	body := measure{size: 10, gap: 1.2}
	for name, c := range map[string]struct {
		page *page
		want string
	}{
		"heading first":  {pageOf(first, text, rest), "Scalability"},
		"heading later":  {pageOf(text, rest, large), "Scalability"},
		"sentence":       {pageOf(text, rest), "At the end of the phase, each of the nodes has the knowledge of the others."},
		"short line":     {pageOf(lineAt(0.1, 0.2, 0.15, "Calendar of events"), text, rest), "Calendar of events"},
		"cells":          {pageOf(append(table, text, rest)...), "At the end of the phase, each of the nodes has the knowledge of the others."},
		"number at edge": {pageOf(lineAt(0.1, 0.05, 0.2, "Notes 273"), text), "Notes"},
		"page number":    {pageOf(lineAt(0.1, 0.05, 0.1, "Page 3")), ""},
		"cut off":        {pageOf(lineAt(0.1, 0.2, 0.12, "All of these and the"), large), "Scalability"},
		"only cells":     {pageOf(table...), ""},
	} {
		if got := runTitle(c.page, body); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestLabelOfPage(t *testing.T) {
	m := &mapper{facts: &facts{labels: []pdf.LabelRange{
		{First: 0, Style: pdf.Dict{"S": pdf.Name("r")}},
		{First: 2, Style: pdf.Dict{"S": pdf.Name("D"), "P": pdf.String("A-")}},
		{First: 5, Style: pdf.Dict{}},
	}}}
	for page, want := range map[int]string{1: "i", 2: "ii", 3: "A-1", 5: "A-3", 6: "6", 9: "9"} {
		if got := m.label(page); got != want {
			t.Errorf("page %d: %q, want %q", page, got, want)
		}
	}
	if got := (&mapper{facts: &facts{}}).label(4); got != "4" {
		t.Errorf("without labels: %q", got)
	}
}

// TestCellsBetween has a line between two rows of a table, as one that says
// what the rows below it are, and one above a table.
func TestCellsBetween(t *testing.T) {
	var lines []pdfium.Line
	for i, y := range []float64{0.20, 0.24, 0.26} {
		for _, x := range []float64{0.1, 0.4, 0.7} {
			lines = append(lines, lineAt(x, y, 0.1, string(rune('A'+i))))
		}
	}
	p := pageOf(append(lines, lineAt(0.1, 0.22, 0.2, "Current assets"), lineAt(0.1, 0.18, 0.2, "Balance"))...)
	if !isCell(p, 9) {
		t.Error("a line between rows is no cell")
	}
	if isCell(p, 10) {
		t.Error("a line above a table is a cell")
	}
}

func FuzzSensible(f *testing.F) {
	for _, text := range []string{"", " ", "1. A", "実", "\xff", "a@b.c", "(", "1 2 3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		isSensible(text, numberDepth(text))
		isRunTitle(text)
		isByline(text)
		isName(text)
		plainNumber(text)
	})
}
