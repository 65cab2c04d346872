package main

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/citekit/citekit"
)

// office measures documents, workbooks, presentations and books at three sizes
// each: a map, which includes hashing, and one part in a fresh process.
func (b *bench) office() error {
	for _, o := range []officeJob{
		{
			what: "a DOCX of %d blocks", unit: "blocks", file: "blocks-%d.docx", sizes: [3]int{1_000, 10_000, 100_000}, aim: 10_000,
			write: writeBlocks, fragment: func(n int) string { return fmt.Sprintf("blocks=%d-%d", n/2, n/2+2) },
			part: "3 blocks of it, cold", mapGoal: "under 0.5 s", partGoal: "under 50 ms",
		},
		{
			what: "an XLSX of %d cells", unit: "cells", file: "cells-%d.xlsx", sizes: [3]int{10_000, 100_000, 1_000_000}, aim: 1_000_000,
			write: writeCells, fragment: func(n int) string { return fmt.Sprintf("sheet=Data&cells=B%d:F%d", n/20, n/20+100) },
			part: "500 cells of it, cold", mapGoal: "under 3 s, 100 MB", partGoal: "under 1 s, 100 MB",
		},
		{
			what: "a PPTX of %d slides", unit: "slides", file: "slides-%d.pptx", sizes: [3]int{10, 100, 1_000}, aim: 1_000,
			write: writeSlides, fragment: func(n int) string { return fmt.Sprintf("pages=%d", n/2) },
			part: "a slide of it, cold", partGoal: "under 50 ms",
		},
		{
			what: "an EPUB of %d parts", unit: "parts", file: "parts-%d.epub", sizes: [3]int{100, 1_000, 10_000}, aim: 1_000,
			write: writeParts, fragment: func(n int) string { return fmt.Sprintf("part=%d&blocks=5-6", n/2) },
			part: "2 blocks of it, cold", mapGoal: "under 0.3 s", partGoal: "under 50 ms",
		},
	} {
		if err := b.officeRows(o); err != nil {
			return err
		}
	}
	return b.warmCells()
}

// An officeJob is a format at three sizes. The goals are those of the size aim.
type officeJob struct {
	what, unit, file  string
	sizes             [3]int
	aim               int
	write             func(z *zip.Writer, n int) error
	fragment          func(n int) string
	part              string
	mapGoal, partGoal string
}

func (b *bench) officeRows(o officeJob) error {
	for _, n := range o.sizes {
		file, err := b.packed(fmt.Sprintf(o.file, n), func(z *zip.Writer) error { return o.write(z, n) })
		if err != nil {
			return err
		}
		mapGoal, partGoal := o.mapGoal, o.partGoal
		if n != o.aim {
			mapGoal, partGoal = "", ""
		}
		results, err := b.sideBySide(b.ingestFresh(file), b.resolveFile(file, o.fragment(n)))
		if err != nil {
			return err
		}
		b.table.alone("map "+fmt.Sprintf(o.what, n), results[0].time, mapGoal)
		b.table.compareSize("— memory", results[0].rss, "", 0, "")
		b.table.alone(o.part, results[1].time, partGoal)
		b.table.compareSize("— memory", results[1].rss, "", 0, "")
	}
	return nil
}

// warmCells measures a range of a workbook that was opened before.
func (b *bench) warmCells() error {
	const cells = 1_000_000
	file, err := b.packed(fmt.Sprintf("cells-%d.xlsx", cells), func(z *zip.Writer) error { return writeCells(z, cells) })
	if err != nil {
		return err
	}
	warm, err := b.warm(file, func(i int) citekit.Location {
		first := int32(1 + i*9973%(cells/10-1000))
		return citekit.Location{Modality: citekit.Document, Sheet: "Data", Cells: citekit.Cells{First: citekit.Cell{Col: 2, Row: first}, Last: citekit.Cell{Col: 6, Row: first + 100}}}
	})
	b.table.alone("500 cells of a million, once it was opened", warm, "under 20 ms")
	return err
}

// packed is a file of the material that is a ZIP, alone in a folder.
func (b *bench) packed(name string, write func(z *zip.Writer) error) (string, error) {
	dir, err := b.made(strings.ReplaceAll(name, ".", "-"), func(dir string) error {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		f, err := os.Create(dir + "/" + name)
		if err != nil {
			return err
		}
		w := bufio.NewWriter(f)
		z := zip.NewWriter(w)
		return errors.Join(write(z), z.Close(), w.Flush(), f.Close())
	})
	return dir + "/" + name, err
}

// add writes a member of a ZIP.
func add(z *zip.Writer, name string, write func(w io.Writer)) error {
	w, err := z.Create(name)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(w)
	write(buffered)
	return buffered.Flush()
}

func addText(z *zip.Writer, name, text string) error {
	return add(z, name, func(w io.Writer) { io.WriteString(w, text) })
}

