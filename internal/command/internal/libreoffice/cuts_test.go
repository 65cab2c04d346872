package libreoffice

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document"
)

// A room resolves and reads documents.
type room interface {
	citekit.Resolver
	citekit.TextReader
}

// hasImpress reports whether LibreOffice can open slides. Distributions have each of its
// applications as a package: there may be that of texts alone.
func hasImpress(soffice string) bool {
	if path, err := filepath.EvalSymlinks(soffice); err == nil {
		soffice = path
	}
	_, errTexts := os.Stat(filepath.Join(filepath.Dir(soffice), "libswlo.so"))
	_, errSlides := os.Stat(filepath.Join(filepath.Dir(soffice), "libsdlo.so"))
	return errTexts != nil || errSlides == nil
}

// TestCutsOpen cuts documents of every office format, has LibreOffice lay out
// all cuts in one run, and holds the words that it shows to those of the
// addresses.
func TestCutsOpen(t *testing.T) {
	if testing.Short() {
		t.Skip("runs LibreOffice: not with -short")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	office, err := Find(ctx)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	profile, out := filepath.Join(dir, "profile"), filepath.Join(dir, "out")
	want := make(map[string]string)
	var sources []string
	add := func(r room, ext string, data []byte, locations ...citekit.Location) {
		for i, loc := range locations {
			loc.Modality = citekit.Document
			name := fmt.Sprintf("%s%d", ext[1:], i)
			source := filepath.Join(dir, name+ext)
			if err := os.WriteFile(source, resolve(t, r, data, loc), 0o600); err != nil {
				t.Fatal(err)
			}
			sources = append(sources, source)
			want[name] = textOf(t, r, data, loc)
		}
	}
	add(new(document.Word), ".docx", textDocument(t), citekit.Document.Blocks(1, 1), citekit.Document.Blocks(2, 3), citekit.Document.Blocks(4, 4), citekit.Document.Blocks(5, 6),
		citekit.Location{Blocks: citekit.Range{First: 4, Last: 4}, Cells: citekit.Cells{First: citekit.Cell{Col: 2, Row: 1}, Last: citekit.Cell{Col: 2, Row: 2}}})
	add(new(document.Sheet), ".xlsx", workbook(t), citekit.Document.Sheet("Costs", "A1:B2"), citekit.Document.Sheet("Costs", "B2:C3"), citekit.Document.Sheet("Other", ""))
	if hasImpress(office.path) {
		add(new(document.Slides), ".pptx", presentation(t), citekit.Document.Pages(1, 1), citekit.Document.Pages(2, 3), citekit.Document.Pages(3, 3))
		add(new(document.Slides), ".odp", openPresentation(t), citekit.Document.Pages(1, 1), citekit.Document.Pages(2, 3), citekit.Document.Pages(3, 3))
	} else {
		t.Log("slides are left out: Impress is not installed")
	}
	if err := writeProfile(profile); err != nil {
		t.Fatal(err)
	}
	if err := office.run(ctx, dir, profile, out, sources...); err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		laid, err := os.ReadFile(filepath.Join(out, name+".pdf"))
		if err != nil {
			t.Errorf("%s does not open: %v", name, err)
			continue
		}
		if got := words(textOf(t, new(document.PDF), laid, citekit.Location{Modality: citekit.Document})); got != words(text) || got == "" {
			t.Errorf("%s shows %q, want %q", name, got, words(text))
		}
	}
}

// words returns the words of a text, sorted, for pages have an order of their
// own.
func words(text string) string {
	all := strings.Fields(text)
	slices.Sort(all)
	return strings.Join(all, " ")
}

func source(data []byte) *citekit.Source {
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "document", Size: int64(len(data))})
}

func resolve(t *testing.T, r room, data []byte, loc citekit.Location) []byte {
	t.Helper()
	c, err := r.Resolve(t.Context(), source(data), citekit.Request{Location: loc})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Body.Close()
	cut, err := io.ReadAll(c.Body)
	if err != nil {
		t.Fatal(err)
	}
	return cut
}

func textOf(t *testing.T, r citekit.TextReader, data []byte, loc citekit.Location) string {
	t.Helper()
	var b strings.Builder
	for run, err := range r.ReadText(t.Context(), source(data), loc) {
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(run.Text + "\n")
	}
	return b.String()
}

// A relation is one of a part: its kind and what it leads to.
type relation struct{ kind, target string }

