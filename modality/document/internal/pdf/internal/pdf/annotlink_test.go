package pdf_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

// linked returns a file of three pages, objects 3 to 5, of which the first has
// entries as given. Its catalog has destinations in both forms.
func linked(page string) []byte {
	f := &pdftest.File{}
	f.Root(f.Add("<< /Type /Catalog /Pages 2 0 R /Dests << /chapter [5 0 R /Fit] /boxed << /D [4 0 R /Fit] >> /gone [99 0 R] >> /Names << /Dests 6 0 R >> >>"))
	f.Add("<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 >>")
	f.Add("<< /Type /Page /Parent 2 0 R %s >>", page)
	f.Add("<< /Type /Page /Parent 2 0 R >>")
	f.Add("<< /Type /Page /Parent 2 0 R >>")
	f.Add("<< /Kids [<< /Limits [(a) (c)] /Names [(begin) [4 0 R /Fit]] >> << /Limits [(d) (f)] /Names [(end) 7 0 R (boxed) [5 0 R] 8 (x)] >>] >>")
	f.Add("[5 0 R /XYZ 0 0 0]")
	return f.Bytes()
}

func linksOf(t *testing.T, page string) (links []pdf.Link) {
	t.Helper()
	f := fileOf(t, linked(page))
	d, err := pdf.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Links(f, func(l pdf.Link) bool { links = append(links, l); return true }); err != nil {
		t.Errorf("%s: %v", page, err)
	}
	return links
}

// TestLinkTargets reads the target of a link; one without a target is left out.
func TestLinkTargets(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for annotation, want := range map[string]string{
		"/Dest [4 0 R /Fit]":    `1 "" "" "" ""`,
		"/Dest /chapter":        `2 "chapter" "" "" ""`,
		"/Dest /boxed":          `2 "boxed" "" "" ""`, // in the name tree, which is newer
		"/Dest (end)":           `2 "end" "" "" ""`,
		"/Dest (none)":          "",
		"/Dest /gone":           "",
		"/Dest [99 0 R]":        "",
		"/Dest [1 /Fit]":        `1 "" "" "" ""`, // an index, as for another file
		"":                      "",
		"/A 7":                  "",
		"/A << /S /Launch >>":   "",
		"/A << /S /URI >>":      "",
		"/A << /S /GoTo >>":     "",
		"/Dest 3 /Contents (x)": "",
		"/A << /S /GoTo /D (begin) >> /Contents <FEFF00E9>":            `1 "begin" "é" "" ""`,
		"/A << /S /URI /URI (https://e.com/) >>":                       `-1 "" "" "https://e.com/" ""`,
		"/A << /S /URI /URI (" + long + ") >>":                         "",
		"/A << /S /GoToR /F (b.pdf) /D [4 /Fit] >>":                    `4 "" "" "" "b.pdf"`,
		"/A << /S /GoToR /F (b.pdf) /D [-4 /Fit] >>":                   `-1 "" "" "" "b.pdf"`,
		"/A << /S /GoToR /F << /F (b.pdf) /UF (c.pdf) >> /D (chap) >>": `-1 "chap" "" "" "c.pdf"`,
		"/A << /S /GoToR /F << /EF 3 >> /D (chap) >>":                  "",
		"/A << /S /GoToR /D (chap) >>":                                 "",
	} {
		got := ""
		for _, l := range linksOf(t, "/Annots [null 7 << /Subtype /Text /Dest [4 0 R] >> << /Subtype /Link "+annotation+" >>]") {
			got += fmt.Sprintf("%d %q %q %q %q", l.To, l.Name, l.Contents, l.URI, l.File)
		}
		if got != want {
			t.Errorf("%.80s: %s, want %s", annotation, got, want)
		}
	}
}

