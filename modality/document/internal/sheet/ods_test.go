package sheet_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/sheet"
	"github.com/citekit/citekit/modality/modalitytest"
)

const odsType = "application/vnd.oasis.opendocument.spreadsheet"

const odsSpaces = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" ` +
	`xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" ` +
	`xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"`

func odsContent(body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><office:document-content ` + odsSpaces + ` office:version="1.3"><office:scripts><x>macro</x></office:scripts>` +
		`<office:automatic-styles><style:style style:name="ce1" style:family="table-cell"/></office:automatic-styles><office:body><office:spreadsheet>` +
		body + `</office:spreadsheet></office:body></office:document-content>`
}

// packODS packs an ODS workbook with what is in its spreadsheet.
func packODS(t testing.TB, content string) []byte {
	t.Helper()
	entry := func(path, kind string) string {
		return `<manifest:file-entry manifest:full-path="` + path + `" manifest:media-type="` + kind + `"/>`
	}
	return doctest.Zip(
		"mimetype", odsType, "content.xml", content,
		"styles.xml", `<office:document-styles `+odsSpaces+`><office:master-styles><style:master-page style:name="Default"><style:header><text:p>secret header</text:p></style:header></style:master-page></office:master-styles></office:document-styles>`,
		"meta.xml", `<office:document-meta `+odsSpaces+`><office:meta><dc:title>Budget</dc:title><meta:initial-creator>Ada Lovelace</meta:initial-creator></office:meta></office:document-meta>`,
		"Pictures/a.png", "png",
		"META-INF/manifest.xml", `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">`+entry("/", odsType)+entry("content.xml", "text/xml")+entry("styles.xml", "text/xml")+entry("meta.xml", "text/xml")+entry("Pictures/a.png", "image/png")+`</manifest:manifest>`,
	)
}

// salesODS is a workbook of two sheets and an empty one.
func salesODS(t testing.TB) []byte {
	cell := func(attrs, text string) string {
		return `<table:table-cell ` + attrs + `><text:p>` + text + `</text:p></table:table-cell>`
	}
	str := `office:value-type="string"`
	return packODS(t, odsContent(
		`<table:calculation-settings><table:null-date table:date-value="1904-01-01"/></table:calculation-settings>`+
			`<table:table table:name="Q4 Results" table:print-ranges="Other.A1"><table:table-column table:number-columns-repeated="4"/>`+
			`<table:table-row><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`+
			`<table:table-header-rows><table:table-row><table:table-cell/>`+cell(str, "Name")+cell(str, "Day<text:s/>&amp;<text:s text:c=\"2\"/>hour")+cell(str, "Amount")+`</table:table-row></table:table-header-rows>`+
			`<table:table-row><table:table-cell/>`+cell(str, `<text:span>Müller</text:span> &amp; Söhne</text:p><text:p>GmbH`)+cell(`table:style-name="ce1" office:value-type="date" office:date-value="2023-03-15"`, "15.03.2023")+
			`<table:table-cell office:value-type="float" office:value="1234.5" table:formula="of:=[.E4]*2"><office:annotation><dc:creator>Bob</dc:creator><text:p>note</text:p></office:annotation><text:p>1,234.50</text:p></table:table-cell></table:table-row>`+
			`<table:table-row table:number-rows-repeated="2"><table:table-cell/>`+cell(str+` table:number-columns-repeated="2"`, "same")+
			`<table:table-cell office:value-type="float" office:value="7" table:formula="of:=SUM([.B3:.C4];[$Other.A1])"><text:p>7</text:p><draw:frame><text:p>picture</text:p></draw:frame></table:table-cell></table:table-row>`+
			`<table:table-row><table:table-cell/><table:table-cell office:value-type="float" office:value="9" table:formula="of:=SUM([.D3:.D5];IF([.D3]&gt;2;1;0))"/>`+
			cell(str+` table:number-columns-spanned="2" table:number-rows-spanned="1"`, "wide")+`<table:covered-table-cell/></table:table-row>`+
			`<table:table-row table:number-rows-repeated="1048569"><table:table-cell table:style-name="ce1" table:number-columns-repeated="16384"/></table:table-row></table:table>`+
			`<table:table table:name="Other"><table:table-row>`+cell(str, "secret")+`</table:table-row></table:table><table:table table:name="Empty"/>`+
			`<table:named-expressions><table:named-range table:name="People" table:base-cell-address="$'Q4 Results'.$A$1" table:cell-range-address="$'Q4 Results'.$B$3:.$C$4"/><table:named-range table:name="Elsewhere" table:cell-range-address="$Other.$A$1"/></table:named-expressions>`+
			`<table:database-ranges><table:database-range table:name="Sales" table:target-range-address="'Q4 Results'.B2:'Q4 Results'.D6"><table:filter>secret</table:filter></table:database-range></table:database-ranges>`))
}