const (
	xmlDeclaration = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	officeTypes    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packageTypes   = "http://schemas.openxmlformats.org/package/2006/"
)

// addPackage writes what every OOXML package begins with: the content types of
// its parts, and the relationship that leads to its main part. parts are pairs
// of a name and a content type, the main part first.
func addPackage(z *zip.Writer, parts ...string) error {
	var types strings.Builder
	types.WriteString(xmlDeclaration + `<Types xmlns="` + packageTypes + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>`)
	for i := 0; i < len(parts); i += 2 {
		fmt.Fprintf(&types, `<Override PartName="/%s" ContentType="application/vnd.openxmlformats-officedocument.%s+xml"/>`, parts[i], parts[i+1])
	}
	types.WriteString(`</Types>`)
	return errors.Join(
		addText(z, "[Content_Types].xml", types.String()),
		addRelationships(z, "_rels/.rels", "officeDocument", parts[0]),
	)
}

// addRelationships writes relationships rId1 and so on: pairs of the last word
// of a type and a target.
func addRelationships(z *zip.Writer, name string, rels ...string) error {
	var b strings.Builder
	b.WriteString(xmlDeclaration + `<Relationships xmlns="` + packageTypes + `relationships">`)
	for i := 0; i < len(rels); i += 2 {
		fmt.Fprintf(&b, `<Relationship Id="rId%d" Type="%s/%s" Target="%s"/>`, i/2+1, officeTypes, rels[i], rels[i+1])
	}
	b.WriteString(`</Relationships>`)
	return addText(z, name, b.String())
}

const sentence = "The quarterly report describes each region in a paragraph of its own. "

// writeBlocks writes a DOCX of n paragraphs, with a heading in fifty.
func writeBlocks(z *zip.Writer, n int) error {
	const w = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	return errors.Join(
		addPackage(z, "word/document.xml", "wordprocessingml.document.main", "word/styles.xml", "wordprocessingml.styles"),
		addRelationships(z, "word/_rels/document.xml.rels", "styles", "styles.xml"),
		addText(z, "word/styles.xml", xmlDeclaration+`<w:styles `+w+`><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style></w:styles>`),
		add(z, "word/document.xml", func(out io.Writer) {
			io.WriteString(out, xmlDeclaration+`<w:document `+w+`><w:body>`)
			run := `<w:r w:rsidR="00AB12CD"><w:rPr><w:sz w:val="24"/></w:rPr><w:t xml:space="preserve">` + sentence + `</w:t></w:r>`
			for i := range n {
				if i%50 == 0 {
					fmt.Fprintf(out, `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Heading %d</w:t></w:r></w:p>`, i)
				} else {
					fmt.Fprintf(out, `<w:p>%s<w:r><w:t>It is number %d.</w:t></w:r></w:p>`, strings.Repeat(run, 4), i)
				}
			}
			io.WriteString(out, `<w:sectPr/></w:body></w:document>`)
		}),
	)
}

// writeCells writes an XLSX of n cells in ten columns: strings, numbers and
// formulas.
func writeCells(z *zip.Writer, n int) error {
	const main = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	return errors.Join(
		addPackage(z, "xl/workbook.xml", "spreadsheetml.sheet.main", "xl/worksheets/sheet1.xml", "spreadsheetml.worksheet", "xl/sharedStrings.xml", "spreadsheetml.sharedStrings"),
		addRelationships(z, "xl/_rels/workbook.xml.rels", "worksheet", "worksheets/sheet1.xml", "sharedStrings", "sharedStrings.xml"),
		addText(z, "xl/workbook.xml", xmlDeclaration+`<workbook `+main+` xmlns:r="`+officeTypes+`"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`),
		add(z, "xl/sharedStrings.xml", func(w io.Writer) {
			io.WriteString(w, xmlDeclaration+`<sst `+main+`>`)
			for i := range n / 20 {
				fmt.Fprintf(w, `<si><t>Region number %d</t></si>`, i)
			}
			io.WriteString(w, `</sst>`)
		}),
		add(z, "xl/worksheets/sheet1.xml", func(w io.Writer) {
			io.WriteString(w, xmlDeclaration+`<worksheet `+main+`><sheetData>`)
			for row := 1; row <= n/10; row++ {
				fmt.Fprintf(w, `<row r="%d">`, row)
				for column, name := range "ABCDEFGHIJ" {
					switch column % 5 {
					case 0:
						fmt.Fprintf(w, `<c r="%c%d" t="s"><v>%d</v></c>`, name, row, (row*7919+column)%(n/20))
					case 2:
						fmt.Fprintf(w, `<c r="%c%d"><f>D%d*2</f><v>%d.25</v></c>`, name, row, row, row)
					default:
						fmt.Fprintf(w, `<c r="%c%d"><v>%d.%d</v></c>`, name, row, row*column, row%97)
					}
				}
				io.WriteString(w, `</row>`)
			}
			io.WriteString(w, `</sheetData></worksheet>`)
		}),
	)
}

// writeSlides writes a PPTX of n slides with a title and ten paragraphs.
func writeSlides(z *zip.Writer, n int) error {
	const spaces = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="` + officeTypes + `"`
	shape := func(id int, placeholder, paragraphs string) string {
		return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="Shape %d"/><p:cNvSpPr/><p:nvPr>%s</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>%s</p:txBody></p:sp>`, id, id, placeholder, paragraphs)
	}
	tree := func(shapes string) string {
		return `<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>` + shapes + `</p:spTree></p:cSld>`
	}
	parts := []string{"ppt/presentation.xml", "presentationml.presentation.main", "ppt/slideMasters/slideMaster1.xml", "presentationml.slideMaster", "ppt/slideLayouts/slideLayout1.xml", "presentationml.slideLayout"}
	rels := []string{"slideMaster", "slideMasters/slideMaster1.xml"}
	var list strings.Builder
	for i := range n {
		name := fmt.Sprintf("slides/slide%d.xml", i+1)
		parts = append(parts, "ppt/"+name, "presentationml.slide")
		rels = append(rels, "slide", name)
		fmt.Fprintf(&list, `<p:sldId id="%d" r:id="rId%d"/>`, 256+i, i+2)
	}
	err := errors.Join(
		addPackage(z, parts...),
		addRelationships(z, "ppt/_rels/presentation.xml.rels", rels...),
		addText(z, "ppt/presentation.xml", xmlDeclaration+`<p:presentation `+spaces+`><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst>`+list.String()+`</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`),
		addText(z, "ppt/slideMasters/slideMaster1.xml", xmlDeclaration+`<p:sldMaster `+spaces+`>`+tree("")+`<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst></p:sldMaster>`),
		addRelationships(z, "ppt/slideMasters/_rels/slideMaster1.xml.rels", "slideLayout", "../slideLayouts/slideLayout1.xml"),
		addText(z, "ppt/slideLayouts/slideLayout1.xml", xmlDeclaration+`<p:sldLayout `+spaces+`>`+tree("")+`</p:sldLayout>`),
		addRelationships(z, "ppt/slideLayouts/_rels/slideLayout1.xml.rels", "slideMaster", "../slideMasters/slideMaster1.xml"),
	)
	paragraphs := strings.Repeat(`<a:p><a:r><a:t>`+sentence+`</a:t></a:r></a:p>`, 10)
	for i := range n {
		title := shape(2, `<p:ph type="title"/>`, fmt.Sprintf(`<a:p><a:r><a:t>Slide %d</a:t></a:r></a:p>`, i+1))
		err = errors.Join(err,
			addText(z, fmt.Sprintf("ppt/slides/slide%d.xml", i+1), xmlDeclaration+`<p:sld `+spaces+`>`+tree(title+shape(3, "", paragraphs))+`</p:sld>`),
			addRelationships(z, fmt.Sprintf("ppt/slides/_rels/slide%d.xml.rels", i+1), "slideLayout", "../slideLayouts/slideLayout1.xml"),
		)
	}
	return err
}

// writeParts writes an EPUB of n chapters of about ten kilobytes, each in the
// contents.
func writeParts(z *zip.Writer, n int) error {
	mimetype, err := z.CreateHeader(&zip.FileHeader{Name: "mimetype", Method: zip.Store})
	if err != nil {
		return err
	}
	io.WriteString(mimetype, "application/epub+zip")
	var manifest, spine, entries strings.Builder
	for i := range n {
		fmt.Fprintf(&manifest, `<item id="c%d" href="c%d.xhtml" media-type="application/xhtml+xml"/>`, i, i)
		fmt.Fprintf(&spine, `<itemref idref="c%d"/>`, i)
		fmt.Fprintf(&entries, `<li><a href="c%d.xhtml">Chapter %d</a></li>`, i, i+1)
	}
	const page = `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>A book</title></head><body>`
	err = errors.Join(
		addText(z, "META-INF/container.xml", xmlDeclaration+`<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`),
		addText(z, "OPS/book.opf", xmlDeclaration+`<package version="3.0" unique-identifier="id" xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">book</dc:identifier><dc:title>A book</dc:title><dc:language>en</dc:language></metadata><manifest><item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>`+manifest.String()+`</manifest><spine>`+spine.String()+`</spine></package>`),
		addText(z, "OPS/nav.xhtml", xmlDeclaration+page+`<nav epub:type="toc"><ol>`+entries.String()+`</ol></nav></body></html>`),
	)
	paragraphs := strings.Repeat("<p>"+strings.Repeat(sentence, 7)+"</p>\n", 20)
	for i := range n {
		err = errors.Join(err, addText(z, fmt.Sprintf("OPS/c%d.xhtml", i), fmt.Sprintf("%s%s<h1>Chapter %d</h1>\n%s</body></html>", xmlDeclaration, page, i+1, paragraphs)))
	}
	return err
}
