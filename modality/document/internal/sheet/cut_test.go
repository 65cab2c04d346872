package sheet_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/sheet"
)

// resolve returns the parts of the evidence at loc, and what it has otherwise.
func resolve(t *testing.T, b book, loc citekit.Location) (book, []string) {
	t.Helper()
	data, changes := doctest.Cut(t, new(sheet.Resolver), source(b.pack(t)), loc)
	return doctest.Unzip(t, data), changes
}

// has checks that a part has all of the texts, and lacks those after "-".
func (b book) has(t *testing.T, part string, texts ...string) {
	t.Helper()
	lacks := false
	for _, text := range texts {
		if text == "-" {
			lacks = true
			continue
		}
		if strings.Contains(b[part], text) == lacks {
			t.Errorf("%s: has %q is %t\n%s", part, text, lacks, b[part])
		}
	}
}

const sheet1 = "xl/worksheets/sheet1.xml"

func TestCut(t *testing.T) {
	got, changes := resolve(t, salesBook(), at("Q4 Results", "B2:D5"))
	got.has(t, sheet1,
		`<dimension ref="B2:D5"/>`, `<sheetView showGridLines="0" tabSelected="1" topLeftCell="B2" workbookViewId="0">`, `<col min="2" max="3" width="20" customWidth="1"/></cols>`,
		`<row r="4" ht="30" customHeight="1"><c r="B4" t="s"><v>4</v></c><c r="C4" s="1"><v>45001.5</v></c><c r="D4" s="4"><v>-7</v></c></row>`,
		`<c r="C5" t="e"><f>1/0</f><v>#DIV/0!</v></c>`, `<mergeCell ref="B5:C5"/>`,
		"-", "E2", "secret", "selection")
	got.has(t, "xl/sharedStrings.xml", "<si><t>Name</t></si><si><t>Day</t></si><si><t>Amount</t></si>", `<t xml:space="preserve"> text_x000D_</t>`, "-", "secret")
	got.has(t, "xl/workbook.xml", `<sheet name="Q4 Results" sheetId="1" r:id="rId1"/>`, `<definedName name="Amounts">`, "-", "Other", "Elsewhere", "Rate", "Secret")
	for name := range got {
		if slices.Contains([]string{"docProps/core.xml", "xl/worksheets/sheet2.xml"}, name) {
			t.Errorf("%s travels along", name)
		}
	}
	if len(changes) > 0 {
		t.Errorf("changes: %q", changes)
	}
}

func TestCutFormulas(t *testing.T) {
	got, changes := resolve(t, salesBook(), at("Q4 Results", "B2:E5"))
	got.has(t, sheet1, `<f>D3/D5</f>`, `<c r="E4" t="str"><v>secretx</v></c>`)
	if want := []string{"the formula of E4 replaced by its value"}; !slices.Equal(changes, want) {
		t.Errorf("changes: %q, want %q", changes, want)
	}
	got, changes = resolve(t, salesBook(), at("Q4 Results", "E3"))
	got.has(t, sheet1, `<c r="E3" s="2"><v>0.25</v></c>`)
	if len(changes) != 1 {
		t.Errorf("changes: %q", changes)
	}
}

// TestCutShared has formulas that share that of one cell.
func TestCutShared(t *testing.T) {
	rows := `<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B4" si="0">A1*2</f><v>2</v></c></row>` +
		`<row r="2"><c r="A2"><v>2</v></c><c r="B2"><f t="shared" si="0"/><v>4</v></c></row>` +
		`<row r="3"><c r="A3"><v>3</v></c><c r="B3"><f t="shared" si="0"/><v>6</v></c></row>` +
		`<row r="4"><c r="A4"><v>4</v></c><c r="B4"><f t="shared" si="0"/><v>8</v></c><c r="C4"><f t="array" ref="C4">SUM(A1:A4*2)</f><v>20</v></c></row>`
	b := newBook([]string{"S"}, worksheet("", rows, ""))
	got, _ := resolve(t, b, at("S", "A1:B3"))
	got.has(t, sheet1, `<f t="shared" ref="B1:B3" si="0">A1*2</f>`, `<c r="B3"><f t="shared" si="0"/><v>6</v></c>`)
	got, changes := resolve(t, b, at("S", "A2:C4"))
	got.has(t, sheet1, `<c r="B2"><v>4</v></c>`, `<c r="C4"><v>20</v></c>`, "-", "<f")
	if want := "the formulas of B2, B3, B4, C4 replaced by their values"; len(changes) != 1 || changes[0] != want {
		t.Errorf("changes: %q", changes)
	}
}

