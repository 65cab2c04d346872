package pdf_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

// inflating returns data that inflates to size bytes, without its end if it
// is damaged.
func inflating(t *testing.T, size int, damaged bool) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if damaged {
		return b.Bytes()[:b.Len()-8]
	}
	return b.Bytes()
}

// TestFailureCounts has streams that fail once much of them was decoded: the
// work counts all the same.
func TestFailureCounts(t *testing.T) {
	sharedtest.Once(t)
	const size = 6 << 20
	for name, c := range map[string]struct {
		entries string
		data    []byte
	}{
		"too long":  {"/Filter /FlateDecode", inflating(t, size, false)},
		"damaged":   {"/Filter /FlateDecode", inflating(t, size, true)},
		"predictor": {"/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 99999999 >>", inflating(t, size/2, false)},
	} {
		f := &pdftest.File{}
		f.Root(f.Add("<< /Type /Catalog /Pages 2 0 R >>"))
		f.Add("<< /Type /Pages /Kids [3 0 R] >>")
		f.Add("<< /Type /Page >>")
		num := f.Stream(c.entries, c.data)
		file := fileOf(t, f.Bytes())
		d, err := pdf.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		o, err := d.Load(file, num)
		if err != nil {
			t.Fatal(err)
		}
		before := file.Work().Decoded
		if _, err := d.Data(file, o.(*pdf.Stream), size/2); err == nil {
			t.Errorf("%s: no error", name)
		}
		if spent := file.Work().Decoded - before; spent < size/4 {
			t.Errorf("%s: %d bytes count", name, spent)
		}
	}
}

// TestDamagedObjectStream loads a hundred objects of one object stream that
// cannot be read: it is decoded once.
func TestDamagedObjectStream(t *testing.T) {
	const size, objects = 1 << 20, 100
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var rows bytes.Buffer
	add := func(text string) {
		fmt.Fprintf(&rows, "\x01%c%c", b.Len()>>8, b.Len()&255)
		b.WriteString(text)
	}
	rows.WriteString("\x00\x00\x00")
	add("1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n")
	add("2 0 obj<</Type/Pages/Kids[3 0 R]>>endobj\n")
	add("3 0 obj<</Type/Page>>endobj\n")
	data := inflating(t, size, true)
	add(fmt.Sprintf("4 0 obj<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length %d>>stream\n%s\nendstream endobj\n", len(data), data))
	for range objects {
		rows.WriteString("\x02\x00\x04")
	}
	start := b.Len()
	fmt.Fprintf(&b, "999 0 obj<</Type/XRef/W[1 2 0]/Index[0 5 100 %d]/Size 999/Root 1 0 R/Length %d>>stream\n%s\nendstream endobj\nstartxref\n%d\n%%%%EOF", objects, rows.Len(), rows.String(), start)
	file := fileOf(t, b.Bytes())
	d, err := pdf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range objects {
		if _, err := d.Load(file, 100+i); err == nil {
			t.Fatalf("object %d was read", 100+i)
		}
	}
	if spent := file.Work().Decoded; spent < size/2 || spent > 2*size {
		t.Errorf("%d bytes decoded, of a stream of %d", spent, size)
	}
}

// TestTextSearchOnce asks a hundred pages that share content too long to be
// looked at.
func TestTextSearchOnce(t *testing.T) {
	sharedtest.Once(t)
	const size = 5 << 20
	f := &pdftest.File{}
	root, node := f.Reserve(), f.Reserve()
	content := f.Stream("/Filter /FlateDecode", inflating(t, size, false))
	var kids strings.Builder
	for range 100 {
		fmt.Fprintf(&kids, "%d 0 R ", f.Add("<< /Type /Page /Contents %d 0 R >>", content))
	}
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", node)
	f.Set(node, "<< /Type /Pages /Kids [%s] >>", kids.String())
	f.Root(root)
	file := fileOf(t, f.Bytes())
	d, err := pdf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	search := pdf.NewTextSearch(file, d)
	for i := range d.Pages {
		if shows, known, err := search.OnPage(i); shows || known || err != nil {
			t.Fatalf("page %d: %v, %v, %v", i+1, shows, known, err)
		}
	}
	if spent := file.Work().Decoded; spent < 1<<20 || spent > 2*size {
		t.Errorf("%d bytes decoded, of content of %d", spent, size)
	}
}

// TestLabelPrefix has page labels whose prefix is a megabyte.
func TestLabelPrefix(t *testing.T) {
	f := &pdftest.File{}
	f.Root(f.Add("<< /Type /Catalog /Pages 2 0 R /PageLabels << /Nums [0 << /P 4 0 R /S /D >>] >> >>"))
	f.Add("<< /Type /Pages /Kids [3 0 R] >>")
	f.Add("<< /Type /Page >>")
	f.Add("(%s)", strings.Repeat("a", 1<<20))
	file := fileOf(t, f.Bytes())
	d, err := pdf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := d.Labels(file)
	if err != nil || len(labels) != 1 {
		t.Fatalf("%d labels, %v", len(labels), err)
	}
	if got := labels[0].Label(0); len(got) > 1000 || !strings.HasPrefix(got, "aaa") {
		t.Errorf("a label of %d bytes", len(got))
	}
}
