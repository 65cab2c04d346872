package pdfium_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

// TestRaised: digits that are drawn above or below the line are not part of the number
// beside them, and other numbers stay.
func TestRaised(t *testing.T) {
	sharedtest.NotShort(t)
	const fonts = "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
	e := &pdfium.Engine{CacheDir: pdfium.DefaultCacheDir()}
	read := func(entries, content string, cropped bool) string {
		t.Helper()
		data := pdftest.Page(entries, content, fonts)
		got, err := e.Session(plenty).Text(t.Context(), bytes.NewReader(data), int64(len(data)), []pdfium.Page{{}}, cropped)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(got[0].Text), " ") // PDFium ends lines where the font changes
	}
	const on, above, below, same = " 0 Ts /F1 12 Tf", " 4 Ts /F1 7 Tf", " -2 Ts /F1 7 Tf", " 5 Ts /F1 12 Tf"
	line := func(start, content string) string { return "BT " + start + on + " " + content + " ET" }
	const level = "20 200 Td"
	for content, want := range map[string]string{
		line(level, "(10) Tj"+above+" (2) Tj"+on+" ( m) Tj"):                     "10² m",
		line(level, "(10) Tj"+above+" (-3) Tj"+on+" ( m) Tj"):                    "10⁻³ m",
		line(level, "(10) Tj"+above+" (2.5) Tj"):                                 "10².⁵",
		line(level, "(in 2010.) Tj"+above+" (12) Tj"):                            "in 2010.¹²",
		line(level, "(10) Tj"+below+" (2) Tj"+on+" ( of 7) Tj"):                  "10₂ of 7",
		line(level, "(log) Tj"+below+" (2) Tj"+on+" (10) Tj"):                    "log₂10",
		line(level, "(10) Tj -5.4 Ts /F1 11.6 Tf (2) Tj"):                        "10₂",
		line(level, "(10) Tj -5.4 Ts (2) Tj"):                                    "102", // as large
		line(level, "(10) Tj"+same+" (2) Tj"):                                    "10²",
		line(level, "(the 5) Tj"+above+" (th) Tj"+on+" ( of 1024) Tj"):           "the 5th of 1024",
		line(level, "(m) Tj"+above+" (2) Tj"+on+" (, 1,234.5 and 2006-07) Tj"):   "m2 , 1,234.5 and 2006-07",
		line(level, "(10) Tj /F1 9 Tf (24) Tj"):                                  "1024", // smaller, on the line
		line(level, "(10) Tj 0.5 Ts /F1 12 Tf (24) Tj"):                          "1024", // a little higher
		line("0 1 -1 0 100 20 Tm", "(10) Tj"+above+" (2) Tj"+on+" ( m 2048) Tj"): "10² m 2048",
		line("0.87 0.5 -0.5 0.87 50 50 Tm", "(2048) Tj"):                         "2048",
		line("0 -1 1 0 100 250 Tm", "(10) Tj"+below+" (2) Tj"):                   "10₂",
		"BT /F1 1 Tf 12 0 0 12 20 200 Tm (10) Tj 7 0 0 7 33.35 204 Tm (2) Tj ET": "10²",
	} {
		if got := read("", content, false); got != want {
			t.Errorf("%s: %q, want %q", content, got, want)
		}
	}

	data := pdftest.Page("", line(level, "(10) Tj"+above+" (2) Tj"+on+" ( and 102) Tj"), fonts)
	boxes, err := e.Session(plenty).Boxes(t.Context(), bytes.NewReader(data), int64(len(data)), pdfium.Page{}, len("10"), len("10²"))
	if err != nil || len(boxes) != 1 || boxes[0].X1 < 0.1 || boxes[0].X2 > 0.13 {
		t.Errorf("boxes %v, %v", boxes, err)
	}
	if lines := layouts(t, data)[0].Lines; len(lines) != 2 || lines[0].Text != "10²" || lines[1].Text != "and 102" {
		t.Errorf("lines %+v", lines)
	}

	power := "(102) Tj 0 -20 Td (10) Tj" + above + " (2) Tj" + on + " ( x) Tj"
	for crop, want := range map[string]string{
		"190 300 220": "102", "170 300 190": "10² x", "100 300 250": "102 10² x 102 10³",
	} {
		got := read("/CropBox [0 "+crop+"]", line(level, power)+"\n"+line("20 160 Td", "(102) Tj 0 -20 Td (10) Tj"+above+" (3) Tj"), true)
		if got != want {
			t.Errorf("the crop %s: %q, want %q", crop, got, want)
		}
	}
}
