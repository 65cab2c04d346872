package document_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/pdf"
	"github.com/citekit/citekit/internal/pdftest"
)

// connected returns a file of three pages that are connected in all the ways
// there are, and of which the first does things by itself.
func connected() []byte {
	f := &pdftest.File{}
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
	big := f.Stream("", bytes.Repeat([]byte("0123456789abcdef"), 1<<12))
	other := f.Add("<< /Type /Font /Subtype /Type3 /Big %d 0 R >>", big)
	resources := f.Add("<< /Font << /F1 %d 0 R /F2 %d 0 R >> /Properties << /MC0 %d 0 R >> >>", font, other, group)
	content := f.Deflate("", []byte("BT /F1 12 Tf 20 50 Td (page) Tj ET /OC /MC0 BDC BT /F1 12 Tf 20 80 Td (hidden) Tj ET EMC"))
	page := func(num int, entries string) {
		f.Set(num, "<< /Type /Page /Parent %d 0 R /Resources %d 0 R /Contents %d 0 R /AA << /O %d 0 R >> %s >>", tree, resources, content, script, entries)
	}
	refs := ""
	for _, annot := range append(annots1, w1, sig) {
		refs += ref(annot)
	}
	page(p1, "/Annots ["+refs+"]")
	page(p2, "/StructParents 0")
	page(p3, "/Annots ["+ref(w3)+ref(only3)+"]")
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

func TestNothingActsByItself(t *testing.T) {
	data := connected()
	for _, loc := range []citekit.Location{pages(1, 1), pages(1, 2), pages(1, 3), boxed(1, 0, 0, 1, 1)} {
		got := mustResolve(t, data, loc)
		for _, word := range []string{"JavaScript", "Launch", "OpenAction", "/AA", "/XFA", "app.alert", "calc.exe", "/Contents<00>", "SigFlags"} {
			if bytes.Contains(got, []byte(word)) {
				t.Errorf("%v: %s is kept", loc.Pages, word)
			}
		}
	}
}

func TestLinks(t *testing.T) {
	r := read(t, mustResolve(t, connected(), pages(1, 2)))
	annots := r.array(r.page(0)["Annots"])
	second := r.Pages[1].Ref
	want := []pdf.Dict{
		{"A": pdf.Dict{"S": pdf.Name("GoTo"), "D": pdf.Array{second, pdf.Name("XYZ"), int64(0), int64(0), nil}}},
		{"Contents": pdf.String("lost")},
		{"Dest": pdf.Array{second, pdf.Name("FitH"), int64(3)}},
		{},
		{"A": pdf.Dict{"S": pdf.Name("URI"), "URI": pdf.String("https://example.org/"), "IsMap": false}},
		{},
		{},
	}
	for i, extra := range want {
		link := pdf.Dict{
			"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Link"),
			"Rect": pdf.Array{int64(0), int64(0), int64(10), int64(10)},
		}
		for key, v := range extra {
			link[key] = v
		}
		if diff := cmp.Diff(link, r.dict(annots[i])); diff != "" {
			t.Errorf("link %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestOtherPagesAreNotDraggedIn(t *testing.T) {
	got := mustResolve(t, connected(), pages(1, 1))
	for _, word := range []string{"secret3", "only3", "elsewhere"} {
		if bytes.Contains(got, []byte(word)) {
			t.Errorf("%s is in the extract", word)
		}
	}
	if n := bytes.Count(got, []byte("/Type/Page/")) + bytes.Count(got, []byte("/Type/Page>")); n != 1 {
		t.Errorf("%d page objects\n%s", n, got)
	}
	if len(got) > 4000 {
		t.Errorf("%d bytes: a font that is not used is kept", len(got))
	}
}

func TestForm(t *testing.T) {
	r := read(t, mustResolve(t, connected(), pages(1, 1)))
	form := r.dict(r.Catalog["AcroForm"])
	fields := r.array(form["Fields"])
	if len(fields) != 2 {
		t.Fatalf("%d fields, want 2", len(fields))
	}
	field := r.dict(fields[0])
	if field["T"] != pdf.String("name") || field["V"] != pdf.String("value") {
		t.Errorf("the field is %v", field)
	}
	kids := r.array(field["Kids"])
	annots := r.array(r.page(0)["Annots"])
	if len(kids) != 1 || kids[0] != annots[7] {
		t.Errorf("the kids of the field are %v, want only %v", kids, annots[7])
	}
	if widget := r.dict(kids[0]); widget["Parent"] != fields[0] || widget["P"] != r.Pages[0].Ref {
		t.Errorf("the widget is %v", widget)
	}
	if form["DA"] != pdf.String("/Helv 0 Tf") {
		t.Errorf("the form is %v", form)
	}
	both := read(t, mustResolve(t, connected(), pages(1, 1, 3, 3)))
	fields = both.array(both.dict(both.Catalog["AcroForm"])["Fields"])
	if kids := both.array(both.dict(fields[0])["Kids"]); len(fields) != 3 || len(kids) != 2 {
		t.Errorf("of pages 1 and 3: %d fields, %d kids of the first", len(fields), len(kids))
	}
}

func TestLayersStayHidden(t *testing.T) {
	data := connected()
	got := mustResolve(t, data, pages(2, 2))
	r := read(t, got)
	layers := r.dict(r.Catalog["OCProperties"])
	if groups := r.array(layers["OCGs"]); len(groups) != 1 || r.dict(groups[0])["Name"] != pdf.String("hidden") {
		t.Errorf("layers %v", layers)
	}
	if off := r.array(r.dict(layers["D"])["OFF"]); len(off) != 1 {
		t.Errorf("the hidden layer is not off: %v", layers)
	}
	if !bytes.Equal(pdftoppm(t, file(t, data), "-f", "2"), pdftoppm(t, file(t, got))) {
		t.Error("the page looks different")
	}
}

func TestPageLabels(t *testing.T) {
	for _, test := range []struct {
		loc  citekit.Location
		want pdf.Array
	}{
		{pages(1, 3), pdf.Array{int64(0), pdf.Dict{"S": pdf.Name("r"), "St": int64(1)}, int64(1), label(7)}},
		{pages(3, 3), pdf.Array{int64(0), label(8)}},
		{pages(1, 1, 3, 3), pdf.Array{int64(0), pdf.Dict{"S": pdf.Name("r"), "St": int64(1)}, int64(1), label(8)}},
	} {
		r := read(t, mustResolve(t, connected(), test.loc))
		got := r.dict(r.Catalog["PageLabels"])["Nums"]
		if diff := cmp.Diff(pdf.Object(test.want), got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.loc.Pages, diff)
		}
	}
}

func label(start int64) pdf.Dict {
	return pdf.Dict{"S": pdf.Name("D"), "St": start, "P": pdf.String("A-")}
}

func TestEncryptedWithEmptyPassword(t *testing.T) {
	f := &pdftest.File{Encrypted: true}
	root, tree := f.Reserve(), f.Reserve()
	content := f.Deflate("", []byte("BT /F1 12 Tf 20 50 Td (in the clear) Tj ET"))
	page := f.Add("<< /Type /Page /Parent %d 0 R /Contents %d 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>", tree, content)
	f.Set(tree, "<< /Type /Pages /Kids [%d 0 R] /Count 1 /MediaBox [0 0 200 100] >>", page)
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Root(root)
	got := mustResolve(t, f.Bytes(), pages(1, 1))
	if bytes.Contains(got, []byte("/Encrypt")) {
		t.Error("the extract is encrypted")
	}
	if text := pdftotext(t, file(t, got)); words(text) != "in the clear" {
		t.Errorf("the extract reads %q", text)
	}
}

func TestPasswordIsSaid(t *testing.T) {
	f := &pdftest.File{Encrypted: true}
	f.Root(f.Add("<< >>"))
	data := bytes.Replace(f.Bytes(), []byte("/P -4"), []byte("/P -8"), 1) // so the key is another one
	_, err := resolve(t, newResolver(t), data, pages(1, 1))
	if !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "needs a password") {
		t.Errorf("got %v", err)
	}
}