func TestODSConformance(t *testing.T) {
	modalitytest.Test(t, &sheet.Resolver{MaxJobs: 1}, modalitytest.Fixture{
		Name:   "budget.ods",
		Source: salesODS(t),
		Good: []modalitytest.Case{
			{Name: "cells", Location: at("Q4 Results", "B2:D3"), WantText: "Name\tDay &  hour\tAmount\nMüller & Söhne GmbH\t15.03.2023\t1,234.50\n"},
			{Name: "repeated", Location: at("Q4 Results", "C5:D5"), WantText: "same\t7\n"},
			{Name: "rows", Location: rows("Q4 Results", 4, 6), WantText: "\tsame\tsame\t7\n\tsame\tsame\t7\n\t9\twide\n"},
			{Name: "columns", Location: cols("Q4 Results", "D"), WantText: "Amount\n1,234.50\n7\n7\n"},
			{Name: "sheet", Location: at("Other", ""), WantText: "secret\n"},
			{Name: "empty", Location: at("Empty", "")},
		},
		OutOfRange: []citekit.Location{at("Q4 Results", "B2:E3"), at("Q4 Results", "B7"), at("q4 results", ""), at("Empty", "A1"), rows("Q4 Results", 6, 7), cols("Q4 Results", "E"), at("none", "A1")},
		Extent:     citekit.Extent{Modality: citekit.Document, Sheets: 3, MediaType: odsType},
	})
}

// TestODSCovered checks that text is not lost that merged areas cover, nor in
// evidence whose range does not have what covers it.
func TestODSCovered(t *testing.T) {
	text := func(name, text, attrs string) string {
		return `<table:` + name + ` office:value-type="string"` + attrs + `><text:p>` + text + `</text:p></table:` + name + `>`
	}
	data := packODS(t, odsContent(`<table:table table:name="S"><table:table-row>`+text("table-cell", "a1", ` table:number-columns-spanned="3" table:number-rows-spanned="2"`)+
		text("covered-table-cell", "a2", "")+text("covered-table-cell", "a3", "")+`</table:table-row><table:table-row><table:covered-table-cell table:number-columns-repeated="2"/>`+
		text("covered-table-cell", "f", "")+`</table:table-row></table:table>`))
	r := new(sheet.Resolver)
	if got, err := textAt(t, r, source(data), at("S", "")); err != nil || got != "a1\ta2\ta3\n\t\tf\n" {
		t.Errorf("%q, %v", got, err)
	}
	cut, content, _ := resolveODS(t, data, at("S", "B1:C2"))
	if got, err := textAt(t, r, source(cut), at("S", "B1:C2")); err != nil || got != "a2\ta3\n\tf\n" || strings.Contains(content, "covered") {
		t.Errorf("%q, %v: %s", got, err, content)
	}
	cut, content, _ = resolveODS(t, data, at("S", "A1:B2"))
	if got, err := textAt(t, r, source(cut), at("S", "")); err != nil || got != "a1\ta2\n" || strings.Count(content, "<table:covered") != 2 {
		t.Errorf("%q, %v: %s", got, err, content)
	}
}

