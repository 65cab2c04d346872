package sheet_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
)

const (
	head   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainNS = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	relsNS = `xmlns="http://schemas.openxmlformats.org/package/2006/relationships"`
	relsAt = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
)

// A book is a workbook to be packed: parts by name.
type book map[string]string

func (b book) pack(testing.TB) []byte { return doctest.ZipMap(b) }

// newBook returns a workbook of sheets by name, whose parts are given.
func newBook(names []string, sheets ...string) book {
	b := book{
		"_rels/.rels":       head + `<Relationships ` + relsNS + `><Relationship Id="rId1" Type="` + relsAt + `officeDocument" Target="xl/workbook.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
		"docProps/core.xml": head + `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Budget</dc:title><dc:creator>Ada Lovelace</dc:creator><dcterms:created>2024-05-01T00:00:00Z</dcterms:created></cp:coreProperties>`,
		"xl/styles.xml":     head + `<styleSheet ` + mainNS + `><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/></numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="10" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="7" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
	}
	types := `<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>`
	rels, list := "", ""
	for i, name := range names {
		part := fmt.Sprintf("worksheets/sheet%d.xml", i+1)
		kind, typ := "worksheet", "worksheet"
		if strings.HasPrefix(name, "Chart") {
			kind, typ = "chartsheet", "chartsheet"
		}
		rels += fmt.Sprintf(`<Relationship Id="rId%d" Type="%s%s" Target="%s"/>`, i+1, relsAt, kind, part)
		state := ""
		if strings.HasPrefix(name, "Hidden") {
			state = ` state="hidden"`
		}
		list += fmt.Sprintf(`<sheet name="%s" sheetId="%d"%s r:id="rId%d"/>`, name, i+1, state, i+1)
		types += fmt.Sprintf(`<Override PartName="/xl/%s" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.%s+xml"/>`, part, typ)
		b["xl/"+part] = head + sheets[i]
	}
	b["xl/workbook.xml"] = head + `<workbook ` + mainNS + `><fileSharing userName="Secret Person"/><workbookPr/><bookViews><workbookView activeTab="1"/></bookViews><sheets>` + list + `</sheets>NAMES</workbook>`
	b["xl/_rels/workbook.xml.rels"] = head + `<Relationships ` + relsNS + `>` + rels + `<Relationship Id="rId90" Type="` + relsAt + `styles" Target="styles.xml"/><Relationship Id="rId91" Type="` + relsAt + `sharedStrings" Target="sharedStrings.xml"/></Relationships>`
	b["[Content_Types].xml"] = head + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` + types + `</Types>`
	return b.names("").strings()
}

// names sets the names that the workbook defines.
func (b book) names(names string) book {
	text := b["xl/workbook.xml"]
	if i := strings.Index(text, "<definedNames>"); i >= 0 {
		text = text[:i] + "NAMES" + text[strings.Index(text, "</definedNames>")+len("</definedNames>"):]
	}
	if names != "" {
		names = "<definedNames>" + names + "</definedNames>"
	} else {
		names = "<!--NAMES-->"
	}
	text = strings.Replace(text, "<!--NAMES-->", "NAMES", 1)
	b["xl/workbook.xml"] = strings.Replace(text, "NAMES", names, 1)
	return b
}

// strings sets the shared strings.
func (b book) strings(list ...string) book {
	text := ""
	for _, s := range list {
		if !strings.HasPrefix(s, "<") {
			s = "<t>" + s + "</t>"
		}
		text += "<si>" + s + "</si>"
	}
	b["xl/sharedStrings.xml"] = head + `<sst ` + mainNS + fmt.Sprintf(` count="%d" uniqueCount="%d">`, len(list), len(list)) + text + `</sst>`
	return b
}

// worksheet returns the part of a sheet with rows, and what stands around them.
func worksheet(before, rows, after string) string {
	return `<worksheet ` + mainNS + `>` + before + `<sheetData>` + rows + `</sheetData>` + after + `</worksheet>`
}

// sales is a sheet with all kinds of cells at B2:F8.
const salesRows = `<row r="2" spans="2:6"><c r="B2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c><c r="D2" t="s"><v>2</v></c><c r="E2" t="inlineStr"><is><r><t>Tot</t></r><r><rPr><b/></rPr><t>al</t></r><rPh sb="0" eb="1"><t>phonetic</t></rPh></is></c></row>` +
	`<row r="3"><c r="B3" t="s"><v>3</v></c><c r="C3" s="1"><v>45000</v></c><c r="D3" s="3"><v>1234.5</v></c><c r="E3" s="2"><f>D3/D5</f><v>0.25</v></c></row>` +
	`<row r="4" ht="30" customHeight="1"><c r="B4" t="s"><v>4</v></c><c r="C4" s="1"><v>45001.5</v></c><c r="D4" s="4"><v>-7</v></c><c r="E4" t="str"><f>Other!A1&amp;"x"</f><v>secretx</v></c></row>` +
	`<row r="5"><c r="B5" t="b"><v>1</v></c><c r="C5" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="D5"><v>4938</v></c><c r="E5" s="3"/></row>`

func salesBook() book {
	first := worksheet(
		`<dimension ref="A1:Z999"/><sheetViews><sheetView showGridLines="0" workbookViewId="0"><selection activeCell="A1"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols><col min="1" max="3" width="20" customWidth="1"/><col min="9" max="9" width="3" customWidth="1"/></cols>`,
		salesRows,
		`<mergeCells count="1"><mergeCell ref="B5:C6"/></mergeCells><pageMargins left="1" right="1" top="1" bottom="1" header="0" footer="0"/>`)
	other := worksheet("", `<row r="1"><c r="A1" t="s"><v>5</v></c></row>`, "")
	return newBook([]string{"Q4 Results", "Other", "Hidden one"}, first, other, worksheet("", "", "")).
		strings("Name", "Day", "Amount", "Müller &amp; Söhne", "<r><t>Rich</t></r><r><t xml:space=\"preserve\"> text_x000D_</t></r>", "secret of another sheet").
		names(`<definedName name="Amounts">'Q4 Results'!$D$3:$D$5</definedName><definedName name="Elsewhere">Other!$A$1</definedName><definedName name="Rate">0.19</definedName>`)
}

func at(sheet, cells string) citekit.Location {
	return citekit.Document.Sheet(sheet, cells)
}

func rows(sheet string, first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Sheet: sheet, Rows: citekit.Range{First: first, Last: last}}
}

func cols(sheet, run string) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Sheet: sheet, Cols: []string{run}}
}

func source(data []byte) *citekit.Source { return doctest.Source("budget.xlsx", data) }