// TestCutFormulasWithoutValues has formulas whose values are not stored, as many
// programs write them: evidence does not claim to have the values.
func TestCutFormulasWithoutValues(t *testing.T) {
	rows := `<row r="1"><c r="A1"><v>900</v></c></row>` +
		`<row r="2"><c r="A2"><f>A1*2</f></c><c r="B2"><f>A1*3</f><v></v></c><c r="C2" t="str"><f>T(A1)</f><v></v></c><c r="D2"><f>A1*4</f><v>3600</v></c></row>`
	b := newBook([]string{"S"}, worksheet("", rows, ""))
	for cells, want := range map[string][]string{
		"A2":    {"the formula of A2 left out, as the source stores no value"},
		"C2":    {"the formula of C2 replaced by its value"}, // it is an empty text
		"A2:D2": {"the formulas of C2, D2 replaced by their values", "the formulas of A2, B2 left out, as the source stores no values"},
		"A1:D2": nil,
	} {
		got, changes := resolve(t, b, at("S", cells))
		if !slices.Equal(changes, want) {
			t.Errorf("%s: %q, want %q", cells, changes, want)
		}
		if kept := strings.Contains(got[sheet1], "<f>A1*2</f>"); kept != (want == nil) {
			t.Errorf("%s: the formula is kept: %t", cells, kept)
		}
	}
	rows = `<row r="1"><c r="A1"><v>1</v></c></row><row r="2">`
	for _, col := range "ABCDEFGHIJ" {
		rows += `<c r="` + string(col) + `2"><f>A1</f></c>`
	}
	_, changes := resolve(t, newBook([]string{"S"}, worksheet("", rows+"</row>", "")), at("S", "A2:J2"))
	if want := []string{"the formulas of A2, B2, C2, D2, E2, F2, G2, H2 and 2 more cells left out, as the source stores no values"}; !slices.Equal(changes, want) {
		t.Errorf("%q, want %q", changes, want)
	}
}

