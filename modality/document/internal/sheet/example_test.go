package sheet_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/sheet"
	"github.com/citekit/citekit/workspace"
)

// A sheet of a workbook becomes a node; cells have the addresses that a
// spreadsheet program shows.
func ExampleResolver() {
	ctx := context.Background()
	files := fstest.MapFS{"budget.xlsx": {Data: budget()}}
	lib := citekit.New(workspace.NewMemory(files), citekit.Resolvers{citekit.Document: new(sheet.Resolver)}, nil)
	defer lib.Close()
	if _, err := ingest.Run(ctx, lib, []string{"budget.xlsx"}, nil); err != nil {
		log.Fatal(err)
	}
	m, err := lib.Map(ctx, "budget")
	if err != nil {
		log.Fatal(err)
	}
	for _, node := range m.Nodes {
		fmt.Println(node.Title, citekit.Address{Resource: m.ResourceID, Location: node.Location})
	}
	for run, err := range lib.ReadText(ctx, "budget", citekit.Document.Sheet("Q4", "A2:B2")) {
		fmt.Printf("%q %v\n", run.Text, err)
	}
	// The evidence is a workbook of these cells. A formula that refers to others
	// becomes its value.
	e, err := lib.ResolveFile(ctx, "budget.xlsx", citekit.Document.Sheet("Q4", "A2:B2"), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Address, e.Changes)
	// Output:
	// Q4 doc://budget#sheet=Q4
	// "Total\t1200\n" <nil>
	// doc://budget#sheet=Q4&cells=A2:B2 [the formula of B2 replaced by its value]
}

// budget returns an XLSX with one sheet of two rows and two columns.
func budget() []byte {
	const (
		office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
		types  = "application/vnd.openxmlformats-officedocument.spreadsheetml"
		spaces = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + office + `"`
		rels   = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	)
	return doctest.Zip(
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="`+types+`.sheet.main+xml"/><Override PartName="/xl/q4.xml" ContentType="`+types+`.worksheet+xml"/></Types>`,
		"_rels/.rels", rels+`<Relationship Id="r1" Type="`+office+`/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/_rels/workbook.xml.rels", rels+`<Relationship Id="r1" Type="`+office+`/worksheet" Target="q4.xml"/></Relationships>`,
		"xl/workbook.xml", `<workbook `+spaces+`><sheets><sheet name="Q4" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/q4.xml", `<worksheet `+spaces+`><sheetData>`+
			`<row r="1"><c r="A1" t="inlineStr"><is><t>Rent</t></is></c><c r="B1"><v>1200</v></c></row>`+
			`<row r="2"><c r="A2" t="inlineStr"><is><t>Total</t></is></c><c r="B2"><f>SUM(B1:B1)</f><v>1200</v></c></row>`+
			`</sheetData></worksheet>`,
	)
}
