package pdfium_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

// TestAccents joins accents to the letters that they are drawn on, in the text and in the
// lines of a layout, and leaves those that stand before a letter.
func TestAccents(t *testing.T) {
	sharedtest.NotShort(t)
	const back = "333" // thousandths of the font size, the width of the accents
	content := `BT /F1 12 Tf 20 200 Td [(Caf\264) ` + back + ` (e, nota\270) ` + back + ` (c\250) ` + back + ` (ao)] TJ
0 -30 Td (l\264eau, \140quoted\140) Tj ET`
	const helvetica = "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
	data := pdftest.Page("", content, helvetica)
	const want = "Café, notaçäo\nl´eau, `quoted`"
	e := &pdfium.Engine{CacheDir: pdfium.DefaultCacheDir()}
	got, err := text(t, e, data, 0)
	if err != nil || strings.TrimSpace(got[0]) != want {
		t.Errorf("got %q, %v", got, err)
	}
	cropped := pdftest.Page("/CropBox [0 190 300 220]", content, helvetica)
	within, err := e.Session(plenty).Text(t.Context(), bytes.NewReader(cropped), int64(len(cropped)), []pdfium.Page{{}}, true)
	if err != nil || strings.TrimSpace(within[0].Text) != "Café, notaçäo" {
		t.Errorf("within a box: %+v, %v", within, err)
	}
	at := strings.Index(got[0], "notaçäo")
	boxes, err := e.Session(plenty).Boxes(t.Context(), bytes.NewReader(data), int64(len(data)), pdfium.Page{}, at, at+len("notaçäo"))
	if err != nil || len(boxes) != 1 || boxes[0].X1 < 0.16 || boxes[0].X2 > 0.36 {
		t.Errorf("boxes %v, %v", boxes, err)
	}
	var lines []string
	for _, line := range layouts(t, data)[0].Lines {
		lines = append(lines, line.Text)
	}
	if strings.Join(lines, "\n") != want {
		t.Errorf("lines %q", lines)
	}
}