// TestODSRaised: digits above or below the line are not part of the number before them.
func TestODSRaised(t *testing.T) {
	style := func(name, position string) string {
		return `<style:style style:name="` + name + `" style:family="text"><style:text-properties style:text-position="` + position + `"/></style:style>`
	}
	content := odsContent(`<table:table table:name="S"><table:table-row><table:table-cell office:value-type="string"><text:p>10<text:span text:style-name="T1">2<text:span text:style-name="T2">3</text:span>4</text:span> m 10<text:span text:style-name="T3">2</text:span> <text:span text:style-name="S1">5<text:s/></text:span>6</text:p></table:table-cell></table:table-row></table:table>`)
	if !strings.Contains(content, "<office:automatic-styles>") {
		t.Fatal(content)
	}
	data := packODS(t, strings.Replace(content, "<office:automatic-styles>", "<office:automatic-styles>"+style("T1", "super 58%")+style("T2", "0% 100%")+style("T3", "sub 58%")+strings.Replace(style("S1", "solid"), "text-position", "text-line-through-style", 1), 1))
	r := new(sheet.Resolver)
	const want = "10²3⁴ m 10₂ ~~5~~ 6\n"
	if got, err := textAt(t, r, source(data), at("S", "")); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	cut, _, _ := resolveODS(t, data, at("S", "A1"))
	if got, err := textAt(t, r, source(cut), at("S", "")); err != nil || got != want {
		t.Errorf("of the evidence: %q, %v", got, err)
	}
}

// TestODSFontOfCell: what the style of a cell strikes out or hides is marked or left out.
func TestODSFontOfCell(t *testing.T) {
	style := func(family, name, parent, properties string) string {
		return `<style:style style:name="` + name + `" style:family="` + family + `" style:parent-style-name="` + parent + `"><style:text-properties ` + properties + `/></style:style>`
	}
	cell := func(style, rest string) string {
		return `<table:table-cell table:style-name="` + style + `" office:value-type="float" office:value="100"` + rest + `</table:table-cell>`
	}
	content := odsContent(`<table:table table:name="S"><table:table-row>` + cell("own1", `><text:p>100</text:p>`) + cell("own2", `><text:p>90</text:p>`) + cell("own3", `>`) +
		cell("own1", `><text:p>7 <text:span text:style-name="own3">8</text:span><text:span text:style-name="T2"> 9</text:span></text:p>`) + cell("", `><text:p>80</text:p>`) + `</table:table-row></table:table>`)
	data := packODS(t, strings.Replace(content, "<office:automatic-styles>", "<office:automatic-styles>"+style("table-cell", "own1", "", `style:text-line-through-style="solid"`)+
		style("table-cell", "own2", "own1", `style:text-line-through-style="none"`)+style("table-cell", "own3", "own1", "")+style("text", "own3", "", `style:text-line-through-style="none"`)+style("text", "T2", "", `text:display="none"`), 1))
	r := new(sheet.Resolver)
	const want = "~~100~~\t90\t~~100~~\t~~7~~ 8\t80\n"
	if got, err := textAt(t, r, source(data), at("S", "")); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	cut, _, _ := resolveODS(t, data, at("S", "A1:E1"))
	if got, err := textAt(t, r, source(cut), at("S", "")); err != nil || got != want {
		t.Errorf("of the evidence: %q, %v", got, err)
	}
}