// A part is one of a package for tests. Its relationships are rId1, rId2 and so
// on.
type part struct {
	name, contentType, text string
	rels                    []relation
}

const relationTypes = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

// packParts returns a package of parts. The first is the main one.
func packParts(t *testing.T, parts ...part) []byte {
	t.Helper()
	const head = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`
	types := head + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>`
	list := func(rels []relation) string {
		text := head + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		for i, rel := range rels {
			text += fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/%s" Target="/%s"/>`, i+1, relationTypes, rel.kind, rel.target)
		}
		return text + "</Relationships>"
	}
	files := []string{"_rels/.rels", list([]relation{{"officeDocument", parts[0].name}})}
	for _, p := range parts {
		types += `<Override PartName="/` + p.name + `" ContentType="application/vnd.openxmlformats-officedocument.` + p.contentType + `+xml"/>`
		files = append(files, p.name, head+p.text)
		if len(p.rels) > 0 {
			dir, base := filepath.Split(p.name)
			files = append(files, dir+"_rels/"+base+".rels", list(p.rels))
		}
	}
	return pack(t, append([]string{"[Content_Types].xml", types + "</Types>"}, files...)...)
}

// textDocument has a heading, paragraphs of a list, a table and a footnote.
func textDocument(t *testing.T) []byte {
	const ns = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="` + relationTypes + `"`
	para := func(properties, text string) string {
		return `<w:p><w:pPr>` + properties + `</w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	item := `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>`
	row := func(cells ...string) string {
		text := "<w:tr>"
		for _, cell := range cells {
			text += `<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>` + para("", cell) + `</w:tc>`
		}
		return text + "</w:tr>"
	}
	const wml = "wordprocessingml."
	return packParts(t,
		part{"word/document.xml", wml + "document.main", `<w:document` + ns + `><w:body>` + para(`<w:pStyle w:val="Heading1"/>`, "Harbour") + para(item, "first") + para(item, "second") +
			`<w:tbl><w:tblPr><w:tblW w:w="4000" w:type="dxa"/></w:tblPr><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid>` + row("name", "depth") + row("pier", "seven") + `</w:tbl>` +
			para(item, "third") + para("", "Closing words.") + `<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>`,
			[]relation{{"styles", "word/styles.xml"}, {"numbering", "word/numbering.xml"}}},
		part{"word/styles.xml", wml + "styles", `<w:styles` + ns + `><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`, nil},
		part{"word/numbering.xml", wml + "numbering", `<w:numbering` + ns + `><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="decimal"/><w:lvlText w:val="(%1)"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`, nil},
	)
}

// workbook has texts, numbers and formulas on two sheets.
func workbook(t *testing.T) []byte {
	const ns, sml = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + relationTypes + `"`, "spreadsheetml."
	cells := func(rows ...string) string {
		return `<worksheet` + ns + `><sheetData>` + strings.Join(rows, "") + `</sheetData></worksheet>`
	}
	text := func(at, words string) string {
		return `<c r="` + at + `" t="inlineStr"><is><t>` + words + `</t></is></c>`
	}
	return packParts(t,
		part{"xl/workbook.xml", sml + "sheet.main", `<workbook` + ns + `><sheets><sheet name="Costs" sheetId="1" r:id="rId1"/><sheet name="Other" sheetId="2" r:id="rId2"/></sheets></workbook>`,
			[]relation{{"worksheet", "xl/worksheets/sheet1.xml"}, {"worksheet", "xl/worksheets/sheet2.xml"}}},
		part{"xl/worksheets/sheet1.xml", sml + "worksheet", cells(
			`<row r="1">`+text("A1", "item")+text("B1", "price")+text("C1", "sum")+`</row>`,
			`<row r="2">`+text("A2", "rope")+`<c r="B2"><v>12.5</v></c><c r="C2"><f>B2*2</f><v>25</v></c></row>`,
			`<row r="3">`+text("A3", "sail")+`<c r="B3"><v>40</v></c><c r="C3"><f>SUM(B1:B3)</f><v>52.5</v></c></row>`), nil},
		part{"xl/worksheets/sheet2.xml", sml + "worksheet", cells(`<row r="2">` + text("B2", "elsewhere") + `</row>`), nil},
	)
}

