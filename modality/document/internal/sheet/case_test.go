package sheet_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/sheet"
)

// inCapitals returns the workbook with the names of its parts in another case
// than those that relationships and content types write.
func (b book) inCapitals() book {
	capital := make(book)
	for name, text := range b {
		capital[strings.ToUpper(name)] = text
	}
	return capital
}

// TestCaseOfParts: the names of parts are the same in any case (ISO/IEC 29500-2,
// section 6.2.2.3).
func TestCaseOfParts(t *testing.T) {
	for _, loc := range []citekit.Location{{Modality: citekit.Document, Sheet: "Q4 Results"}, at("Q4 Results", "B2:D5"), at("Other", "A1")} {
		want, _ := resolve(t, salesBook(), loc)
		got, _ := resolve(t, salesBook().inCapitals(), loc)
		if len(got) != len(want) {
			t.Errorf("%v: %d parts, want %d", loc, len(got), len(want))
		}
		for name, text := range want {
			if name != "[Content_Types].xml" {
				name = strings.ToUpper(name)
			}
			if got[name] != text {
				t.Errorf("%v: %s is\n%s, want\n%s", loc, name, got[name], text)
			}
		}
		if got, want := readAll(t, salesBook().inCapitals(), loc), readAll(t, salesBook(), loc); got != want || got == "" {
			t.Errorf("%v: %q, want %q", loc, got, want)
		}
	}
}

// readAll returns the text at a location.
func readAll(t *testing.T, b book, loc citekit.Location) string {
	t.Helper()
	var text strings.Builder
	for run, err := range new(sheet.Resolver).ReadText(t.Context(), source(b.pack(t)), loc) {
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(run.Text)
	}
	return text.String()
}

// TestInlineValue: the text of a cell of type inlineStr that is in v, as
// programs write that of formulas.
func TestInlineValue(t *testing.T) {
	cells := `<row r="1"><c r="A1" t="inlineStr"><f>Other!A1</f><v t="inlineStr">in v &amp; more</v></c><c r="B1" t="inlineStr"><is><t>in is</t></is></c>` +
		`<c r="C1" t="inlineStr"><v>0</v><is><t>both</t></is></c><c r="D1" t="inlineStr"><is><t>first</t></is><v>0</v></c><c r="E1" t="inlineStr"/></row>`
	b := newBook([]string{"Data", "Other"}, worksheet("", cells, ""), worksheet("", "", ""))
	want := "in v & more\tin is\tboth\tfirst\n"
	if got := readAll(t, b, at("Data", "A1:E1")); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	cut, changes := resolve(t, b, at("Data", "A1:E1"))
	if got := readAll(t, cut, at("Data", "A1:E1")); got != want || len(changes) != 1 {
		t.Errorf("of the evidence: %q, want %q; %q", got, want, changes)
	}
}

// TestRaised: digits above or below the line are not part of the number before them.
func TestRaised(t *testing.T) {
	run := func(align, text string) string {
		return `<r><rPr><vertAlign val="` + align + `"/><sz val="11"/></rPr><t xml:space="preserve">` + text + `</t></r>`
	}
	strings := []string{
		"<r><t>10</t></r>" + run("superscript", "2") + `<r><t xml:space="preserve"> m</t></r>`,
		"<r><t>10</t></r>" + run("subscript", "2") + run("baseline", "3"),
		"<r><t>the 5</t></r>" + run("superscript", "th"),
		"<r><t>7</t></r>" + run("superscript", "_x0031_") + `<rPh sb="0" eb="1"><t>9</t></rPh>`,
		"<r><t xml:space=\"preserve\">for </t></r><r><rPr><strike/></rPr><t>100</t></r><r><rPr><strike val=\"0\"/></rPr><t>8</t></r>",
	}
	inline := `<c r="F1" t="inlineStr"><is><r><t>10</t></r>` + run("superscript", "−3") + `</is></c>`
	cells := ""
	for i := range strings {
		cells += fmt.Sprintf(`<c r="%c1" t="s"><v>%d</v></c>`, 'A'+i, i)
	}
	b := newBook([]string{"Data"}, worksheet("", `<row r="1">`+cells+inline+`</row>`, "")).strings(strings...)
	const want = "10² m\t10₂3\tthe 5th\t7¹\tfor ~~100~~8\t10⁻³\n"
	if got := readAll(t, b, at("Data", "A1:F1")); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	cut, _ := resolve(t, b, at("Data", "A1:F1"))
	if got := readAll(t, cut, at("Data", "A1:F1")); got != want {
		t.Errorf("of the evidence: %q, want %q", got, want)
	}
}