// TestODSStylesOfRowsAndColumns: a cell without a style has that of its row, else that of its
// column, else the default one; its paragraphs may have their own.
func TestODSStylesOfRowsAndColumns(t *testing.T) {
	const styles = `<style:style style:name="Default" style:family="table-cell"><style:text-properties style:text-line-through-type="none"/></style:style>` +
		`<style:style style:name="old" style:family="table-cell"><style:text-properties style:text-line-through-style="solid"/></style:style>` +
		`<style:style style:name="up" style:family="table-cell"><style:text-properties style:text-position="super 58%"/></style:style>` +
		`<style:style style:name="P1" style:family="paragraph"><style:text-properties style:text-line-through-type="single"/></style:style>`
	cell := func(attrs, text string) string {
		return `<table:table-cell office:value-type="string"` + attrs + `><text:p>` + text + `</text:p></table:table-cell>`
	}
	content := odsContent(`<table:table table:name="S"><table:table-column-group><table:table-column table:default-cell-style-name="old" table:number-columns-repeated="2"/></table:table-column-group>` +
		`<table:table-columns><table:table-column/><table:table-column table:default-cell-style-name="up"/></table:table-columns>` +
		`<table:table-row>` + cell("", "1") + cell(` table:style-name="Default"`, "2") + cell("", "3") + cell("", "4") + cell("", "5") + `</table:table-row>` +
		`<table:table-row table:default-cell-style-name="up">` + cell("", "1") + cell(` table:style-name="old"`, "2") + cell("", "3") + `</table:table-row>` +
		`<table:table-row>` + cell(` table:number-columns-repeated="6"`, "7") + `</table:table-row>` +
		`<table:table-row><table:table-cell table:number-columns-repeated="2"/><table:table-cell office:value-type="string"><text:p text:style-name="P1">8</text:p><text:p>9</text:p></table:table-cell></table:table-row></table:table>`)
	data := packODS(t, strings.Replace(content, "<office:automatic-styles>", "<office:automatic-styles>"+styles, 1))
	for _, c := range []struct{ area, want string }{
		{"A1:F4", "~~1~~\t2\t3\t⁴\t5\n¹\t~~2~~\t³\n~~7~~\t~~7~~\t7\t⁷\t7\t7\n\t\t~~8~~ 9\n"},
		{"B3:D3", "~~7~~\t7\t⁷\n"},
	} {
		if got, err := textAt(t, new(sheet.Resolver), source(data), at("S", c.area)); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.area, got, err, c.want)
		}
		cut, _, _ := resolveODS(t, data, at("S", c.area))
		if got, err := textAt(t, new(sheet.Resolver), source(cut), at("S", c.area)); err != nil || got != c.want {
			t.Errorf("%s of the evidence: %q, %v; want %q", c.area, got, err, c.want)
		}
	}
	usual := strings.Replace(content, "<office:automatic-styles>", `<office:automatic-styles><style:default-style style:family="table-cell"><style:text-properties style:text-line-through-style="solid"/></style:default-style>`, 1)
	if got, err := textAt(t, new(sheet.Resolver), source(packODS(t, usual)), at("S", "A1:C1")); err != nil || got != "~~1~~\t~~2~~\t~~3~~\n" {
		t.Errorf("by the default style: %q, %v", got, err)
	}
}

// TestODSLeftOut checks that each kind of what evidence does not have is
// reported, and that nothing of it names another sheet.
func TestODSLeftOut(t *testing.T) {
	content := odsContent(`<table:content-validations><table:content-validation table:name="v" table:condition="secret"/></table:content-validations>` +
		`<table:table table:name="S" table:style-name="ta1" table:protected="true" table:protection-key="secret"><table:table-source xlink:href="secret.ods"/><office:forms><x>secret</x></office:forms>` +
		`<table:table-row><table:table-cell table:style-name="ce2" table:content-validation-name="v" office:value-type="string"><text:p><text:a xlink:href="#secret.A1">to <text:span>it</text:span></text:a> <text:a xlink:href="https://example.com/">out</text:a></text:p></table:table-cell></table:table-row>` +
		`<calcext:conditional-formats><calcext:conditional-format calcext:target-range-address="S.A1:S.B9"><x>secret</x></calcext:conditional-format></calcext:conditional-formats></table:table>` +
		`<table:data-pilot-tables><table:data-pilot-table table:name="secret" table:target-range-address="S.A1:S.C9"/></table:data-pilot-tables>`)
	content = strings.Replace(content, "<office:automatic-styles>", `<office:automatic-styles>`+
		`<style:style style:name="ta1" style:family="table"><style:table-properties table:display="false"/></style:style><style:style style:name="secret" style:family="table" style:master-page-name="secret"/>`+
		`<style:style style:name="ce2" style:family="table-cell"><style:table-cell-properties><style:background-image xlink:href="secret.png"/></style:table-cell-properties><style:map style:condition="cell-content()&gt;1" style:base-cell-address="secret.A1"/></style:style>`, 1)
	content = strings.Replace(content, " office:version", ` xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0" office:version`, 1)
	data := packODS(t, content)
	_, cut, changes := resolveODS(t, data, at("S", "A1"))
	want := []string{
		"the sheet shown, which is hidden in the source", "pictures, charts and forms left out", "conditional formats left out", "data validations left out", "links to other cells left out",
		"pivot tables left out, with their values kept", "the source that the sheet is filled from left out", "headers and footers of pages left out", "background images left out", "macros left out",
	}
	if !slices.Equal(changes, want) || !strings.Contains(cut, `table:display="true"`) || !strings.Contains(cut, `<text:p>to <text:span>it</text:span> <text:a xlink:href="https`) {
		t.Errorf("%q: %s", changes, cut)
	}
	draft, err := new(sheet.Resolver).Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document})
	if err != nil || draft.Nodes[0].Summary != "A1, hidden" {
		t.Errorf("%+v, %v", draft, err)
	}
}