func TestCutAround(t *testing.T) {
	rows := `<row><c><v>1</v></c><c t="s" cm="1" vm="2"><v>0</v></c></row><row><c r="B2"><v>2</v></c></row><row r="9"><c r="D9" s="1"/></row>`
	after := `<sheetProtection sheet="1" password="ABCD"/><conditionalFormatting sqref="A1:A9"><cfRule type="cellIs" dxfId="0" priority="1" operator="lessThan"><formula>0.5</formula></cfRule></conditionalFormatting>` +
		`<conditionalFormatting sqref="B1:B2"><cfRule type="expression" priority="2"><formula>B1&gt;A1</formula></cfRule></conditionalFormatting>` +
		`<conditionalFormatting sqref="B1:B9"><cfRule type="colorScale" priority="3"><colorScale><cfvo type="min"/><cfvo type="max"/><color rgb="FF000000"/><color rgb="FFFFFFFF"/></colorScale></cfRule></conditionalFormatting>` +
		`<dataValidations count="2"><dataValidation type="list" sqref="A1:A5"><formula1>"a,b"</formula1></dataValidation><dataValidation type="list" sqref="B1"><formula1>Lists!$A$1:$A$5</formula1></dataValidation></dataValidations>` +
		`<hyperlinks><hyperlink ref="A1" r:id="rId1"/><hyperlink ref="B1" location="'S'!A2" display="x"/><hyperlink ref="B2" location="Lists!A1"/><hyperlink ref="D9" r:id="rId2"/></hyperlinks>` +
		`<pageSetup orientation="landscape" r:id="rId7"/><drawing r:id="rId5"/><tableParts count="1"><tablePart r:id="rId3"/></tableParts>`
	b := newBook([]string{"S"}, worksheet("", rows, after)).strings("x")
	b["xl/worksheets/_rels/sheet1.xml.rels"] = head + `<Relationships ` + relsNS + `><Relationship Id="rId1" Type="` + relsAt + `hyperlink" Target="https://example.org/a" TargetMode="External"/><Relationship Id="rId2" Type="` + relsAt + `hyperlink" Target="https://example.org/b" TargetMode="External"/><Relationship Id="rId3" Type="` + relsAt + `table" Target="../tables/table1.xml"/><Relationship Id="rId4" Type="` + relsAt + `comments" Target="../comments1.xml"/><Relationship Id="rId5" Type="` + relsAt + `drawing" Target="../drawings/drawing1.xml"/></Relationships>`
	b["xl/tables/table1.xml"] = head + `<table ` + mainNS + ` id="1" name="T" displayName="T" ref="A1:B2"><tableColumns count="2"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"><calculatedColumnFormula>Lists!A1</calculatedColumnFormula></tableColumn></tableColumns></table>`
	b["xl/comments1.xml"] = head + `<comments ` + mainNS + `><authors><author>Somebody</author></authors><commentList><comment ref="A1" authorId="0"/><comment ref="D9" authorId="0"/></commentList></comments>`
	b["xl/drawings/drawing1.xml"] = head + `<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"><xdr:oneCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:row>1</xdr:row></xdr:from></xdr:oneCellAnchor></xdr:wsDr>`

	got, changes := resolve(t, b, at("S", "A1:B2"))
	got.has(t, sheet1, `<row r="1"><c r="A1"><v>1</v></c><c r="B1" t="s"><v>0</v></c></row><row r="2"><c r="B2">`,
		`<conditionalFormatting sqref="A1:A2">`, `<formula>B1&gt;A1</formula>`, `<dataValidations count="1"><dataValidation type="list" sqref="A1:A2">`,
		`<hyperlink ref="A1" r:id="rId1"/>`, `location="'S'!A2"`, `<pageSetup orientation="landscape"/>`, `<tableParts count="1"><tablePart r:id="rId3"/></tableParts>`,
		"-", "colorScale", "Lists", "D9", "rId2", "drawing", "password", "sheetProtection", "cm=", "vm=", "rId7")
	got.has(t, "xl/tables/table1.xml", `ref="A1:B2"`, "-", "Lists")
	got.has(t, "xl/worksheets/_rels/sheet1.xml.rels", "example.org/a", "table1.xml", "-", "example.org/b", "comments", "drawing")
	for _, name := range []string{"xl/comments1.xml", "xl/drawings/drawing1.xml"} {
		if got[name] != "" {
			t.Errorf("%s travels along", name)
		}
	}
	want := []string{"the protection of the sheet left out", "1 conditional format left out", "1 data validation left out", "1 link left out", "1 comment left out", "1 drawing left out"}
	slices.Sort(changes)
	slices.Sort(want)
	if !slices.Equal(changes, want) {
		t.Errorf("changes: %q, want %q", changes, want)
	}
}

// TestCutWhole keeps a sheet as it is, but for what leads out of it.
func TestCutWhole(t *testing.T) {
	got, changes := resolve(t, salesBook(), at("Hidden one", ""))
	got.has(t, "xl/worksheets/sheet3.xml", "<sheetData></sheetData>")
	got.has(t, "xl/workbook.xml", `<sheet name="Hidden one" sheetId="3" r:id="rId3"/>`, "-", "hidden\"")
	if want := []string{"the sheet shown, which is hidden in the source"}; !slices.Equal(changes, want) {
		t.Errorf("changes: %q", changes)
	}
	got, _ = resolve(t, salesBook(), at("Q4 Results", ""))
	got.has(t, sheet1, `<mergeCell ref="B5:C6"/>`, `<col min="9" max="9" width="3" customWidth="1"/>`, "-", "topLeftCell")
}

