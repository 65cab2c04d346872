package testcorpus

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// Workbook returns an XLSX workbook with one sheet, named "Q4", whose rows have these
// texts from column A on. An empty text is no cell.
func Workbook(rows ...[]string) []byte {
	const (
		office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
		types  = "application/vnd.openxmlformats-officedocument.spreadsheetml"
		spaces = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + office + `"`
		rels   = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	)
	var sheet strings.Builder
	sheet.WriteString(`<worksheet ` + spaces + `><sheetData>`)
	for i, row := range rows {
		fmt.Fprintf(&sheet, `<row r="%d">`, i+1)
		for j, text := range row {
			if text == "" {
				continue
			}
			fmt.Fprintf(&sheet, `<c r="%c%d" t="inlineStr"><is><t>`, 'A'+j, i+1)
			_ = xml.EscapeText(&sheet, []byte(text))
			sheet.WriteString(`</t></is></c>`)
		}
		sheet.WriteString(`</row>`)
	}
	sheet.WriteString(`</sheetData></worksheet>`)
	return zipOf([][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="` + types + `.sheet.main+xml"/><Override PartName="/xl/q4.xml" ContentType="` + types + `.worksheet+xml"/></Types>`},
		{"_rels/.rels", rels + `<Relationship Id="r1" Type="` + office + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/_rels/workbook.xml.rels", rels + `<Relationship Id="r1" Type="` + office + `/worksheet" Target="q4.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook ` + spaces + `><sheets><sheet name="Q4" sheetId="1" r:id="r1"/></sheets></workbook>`},
		{"xl/q4.xml", sheet.String()},
	})
}

// WordTable returns a DOCX file with a paragraph for each of some texts, and then a
// table whose rows have these texts.
func WordTable(paragraphs []string, rows ...[]string) []byte {
	const types = "application/vnd.openxmlformats-"
	var body strings.Builder
	paragraph := func(text string) {
		body.WriteString("<w:p><w:r><w:t>")
		_ = xml.EscapeText(&body, []byte(text))
		body.WriteString("</w:t></w:r></w:p>")
	}
	for _, text := range paragraphs {
		paragraph(text)
	}
	body.WriteString("<w:tbl>")
	for _, row := range rows {
		body.WriteString("<w:tr>")
		for _, text := range row {
			body.WriteString("<w:tc>")
			paragraph(text)
			body.WriteString("</w:tc>")
		}
		body.WriteString("</w:tr>")
	}
	body.WriteString("</w:tbl>")
	return zipOf([][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="` + types + `package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="` + types + `officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + body.String() + `</w:body></w:document>`},
	})
}

// zipOf returns a ZIP archive of parts, each a name with its text.
func zipOf(parts [][2]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range parts {
		if w, err := z.Create(part[0]); err == nil {
			_, _ = io.WriteString(w, part[1])
		}
	}
	_ = z.Close() // writing to memory does not fail
	return b.Bytes()
}