// TestODSFormats: conditional formats of styles that a cell, its row or its
// column names, or that are inherited from common styles, are reported.
func TestODSFormats(t *testing.T) {
	const table = `<table:table table:name="S"><table:table-column table:number-columns-repeated="2"/><table:table-column table:default-cell-style-name="column"/>` +
		`<table:table-row><table:table-cell table:style-name="plain" office:value-type="string"><text:p>a</text:p></table:table-cell><table:table-cell table:style-name="child" office:value-type="string"><text:p>b</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>c</text:p></table:table-cell></table:table-row>` +
		`<table:table-row table:default-cell-style-name="row"><table:table-cell office:value-type="string"><text:p>d</text:p></table:table-cell></table:table-row></table:table>`
	style := func(name, parent, inner string) string {
		return `<style:style style:name="` + name + `" style:family="table-cell" style:parent-style-name="` + parent + `">` + inner + `</style:style>`
	}
	const rule = `<style:map style:condition="cell-content()&gt;1" style:apply-style-name="bold"/>`
	own := style("plain", "Default", "") + style("child", "common", "") + style("column", "", rule) + style("row", "circle", "")
	common := style("common", "base", "") + style("base", "", rule) + style("circle", "circle", "")
	pack := func(common string) []byte {
		data := packODS(t, strings.Replace(odsContent(table), "<office:automatic-styles>", "<office:automatic-styles>"+own, 1))
		parts := doctest.Unzip(t, data)
		parts["styles.xml"] = strings.Replace(parts["styles.xml"], "<office:master-styles>", "<office:styles>"+common+"</office:styles><office:master-styles>", 1)
		return doctest.ZipMap(parts)
	}
	for _, c := range []struct {
		common, cells string
		want          bool
	}{
		{common, "A1", false}, {common, "B1", true}, {common, "C1", true}, {common, "A2", false}, {common, "A1:B1", true},
		{common + style("Default", "", rule), "A1", true}, {common + style("Default", "", rule), "A2", true}, {common + style("circle", "", rule), "A2", true},
	} {
		_, content, changes := resolveODS(t, pack(c.common), at("S", c.cells))
		if slices.Contains(changes, "conditional formats left out") != c.want || strings.Contains(content, "style:map") {
			t.Errorf("%s: %q, want %t: %s", c.cells, changes, c.want, content)
		}
	}
}

func resolveODS(t *testing.T, data []byte, loc citekit.Location) (cut []byte, content string, changes []string) {
	t.Helper()
	out, err := new(sheet.Resolver).Resolve(t.Context(), source(data), citekit.Request{Location: loc})
	if err != nil {
		t.Fatal(err)
	}
	if cut, err = io.ReadAll(out.Body); err != nil {
		t.Fatal(err)
	}
	parts := doctest.Unzip(t, cut)
	for name, text := range parts {
		if strings.Contains(text, "secret") || strings.Contains(text, "Ada") {
			t.Errorf("%v: %s has what is not of the range: %s", loc, name, text)
		}
	}
	if parts["Pictures/a.png"] != "" || parts["meta.xml"] != "" {
		t.Errorf("%v: files that are not reached travel along", loc)
	}
	return cut, parts["content.xml"], out.Changes
}

