package pdf_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/preview"
)

func connected() []byte { return pdftest.Connected() }

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

// TestActionsOfLinks cuts pages with links that act: what remains of those is their box, and
// the page has the same words and looks the same.
func TestActionsOfLinks(t *testing.T) {
	kept := []string{"(https://example.org/a:b)", "(mailto:a@example.org)", "(page.html?javascript:x)", "(javascripts:)"}
	dropped := []string{
		"/S /URI /URI (javascript:app.alert\\(1\\))", "/S /URI /URI ( JavaScript:alert)", "/S /URI /URI (java\\nscript:alert)", "/S /URI /URI (\\001vbscript:alert)",
		"/S /URI /URI <FEFF006A006100760061007300630072006900700074003A0061>", "/S /JavaScript /JS (alert)", "/S /Launch /F (calc.exe)", "/S /SubmitForm /F (http://example.com/alert)",
		"/S /ImportData /F (alert.fdf)", "/S /GoToR /F (alert.pdf) /D [0 /Fit]", "/S /URI /URI << /S /JavaScript /JS (alert) >>",
		"/S /URI /URI (https://example.net/) /Next << /S /URI /URI (javascript:alert) >>",
	}
	annots := ""
	for _, uri := range kept {
		annots += "<< /Type /Annot /Subtype /Link /Rect [10 10 90 40] /A << /S /URI /URI " + uri + " >> >> "
	}
	for _, action := range dropped {
		annots += "<< /Type /Annot /Subtype /Link /Rect [10 10 90 40] /A << " + action + " >> /AA << /E << " + action + " >> >> >> "
	}
	data := pdftest.Page("/Annots ["+annots+"]", "BT /F1 20 Tf 20 100 Td (Visible words) Tj ET", "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	drawn := func(data []byte) []byte {
		p, err := sharedResolver().Preview(t.Context(), source(data), pages(1, 1), preview.Options{Side: 400})
		if err != nil {
			t.Fatal(err)
		}
		return p.Data
	}
	textOfPage := func(data []byte) (text string) {
		for run, err := range sharedResolver().ReadText(t.Context(), source(data), pages(1, 1)) {
			if err != nil {
				t.Fatal(err)
			}
			text += run.Text
		}
		return text
	}
	for _, loc := range []citekit.Location{pages(1, 1), boxed(1, 0, 0, 1, 1)} {
		got := mustResolve(t, data, loc)
		for _, word := range []string{"alert", "script:", "/JavaScript", "Launch", "SubmitForm", "ImportData", "GoToR", "calc.exe", "/AA", "006A"} {
			if rest := bytes.ReplaceAll(got, []byte("page.html?javascript:x"), nil); bytes.Contains(bytes.ToLower(rest), bytes.ToLower([]byte(word))) {
				t.Errorf("%v: %s is kept\n%s", loc, word, got)
			}
		}
		for _, uri := range append(kept, "(https://example.net/)") {
			if !bytes.Contains(got, []byte(uri)) {
				t.Errorf("%v: the link to %s is lost\n%s", loc, uri, got)
			}
		}
		r := read(t, got)
		if n := len(r.array(r.page(0)["Annots"])); n != len(kept)+len(dropped) {
			t.Errorf("%v: %d boxes of links", loc, n)
		}
		if !bytes.Equal(drawn(got), drawn(data)) || textOfPage(got) != textOfPage(data) || !strings.Contains(textOfPage(got), "Visible words") {
			t.Errorf("%v: the page looks or reads otherwise", loc)
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
	if bytes.Contains(got, []byte("/Type3")) {
		t.Error("a font that is not used is kept")
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
	_, err := resolve(t, sharedResolver(), data, pages(1, 1))
	if !errors.Is(err, citekit.ErrEncrypted) || !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "needs a password; save a copy without the password") {
		t.Errorf("got %v", err)
	}
}
