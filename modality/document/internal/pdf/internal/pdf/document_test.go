package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

func fileOf(t testing.TB, data []byte) *pdf.File {
	return pdf.NewFile(t.Context(), bytes.NewReader(data), int64(len(data)))
}

// tree returns a file whose page tree is as given: each string is the rest of
// an object, whose number is 2 plus its index; object 2 is the root.
func tree(objects ...string) []byte {
	f := &pdftest.File{}
	f.Root(f.Add("<< /Type /Catalog /Pages 2 0 R >>"))
	for _, o := range objects {
		f.Add("<< %s >>", o)
	}
	return f.Bytes()
}

// TestNodeTwice calls a page tree that has a node in two places damaged, not too large.
func TestNodeTwice(t *testing.T) {
	const node = "/Type /Pages /Kids "
	_, err := pdf.Open(fileOf(t, tree(node+"[3 0 R 3 0 R]", node+"[4 0 R]", "/Type /Page ")))
	if !errors.Is(err, pdf.ErrDamaged) || errors.Is(err, pdf.ErrLimit) || !strings.Contains(err.Error(), "node 3 is in the page tree twice") {
		t.Errorf("got %v", err)
	}
}

func TestPageTree(t *testing.T) {
	const node, page = "/Type /Pages /Kids ", "/Type /Page "
	for name, test := range map[string]struct {
		data []byte
		want int // pages, or 0 for an error
	}{
		"flat":             {tree(node+"[3 0 R 4 0 R]", page, page), 2},
		"nested":           {tree(node+"[3 0 R 5 0 R]", node+"[4 0 R]", page, page), 2},
		"count lies":       {tree(node+"[3 0 R] /Count 2000000000", page), 1},
		"no types":         {tree("/Kids [3 0 R 4 0 R]", "/Kids [4 0 R]", "/MediaBox [0 0 1 1]"), 2},
		"page twice":       {tree(node+"[3 0 R 3 0 R]", page), 2},
		"loop":             {tree(node+"[3 0 R 2 0 R]", page), 1},
		"null kid":         {tree(node+"[null 3 0 R 99 0 R]", page), 1},
		"direct kids":      {tree(node + "[<< /Type /Page >> << /Type /Page >>]"), 2},
		"empty node":       {tree(node+"[3 0 R 4 0 R]", "/Type /Pages /Kids []", page), 1},
		"node twice":       {tree(node+"[3 0 R 3 0 R]", node+"[4 0 R]", page), 0},
		"no pages":         {tree(node + "[]"), 0},
		"only a loop":      {tree(node + "[2 0 R]"), 0},
		"root is a page":   {tree(page), 1},
		"kids is a number": {tree("/Type /Pages /Kids 3"), 0},
	} {
		d, err := pdf.Open(fileOf(t, test.data))
		switch {
		case test.want == 0 && !errors.Is(err, pdf.ErrDamaged) && !errors.Is(err, pdf.ErrLimit):
			t.Errorf("%s: got %v", name, err)
		case test.want != 0 && err != nil:
			t.Errorf("%s: %v", name, err)
		case test.want != 0 && len(d.Pages) != test.want:
			t.Errorf("%s: %d pages, want %d", name, len(d.Pages), test.want)
		}
	}
}

func TestInheritance(t *testing.T) {
	data := tree("/Kids [3 0 R 5 0 R] /Rotate 90 /MediaBox [0 0 1 1]", "/Kids [4 0 R] /Rotate 180", "/MediaBox [0 0 2 2]", "/A 1")
	f := fileOf(t, data)
	d, err := pdf.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"180 [0 0 2 2]", "90 [0 0 1 1]"} {
		page, err := d.PageDict(f, i)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(page["Rotate"], " ", page["MediaBox"]); got != want {
			t.Errorf("page %d inherits %s, want %s", i+1, got, want)
		}
	}
}

func TestDeepTree(t *testing.T) {
	var nodes []string
	for i := range 2000 {
		nodes = append(nodes, fmt.Sprintf("/Kids [%d 0 R]", i+3))
	}
	if _, err := pdf.Open(fileOf(t, tree(append(nodes, "/Type /Page")...))); !errors.Is(err, pdf.ErrLimit) {
		t.Errorf("got %v", err)
	}
}

// TestRebuildAgrees compares what is found by looking for objects with what
// the cross-reference data says.
func TestRebuildAgrees(t *testing.T) {
	sharedtest.Once(t)
	for _, data := range [][]byte{pdftest.Manual(50), tree("/Kids [3 0 R]", "/Type /Page")} {
		opened, err := pdf.Open(fileOf(t, data))
		if err != nil {
			t.Fatal(err)
		}
		rebuilt, err := pdf.Rebuild(fileOf(t, data))
		if err != nil {
			t.Fatal(err)
		}
		if len(opened.Pages) != len(rebuilt.Pages) {
			t.Fatalf("%d pages, rebuilt %d", len(opened.Pages), len(rebuilt.Pages))
		}
		for i := range opened.Pages {
			if opened.Pages[i].Ref != rebuilt.Pages[i].Ref {
				t.Errorf("page %d is %v, rebuilt %v", i+1, opened.Pages[i].Ref, rebuilt.Pages[i].Ref)
			}
		}
	}
}

