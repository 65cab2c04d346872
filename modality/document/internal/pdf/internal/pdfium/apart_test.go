package pdfium_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

const threeFonts = "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>" +
	" /F2 << /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>" +
	" /F3 << /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>"

// drawnAt returns the content of texts beside each other, a number of points apart.
func drawnAt(font string, size, gap float64, texts ...string) string {
	widths := map[string]float64{"F1": 0.556, "F2": 0.6, "F3": 0.5}
	var b strings.Builder
	x := 20.0
	for _, text := range texts {
		fmt.Fprintf(&b, "BT /%s %g Tf %.3f 200 Td (%s) Tj ET\n", font, size, x, text)
		x += gap
		for _, c := range text {
			switch w := widths[font]; {
			case '0' <= c && c <= '9' || font == "F2":
				x += w * size
			case c == '-':
				x += 0.333 * size
			default:
				x += w / 2 * size
			}
		}
	}
	return b.String()
}

// TestApart: the digits of narrow cells beside each other are numbers of their own, and
// those of one number are not.
func TestApart(t *testing.T) {
	sharedtest.NotShort(t)
	e := &pdfium.Engine{CacheDir: pdfium.DefaultCacheDir()}
	pageOf := func(entries, content string, cropped bool) (string, []byte) {
		t.Helper()
		data := pdftest.Page(entries, content, threeFonts)
		got, err := e.Session(plenty).Text(t.Context(), bytes.NewReader(data), int64(len(data)), []pdfium.Page{{}}, cropped)
		if err != nil {
			t.Fatal(err)
		}
		return got[0].Text, data
	}
	for _, font := range []string{"F1", "F2", "F3"} {
		for _, size := range []float64{5, 6, 8, 10, 10.7, 12} {
			var content, want strings.Builder
			for i, gap := range []float64{0.06, 0.1, 0.12, 0.15, 0.2, 0.3, 0.5, 1, 2} {
				fmt.Fprintf(&content, "q 1 0 0 1 0 %d cm %s Q\n", 50-20*i, drawnAt(font, size, gap*size, "910", "230", "4711", "7"))
				want.WriteString("910 230 4711 7\n")
			}
			content.WriteString("q 1 0 0 1 0 -150 cm " + drawnAt(font, size, 0.02*size, "910", "230") + " Q")
			want.WriteString("910230") // parts of one number
			if got, _ := pageOf("", content.String(), false); got != want.String() {
				t.Errorf("%s of %g points: %q", font, size, got)
			}
		}
	}
	for content, want := range map[string]string{
		drawnAt("F1", 10, 1, "910", "-230"):                                    "910 -230",
		drawnAt("F3", 10, 1, "2", "3"):                                         "23",     // letter-spaced
		drawnAt("F1", 10, 1.8, "2", "3"):                                       "2 3",    // farther than a space
		drawnAt("F1", 10, 1, "2", "0", "1", "1"):                               "2011",   // letter-spaced
		drawnAt("F1", 10, 1, "20", "1", "1"):                                   "20 1 1", // not
		drawnAt("F1", 10, 0.6, "1", ".50"):                                     "1.50",   // aligned at the point
		"BT /F1 10 Tf 1 Tc 20 200 Td (2011 and 75) Tj ET":                      "2011 and 75",
		"BT /F1 10 Tf 20 200 Td [(91) -60 (0) 20 (230)] TJ ET":                 "910230", // kerned
		"BT /F1 10 Tf 0.9 0.4 -0.4 0.9 20 100 Tm (910) Tj 18 0 Td (230) Tj ET": "910230", // aslant: not told
		"BT /F1 10 Tf 0 1 -1 0 100 20 Tm (910) Tj 17.9 0 Td (230) Tj ET":       "910 230",
	} {
		if got, _ := pageOf("", content, false); got != want {
			t.Errorf("%s: %q, want %q", content, got, want)
		}
	}
	for _, rotate := range []int{90, 270} {
		if got, _ := pageOf(fmt.Sprintf("/Rotate %d", rotate), drawnAt("F1", 10, 1, "910", "230"), false); got != "910 230" {
			t.Errorf("rotated by %d: %q", rotate, got)
		}
	}

	text, data := pageOf("", drawnAt("F1", 10, 1, "Sum 910", "230", "47"), false)
	at := strings.Index(text, "230")
	if at < 0 {
		t.Fatalf("%q", text)
	}
	boxes, err := e.Session(plenty).Boxes(t.Context(), bytes.NewReader(data), int64(len(data)), pdfium.Page{}, at, at+3)
	if err != nil || len(boxes) != 1 || (boxes[0].X2-boxes[0].X1)*pdfWidth(t, data) > 3*5.56 {
		t.Errorf("boxes of 230: %v, %v", boxes, err)
	}
	all, err := e.Session(plenty).Boxes(t.Context(), bytes.NewReader(data), int64(len(data)), pdfium.Page{}, 0, len(text))
	if err != nil || len(all) != 1 {
		t.Errorf("boxes of the line: %v, %v", all, err)
	}
	if lines := layouts(t, data)[0].Lines; len(lines) != 1 || lines[0].Text != text {
		t.Errorf("lines %+v, text %q", lines, text)
	}
	placed, err := e.Session(plenty).PlacedText(t.Context(), bytes.NewReader(data), int64(len(data)), []pdfium.PlacedPage{{}})
	if err != nil {
		t.Fatal(err)
	}
	var chars strings.Builder
	for _, c := range placed[0].Chars {
		chars.WriteRune(c.Rune)
	}
	if chars.String() != text {
		t.Errorf("placed characters %q, text %q", chars.String(), text)
	}
	if got, _ := pageOf("/CropBox [0 190 300 220]", drawnAt("F1", 10, 1, "910", "230"), true); got != "910 230" {
		t.Errorf("cropped: %q", got)
	}
}

func pdfWidth(t *testing.T, data []byte) float64 { return layouts(t, data)[0].Width }