// presentation has three slides of one layout.
func presentation(t *testing.T) []byte {
	const ns, pml = ` xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="` + relationTypes + `"`, "presentationml."
	tree := func(shapes string) string {
		return `<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>` + shapes + `</p:spTree></p:cSld>`
	}
	colours := `<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>`
	var scheme strings.Builder
	for _, name := range strings.Fields("dk1 lt1 dk2 lt2 accent1 accent2 accent3 accent4 accent5 accent6 hlink folHlink") {
		fmt.Fprintf(&scheme, `<a:%[1]s><a:srgbClr val="%[2]s"/></a:%[1]s>`, name, map[bool]string{true: "FFFFFF", false: "000000"}[strings.HasPrefix(name, "lt")])
	}
	parts := []part{
		{"ppt/presentation.xml", pml + "presentation.main", `<p:presentation` + ns + `><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId3"/><p:sldId id="258" r:id="rId4"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`,
			[]relation{{"slideMaster", "ppt/slideMasters/slideMaster1.xml"}, {"slide", "ppt/slides/slide1.xml"}, {"slide", "ppt/slides/slide2.xml"}, {"slide", "ppt/slides/slide3.xml"}}},
		{"ppt/slideMasters/slideMaster1.xml", pml + "slideMaster", `<p:sldMaster` + ns + `>` + tree("") + colours + `<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst></p:sldMaster>`,
			[]relation{{"slideLayout", "ppt/slideLayouts/slideLayout1.xml"}, {"theme", "ppt/theme/theme1.xml"}}},
		{"ppt/slideLayouts/slideLayout1.xml", pml + "slideLayout", `<p:sldLayout` + ns + `>` + tree("") + `</p:sldLayout>`, []relation{{"slideMaster", "ppt/slideMasters/slideMaster1.xml"}}},
		{"ppt/theme/theme1.xml", "theme", `<a:theme` + ns + ` name="t"><a:themeElements><a:clrScheme name="c">` + scheme.String() + `</a:clrScheme></a:themeElements></a:theme>`, nil},
	}
	for i, words := range []string{"Tides", "Currents and eddies", "Moorings"} {
		shape := `<p:sp><p:nvSpPr><p:cNvPr id="2" name="s"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="914400" y="914400"/><a:ext cx="7000000" cy="1000000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:p><a:r><a:rPr lang="en-GB" sz="2400"/><a:t>` + words + `</a:t></a:r></a:p></p:txBody></p:sp>`
		parts = append(parts, part{fmt.Sprintf("ppt/slides/slide%d.xml", i+1), pml + "slide", `<p:sld` + ns + `>` + tree(shape) + `</p:sld>`, []relation{{"slideLayout", "ppt/slideLayouts/slideLayout1.xml"}}})
	}
	return packParts(t, parts...)
}

// openPresentation has three slides of one master page, as ODP.
func openPresentation(t *testing.T) []byte {
	const (
		head = `<?xml version="1.0" encoding="UTF-8"?>`
		ns   = "urn:oasis:names:tc:opendocument:xmlns:"
		kind = "application/vnd.oasis.opendocument.presentation"
		all  = ` xmlns:office="` + ns + `office:1.0" xmlns:style="` + ns + `style:1.0" xmlns:text="` + ns + `text:1.0" xmlns:draw="` + ns + `drawing:1.0" xmlns:svg="` + ns + `svg-compatible:1.0" office:version="1.3"`
	)
	var pages strings.Builder
	for i, words := range []string{"Tides", "Currents and eddies", "Moorings"} {
		fmt.Fprintf(&pages, `<draw:page draw:name="page%d" draw:master-page-name="Plain"><draw:frame svg:width="20cm" svg:height="4cm" svg:x="2cm" svg:y="2cm"><draw:text-box><text:p>%s on slide <text:page-number/></text:p></draw:text-box></draw:frame></draw:page>`, i+1, words)
	}
	return pack(t,
		"mimetype", kind,
		"content.xml", head+`<office:document-content`+all+`><office:body><office:presentation>`+pages.String()+`</office:presentation></office:body></office:document-content>`,
		"styles.xml", head+`<office:document-styles`+all+`><office:automatic-styles><style:page-layout style:name="layout"/></office:automatic-styles><office:master-styles><style:master-page style:name="Plain" style:page-layout-name="layout"/></office:master-styles></office:document-styles>`,
		"META-INF/manifest.xml", head+`<manifest:manifest xmlns:manifest="`+ns+`manifest:1.0" manifest:version="1.3"><manifest:file-entry manifest:full-path="/" manifest:media-type="`+kind+`"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/><manifest:file-entry manifest:full-path="styles.xml" manifest:media-type="text/xml"/></manifest:manifest>`)
}
