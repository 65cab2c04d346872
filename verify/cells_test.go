package verify_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/testcorpus"
	"github.com/citekit/citekit/verify"
)

// wordTable returns a DOCX file whose second block is a table of two columns.
func wordTable(t testing.TB, rows ...[2]string) string {
	var table strings.Builder
	for _, row := range rows {
		table.WriteString("<w:tr>")
		for _, cell := range row {
			table.WriteString("<w:tc><w:p><w:r><w:t>" + cell + "</w:t></w:r></w:p></w:tc>")
		}
		table.WriteString("</w:tr>")
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>States</w:t></w:r></w:p><w:tbl>` + table.String() + `</w:tbl></w:body></w:document>`},
	} {
		w, err := z.Create(part[0])
		if err == nil {
			_, err = w.Write([]byte(part[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A quote in one cell has the address of that cell, whatever was cited.
func TestCellOfAQuote(t *testing.T) {
	s := newShelf(t, map[string]string{
		"m.xlsx": string(testcorpus.Workbook(
			[]string{"File", "Size", "", "Share of the whole"},
			[]string{"", "652641", "", "35.3%", "9\t8"},
			[]string{"code.h", "97323", "", "23.0%"})),
		"w.docx": wordTable(t, [2]string{"Block", "State"}, [2]string{"1", "intact"}, [2]string{"2", "damaged"}),
	})
	for _, c := range []struct {
		quote, cited string
		class        verify.Class
		at           string
	}{
		{"35.3%", "doc://m#sheet=Q4&cells=D2", verify.Exact, "sheet=Q4&cells=D2"},
		{"35.3%", "doc://m#sheet=Q4&cells=A2:D2", verify.Exact, "sheet=Q4&cells=D2"},
		{"35.3%", "doc://m#sheet=Q4&rows=2", verify.Exact, "sheet=Q4&cells=D2"},
		{"35.3%", "doc://m", verify.Exact, "sheet=Q4&cells=D2"},
		{"35.3%", "doc://m#sheet=Q4&cells=B2", verify.Elsewhere, "sheet=Q4&cells=D2"},
		{"652641", "doc://m#sheet=Q4&cells=D2", verify.Elsewhere, "sheet=Q4&cells=B2"},
		{"9 8", "doc://m#sheet=Q4", verify.Exact, "sheet=Q4&cells=E2"},
		{"of the", "doc://m#sheet=Q4&cells=D1", verify.Exact, "sheet=Q4&cells=D1"},
		{"code.h 97323", "doc://m#sheet=Q4&rows=3", verify.Repaired, "sheet=Q4&cells=A3:B3"},
		{"35.3% 9 8 code.h 97323", "doc://m#sheet=Q4", verify.Repaired, "sheet=Q4&cells=A2:E3"},
		{"damaged", "doc://w#blocks=2&cells=B3", verify.Exact, "blocks=2&cells=B3"},
		{"damaged", "doc://w#blocks=2", verify.Exact, "blocks=2"},
		{"damaged", "doc://w#blocks=2&cells=B2", verify.Elsewhere, "blocks=2"},
	} {
		a, err := citekit.ParseAddress(c.cited)
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Quote(t.Context(), verify.Request{Quote: c.quote, Address: a})
		if err != nil || v.Class != c.class || v.Address.Location.String() != c.at {
			t.Errorf("%q at %s: %s at %s, %v, %v; want %s at %s", c.quote, c.cited, v.Class, v.Address, v.Problem, err, c.class, c.at)
		}
		if v.Holds() && !a.Location.Contains(v.Address.Location) {
			t.Errorf("%s is not in %s", v.Address, a)
		}
	}
}
