package oracle

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// TestInlineValues compares the texts of cells of type inlineStr: some programs
// write them to v, some to is.
func TestInlineValues(t *testing.T) {
	const cells = `<sheetData><row r="1"><c r="A1" t="inlineStr"><f>Other!A1</f><v>in v</v></c><c r="B1" t="inlineStr"><is><t>in is</t></is></c><c r="C1" t="inlineStr"><v>0</v><is><t>both</t></is></c></row></sheetData>`
	data := replaced(t, pack(t, excelize.NewFile()), "xl/worksheets/sheet1.xml", "<sheetData></sheetData>", cells)
	n := 0
	for d := range differences(t, data, &n) {
		t.Errorf("%s: %q, excelize %q", d.raw, d.ours, d.theirs)
	}
	if n != 3 {
		t.Errorf("%d cells are compared", n)
	}
	compare(t, data)
}

// replaced returns a package with a text of a part replaced.
func replaced(t *testing.T, data []byte, part, before, after string) []byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == part {
			if !strings.Contains(string(text), before) {
				t.Fatalf("%s has no %s: %s", part, before, text)
			}
			text = []byte(strings.Replace(string(text), before, after, 1))
		}
		w, err := z.Create(f.Name)
		if err == nil {
			_, err = w.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