// TestODSCutFormulasWithoutValues has formulas with and without values.
func TestODSCutFormulasWithoutValues(t *testing.T) {
	table := `<table:table table:name="S"><table:table-row><table:table-cell office:value-type="float" office:value="9"><text:p>9</text:p></table:table-cell></table:table-row>` +
		`<table:table-row><table:table-cell table:formula="of:=[.A1]*2"/><table:table-cell table:formula="of:=[.A1]*3" office:value-type="float" office:value="27"/><table:table-cell table:formula="of:=T([.A1])" office:value-type="string"/></table:table-row></table:table>`
	_, _, changes := resolveODS(t, packODS(t, odsContent(table)), at("S", "A2:C2"))
	if want := []string{"the formulas of B2, C2 replaced by their values", "the formula of A2 left out, as the source stores no value"}; !slices.Equal(changes[:min(2, len(changes))], want) {
		t.Errorf("%q, want %q first", changes, want)
	}
}

func TestODSCut(t *testing.T) {
	cut, content, changes := resolveODS(t, salesODS(t), at("Q4 Results", "B3:D4"))
	if want := []string{"the formulas of D3, D4 replaced by their values", "pictures, charts and forms left out", "filters left out", "headers and footers of pages left out", "macros left out"}; !slices.Equal(changes, want) {
		t.Errorf("changes: %q, want %q", changes, want)
	}
	for _, want := range []string{
		`<table:table-row table:number-rows-repeated="2"><table:table-cell/></table:table-row><table:table-row><table:table-cell/><table:table-cell office:value-type="string"><text:p><text:span>`,
		`table:null-date`, `table:name="People"`, `<dc:creator>Bob</dc:creator>`, `table:style-name="ce1" office:value-type="date"`, `office:value="1234.5" >`,
	} {
		if !strings.Contains(content, want) {
			t.Errorf("%s is not in %s", want, content)
		}
	}
	for _, gone := range []string{"Sales", "Elsewhere", "print-ranges", "macro", "picture", "Amount", "wide"} {
		if strings.Contains(content, gone) {
			t.Errorf("%s is in %s", gone, content)
		}
	}
	got, err := textAt(t, new(sheet.Resolver), source(cut), at("Q4 Results", "B3:D4"))
	if want := "Müller & Söhne GmbH\t15.03.2023\t1,234.50\nsame\tsame\t7\n"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if _, content, changes = resolveODS(t, salesODS(t), at("Q4 Results", "B3:D6")); !strings.Contains(content, "SUM([.D3:.D5]") || len(changes) != 5 {
		t.Errorf("%q: %s", changes, content)
	}
	if _, content, _ = resolveODS(t, salesODS(t), at("Q4 Results", "D6")); !strings.Contains(content, `<table:table-cell table:number-columns-repeated="3"/><table:table-cell/></table:table-row>`) {
		t.Errorf("half of a merged area: %s", content)
	}
	if _, content, _ = resolveODS(t, salesODS(t), at("Q4 Results", "C6")); !strings.Contains(content, `number-columns-spanned="1"`) {
		t.Errorf("a merged area that is clipped: %s", content)
	}
}

func TestODSMap(t *testing.T) {
	draft, err := new(sheet.Resolver).Map(t.Context(), source(salesODS(t)), citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range draft.Nodes {
		got = append(got, n.Type+" "+n.Title+" "+n.Summary)
		for _, c := range n.Children {
			got = append(got, "- "+c.Type+" "+c.Title+" "+c.Location.Cells.String())
		}
	}
	want := []string{"sheet Q4 Results A1:D6", "- range People B3:C4", "- table Sales B2:D6", "sheet Other A1", "- range Elsewhere A1", "sheet Empty empty"}
	if !slices.Equal(got, want) || draft.Title != "Budget" || draft.Metadata["author"] != "Ada Lovelace" {
		t.Errorf("%q, %q, %v; want %q", got, draft.Title, draft.Metadata, want)
	}
	data := packODS(t, odsContent(`<table:table table:name="S">`+strings.Repeat(`<table:table-row><table:table-cell office:value-type="string"><text:p>Head &amp; co</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>B</text:p></table:table-cell></table:table-row>`, 2)+`</table:table>`))
	if draft, err = new(sheet.Resolver).Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document}); err != nil || len(draft.Nodes[0].Children) != 1 || draft.Nodes[0].Children[0].Title != "Head & co, B" {
		t.Errorf("%+v, %v", draft, err)
	}
}

