package pdfcut_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfcut"
)

// cut cuts pages out of a file and returns the bytes.
func cut(t testing.TB, data []byte, pages []int, box *pdfcut.Box) ([]byte, error) {
	t.Helper()
	r := bytes.NewReader(data)
	f := pdf.NewFile(t.Context(), r, r.Size())
	d, err := pdf.Open(f)
	if errors.Is(err, pdf.ErrDamaged) {
		d, err = pdf.Rebuild(f)
	}
	if err != nil {
		return nil, err
	}
	if len(d.Pages) <= pages[len(pages)-1] {
		return nil, io.EOF
	}
	out, err := pdfcut.Cut(f, d, r, pages, box)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(out, 0, out.Size()))
}

func checkSound(t testing.TB, data []byte, pages int) {
	t.Helper()
	f := pdf.NewFile(t.Context(), bytes.NewReader(data), int64(len(data)))
	d, err := pdf.Open(f)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if len(d.Pages) != pages {
		t.Fatalf("%d pages, want %d", len(d.Pages), pages)
	}
	if err := d.Check(f); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
}

func TestCutManual(t *testing.T) {
	data := pdftest.Manual(60)
	got, err := cut(t, data, []int{3, 4, 50}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkSound(t, got, 3)
	if len(got) > len(data)/2 {
		t.Errorf("%d bytes of %d", len(got), len(data))
	}
	again, err := cut(t, data, []int{3, 4, 50}, nil)
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("the second time other bytes, %v", err)
	}
}

// TestOutputOfOutput cuts all pages of a cut: nothing is left to leave out,
// so the bytes must be the same.
func TestOutputOfOutput(t *testing.T) {
	first, err := cut(t, pdftest.Manual(5), []int{0, 1, 2, 3, 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := cut(t, first, []int{0, 1, 2, 3, 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Errorf("%d bytes, then %d", len(first), len(second))
	}
}

// TestReadAt reads an output, which lies partly in the source, in all pieces.
func TestReadAt(t *testing.T) {
	f := &pdftest.File{}
	content := f.Stream("/Filter /DCTDecode", bytes.Repeat([]byte("raw data"), 5000))
	root := f.Add("<< /Pages << /Kids [<< /Contents %d 0 R >> << >>] >> >>", content)
	f.Root(root)
	data := f.Bytes()
	r := bytes.NewReader(data)
	file := pdf.NewFile(t.Context(), r, r.Size())
	d, err := pdf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pdfcut.Cut(file, d, r, []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := io.ReadAll(io.NewSectionReader(out, 0, out.Size()))
	if err != nil {
		t.Fatal(err)
	}
	checkSound(t, want, 1)
	for off := range int64(300) {
		for _, n := range []int{1, 7, 1000, 50000} {
			got := make([]byte, n)
			k, err := out.ReadAt(got, off)
			if !bytes.Equal(got[:k], want[off:min(int(off)+n, len(want))]) || (k < n) != (err == io.EOF) {
				t.Fatalf("%d bytes at %d: got %d, %v", n, off, k, err)
			}
		}
	}
	if _, err := out.ReadAt(make([]byte, 1), out.Size()); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// TestRecode checks that wasteful encodings are replaced, and others kept.
func TestRecode(t *testing.T) {
	content := bytes.Repeat([]byte("0 0 m 10 10 l S\n"), 100)
	for name, test := range map[string]struct {
		entries string
		data    []byte
		kept    bool
	}{
		"plain":   {"", content, false},
		"hex":     {"/Filter /ASCIIHexDecode", []byte(hexOf(content)), false},
		"damaged": {"/Filter /LZWDecode", bytes.Repeat([]byte{0xff}, 100), true},
		"image":   {"/Filter /DCTDecode", content, true},
	} {
		f := &pdftest.File{}
		stream := f.Stream(test.entries, test.data)
		f.Root(f.Add("<< /Pages << /Kids [<< /Contents %d 0 R >>] >> >>", stream))
		got, err := cut(t, f.Bytes(), []int{0}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if kept := bytes.Contains(got, test.data); kept != test.kept {
			t.Errorf("%s: kept is %v", name, kept)
		}
	}
}

func hexOf(data []byte) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 2*len(data))
	for _, c := range data {
		out = append(out, digits[c>>4], digits[c&15])
	}
	return string(out) + ">"
}

// TestUsedThroughForm keeps a font that only a form without resources of its
// own uses.
func TestUsedThroughForm(t *testing.T) {
	f := &pdftest.File{}
	content := f.Stream("", []byte("/Fm Do"))
	form := f.Stream("/Type /XObject /Subtype /Form /BBox [0 0 10 10]", []byte("BT /Used 1 Tf ET"))
	used := f.Add("<< /Type /Font /BaseFont /UsedFont >>")
	unused := f.Add("<< /Type /Font /BaseFont /UnusedFont >>")
	f.Root(f.Add("<< /Pages << /Kids [<< /Contents %d 0 R /Resources << /Font << /Used %d 0 R /Unused %d 0 R >> /XObject << /Fm %d 0 R >> >> >>] >> >>",
		content, used, unused, form))
	got, err := cut(t, f.Bytes(), []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(got, []byte("/UsedFont")) || bytes.Contains(got, []byte("/UnusedFont")) {
		t.Errorf("%s", got)
	}
}

func FuzzCut(f *testing.F) {
	f.Add(pdftest.Text(true, "one"), uint8(0), false)
	f.Add(pdftest.Text(false, "one", "two"), uint8(1), true)
	f.Add(pdftest.Connected(), uint8(0), false)
	f.Fuzz(func(t *testing.T, data []byte, page uint8, boxed bool) {
		var box *pdfcut.Box
		if boxed {
			box = &pdfcut.Box{X1: 0.25, Y1: 0.25, X2: 0.5, Y2: 1}
		}
		got, err := cut(t, data, []int{int(page)}, box)
		if err == nil {
			checkSound(t, got, 1)
		}
	})
}