func TestCutMacros(t *testing.T) {
	b := salesBook()
	b["[Content_Types].xml"] = strings.Replace(b["[Content_Types].xml"], "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml", "application/vnd.ms-excel.sheet.macroEnabled.main+xml", 1)
	b["xl/_rels/workbook.xml.rels"] = strings.Replace(b["xl/_rels/workbook.xml.rels"], "</Relationships>", `<Relationship Id="rId99" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="vbaProject.bin"/></Relationships>`, 1)
	b["xl/vbaProject.bin"] = "macro"
	got, changes := resolve(t, b, at("Other", ""))
	got.has(t, "[Content_Types].xml", "spreadsheetml.sheet.main+xml", "-", "macroEnabled", "sheet1.xml")
	if got["xl/vbaProject.bin"] != "" || !slices.Equal(changes, []string{"macros left out"}) {
		t.Errorf("changes: %q", changes)
	}
	whole, err := new(sheet.Resolver).Resolve(t.Context(), source(b.pack(t)), citekit.Request{Location: citekit.Location{Modality: citekit.Document}})
	if err != nil || whole.Ext != ".xlsm" || whole.MediaType != "application/vnd.ms-excel.sheet.macroEnabled.12" {
		t.Errorf("the whole is %s %s, %v", whole.Ext, whole.MediaType, err)
	}
}

func TestChartSheet(t *testing.T) {
	chart := `<chartsheet ` + mainNS + `><sheetViews><sheetView workbookViewId="0"/></sheetViews><pageSetup r:id="rId2"/><drawing r:id="rId1"/></chartsheet>`
	b := newBook([]string{"Data", "Chart 1"}, worksheet("", `<row r="1"><c r="A1"><v>1</v></c></row>`, ""), chart)
	b["xl/worksheets/_rels/sheet2.xml.rels"] = head + `<Relationships ` + relsNS + `><Relationship Id="rId1" Type="` + relsAt + `drawing" Target="../drawings/drawing1.xml"/></Relationships>`
	b["xl/drawings/drawing1.xml"] = "<d/>"
	b["xl/drawings/_rels/drawing1.xml.rels"] = head + `<Relationships ` + relsNS + `><Relationship Id="rId1" Type="` + relsAt + `chart" Target="../charts/chart1.xml"/></Relationships>`
	b["xl/charts/chart1.xml"] = "<c/>"
	b["xl/charts/_rels/chart1.xml.rels"] = head + `<Relationships ` + relsNS + `><Relationship Id="rId1" Type="` + relsAt + `package" Target="../embeddings/book.xlsx"/></Relationships>`
	b["xl/embeddings/book.xlsx"] = "other data"
	got, _ := resolve(t, b, at("Chart 1", ""))
	if got["xl/charts/chart1.xml"] == "" || got["xl/embeddings/book.xlsx"] != "" || got["xl/worksheets/sheet1.xml"] != "" {
		t.Errorf("the evidence of a chart has the parts %d", len(got))
	}
	_, err := new(sheet.Resolver).Resolve(t.Context(), source(b.pack(t)), citekit.Request{Location: at("Chart 1", "A1")})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("cells of a chart: %v", err)
	}
}

// TestMissingSheet names a sheet whose part the workbook lacks.
func TestMissingSheet(t *testing.T) {
	b := newBook([]string{"Data"}, worksheet("", "", ""))
	delete(b, "xl/worksheets/sheet1.xml")
	_, err := new(sheet.Resolver).Resolve(t.Context(), source(b.pack(t)), citekit.Request{Location: at("Data", "A1")})
	if !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "missing") {
		t.Errorf("%v", err)
	}
}