func TestODSRefused(t *testing.T) {
	many := odsContent(`<table:table table:name="S"><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384" office:value-type="float" office:value="1"/></table:table-row></table:table>`)
	manifest := `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`
	encrypted := doctest.Zip("mimetype", odsType, "content.xml", "?", "META-INF/manifest.xml", manifest)
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"encrypted":      {encrypted, citekit.ErrEncrypted},
		"too many cells": {packODS(t, many), citekit.ErrTooLarge},
		"too many bytes": {packODS(t, odsContent(`<table:table table:name="S"><table:table-row><table:table-cell table:number-columns-repeated="16384" office:value-type="string"><text:p>`+strings.Repeat("x", 5000)+`</text:p></table:table-cell></table:table-row></table:table>`)), citekit.ErrTooLarge},
		"no sheets":      {packODS(t, odsContent("")), citekit.ErrFormat},
		"no end":         {packODS(t, strings.TrimSuffix(odsContent(""), "</office:document-content>")), citekit.ErrFormat},
		"cut off":        {salesODS(t)[:600], citekit.ErrFormat},
	} {
		if _, err := new(sheet.Resolver).Measure(t.Context(), source(c.data)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// FuzzODS puts any XML in the place of the content: no call panics, what the map
// promises resolves, and evidence has the text of its address.
func FuzzODS(f *testing.F) {
	f.Add(unpackContent(f, salesODS(f)))
	f.Add(odsContent(`<table:table table:name="S"><table:table-row-group><table:table-row><table:covered-table-cell table:number-columns-repeated="3"><text:p>x</text:p></table:covered-table-cell><table:table-cell table:formula="of:=[.A1" table:number-columns-spanned="9"/></table:table-row></table:table-row-group></table:table>`))
	f.Add(strings.ReplaceAll(odsContent(`<table:table table:name="S"><table:table-row/></table:table>`), "table:", "t:"))
	f.Add(odsContent(`<table:table table:name="S"><table:table-row><table:table-cell office:value="9" table:formula="of:=[Other.A1]"/></table:table-row></table:table>`))
	f.Fuzz(func(t *testing.T, content string) {
		src, r := source(packODS(t, content)), new(sheet.Resolver)
		draft, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
		if err != nil {
			if citekit.CodeOf(err) == message.CodeInternal {
				t.Fatal(err)
			}
			return
		}
		for _, n := range draft.Nodes {
			for _, loc := range []citekit.Location{n.Location, at(n.Location.Sheet, "A1"), at(n.Location.Sheet, "B1:C3"), rows(n.Location.Sheet, 2, 2)} {
				out, err := r.Resolve(t.Context(), src, citekit.Request{Location: loc})
				if err != nil {
					continue
				}
				cut, err := io.ReadAll(out.Body)
				if err != nil {
					t.Fatal(err)
				}
				want, err := textAt(t, r, src, loc)
				if err != nil {
					t.Fatal(err)
				}
				got, err := textAt(t, new(sheet.Resolver), source(cut), at(loc.Sheet, ""))
				if err != nil || flat(got) != flat(want) {
					t.Errorf("%v: the evidence has the text %q, %v; want %q", loc, got, err, want)
				}
			}
		}
	})
}

func unpackContent(t testing.TB, data []byte) string {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := z.Open("content.xml")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// BenchmarkODS maps a workbook and resolves a range of it, of three sizes.
func BenchmarkODS(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		var body strings.Builder
		body.WriteString(`<table:table table:name="S">`)
		for i := range n {
			fmt.Fprintf(&body, `<table:table-row><table:table-cell office:value-type="string"><text:p>name %d</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="%d"><text:p>%d</text:p></table:table-cell></table:table-row>`, i, i, i)
		}
		body.WriteString(`</table:table>`)
		data := packODS(b, odsContent(body.String()))
		b.Run(fmt.Sprintf("map/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := new(sheet.Resolver).Map(b.Context(), source(data), citekit.MapRequest{Modality: citekit.Document}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("resolve/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := new(sheet.Resolver).Resolve(b.Context(), source(data), citekit.Request{Location: at("S", "A500:B900")}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
