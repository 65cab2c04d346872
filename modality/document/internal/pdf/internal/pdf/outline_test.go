package pdf_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

// withOutline returns a file of three pages, objects 3 to 5, whose catalog has
// further entries, and whose objects from 6 on are as given.
func withOutline(catalog string, objects ...string) []byte {
	f := &pdftest.File{}
	f.Root(f.Add("<< /Type /Catalog /Pages 2 0 R %s >>", catalog))
	f.Add("<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 /MediaBox [0 0 1 1] >>")
	for range 3 {
		f.Add("<< /Type /Page /Parent 2 0 R >>")
	}
	for _, o := range objects {
		f.Add("%s", o)
	}
	return f.Bytes()
}

func outlineOf(t testing.TB, data []byte, lenient bool) (string, error) {
	t.Helper()
	f := fileOf(t, data)
	d, err := pdf.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	items, err := d.Outline(f, lenient)
	var b strings.Builder
	for _, item := range items {
		fmt.Fprintf(&b, "%s%s %d;", strings.Repeat(">", item.Depth), item.Title, item.Page)
	}
	return b.String(), err
}

func TestOutline(t *testing.T) {
	for name, test := range map[string]struct {
		catalog string
		objects []string
		want    string
	}{
		"none":      {"", nil, ""},
		"empty":     {"/Outlines 6 0 R", []string{"<< >>"}, ""},
		"no object": {"/Outlines 99 0 R", nil, ""},
		"tree": {"/Outlines 6 0 R", []string{
			"<< /First 7 0 R /Count -2000000000 >>",
			"<< /Title (a) /Dest [4 0 R /Fit] /First 8 0 R /Next 9 0 R >>",
			"<< /Title <FEFF00E9> /A << /S /GoTo /D [5 0 R /Fit] >> >>",
			"<< /Title (c) /Dest 10 0 R >>",
			"[3 0 R /XYZ 1 2 3]",
		}, "a 1;>é 2;c 0;"},
		"names": {"/Outlines 6 0 R /Dests << /old 8 0 R >> /Names << /Dests << /Kids [9 0 R 10 0 R] >> >>", []string{
			"<< /First 7 0 R >>",
			"<< /Title (a) /Dest /old /Next 11 0 R >>",
			"<< /D [4 0 R /Fit] >>",
			"<< /Limits [(a) (b)] /Names [(a) [3 0 R /Fit]] >>",
			"<< /Limits [(x) (y)] /Names [(new) << /D [5 0 R /Fit] >>] >>", // limits that lie
			"<< /Title (b) /Dest (new) /Next 12 0 R >>",
			"<< /Title (c) /A << /S /GoTo /D (old) >> /Next 13 0 R >>",
			"<< /Title (d) /Dest (lost) >>",
		}, "a 1;b 2;c 1;d -1;"},
		"elsewhere": {"/Outlines 6 0 R", []string{
			"<< /First 7 0 R >>",
			"<< /Title (a) /A << /S /GoToR /F (b.pdf) /D [1 /Fit] >> /Next 8 0 R >>",
			"<< /Title (b) /A << /S /URI /URI (https://example.org) >> /Next 9 0 R >>",
			"<< /Title (c) /Dest [2 /Fit] /Next 10 0 R >>",
			"<< /Title (d) /Dest [3 /Fit] /Next 11 0 R >>",
			"<< /Title (e) /Dest [2 0 R /Fit] /Next 12 0 R >>",
			"<< /Title 5 /Dest [] >>",
		}, "a -1;b -1;c 2;d -1;e -1; -1;"},
		"names in a circle": {"/Outlines 6 0 R /Dests << /a /b /b /a >>", []string{
			"<< /First 7 0 R >>", "<< /Title (a) /Dest /a >>",
		}, "a -1;"},
		"a list that comes back": {"/Outlines 6 0 R", []string{
			"<< /First 7 0 R >>", "<< /Title (a) /Next 8 0 R >>", "<< /Title (b) /Next 7 0 R >>",
		}, "a -1;b -1;"},
		"its own child": {"/Outlines 6 0 R", []string{
			"<< /First 7 0 R >>", "<< /Title (a) /First 7 0 R >>",
		}, "a -1;>a -1;"},
	} {
		got, err := outlineOf(t, withOutline(test.catalog, test.objects...), false)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestDamagedOutline has an item that cannot be read.
func TestDamagedOutline(t *testing.T) {
	data := withOutline("/Outlines 6 0 R", "<< /First 7 0 R >>",
		"<< /Title (a) /Dest [4 0 R /Fit] /First 8 0 R /Next 9 0 R >>", "<< /Title ]( >>", "<< /Title (c) >>")
	if got, err := outlineOf(t, data, false); !errors.Is(err, pdf.ErrDamaged) {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := outlineOf(t, data, true); err != nil || got != "a 1;c -1;" {
		t.Errorf("lenient: got %q, %v", got, err)
	}
}

func TestDeepOutline(t *testing.T) {
	objects := []string{"<< /First 7 0 R >>"}
	for i := range 1000 {
		objects = append(objects, fmt.Sprintf("<< /Title (a) /First %d 0 R >>", i+8))
	}
	got, err := outlineOf(t, withOutline("/Outlines 6 0 R", objects...), false)
	if n := strings.Count(got, ";"); err != nil || n != 64 {
		t.Errorf("%d levels, %v; want 64", n, err)
	}
}

func TestLabel(t *testing.T) {
	for _, test := range []struct {
		style pdf.Dict
		page  int
		want  string
	}{
		{pdf.Dict{"S": pdf.Name("D")}, 0, "1"},
		{pdf.Dict{"S": pdf.Name("D"), "St": int64(7), "P": pdf.String("A-")}, 2, "A-9"},
		{pdf.Dict{"S": pdf.Name("r")}, 3, "iv"},
		{pdf.Dict{"S": pdf.Name("R"), "St": int64(1994)}, 0, "MCMXCIV"},
		{pdf.Dict{"S": pdf.Name("A")}, 25, "Z"},
		{pdf.Dict{"S": pdf.Name("A")}, 26, "AA"},
		{pdf.Dict{"S": pdf.Name("a")}, 54, "ccc"},
		{pdf.Dict{"S": pdf.Name("r"), "St": int64(1 << 30)}, 0, "1073741824"},
		{pdf.Dict{"S": pdf.Name("a"), "St": int64(1 << 30)}, 0, "1073741824"},
		{pdf.Dict{"P": pdf.String("cover")}, 3, "cover"},
		{pdf.Dict{"S": pdf.Name("odd"), "St": int64(-4)}, 3, ""},
		{nil, 3, ""},
	} {
		if got := (pdf.LabelRange{Style: test.style}).Label(test.page); got != test.want {
			t.Errorf("%v, page %d: got %q, want %q", test.style, test.page, got, test.want)
		}
	}
}

func TestInfo(t *testing.T) {
	const xmp = `<?xpacket begin="" id="x"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">The &amp; title</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>One</rdf:li><rdf:li>Two</rdf:li></rdf:Seq></dc:creator>
<dc:subject><rdf:Bag><rdf:li>a</rdf:li><rdf:li>b, c</rdf:li></rdf:Bag></dc:subject><x:CreateDate xmlns:x="http://ns.adobe.com/xap/1.0/">2024-05-01T10:00:00+02:00</x:CreateDate></rdf:Description></rdf:RDF></x:xmpmeta>`
	const hostile = `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><dc:title xmlns:dc="http://purl.org/dc/elements/1.1/"><li>&e;</li></dc:title>`
	for name, test := range map[string]struct {
		xmp  string
		want pdf.Info
	}{
		"both":    {xmp, pdf.Info{Title: "The & title", Author: "One; Two", Language: "de", Keywords: "a; b, c", Date: "2024-05-01T10:00:00+02:00"}},
		"cut":     {xmp[:300], pdf.Info{Title: "The & title", Author: "old author", Language: "de", Keywords: "old, words", Date: "2001-02-03T04:05:06-07:00"}},
		"entity":  {hostile, pdf.Info{Title: "old title", Author: "old author", Language: "de", Keywords: "old, words", Date: "2001-02-03T04:05:06-07:00"}},
		"not XML": {"\x00\xff", pdf.Info{Title: "old title", Author: "old author", Language: "de", Keywords: "old, words", Date: "2001-02-03T04:05:06-07:00"}},
	} {
		f := &pdftest.File{}
		root, tree := f.Reserve(), f.Reserve()
		page := f.Add("<< /Type /Page /Parent %d 0 R >>", tree)
		f.Set(tree, "<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", page)
		info := f.Add("<< /Title (old title) /Author (old author) /Keywords (old, words) /CreationDate (D:20010203040506-07'00') >>")
		f.Set(root, "<< /Type /Catalog /Pages %d 0 R /Lang (de) /Metadata %d 0 R >>", tree, f.Stream("/Type /Metadata", []byte(test.xmp)))
		f.Root(root)
		data := []byte(strings.Replace(string(f.Bytes()), "trailer\n<<", fmt.Sprintf("trailer\n<< /Info %d 0 R", info), 1))
		file := fileOf(t, data)
		d, err := pdf.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Info(file)
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestInfoDate(t *testing.T) {
	for date, want := range map[string]string{
		"D:20240501120000Z": "2024-05-01T12:00:00Z", "D:20240501120000+02'30'": "2024-05-01T12:00:00+02:30", "D:20240501120000+02'": "2024-05-01T12:00:00+02:00",
		"D:202405011200": "2024-05-01", "D:202405011200+02'00'": "2024-05-01", "D:2024050112": "2024-05-01",
		"D:20240501120000": "2024-05-01T12:00:00", "20240501": "2024-05-01", "D:20240501120000junk": "2024-05-01",
		"D:20241301": "", "D:2024": "", "": "", "May 2024": "", "D:00000000": "",
	} {
		if got := pdf.ISODate(date); got != want {
			t.Errorf("%q is %q, want %q", date, got, want)
		}
	}
}

func TestShowsText(t *testing.T) {
	f := &pdftest.File{}
	root, tree := f.Reserve(), f.Reserve()
	form := f.Deflate("/Type /XObject /Subtype /Form", []byte("BT (x)Tj ET"))
	loop := f.Reserve()
	f.Set(loop, "<< /Type /XObject /Subtype /Form /Length 0 /Resources << /XObject << /X %d 0 R >> >> >>", loop)
	var kids []string
	for _, page := range []struct{ content, xobject string }{
		{"BT /F 1 Tf [(a) 3 (b)] TJ ET", "<< >>"},
		{"0 0 9 9 re f % nothing", "<< >>"},
		{"/X Do", fmt.Sprintf("<< /X %d 0 R >>", form)},
		{"/X Do", fmt.Sprintf("<< /X %d 0 R >>", loop)},
		{"/Tj Do /TJ gs", "<< >>"},
		{"BT /F 1 Tf (a) ' ET", "<< >>"},
		{"BT /F 1 Tf 1 2 <61>\" ET", "<< >>"},
	} {
		content := f.Deflate("", []byte(page.content))
		kids = append(kids, fmt.Sprintf("%d 0 R", f.Add("<< /Type /Page /Parent %d 0 R /Contents [%d 0 R] /Resources << /XObject %s >> >>", tree, content, page.xobject)))
	}
	kids = append(kids, fmt.Sprintf("%d 0 R", f.Add("<< /Type /Page /Parent %d 0 R /Contents %d 0 R >>", tree, f.Stream("/Filter /Unheard", []byte("x")))))
	f.Set(tree, "<< /Type /Pages /Kids [%s] /Count 8 >>", strings.Join(kids, " "))
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Root(root)
	file := fileOf(t, f.Bytes())
	d, err := pdf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"true true", "false true", "true true", "false true", "false true", "true true", "true true", "false false"} {
		shows, known, err := pdf.NewTextSearch(file, d).OnPage(i)
		if got := fmt.Sprint(shows, known); got != want || err != nil {
			t.Errorf("page %d: shows, known: %s, want %s; %v", i+1, got, want, err)
		}
	}
}

// TestSharedOutlineText has items that share what is large.
func TestSharedOutlineText(t *testing.T) {
	sharedtest.NotShort(t)
	items := func(n, title, view int) []byte {
		objects := []string{"<< /First 9 0 R >>", "(" + strings.Repeat("a", title) + ")", "[4 0 R /Fit" + strings.Repeat(" 0", view) + "]"}
		for i := range n {
			objects = append(objects, fmt.Sprintf("<< /Title 7 0 R /Dest 8 0 R /Next %d 0 R >>", 10+i))
		}
		return withOutline("/Outlines 6 0 R", objects...)
	}
	if got, err := outlineOf(t, items(100, 1<<20, 0), true); err != nil || len(got) < 100 || len(got) > 1<<20 {
		t.Errorf("100 titles of a megabyte: %d bytes, %v", len(got), err)
	}
	if got, err := outlineOf(t, items(20_000, 4000, 0), true); !errors.Is(err, pdf.ErrLimit) || len(got) < 1<<20 {
		t.Errorf("20,000 titles of 4 kB: %d bytes, %v", len(got), err)
	}
	f := fileOf(t, items(3, 1, 1000))
	d, err := pdf.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Outline(f, false)
	if err != nil || len(got) != 3 || len(got[0].View) > 5 || got[0].Page != 1 {
		t.Errorf("a view of 1000 operands: %d items, %v", len(got), err)
	}
}

// TestIndirectLabels has labels whose parts are all objects of their own.
func TestIndirectLabels(t *testing.T) {
	f := fileOf(t, withOutline("/PageLabels << /Nums [0 6 0 R 7 0 R 8 0 R] >>", "<< /S /r >>", "2", "<< /S 9 0 R /P 10 0 R /St 11 0 R >>", "/A", "(x-)", "3"))
	d, err := pdf.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Labels(f)
	if err != nil || len(got) != 2 || got[1].First != 2 || got[1].Label(0) != "x-C" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// FuzzOutline reads everything a map needs from whatever opens.
func FuzzOutline(f *testing.F) {
	f.Add(withOutline("/Outlines 6 0 R /PageLabels << /Nums [0 << /S /r >> 1 << /S /D /St 3 /P (A) >>] >>", "<< /First 7 0 R >>",
		"<< /Title (a) /Dest [4 0 R /Fit] /First 8 0 R /Next 8 0 R >>", "<< /Title <FEFF00E9> /Dest (x) >>"))
	f.Add(withOutline("/Outlines 6 0 R /Names << /Dests << /Kids [6 0 R 7 0 R] >> >>", "<< /First 7 0 R /Kids [6 0 R] >>", "<< /Title (a) /Dest (b) >>"))
	f.Add(pdftest.Manual(12))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := fileOf(t, data)
		d, err := pdf.Open(file)
		if err != nil {
			if d, err = pdf.Rebuild(file); err != nil {
				return
			}
		}
		items, _ := d.Outline(file, true)
		for _, item := range items {
			if item.Page < -1 || item.Page >= len(d.Pages) || item.Depth < 0 || item.Depth >= 64 {
				t.Errorf("%+v in %d pages", item, len(d.Pages))
			}
		}
		ranges, _ := d.Labels(file)
		for _, r := range ranges {
			if r.First < 0 || r.First >= len(d.Pages) || len(r.Label(1<<20)) > 1<<20 {
				t.Errorf("labels from %d of %d", r.First, len(d.Pages))
			}
		}
		if _, err := d.Info(file); err != nil {
			t.Error(err)
		}
		if _, _, err := pdf.NewTextSearch(file, d).OnPage(0); err != nil {
			t.Error(err)
		}
	})
}