// TestStylesOfRowsAndColumns: those of rows and columns are for cells that are not in the
// sheet. A cell without a style has the first one.
func TestStylesOfRowsAndColumns(t *testing.T) {
	const cells = `<row r="1" s="5" customFormat="1"><c r="A1"><v>100</v></c><c r="B1" s="0"><v>7</v></c><c r="C1" s="5"><v>8</v></c></row>`
	b := newBook([]string{"Data"}, worksheet(`<cols><col min="1" max="2" style="5"/></cols>`, cells, ""))
	styles := strings.NewReplacer(`</font></fonts>`, `</font><font><strike/></font></fonts>`, `</cellXfs>`, `<xf numFmtId="0" fontId="1"/></cellXfs>`).Replace(b["xl/styles.xml"])
	for first, want := range map[string]string{"0": "100\t7\t~~8~~\n", "1": "~~100~~\t~~7~~\t~~8~~\n"} {
		b["xl/styles.xml"] = strings.Replace(styles, `<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>`, `<xf numFmtId="0" fontId="`+first+`" fillId="0" borderId="0" xfId="0"/>`, 1)
		if got := readAll(t, b, at("Data", "A1:C1")); got != want {
			t.Errorf("the first style has font %s: %q, want %q", first, got, want)
		}
		cut, _ := resolve(t, b, at("Data", "A1:C1"))
		if got := readAll(t, cut, at("Data", "A1:C1")); got != want {
			t.Errorf("the first style has font %s: of the evidence: %q, want %q", first, got, want)
		}
	}
}

// TestFontOfCell: what the font of a cell strikes out or raises is marked, and a run with
// properties of its own does not look like the cell.
func TestFontOfCell(t *testing.T) {
	b := newBook([]string{"Data"}, worksheet("", `<row r="1"><c r="A1" s="5"><v>100</v></c><c r="B1" s="6"><v>0.5</v></c><c r="C1" s="5" t="s"><v>0</v></c>`+
		`<c r="D1" s="5" t="s"><v>1</v></c><c r="E1" s="7" t="inlineStr"><is><t>10</t></is></c><c r="F1"><v>80</v></c><c r="G1" s="5" t="b"><v>1</v></c><c r="H1" s="5"/></row>`, "")).strings(
		"<t>old</t>", `<r><t xml:space="preserve">was </t></r><r><rPr><sz val="11"/></rPr><t>7</t></r>`)
	b["xl/styles.xml"] = strings.NewReplacer(
		`</font></fonts>`, `</font><font><strike/><sz val="11"/></font><font><strike val="0"/><vertAlign val="superscript"/></font></fonts>`,
		`</cellXfs>`, `<xf numFmtId="0" fontId="1"/><xf numFmtId="10" fontId="1"/><xf numFmtId="0" fontId="2"/></cellXfs><dxfs><dxf><font><strike/></font></dxf></dxfs>`,
	).Replace(b["xl/styles.xml"])
	const want = "~~100~~\t~~50.00%~~\t~~old~~\t~~was~~ 7\t¹⁰\t80\t~~TRUE~~\n"
	if got := readAll(t, b, at("Data", "A1:H1")); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	cut, _ := resolve(t, b, at("Data", "A1:H1"))
	if got := readAll(t, cut, at("Data", "A1:H1")); got != want {
		t.Errorf("of the evidence: %q, want %q", got, want)
	}
}