func TestStreamLengths(t *testing.T) {
	for name, length := range map[string]string{
		"right": "/Length 4", "short": "/Length 2", "long": "/Length 400", "negative": "/Length -1",
		"missing": "", "itself": "/Length 3 0 R", "nothing": "/Length 99 0 R", "no number": "/Length (4)",
		"right reference": "/Length 4 0 R",
	} {
		f := &pdftest.File{}
		root := f.Add("<< /Pages 2 0 R >>")
		f.Add("<< /Kids [<< >>] >>")
		f.Stream("", []byte("data"))
		f.Add("4")
		f.Root(root)
		data := bytes.Replace(f.Bytes(), []byte(" /Length 4 "), []byte(length+" "+strings.Repeat(" ", 20)), 1)
		file := fileOf(t, data)
		d, err := pdf.Rebuild(file)
		if err != nil {
			t.Fatal(err)
		}
		o, err := d.Load(file, 3)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := d.Data(file, o.(*pdf.Stream), 100); string(got) != "data" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(pdftest.Text(true, "one"))
	f.Add(pdftest.Text(false, "one", "two"))
	f.Add(tree("/Kids [3 0 R]", "/Type /Page"))
	encrypted := &pdftest.File{Encrypted: true}
	encrypted.Root(encrypted.Add("<< /Pages << /Kids [<< >>] >> >>"))
	encrypted.Stream("", []byte("data"))
	f.Add(encrypted.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, open := range []func(*pdf.File) (*pdf.Document, error){pdf.Open, pdf.Rebuild} {
			file := fileOf(t, data)
			d, err := open(file)
			if err != nil {
				continue
			}
			for i := range d.Pages[:min(len(d.Pages), 10)] {
				d.PageDict(file, i)
			}
			d.Check(file)
			d.Labels(file)
			d.Destination(file, pdf.String("a"))
		}
	})
}

// FuzzDrawn counts the characters of hostile content.
func FuzzDrawn(f *testing.F) {
	f.Add([]byte("BT /F1 12 Tf (text) Tj [(a) 3 <41>] TJ ET q /X Do Q BI /W 1 ID x EI"))
	f.Fuzz(func(t *testing.T, content []byte) {
		file := fileOf(t, pdftest.Page("", string(content), "/F1 << /Subtype /Type0 /Encoding /Identity-V >>"))
		d, err := pdf.Open(file)
		if err != nil {
			return // the content ended its stream
		}
		if drawn, _, err := pdf.NewDrawnSearch(file, d).OnPage(0); err == nil && (drawn.Codes > len(content) || max(drawn.Unnamed, drawn.Invisible) > drawn.Codes || !(drawn.Cover >= 0 && drawn.Cover <= 1)) {
			t.Errorf("%+v of %d bytes", drawn, len(content))
		}
	})
}

// FuzzPainted reads what hostile content paints.
func FuzzPainted(f *testing.F) {
	f.Add([]byte("q 1 0 0 1 5 5 cm 0.5 w 0 0 m 100 0 l S 10 10 80 20 re f* 1 g 0 0 9 9 re W n Q /X Do 0 0 m 1 2 3 4 5 6 c h B"))
	f.Add([]byte("1e30 0 0 1e-30 0 0 cm 0 0 m 1e38 0 l 1e38 1e38 l s [] 0 d 0 w 0 0 1 1 re S"))
	f.Fuzz(func(t *testing.T, content []byte) {
		file := fileOf(t, pdftest.Page("", string(content), ""))
		d, err := pdf.Open(file)
		if err != nil {
			return // the content ended its stream
		}
		painted, known, err := d.Painted(file, 0)
		if (err != nil || !known) && len(painted) > 0 || len(painted) > len(content) {
			t.Errorf("%d pieces of %d bytes, %v, %v", len(painted), len(content), known, err)
		}
		for _, p := range painted {
			if !(p.X1 <= p.X2 && p.Y1 <= p.Y2) { // none is not a number
				t.Errorf("%+v", p)
			}
		}
	})
}

// FuzzTagged reads the tables of a hostile structure.
func FuzzTagged(f *testing.F) {
	const tree = "<< /K 10 0 R /RoleMap << /Cell /TD >> /ClassMap << /C << /ColSpan 2 >> >> /ParentTree << /Nums [0 [12 0 R]] >> >>"
	f.Add(tree, "<< /S /Table /K [<< /S /Caption /K 3 >> 11 0 R] >>", "<< /S /TR /P 10 0 R /K [12 0 R << /S /Cell /C /C /K 1 /Pg 3 0 R >>] >>", "<< /S /TH /P 11 0 R /Pg 3 0 R /K 0 /A << /RowSpan 2 >> >>")
	f.Add(tree, "<< /S /Table /K 10 0 R /P 12 0 R >>", "null", "<< /S /TD /P 12 0 R >>")
	f.Fuzz(func(t *testing.T, tree, a, b, c string) {
		file := fileOf(t, pdftest.Tagged(tree, a, b, c))
		d, err := pdf.Open(file)
		if err != nil || len(d.Pages) == 0 {
			return
		}
		tables, err := d.TaggedTables(file, 0)
		if err != nil && len(tables) > 0 {
			t.Errorf("%d tables and %v", len(tables), err)
		}
		for _, table := range tables {
			for _, row := range table.Rows {
				for _, cell := range row {
					if cell.RowSpan < 1 || cell.ColSpan < 1 || slices.Min(append(cell.Marks, 0)) < 0 {
						t.Errorf("%+v", cell)
					}
				}
			}
		}
	})
}
