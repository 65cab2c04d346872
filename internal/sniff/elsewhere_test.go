package sniff_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/citekit/citekit/internal/sniff"
)

// TestPartsElsewhere checks packages whose parts are in other folders than
// usual, or are written in another way.
func TestPartsElsewhere(t *testing.T) {
	types := func(kind string) string {
		return `<Types><Override PartName="/a.xml" ContentType="application/vnd.openxmlformats-officedocument.` + kind + `.main+xml"/></Types>`
	}
	for _, c := range []struct {
		types, part, content string
		method               uint16
		want                 string
	}{
		{"[Content_Types].xml", "a.xml", types("spreadsheetml.sheet"), zip.Deflate, "xlsx"},
		{"[Content_Types].xml", "a.xml", types("wordprocessingml.document"), zip.Store, "docx"},
		{"[content_types].XML", "wtf/a.xml", types("presentationml.presentation"), zip.Deflate, "pptx"},
		{"[Content_Types].xml", `xl\workbook.xml`, "<Types/>", zip.Deflate, "xlsx"},
		{"[Content_Types].xml", "Word/Document.xml", "<Types/>", zip.Deflate, "docx"},
		{"[Content_Types].xml", "a.xml", "<Types/>", zip.Deflate, "zip"},
		{"META-INF/manifest.xml", "content.xml", `<m:manifest><m:file-entry m:full-path="Object 1/" m:media-type="application/vnd.oasis.opendocument.text"/><m:file-entry m:media-type="application/vnd.oasis.opendocument.spreadsheet" m:full-path="/"/></m:manifest>`, zip.Deflate, "ods"},
		{"META-INF/manifest.xml", "content.xml", `<m:manifest><m:file-entry m:full-path="/"/></m:manifest>`, zip.Store, "zip"},
		{"Types.xml", "a.xml", types("spreadsheetml.sheet"), zip.Deflate, "zip"},
	} {
		var data bytes.Buffer
		z := zip.NewWriter(&data)
		for _, name := range []string{c.part, c.types} {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: c.method})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(c.content)); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := sniff.Detect(bytes.NewReader(data.Bytes()), int64(data.Len()))
		if err != nil || f.ID != c.want {
			t.Errorf("%s and %s: %q, %v; want %q", c.types, c.part, f.ID, err, c.want)
		}
	}
}
