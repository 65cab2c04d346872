package pdftest

import (
	"fmt"
	"unicode/utf16"
)

// A Column is text that is written downwards from a point, in points from the bottom left
// corner of the page.
type Column struct {
	X, Y float64
	Text string
}

// Vertical returns a file of one page of 300 by 300 points with columns of vertical
// writing of 10 points, in a font that is not in the file.
func Vertical(columns ...Column) []byte {
	content := ""
	for _, c := range columns {
		content += fmt.Sprintf("BT /F1 10 Tf 1 0 0 1 %g %g Tm <", c.X, c.Y)
		for _, unit := range utf16.Encode([]rune(c.Text)) {
			content += fmt.Sprintf("%04x", unit)
		}
		content += "> Tj ET\n"
	}
	return Page("", content, "/F1 "+japanese("UniJIS-UCS2-V", ""))
}

// Widthless returns a file of one page with a text in a font that gives its characters no
// width.
func Widthless(text string) []byte {
	content := "BT /F1 10 Tf 50 50 Td <"
	for _, unit := range utf16.Encode([]rune(text)) {
		content += fmt.Sprintf("%04x", unit)
	}
	return Page("", content+"> Tj ET", "/F1 "+japanese("UniJIS-UCS2-H", "/DW 0"))
}

func japanese(encoding, entries string) string {
	return "<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /" + encoding +
		" /DescendantFonts [ << /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light " + entries +
		" /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >>" +
		" /FontDescriptor << /Type /FontDescriptor /FontName /Ryumin-Light /Flags 6 /FontBBox [-170 -331 1024 903] /Ascent 723 /Descent -241 /ItalicAngle 0 /StemV 69 /CapHeight 709 >> >> ] >>"
}

// Unnamed returns a file of one page with n characters, of which nothing says what they
// are, and a heading that can be read.
func Unnamed(heading string, n int) []byte {
	content := "BT /F1 10 Tf 50 250 Td (" + heading + ") Tj ET BT /F2 10 Tf 50 200 Td <"
	for i := range n {
		content += fmt.Sprintf("%04x", 300+i%97)
	}
	return Page("", content+"> Tj ET", "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /F2 "+
		"<< /Type /Font /Subtype /Type0 /BaseFont /Own /Encoding /Identity-H /DescendantFonts [ << /Type /Font /Subtype /CIDFontType2 /BaseFont /Own"+
		" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 >> ] >>")
}

// Page returns a file of one page of 300 by 300 points. The entries are those of the
// dictionary of the page besides content and resources.
func Page(entries, content, fonts string) []byte {
	f := &File{}
	f.page(entries, content, fonts, "")
	return f.Bytes()
}

func (f *File) page(entries, content, fonts, catalog string) {
	root, tree := f.Reserve(), f.Reserve()
	page := f.Add("<< /Type /Page /Parent %d 0 R /Contents %d 0 R /Resources << /Font << %s >> >> %s >>", tree, f.Stream("", []byte(content)), fonts, entries)
	f.Set(tree, "<< /Type /Pages /Kids [%d 0 R] /Count 1 /MediaBox [0 0 300 300] >>", page)
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R %s >>", tree, catalog)
	f.Root(root)
}

// Fields returns a file of one page with what shows text besides the content: form fields
// with and without an appearance, one for a password, a note with an appearance, and the
// same hidden.
func Fields() []byte {
	f := &File{}
	const helvetica = "/Helv << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
	look := func(text string) int {
		return f.Stream("/Type /XObject /Subtype /Form /BBox [0 0 100 20] /Resources << /Font << "+helvetica+" >> >>",
			[]byte("/Tx BMC BT /Helv 12 Tf 2 5 Td ("+text+") Tj ET EMC"))
	}
	blank := f.Stream("/Type /XObject /Subtype /Form /BBox [0 0 100 20]", []byte("/Tx BMC\nEMC\n"))
	fields := refs(
		f.Add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (blank) /V (Alice) /F 4 /DA (/Helv 12 Tf 0 g) /Rect [50 250 150 270] /AP << /N %d 0 R >> >>", blank),
		f.Add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (none) /V <FEFF0042006F0062> /F 4 /DA (/Helv 12 Tf 0 g) /Rect [50 220 150 240] >>"),
		f.Add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (drawn) /V (Carol) /F 4 /DA (/Helv 12 Tf 0 g) /Rect [50 190 150 210] /AP << /N %d 0 R >> >>", look("Carol")),
		f.Add("<< /Type /Annot /Subtype /Widget /FT /Tx /Ff 8192 /T (word) /V (opensesame) /F 4 /DA (/Helv 12 Tf 0 g) /Rect [50 160 150 180] /AP << /N %d 0 R >> >>", look("opensesame")),
	)
	notes := refs(
		f.Add("<< /Type /Annot /Subtype /FreeText /Contents (remark) /F 4 /DA (/Helv 12 Tf 0 g) /Rect [50 130 150 150] /AP << /N %d 0 R >> >>", look("remark")),
		f.Add("<< /Type /Annot /Subtype /Stamp /F 4 /Rect [50 100 150 120] /AP << /N %d 0 R >> >>", look("approved")),
		f.Add("<< /Type /Annot /Subtype /FreeText /Contents (hidden) /F 2 /DA (/Helv 12 Tf 0 g) /Rect [50 70 150 90] /AP << /N %d 0 R >> >>", look("hidden")),
	)
	f.page("/Annots ["+fields+notes+"]", "BT /Helv 12 Tf 50 280 Td (A form) Tj ET", helvetica,
		"/AcroForm << /NeedAppearances true /DA (/Helv 12 Tf 0 g) /DR << /Font << "+helvetica+" >> >> /Fields ["+fields+"] >>")
	return f.Bytes()
}
