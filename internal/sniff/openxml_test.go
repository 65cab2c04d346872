package sniff

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
)

// pack returns an archive of members, by name and content. Those whose name
// has the extension of an archive are stored, as programs do.
func pack(t *testing.T, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		header := &zip.FileHeader{Name: members[i], Method: zip.Deflate}
		if strings.HasSuffix(members[i], ".docx") {
			header.Method = zip.Store
		}
		w, err := z.CreateHeader(header)
		if err == nil {
			_, err = io.WriteString(w, members[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestOpenXML(t *testing.T) {
	const open = "application/vnd.openxmlformats-officedocument."
	types := func(contentType string) string {
		return `<Types><Default Extension='xml' ContentType='application/xml'/><Override PartName='/a/b.xml' ContentType="` + contentType + `"/></Types>`
	}
	rels := func(target string) string {
		return `<Relationships><Relationship Id="1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="` + target + `"/></Relationships>`
	}
	docx := string(pack(t, "[Content_Types].xml", "", "word/document.xml", "<d/>"))
	for name, c := range map[string]struct {
		members []string
		want    string
	}{
		"text":                        {[]string{"[Content_Types].xml", types(open + "wordprocessingml.document.main+xml"), "word/styles.xml", ""}, "docx"},
		"text with macros":            {[]string{"[Content_Types].xml", types("application/vnd.ms-word.document.macroEnabled.main+xml")}, "docx"},
		"workbook":                    {[]string{"xl/styles.xml", "", "[Content_Types].xml", types(open + "spreadsheetml.sheet.main+xml")}, "xlsx"},
		"binary workbook":             {[]string{"[Content_Types].xml", types("application/vnd.ms-excel.sheet.binary.macroEnabled.main")}, "xlsb"},
		"slide show":                  {[]string{"[Content_Types].xml", types(open + "presentationml.slideshow.main+xml")}, "pptx"},
		"backslashes":                 {[]string{"[Content_Types].xml", types(open + "presentationml.presentation.main+xml"), `ppt\presentation.xml`, ""}, "pptx"},
		"a slash before names":        {[]string{"/[Content_Types].xml", "", "/xl/workbook.xml", ""}, "xlsx"},
		"only relationships":          {[]string{"[Content_Types].xml", types("application/xml"), "_rels/.rels", rels("/word/document.xml")}, "docx"},
		"no content types":            {[]string{"_rels/.rels", rels("xl/workbook.xml"), "xl/styles.xml", ""}, "xlsx"},
		"a drawing":                   {[]string{"[Content_Types].xml", types("application/vnd.ms-visio.drawing.main+xml"), "_rels/.rels", rels("visio/document.xml")}, "zip"},
		"a package of another kind":   {[]string{"[Content_Types].xml", types("application/octet"), "_rels/.rels", `<Relationship Type="manifest" Target="/word/document.xml"/>`}, "zip"},
		"a main part alone":           {[]string{"word/document.xml", "<d/>"}, "zip"},
		"a text of content types":     {[]string{"notes/types.xml", types(open + "wordprocessingml.document.main+xml")}, "zip"},
		"an unpacked text in it":      {[]string{"report/[Content_Types].xml", types(open + "wordprocessingml.document.main+xml"), "report/_rels/.rels", rels("word/document.xml"), "report/word/document.xml", ""}, "zip"},
		"a text in it that is stored": {[]string{"a.docx", docx}, "zip"},
		"an unpacked book in it":      {[]string{"book/META-INF/container.xml", "", "book/a.opf", ""}, "zip"},
		"a book without its mimetype": {[]string{"META-INF/container.xml", "", "a.opf", ""}, "epub"},
	} {
		data := pack(t, c.members...)
		f, err := Detect(bytes.NewReader(data), int64(len(data)))
		if err != nil || f.ID != c.want {
			t.Errorf("%s: %q, %v; want %q", name, f.ID, err, c.want)
		}
	}
}

// TestZipOrder has members whose names begin like, or are those of, the ones that
// say what a package is, before and behind these.
func TestZipOrder(t *testing.T) {
	types := `<Types><Override PartName="/a.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`
	document := `<Types><Override PartName="/a.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`
	manifest := `<m:manifest><m:file-entry m:full-path="/" m:media-type="application/vnd.oasis.opendocument.spreadsheet"/></m:manifest>`
	main := `<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`
	for name, c := range map[string]struct {
		members []string
		want    string
	}{
		"a longer name first":           {[]string{"[Content_Types].xml.bak", document, "a.xml", "", "[Content_Types].xml", types}, "xlsx"},
		"a longer name behind":          {[]string{"[Content_Types].xml", types, "a.xml", "", "[Content_Types].xml.bak", document}, "xlsx"},
		"a longer name alone":           {[]string{"[Content_Types].xml.bak", document, "word/document.xml", ""}, "zip"},
		"a longer mimetype":             {[]string{"mimetypes.txt", "x", "content.xml", "", "mimetype", "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml", manifest}, "odt"},
		"a longer manifest":             {[]string{"META-INF/manifest.xml.old", "x", "content.xml", "", "META-INF/manifest.xml", manifest}, "ods"},
		"a folder with content":         {[]string{"content.xml.d/a", "x", "META-INF/manifest.xml", manifest}, "zip"},
		"main parts of two formats":     {[]string{"word/document.xml", "", "xl/workbook.xml", "", "[Content_Types].xml", main}, "xlsx"},
		"main parts of two types":       {[]string{"[Content_Types].xml", document + types, "_rels/.rels", `<R><Relationship Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></R>`}, "xlsx"},
		"another type in a part's name": {[]string{"word/documentation.txt", "", "xl/workbook.xml", "", "[Content_Types].xml", main}, "xlsx"},
	} {
		data := pack(t, c.members...)
		f, err := Detect(bytes.NewReader(data), int64(len(data)))
		if err != nil || f.ID != c.want {
			t.Errorf("%s: %q, %v; want %q", name, f.ID, err, c.want)
		}
	}
}

// TestDamagedZip has members that cannot be read, or are read only at their start.
func TestDamagedZip(t *testing.T) {
	whole := pack(t, "[Content_Types].xml", strings.Repeat("<Types>", 1000)+"wordprocessingml.document.main+xml", "a.txt", "text")
	for at := range whole {
		data := bytes.Clone(whole)
		data[at] ^= 0xff
		if f, err := Detect(bytes.NewReader(data), int64(len(data))); err != nil || at > 4 && f.ID != "zip" {
			t.Errorf("byte %d: %q, %v", at, f.ID, err)
		}
		if f, err := Detect(bytes.NewReader(data[:at]), int64(at)); err != nil || at > 4 && f.ID != "zip" && at < len(whole)-30 {
			t.Errorf("cut at byte %d: %q, %v", at, f.ID, err)
		}
	}
	bomb := pack(t, "[Content_Types].xml", strings.Repeat(" ", 8<<20)+`"application/vnd.ms-word.document.macroEnabled.main+xml"`)
	if f, err := Detect(bytes.NewReader(bomb), int64(len(bomb))); err != nil || f.ID != "zip" {
		t.Errorf("a bomb: %q, %v", f.ID, err)
	}
}