// TestLinkPlace reads where the page as displayed shows a link.
func TestLinkPlace(t *testing.T) {
	const media = "/MediaBox [0 0 200 100] "
	for entries, want := range map[string][4]float64{
		media + "[20 10 120 60]":                                    {0.1, 0.4, 0.6, 0.9},
		media + "[120 60 20 10]":                                    {0.1, 0.4, 0.6, 0.9},
		media + "/Rotate 90 [20 10 120 60]":                         {0.1, 0.1, 0.6, 0.6},
		media + "/Rotate 450 [20 10 120 60]":                        {0.1, 0.1, 0.6, 0.6},
		media + "/Rotate 180 [20 10 120 60]":                        {0.4, 0.1, 0.9, 0.6},
		media + "/Rotate 270 [20 10 120 60]":                        {0.4, 0.4, 0.9, 0.9},
		media + "/Rotate -90 [20 10 120 60]":                        {0.4, 0.4, 0.9, 0.9},
		media + "/CropBox [0 0 100 100] [20 10 120 60]":             {0.2, 0.4, 1, 0.9},
		media + "/CropBox [300 0 400 100] [20 10 120 60]":           {0.1, 0.4, 0.6, 0.9}, // cuts everything: ignored
		"/MediaBox [1 2] [61.2 79.2 122.4 158.4]":                   {0.1, 0.8, 0.2, 0.9}, // as if it had none
		media + "[300 10 400 60]":                                   {},
		media + "[20 10 20 60]":                                     {},
		media + "[20 10 120]":                                       {},
		media + "[20 10 120 (60)]":                                  {},
		media + "/CropBox [-50 -50 1000 1000.5] [-20 -10 120 60.0]": {0, 0.4, 0.6, 1},
	} {
		i := strings.LastIndexByte(entries, '[')
		links := linksOf(t, entries[:i]+"/Annots [<< /Subtype /Link /Rect "+entries[i:]+" /Dest [4 0 R] >>]")
		if len(links) != 1 {
			t.Errorf("%s: %d links", entries, len(links))
			continue
		}
		if l := links[0]; [4]float64{l.X1, l.Y1, l.X2, l.Y2} != want {
			t.Errorf("%s: at %v %v %v %v, want %v", entries, l.X1, l.Y1, l.X2, l.Y2, want)
		}
	}
}

// TestLinksEnd stops where the caller has enough, or the work is used up.
func TestLinksEnd(t *testing.T) {
	data := linked("/Annots [" + strings.Repeat("<< /Subtype /Link /Dest [4 0 R] >> ", 5) + "]")
	f := fileOf(t, data)
	d, err := pdf.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := d.Links(f, func(pdf.Link) bool { n++; return n < 3 }); err != nil || n != 3 {
		t.Errorf("%d links, %v", n, err)
	}
	for f.Visit(1<<20) == nil {
	}
	if err := d.Links(f, func(pdf.Link) bool { return true }); !errors.Is(err, pdf.ErrLimit) {
		t.Errorf("without work left: %v", err)
	}
}

// TestEachDestination lists the destinations of both forms by name. One without a page
// is left out.
func TestEachDestination(t *testing.T) {
	f := fileOf(t, linked(""))
	d, err := pdf.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := pdf.NewDestinations(f, d).Each(func(name string, page int) { got = append(got, fmt.Sprint(name, " ", page)) }); err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(got, ", "); all != "begin 1, boxed 2, chapter 2, end 2" {
		t.Errorf("got %s", all)
	}
}

// TestBudget uses up each kind of work.
func TestBudget(t *testing.T) {
	for name, spend := range map[string]func(*pdf.File) error{
		"entries to look at": func(f *pdf.File) error { return f.Visit(1 << 20) },
		"bytes to decode":    func(f *pdf.File) error { return f.Spend(1 << 20) },
	} {
		f := fileOf(t, linked(""))
		if f.Exhausted() {
			t.Errorf("%s: used up at the start", name)
		}
		// The half of a budget, then the rest, of which the half has been taken.
		calls := func() (n int, err error) {
			for err == nil {
				err = spend(f)
				n++
			}
			return n, err
		}
		part := 0
		err := f.Within(2, func() (err error) { part, err = calls(); return err })
		if !errors.Is(err, pdf.ErrLimit) || !strings.Contains(err.Error(), name) || f.Exhausted() {
			t.Errorf("%s: the half: %v; all used up: %v", name, err, f.Exhausted())
		}
		rest, err := calls()
		if !errors.Is(err, pdf.ErrLimit) || !f.Exhausted() || max(part-rest, rest-part) > 1 {
			t.Errorf("%s: %d calls within the half, %d after it, %v", name, part, rest, err)
		}
	}
}
