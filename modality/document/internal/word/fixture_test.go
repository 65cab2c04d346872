package word_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/word"
)

const (
	relType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	docType = "application/vnd.openxmlformats-officedocument.wordprocessingml."
	wordNS  = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml" xmlns:o="urn:schemas-microsoft-com:office:office"`
)

// A docx is a document for tests: parts by name, relationships of the main part,
// and what its body holds.
type docx struct {
	body     string
	parts    []string // names and contents
	rels     []string // kinds and targets, as rId1, rId2 and so on
	mainType string
}

func (d docx) pack(t testing.TB) []byte {
	t.Helper()
	types := `<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/>`
	if d.mainType == "" {
		d.mainType = docType + "document.main+xml"
	}
	types += `<Override PartName="/word/document.xml" ContentType="` + d.mainType + `"/>`
	for i := 0; i < len(d.parts); i += 2 {
		name := d.parts[i]
		if kind, ok := strings.CutPrefix(name, "word/"); ok && strings.HasSuffix(kind, ".xml") && !strings.Contains(kind, "/") {
			types += `<Override PartName="/` + name + `" ContentType="` + docType + strings.TrimRight(strings.TrimSuffix(kind, ".xml"), "0123456789") + `+xml"/>`
		}
	}
	rels := `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	for i := 0; i < len(d.rels); i += 2 {
		mode := ""
		if strings.Contains(d.rels[i+1], "://") {
			mode = ` TargetMode="External"`
		}
		rels += fmt.Sprintf(`<Relationship Id="rId%d" Type="%s%s" Target="%s"%s/>`, i/2+1, relType, d.rels[i], d.rels[i+1], mode)
	}
	files := append([]string{
		"[Content_Types].xml", types + "</Types>",
		"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + relType + `officeDocument" Target="word/document.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
		"docProps/core.xml", `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>A title</dc:title><dc:creator>Ada</dc:creator><dcterms:created>2024-05-01T10:00:00Z</dcterms:created><dc:language>de</dc:language></cp:coreProperties>`,
		"word/document.xml", `<?xml version="1.0" encoding="UTF-8"?><w:document ` + wordNS + `><w:body>` + d.body + `</w:body></w:document>`,
		"word/_rels/document.xml.rels", rels + "</Relationships>",
	}, d.parts...)
	return doctest.Zip(files...)
}

// para returns a paragraph with properties and content. Plain text becomes a run.
func para(properties, content string) string {
	if !strings.HasPrefix(content, "<") && content != "" {
		content = run(content)
	}
	if properties != "" {
		properties = "<w:pPr>" + properties + "</w:pPr>"
	}
	return "<w:p>" + properties + content + "</w:p>"
}

func run(text string) string {
	return `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r>`
}

func styled(id string) string { return `<w:pStyle w:val="` + id + `"/>` }

func listed(num, level int) string {
	return fmt.Sprintf(`<w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr>`, level, num)
}

// table returns a table of rows of cells.
func table(rows ...[]string) string {
	var b strings.Builder
	b.WriteString("<w:tbl><w:tblPr/><w:tblGrid>" + strings.Repeat(`<w:gridCol w:w="100"/>`, len(rows[0])) + "</w:tblGrid>")
	for _, row := range rows {
		b.WriteString("<w:tr>")
		for _, text := range row {
			if !strings.HasPrefix(text, "<w:tc>") {
				text = "<w:tc><w:tcPr/>" + para("", text) + "</w:tc>"
			}
			b.WriteString(text)
		}
		b.WriteString("</w:tr>")
	}
	b.WriteString("</w:tbl>")
	return b.String()
}

const (
	styles = `<w:styles ` + wordNS + `><w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:basedOn w:val="a"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/><w:basedOn w:val="berschrift1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr><w:outlineLvl w:val="1"/></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Beschriftung"><w:name w:val="caption"/></w:style></w:styles>`

	numbering = `<w:numbering ` + wordNS + `><w:abstractNum w:abstractNumId="0">` +
		`<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="berschrift1"/><w:lvlText w:val="%1"/></w:lvl>` +
		`<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="berschrift2"/><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum>` +
		`<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="lowerLetter"/><w:suff w:val="space"/><w:lvlText w:val="(%1)"/></w:lvl>` +
		`<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="-"/></w:lvl></w:abstractNum>` +
		`<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>` +
		`<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>`

	footnotes = `<w:footnotes ` + wordNS + `><w:footnote w:type="separator" w:id="-1"><w:p/></w:footnote>` +
		`<w:footnote w:id="1"><w:p><w:r><w:t>the first note</w:t></w:r></w:p></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>the second note</w:t></w:r></w:p></w:footnote></w:footnotes>`

	comments = `<w:comments ` + wordNS + `><w:comment w:id="7" w:author="Bob"><w:p w14:paraId="0A"><w:r><w:t>Bob says</w:t></w:r></w:p></w:comment>` +
		`<w:comment w:id="8" w:author="Eve"><w:p w14:paraId="0B"><w:r><w:t>Eve says</w:t></w:r></w:p></w:comment></w:comments>`

	settings = `<w:settings ` + wordNS + `><w:attachedTemplate r:id="rId1"/><w:docVars><w:docVar w:name="a" w:val="secret"/></w:docVars><w:footnotePr><w:footnote w:id="-1"/></w:footnotePr></w:settings>`

	sectPr = `<w:sectPr><w:pgSz w:w="200" w:h="300"/></w:sectPr>`
)

