package pdftest

import (
	"bytes"
	"fmt"
	"strings"
)

// refs returns references to objects.
func refs(nums ...int) string {
	var b strings.Builder
	for _, num := range nums {
		fmt.Fprintf(&b, "%d 0 R ", num)
	}
	return b.String()
}

// Text returns a file of pages of 300 by 200 points, one for each word, that
// reads "This is page" and the word.
func Text(packed bool, words ...string) []byte {
	f := &File{Packed: packed}
	root, tree := f.Reserve(), f.Reserve()
	font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	var kids []int
	for _, word := range words {
		content := f.Stream("", []byte("BT /F1 24 Tf 30 150 Td (This is page "+word+") Tj ET"))
		kids = append(kids, f.Add("<< /Type /Page /Parent %d 0 R /Contents %d 0 R /Resources << /Font << /F1 %d 0 R >> >> >>", tree, content, font))
	}
	f.Set(tree, "<< /Type /Pages /Kids [%s] /Count %d /MediaBox [0 0 300 200] >>", refs(kids...), len(kids))
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Root(root)
	return f.Bytes()
}

// Connected returns a file of three pages that are connected in every possible
// way. The first has actions that run by themselves.
func Connected() []byte {
	f := &File{}
	root, tree := f.Reserve(), f.Reserve()
	p1, p2, p3 := f.Reserve(), f.Reserve(), f.Reserve()
	field, group, unused := f.Reserve(), f.Reserve(), f.Reserve()

	link := func(entries string, args ...any) int {
		return f.Add("<< /Type /Annot /Subtype /Link /Rect [0 0 10 10] "+entries+" >>", args...)
	}
	script := f.Add("<< /S /JavaScript /JS (app.alert\\(1\\)) >>")
	annots1 := []int{
		link("/A << /S /GoTo /D [%d 0 R /XYZ 0 0 null] >>", p2),
		link("/A << /S /GoTo /D [%d 0 R /Fit] >> /Contents (lost)", p3),
		link("/Dest (second)"),
		link("/Dest /third"),
		link("/A << /S /URI /URI (https://example.org/) /Next %d 0 R >>", script),
		link("/A << /S /Launch /F (calc.exe) >>"),
		link("/A %d 0 R /AA << /E %d 0 R >>", script, script),
	}
	w1 := f.Add("<< /Type /Annot /Subtype /Widget /Rect [0 0 50 10] /Parent %d 0 R /P %d 0 R >>", field, p1)
	w3 := f.Add("<< /Type /Annot /Subtype /Widget /Rect [0 0 50 10] /Parent %d 0 R /P %d 0 R >>", field, p3)
	only3 := f.Add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (only3) /V (secret3) /Rect [0 0 50 10] /P %d 0 R >>", p3)
	sig := f.Add("<< /Type /Annot /Subtype /Widget /FT /Sig /T (sig) /Rect [0 0 0 0] /P %d 0 R /V << /Type /Sig /Contents <00> >> >>", p1)
	f.Set(field, "<< /FT /Tx /T (name) /V (value) /Kids [%d 0 R %d 0 R] /AA << /K %d 0 R >> >>", w1, w3, script)
	f.Set(group, "<< /Type /OCG /Name (hidden) >>")
	f.Set(unused, "<< /Type /OCG /Name (elsewhere) >>")

	font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	big := f.Stream("", bytes.Repeat([]byte("0123456789abcdef"), 1<<4))
	other := f.Add("<< /Type /Font /Subtype /Type3 /Big %d 0 R >>", big)
	resources := f.Add("<< /Font << /F1 %d 0 R /F2 %d 0 R >> /Properties << /MC0 %d 0 R >> >>", font, other, group)
	content := f.Deflate("", []byte("BT /F1 12 Tf 20 50 Td (page) Tj ET /OC /MC0 BDC BT /F1 12 Tf 20 80 Td (hidden) Tj ET EMC"))
	page := func(num int, entries string) {
		f.Set(num, "<< /Type /Page /Parent %d 0 R /Resources %d 0 R /Contents %d 0 R /AA << /O %d 0 R >> %s >>", tree, resources, content, script, entries)
	}
	page(p1, "/Annots ["+refs(append(annots1, w1, sig)...)+"]")
	page(p2, "/StructParents 0")
	page(p3, "/Annots ["+refs(w3, only3)+"]")
	f.Set(tree, "<< /Type /Pages /MediaBox [0 0 200 100] /Count 3 /Kids [%d 0 R %d 0 R %d 0 R] >>", p1, p2, p3)
	f.Set(root, `<< /Type /Catalog /Pages %d 0 R /OpenAction %d 0 R /AA << /WC %d 0 R >>
		/Dests << /third [%d 0 R /Fit] >>
		/Names << /Dests << /Kids [%d 0 R] >> /JavaScript << /Names [(a) %d 0 R] >> >>
		/AcroForm << /Fields [%d 0 R %d 0 R %d 0 R] /DA (/Helv 0 Tf) /SigFlags 3 /XFA [(template) %d 0 R] >>
		/OCProperties << /OCGs [%d 0 R %d 0 R] /D << /OFF [%d 0 R] /Order [%d 0 R %d 0 R] >> >>
		/PageLabels << /Nums [0 << /S /r >> 1 << /S /D /St 7 /P (A-) >>] >> >>`,
		tree, script, script, p3,
		f.Add("<< /Limits [(a) (z)] /Names [(second) << /D [%d 0 R /FitH 3] >>] >>", p2), script,
		field, only3, sig, big,
		group, unused, group, group, unused)
	f.Root(root)
	return f.Bytes()
}
