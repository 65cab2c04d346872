package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/test/pdftest"
)

// drawnPage returns a PDF of one page of 300 by 200 points, with a font /F1, and a picture
// /I of 400 by 300 pixels. The map to Unicode of the font /F2 is toUnicode, if there is one.
func drawnPage(content, toUnicode string) []byte {
	f := &pdftest.File{}
	root, tree := f.Reserve(), f.Reserve()
	picture := f.Deflate("/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8 /Width 400 /Height 300", make([]byte, 400*300))
	spot := f.Deflate("/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8 /Width 2 /Height 2", make([]byte, 4))
	form := f.Stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /I %d 0 R >> >>", picture), []byte("/I Do"))
	names := ""
	if toUnicode != "" {
		names = fmt.Sprintf("/ToUnicode %d 0 R", f.Stream("", []byte(toUnicode)))
	}
	drawn := f.Stream("", []byte(content))
	page := f.Add(`<< /Type /Page /Parent %d 0 R /MediaBox [0 0 300 200] /Contents %d 0 R /Resources << /XObject << /I %d 0 R /S %d 0 R /F %d 0 R >>
/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /F2 << /Type /Font /Subtype /Type0 /BaseFont /Some /Encoding /Identity-H %s
/DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Some /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>
/FontDescriptor << /Type /FontDescriptor /FontName /Some /Flags 4 >> >>] >> >> >> >>`, tree, drawn, picture, spot, form, names)
	f.Set(tree, "<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", page)
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Root(root)
	return f.Bytes()
}

// TestTextState reads and maps pages of each state.
func TestTextState(t *testing.T) {
	const (
		words   = "BT /F1 10 Tf 10 180 Td (The rent is due on the first day of the month.) Tj ET "
		picture = "q 300 0 0 200 0 0 cm /I Do Q "
		bits    = "<00010002000300040005000600070008000900010002000300040005000600070008000900050001>"
	)
	many := strings.Repeat("0 -12 Td (The rent is due on the first day of the month.) Tj ", 8)
	var strips, tiles strings.Builder
	for i := range 100 {
		fmt.Fprintf(&strips, "q 300 0 0 2 0 %d cm /I Do Q ", 2*i)
		fmt.Fprintf(&tiles, "q 30 0 0 20 %d %d cm /F Do Q ", i%10*30, i/10*20)
	}
	toUnicode := func(to string) string {
		var b strings.Builder
		for i := range 9 {
			fmt.Fprintf(&b, "<%04X> <%s%02X>\n", i+1, to, 0x61+i)
		}
		return "1 begincodespacerange <0000> <FFFF> endcodespacerange 9 beginbfchar\n" + b.String() + "endbfchar"
	}
	hidden := "BT /F2 10 Tf 10 180 Td " + bits + " Tj ET"
	for _, test := range []struct{ name, content, toUnicode, want string }{
		{"text", words, "", about.TextFull},
		{"blank", "", "", about.TextFull},
		{"lines", "10 10 m 200 100 l S", "", about.TextFull},
		{"picture", picture, "", about.TextNone},
		{"turned picture", "q 0 200 -300 0 300 0 cm /I Do Q", "", about.TextNone},
		{"strips", strips.String(), "", about.TextNone},
		{"tiles in forms", tiles.String(), "", about.TextNone},
		{"inline picture", "q 300 0 0 200 0 0 cm BI /W 400 /H 300 /CS /G /BPC 8 ID " + strings.Repeat("x", 120000) + " EI Q", "", about.TextNone},
		{"half a picture", "q 150 0 0 200 0 0 cm /I Do Q ", "", about.TextNone},
		{"logo", "q 20 0 0 20 0 0 cm /I Do Q ", "", about.TextFull},
		{"background without pixels", "q 300 0 0 200 0 0 cm /S Do Q ", "", about.TextFull},
		{"picture with a stamp", picture + words, "", about.TextPartial},
		{"half a picture with a stamp", "q 140 0 0 200 0 0 cm /I Do Q " + words, "", about.TextFull},
		{"picture behind text", picture + "BT /F1 10 Tf 10 180 Td " + many + "ET", "", about.TextFull},
		{"recognised before", picture + "BT 3 Tr /F1 10 Tf 10 180 Td " + many + "ET", "", about.TextFull},
		{"no names", hidden, "", about.TextDamaged},
		{"names", hidden, toUnicode("00"), about.TextFull},
		{"private names", hidden, toUnicode("E0"), about.TextDamaged},
		{"nonsense", "BT /F1 10 Tf 10 180 Td (" + strings.Repeat("Txhgd xzkqv bnmtr wklpz ", 6) + ") Tj ET", "", about.TextDamaged},
		{"code", "BT /F1 10 Tf 10 180 Td (" + strings.Repeat("AtBeginOfInputFile strncmp HTTPServer printf ", 4) + ") Tj ET", "", about.TextFull},
	} {
		data := drawnPage(test.content, test.toUnicode)
		read, mapped, err := statesOf(t, sharedResolver(), data, 1)
		if err != nil || len(read) != 1 || read[0] != test.want || mapped[0] != test.want {
			t.Errorf("%s: %v read, %v mapped, %v; want %s", test.name, read, mapped, err, test.want)
		}
		run := runOf(t, data, citekit.Box{})
		if want := test.name == "recognised before"; run.OCR != want {
			t.Errorf("%s: recognised %v, want %v", test.name, run.OCR, want)
		}
		m, err := sharedResolver().Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document})
		if pages, has := m.Metadata["ocr_pages"]; err != nil || has != run.OCR || has && pages != "1" {
			t.Errorf("%s: recognised pages %v, %v", test.name, pages, err)
		}
		if has := run.Missing != ""; has != (test.want != about.TextFull) {
			t.Errorf("%s: missing %q", test.name, run.Missing)
		}
	}
}