// report is a document with all that a cut has to look at.
func report() docx {
	return docx{
		body: para(styled("Titel"), "The report") + // 1
			para(styled("berschrift1"), "Scope") + // 2: 1
			para("", `<w:commentRangeStart w:id="7"/><w:bookmarkStart w:id="1" w:name="b"/><w:r><w:t>One </w:t></w:r><w:del w:author="Zoe"><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins w:author="Ann"><w:r><w:t>new</w:t></w:r></w:ins><w:commentRangeEnd w:id="7"/><w:r><w:commentReference w:id="7"/></w:r><w:r><w:footnoteReference w:id="1"/></w:r>`) + // 3
			para(styled("berschrift2"), "Parts") + // 4: 1.1
			para(listed(2, 0), "first item") + // 5: (c)
			para(listed(2, 1), "a bullet") + // 6
			para(listed(2, 0), `<w:r><w:t>second</w:t><w:tab/><w:t>item</w:t></w:r><w:bookmarkEnd w:id="1"/>`) + // 7: (d)
			para("<w:sectPr><w:headerReference w:type=\"default\" r:id=\"rId6\"/></w:sectPr>", `<w:r><w:footnoteReference w:id="2"/><w:t>End of section one</w:t></w:r><w:r><w:drawing><w:blip r:embed="rId7"/></w:drawing></w:r>`) + // 8
			para(styled("Beschriftung"), "Table 1. Sizes") + // 9
			table([]string{"name", "size", "note"}, []string{`<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>` + para("", "wide") + `</w:tc>`, "x"}, []string{"a", "b", "c"}) + // 10
			para(styled("berschrift1"), `<w:r><w:t>Rest</w:t></w:r><w:r><w:object><o:OLEObject r:id="rId8"/></w:object></w:r>`) + // 11: 2
			para(listed(3, 0), `<w:commentRangeStart w:id="8"/><w:r><w:t>anew</w:t></w:r><w:hyperlink r:id="rId9"><w:r><w:t xml:space="preserve"> there</w:t></w:r></w:hyperlink><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>`) + // 12: (a)
			para("", `<w:commentRangeEnd w:id="8"/><w:r><w:commentReference w:id="8"/></w:r><w:r><w:t>last</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`) + // 13
			sectPr,
		parts: []string{
			"word/styles.xml", styles, "word/numbering.xml", numbering, "word/footnotes.xml", footnotes, "word/comments.xml", comments,
			"word/settings.xml", settings, "word/header1.xml", `<w:hdr ` + wordNS + `><w:p><w:r><w:t>the header</w:t></w:r></w:p></w:hdr>`,
			"word/media/image1.png", "\x89PNG", "word/embeddings/object1.bin", "object", "word/vbaProject.bin", "macro",
			"word/people.xml", `<w15:people ` + wordNS + `><w15:person w15:author="Bob"/><w15:person w15:author="Eve"/><w15:person w15:author="Ann"/></w15:people>`,
			"word/_rels/settings.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + relType + `attachedTemplate" Target="file:///C:/secret.dotm" TargetMode="External"/></Relationships>`,
		},
		rels: []string{
			"styles", "styles.xml", "numbering", "numbering.xml", "footnotes", "footnotes.xml", "comments", "comments.xml", "settings", "settings.xml",
			"header", "header1.xml", "image", "media/image1.png", "oleObject", "embeddings/object1.bin", "hyperlink", "https://example.org/",
			"vbaProject", "vbaProject.bin", "people", "people.xml",
		},
		mainType: "application/vnd.ms-word.document.macroEnabled.main+xml",
	}
}

func blocks(first, last int) citekit.Location {
	return citekit.Document.Blocks(first, last)
}

func cells(block int, notation string) citekit.Location {
	loc := blocks(block, block)
	_ = loc.Cells.UnmarshalText([]byte(notation))
	return loc
}

func read(t testing.TB, data []byte, loc citekit.Location) string {
	t.Helper()
	return strings.Join(doctest.Texts(t, new(word.Resolver), doctest.Source("x.docx", data), loc), "")
}

var whole = citekit.Location{Modality: citekit.Document}

// cut returns the evidence at a location, and what was changed in it.
func cut(t testing.TB, data []byte, loc citekit.Location) ([]byte, []string) {
	t.Helper()
	return doctest.Cut(t, new(word.Resolver), doctest.Source("x.docx", data), loc)
}
