package slides_test

import (
	"fmt"
	"strings"

	"github.com/citekit/citekit/internal/test/doctest"
)

const (
	relType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	xmlHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	spaces  = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`

	openType = "application/vnd.openxmlformats-officedocument.presentationml."
)

// A file is a package in the making. Parts keep their order.
type file struct {
	names []string
	parts map[string]string
	types map[string]string
	rels  map[string][]string
}

func newFile() *file {
	return &file{parts: make(map[string]string), types: make(map[string]string), rels: make(map[string][]string)}
}

// add adds a part. The type is a content type, or what follows the prefix of
// those of presentations.
func (f *file) add(name, contentType, content string) {
	if _, known := f.parts[name]; !known {
		f.names = append(f.names, name)
	}
	if contentType != "" && !strings.Contains(contentType, "/") {
		contentType = openType + contentType + "+xml"
	}
	f.parts[name] = content
	f.types[name] = contentType
}

// rel adds a relationship; the id is r1 and so on.
func (f *file) rel(from, kind, target string) (id string) {
	id = fmt.Sprintf("r%d", len(f.rels[from])+1)
	mode := ""
	if strings.Contains(target, "://") {
		mode = ` TargetMode="External"`
	} else {
		target = "/" + target
	}
	if !strings.Contains(kind, "://") {
		kind = relType + kind
	}
	f.rels[from] = append(f.rels[from], fmt.Sprintf(`<Relationship Id="%s" Type="%s" Target="%s"%s/>`, id, kind, target, mode))
	return id
}

// bytes returns the package.
func (f *file) bytes() []byte {
	var files []string
	put := func(name, content string) { files = append(files, name, content) }
	types := xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Default Extension="bin" ContentType="application/octet-stream"/><Default Extension="xlsx" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"/>`
	for _, name := range f.names {
		if t := f.types[name]; t != "" {
			types += fmt.Sprintf(`<Override PartName="/%s" ContentType="%s"/>`, name, t)
		}
	}
	put("[Content_Types].xml", types+"</Types>")
	for _, name := range append([]string{""}, f.names...) {
		if list := f.rels[name]; list != nil {
			dir, base := "", name
			if i := strings.LastIndexByte(name, '/'); i >= 0 {
				dir, base = name[:i+1], name[i+1:]
			}
			put(dir+"_rels/"+base+".rels", xmlHead+`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`+strings.Join(list, "")+`</Relationships>`)
		}
		if name != "" {
			put(name, f.parts[name])
		}
	}
	return doctest.Zip(files...)
}

func shape(id int, placeholder string, paragraphs ...string) string {
	ph := ""
	if placeholder != "" {
		ph = `<p:ph type="` + placeholder + `"/>`
	}
	body := ""
	for _, p := range paragraphs {
		if !strings.HasPrefix(p, "<") {
			p = "<a:r><a:t>" + p + "</a:t></a:r>"
		}
		body += "<a:p>" + p + "</a:p>"
	}
	return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="Shape %d"/><p:cNvSpPr/><p:nvPr>%s</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>%s</p:txBody></p:sp>`, id, id, ph, body)
}

func tree(shapes ...string) string {
	return `<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>` + strings.Join(shapes, "") + `</p:spTree></p:cSld>`
}

func frame(id int, uri, data string) string {
	return fmt.Sprintf(`<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="%d" name="Frame %d"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="1" y="2"/><a:ext cx="300000" cy="400000"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/%s">%s</a:graphicData></a:graphic></p:graphicFrame>`, id, id, uri, data)
}

func picture(id int, rel string) string {
	return fmt.Sprintf(`<p:pic><p:nvPicPr><p:cNvPr id="%d" name="Picture %d"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm><a:off x="1" y="2"/><a:ext cx="300000" cy="400000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>`, id, id, rel)
}

func table(rows ...[]string) string {
	s := "<a:tbl><a:tblPr/><a:tblGrid>" + strings.Repeat(`<a:gridCol w="100"/>`, len(rows[0])) + "</a:tblGrid>"
	for _, row := range rows {
		s += `<a:tr h="10">`
		for _, cell := range row {
			s += "<a:tc><a:txBody><a:bodyPr/>"
			for p := range strings.SplitSeq(cell, "|") {
				s += "<a:p><a:r><a:t>" + p + "</a:t></a:r></a:p>"
			}
			s += "</a:txBody><a:tcPr/></a:tc>"
		}
		s += "</a:tr>"
	}
	return s + "</a:tbl>"
}

// png is the smallest picture, with a text behind it.
const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82"

func slideName(n int) string { return fmt.Sprintf("ppt/slides/slide%d.xml", n) }

// A deck is a presentation whose slides each have a word of their own, such as
// "Secret3", in every part that belongs to them.
type deck struct {
	*file
	shapes map[int][]string // of each slide
}

const main = "ppt/presentation.xml"

// newDeck returns a presentation of six slides with all that slides may have.
func newDeck() *deck {
	d := &deck{file: newFile(), shapes: make(map[int][]string)}
	d.rel("", "officeDocument", main)
	d.rel("", "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties", "docProps/core.xml")
	d.rel("", "extended-properties", "docProps/app.xml")
	d.rel("", "http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail", "docProps/thumb.png")
	d.add(main, "presentation.main", "")
	d.masters()
	for n := 1; n <= 6; n++ {
		d.slide(n)
	}
	d.first()
	d.second()
	d.third()
	d.fourth()
	d.fifth()
	d.rest()
	for n := 1; n <= 6; n++ {
		hidden := ""
		if n == 2 {
			hidden = ` show="0"`
		}
		d.parts[slideName(n)] = xmlHead + "<p:sld" + spaces + hidden + ">" + tree(d.shapes[n]...) + "</p:sld>"
	}
	d.parts[main] = d.presentation()
	return d
}

// masters adds two of them, with three layouts each.
func (d *deck) masters() {
	for m := 1; m <= 2; m++ {
		master, theme := fmt.Sprintf("ppt/slideMasters/slideMaster%d.xml", m), fmt.Sprintf("ppt/theme/theme%d.xml", m)
		d.add(master, "slideMaster", "")
		d.add(theme, "application/vnd.openxmlformats-officedocument.theme+xml", xmlHead+`<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Theme"><a:themeElements><a:clrScheme name="x"><a:dk1><a:srgbClr val="000000"/></a:dk1><a:lt1><a:srgbClr val="FFFFFF"/></a:lt1><a:dk2><a:srgbClr val="000000"/></a:dk2><a:lt2><a:srgbClr val="FFFFFF"/></a:lt2><a:accent1><a:srgbClr val="FF0000"/></a:accent1><a:accent2><a:srgbClr val="FF0000"/></a:accent2><a:accent3><a:srgbClr val="FF0000"/></a:accent3><a:accent4><a:srgbClr val="FF0000"/></a:accent4><a:accent5><a:srgbClr val="FF0000"/></a:accent5><a:accent6><a:srgbClr val="FF0000"/></a:accent6><a:hlink><a:srgbClr val="0000FF"/></a:hlink><a:folHlink><a:srgbClr val="0000FF"/></a:folHlink></a:clrScheme><a:fontScheme name="x"><a:majorFont><a:latin typeface="Arial"/><a:ea typeface=""/><a:cs typeface=""/></a:majorFont><a:minorFont><a:latin typeface="Arial"/><a:ea typeface=""/><a:cs typeface=""/></a:minorFont></a:fontScheme></a:themeElements></a:theme>`)
		list := ""
		for l := 3*m - 2; l <= 3*m; l++ {
			layout := fmt.Sprintf("ppt/slideLayouts/slideLayout%d.xml", l)
			d.add(layout, "slideLayout", xmlHead+"<p:sldLayout"+spaces+">"+tree(shape(2, "title", fmt.Sprintf("Layout%d", l)))+"</p:sldLayout>")
			d.rel(layout, "slideMaster", master)
			list += fmt.Sprintf(`<p:sldLayoutId id="%d" r:id="%s"/>`, 2147483650+10*m+l, d.rel(master, "slideLayout", layout))
		}
		d.rel(master, "theme", theme)
		d.parts[master] = xmlHead + "<p:sldMaster" + spaces + ">" + tree(shape(2, "title", fmt.Sprintf("Master%d", m))) +
			`<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/><p:sldLayoutIdLst>` + list + `</p:sldLayoutIdLst></p:sldMaster>`
	}
	d.add("ppt/notesMasters/notesMaster1.xml", "notesMaster", xmlHead+"<p:notesMaster"+spaces+">"+tree()+`<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/></p:notesMaster>`)
	d.rel("ppt/notesMasters/notesMaster1.xml", "theme", "ppt/theme/theme1.xml")
	d.add("ppt/handoutMasters/handoutMaster1.xml", "handoutMaster", "<p:handoutMaster"+spaces+"/>")
}

// slide adds what all slides have: a layout, notes, a comment, a picture and
// tags.
func (d *deck) slide(n int) {
	name, secret := slideName(n), fmt.Sprintf("Secret%d", n)
	d.add(name, "slide", "")
	d.rel(name, "slideLayout", fmt.Sprintf("ppt/slideLayouts/slideLayout%d.xml", min(n, 5)))
	notes := fmt.Sprintf("ppt/notesSlides/notesSlide%d.xml", n)
	d.rel(name, "notesSlide", notes)
	d.add(notes, "notesSlide", xmlHead+"<p:notes"+spaces+">"+tree(shape(2, "body", "Say "+secret), shape(3, "sldNum", `<a:fld id="{0}" type="slidenum"><a:t>9</a:t></a:fld>`))+"</p:notes>")
	d.rel(notes, "notesMaster", "ppt/notesMasters/notesMaster1.xml")
	d.rel(notes, "slide", name)
	comments := fmt.Sprintf("ppt/comments/comment%d.xml", n)
	d.rel(name, "comments", comments)
	d.add(comments, "comments", xmlHead+"<p:cmLst"+spaces+fmt.Sprintf(`><p:cm authorId="%d" dt="2024-01-01T00:00:00" idx="1"><p:pos x="1" y="1"/><p:text>Comment %s</p:text></p:cm></p:cmLst>`, n, secret))
	image := fmt.Sprintf("ppt/media/image%d.png", n)
	d.add(image, "", png+secret)
	id := d.rel(name, "image", image)
	tags := fmt.Sprintf("ppt/tags/tag%d.xml", n)
	d.add(tags, "tags", xmlHead+"<p:tagLst"+spaces+`><p:tag name="K" val="`+secret+`"/></p:tagLst>`)
	d.rel(name, "tags", tags)
	d.shapes[n] = []string{picture(90, id), shape(91, "", secret)}
}

func (d *deck) put(n int, shapes ...string) { d.shapes[n] = append(shapes, d.shapes[n]...) }

// first has a title behind its text, and links to other slides and outside.
func (d *deck) first() {
	name := slideName(1)
	link := func(kind, target, action, text string) string {
		return fmt.Sprintf(`<a:r><a:rPr><a:hlinkClick r:id="%s"%s/></a:rPr><a:t>%s</a:t></a:r>`, d.rel(name, kind, target), action, text)
	}
	jump := ` action="ppaction://hlinksldjump"`
	d.put(1,
		shape(2, "", link("slide", slideName(4), jump, "to four"), link("slide", slideName(1), jump, "to itself"), link("hyperlink", "https://example.org/x", "", "outside"),
			`<a:r><a:rPr><a:hlinkClick r:id="" action="ppaction://customshow?id=0"/></a:rPr><a:t>a show</a:t></a:r>`),
		shape(3, "ctrTitle", `<a:r><a:t>Opening &amp; </a:t></a:r><a:br/><a:r><a:t>welcome</a:t></a:r>`),
	)
}

// second is hidden and has a table and a group.
func (d *deck) second() {
	d.put(2, shape(2, "title", "Costs"), frame(3, "drawingml/2006/table", table([]string{"Item", "Price"}, []string{"Tea|green", "3"}, []string{"", "4"})),
		`<p:grpSp><p:nvGrpSpPr><p:cNvPr id="4" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`+shape(5, "", "in a group")+shape(6, "", "   ")+`</p:grpSp>`)
}

// third has a chart with a workbook, and no title.
func (d *deck) third() {
	chart := "ppt/charts/chart1.xml"
	points := func(kind string, values ...string) string {
		s := fmt.Sprintf(`<c:%s><c:ptCount val="%d"/>`, kind, len(values))
		for i, v := range values {
			s += fmt.Sprintf(`<c:pt idx="%d"><c:v>%s</c:v></c:pt>`, i, v)
		}
		return s + "</c:" + kind + ">"
	}
	series := func(i int, name string, values ...string) string {
		return fmt.Sprintf(`<c:ser><c:idx val="%d"/><c:order val="%d"/><c:tx><c:strRef><c:f>S!A1</c:f>%s</c:strRef></c:tx><c:cat><c:strRef><c:f>S!A2</c:f>%s</c:strRef></c:cat><c:val><c:numRef><c:f>S!B2</c:f>%s</c:numRef></c:val></c:ser>`,
			i, i, points("strCache", name), points("strCache", "East", "West"), points("numCache", values...))
	}
	d.add(chart, "application/vnd.openxmlformats-officedocument.drawingml.chart+xml", xmlHead+`<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"`+spaces+`><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>Sales Secret3</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:barDir val="col"/>`+
		series(0, "2023", "1.5", "2")+series(1, "2024", "3", "4")+`<c:axId val="1"/><c:axId val="2"/></c:barChart></c:plotArea></c:chart><c:externalData r:id="r1"/></c:chartSpace>`)
	d.rel(chart, "package", "ppt/embeddings/workbook1.xlsx")
	d.add("ppt/embeddings/workbook1.xlsx", "", "PK workbook Secret3")
	id := d.rel(slideName(3), "chart", chart)
	d.put(3, frame(2, "drawingml/2006/chart", `<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="`+id+`"/>`),
		shape(3, "sldNum", `<a:fld id="{1}" type="slidenum"><a:rPr lang="en"/><a:t>‹#›</a:t></a:fld>`))
}

// fourth has a diagram and an embedded file.
func (d *deck) fourth() {
	const dgm = ` xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"`
	name, data := slideName(4), "ppt/diagrams/data1.xml"
	point := func(id, kind, text string) string {
		return fmt.Sprintf(`<dgm:pt modelId="%s"%s><dgm:t><a:bodyPr/><a:p><a:r><a:t>%s</a:t></a:r></a:p></dgm:t></dgm:pt>`, id, kind, text)
	}
	cxn := func(from, to string, order int) string {
		return fmt.Sprintf(`<dgm:cxn modelId="c%s%s" srcId="%s" destId="%s" srcOrd="%d" destOrd="0"/>`, from, to, from, to, order)
	}
	d.add(data, "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml", xmlHead+"<dgm:dataModel"+dgm+spaces+"><dgm:ptLst>"+
		`<dgm:pt modelId="0" type="doc"/>`+point("2", "", "Second")+point("1", "", "First Secret4")+point("3", "", "Below first")+point("9", ` type="pres"`, "never")+
		"</dgm:ptLst><dgm:cxnLst>"+cxn("0", "2", 1)+cxn("0", "1", 0)+cxn("1", "3", 0)+cxn("3", "1", 0)+"</dgm:cxnLst></dgm:dataModel>")
	id := d.rel(name, "diagramData", data)
	ole, oleImage := "ppt/embeddings/oleObject1.bin", "ppt/media/image40.png"
	d.add(ole, "application/vnd.openxmlformats-officedocument.oleObject", "\xd0\xcf\x11\xe0 Object4")
	d.add(oleImage, "", png+"Secret4 object")
	oleID, imageID := d.rel(name, "oleObject", ole), d.rel(name, "image", oleImage)
	object := `<p:oleObj %sname="Sheet" r:id="` + oleID + `" imgW="1" imgH="1" progId="Excel.Sheet.8"><p:embed/>%s</p:oleObj>`
	d.put(4, shape(2, "title", "Plan"), frame(3, "drawingml/2006/diagram", `<dgm:relIds`+dgm+` r:dm="`+id+`"/>`),
		frame(4, "presentationml/2006/ole", `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice xmlns:v="urn:schemas-microsoft-com:vml" Requires="v">`+
			fmt.Sprintf(object, `spid="_x0000_s1" `, "")+`</mc:Choice><mc:Fallback>`+fmt.Sprintf(object, "", picture(0, imageID))+`</mc:Fallback></mc:AlternateContent>`))
}

// fifth has controls, and a zoom to slide 6.
func (d *deck) fifth() {
	name := slideName(5)
	id, image := d.rel(name, "slide", slideName(6)), d.rel(name, "image", "ppt/media/image50.png")
	d.add("ppt/media/image50.png", "", png+"Secret5 zoom")
	d.put(5, shape(2, "title", "Zoom"), `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice xmlns:pslz="urn:zoom" Requires="pslz">`+
		frame(3, "zoom", `<pslz:sldZm><pslz:sldZmObj sldId="261" r:id="`+id+`"/></pslz:sldZm>`)+`</mc:Choice><mc:Fallback>`+
		strings.Replace(picture(3, image), `name="Picture 3"/>`, `name="Picture 3"><a:hlinkClick r:id="`+id+`" action="ppaction://hlinksldjump"/></p:cNvPr>`, 1)+`</mc:Fallback></mc:AlternateContent>`)
}

// rest adds what belongs to all slides together.
func (d *deck) rest() {
	authors := ""
	for n := 1; n <= 6; n++ {
		authors += fmt.Sprintf(`<p:cmAuthor id="%d" name="Author Secret%d" initials="A" lastIdx="1" clrIdx="0"/>`, n, n)
	}
	d.add("ppt/commentAuthors.xml", "commentAuthors", xmlHead+"<p:cmAuthorLst"+spaces+">"+authors+"</p:cmAuthorLst>")
	d.add("ppt/presProps.xml", "presProps", xmlHead+"<p:presentationPr"+spaces+`><p:showPr><p:present/><p:sldRg st="2" end="6"/></p:showPr></p:presentationPr>`)
	d.add("ppt/viewProps.xml", "viewProps", xmlHead+"<p:viewPr"+spaces+`/>`)
	for n := 1; n <= 6; n++ {
		d.rel("ppt/viewProps.xml", "slide", slideName(n))
	}
	d.add("ppt/tableStyles.xml", "tableStyles", xmlHead+`<a:tblStyleLst`+spaces+` def="{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}"/>`)
	d.add("ppt/printer.bin", "", "Printer of Secret6")
	d.add("docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml", xmlHead+`<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>The plan</dc:title><dc:creator>Ada Author</dc:creator><dcterms:created>2024-05-01T10:00:00Z</dcterms:created></cp:coreProperties>`)
	d.add("docProps/app.xml", "application/vnd.openxmlformats-officedocument.extended-properties+xml", xmlHead+`<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><TitlesOfParts>Secret1 Secret2 Secret3 Secret4 Secret5 Secret6</TitlesOfParts></Properties>`)
	d.add("docProps/thumb.png", "", png+"Secret1")
}

// presentation returns the main part.
func (d *deck) presentation() string {
	master := func(n int) string {
		return fmt.Sprintf(`<p:sldMasterId id="%d" r:id="%s"/>`, 2147483650+10*n, d.rel(main, "slideMaster", fmt.Sprintf("ppt/slideMasters/slideMaster%d.xml", n)))
	}
	s := xmlHead + `<p:presentation` + spaces + `><p:sldMasterIdLst>` + master(1) + master(2) + `</p:sldMasterIdLst><p:notesMasterIdLst><p:notesMasterId r:id="` +
		d.rel(main, "notesMaster", "ppt/notesMasters/notesMaster1.xml") + `"/></p:notesMasterIdLst><p:handoutMasterIdLst><p:handoutMasterId r:id="` +
		d.rel(main, "handoutMaster", "ppt/handoutMasters/handoutMaster1.xml") + `"/></p:handoutMasterIdLst><p:sldIdLst>`
	show := ""
	for n := 1; n <= 6; n++ {
		id := d.rel(main, "slide", slideName(n))
		s += fmt.Sprintf(`<p:sldId id="%d" r:id="%s"/>`, 255+n, id)
		if n > 2 {
			show += `<p:sld r:id="` + id + `"/>`
		}
	}
	d.rel(main, "presProps", "ppt/presProps.xml")
	d.rel(main, "viewProps", "ppt/viewProps.xml")
	d.rel(main, "theme", "ppt/theme/theme1.xml")
	d.rel(main, "tableStyles", "ppt/tableStyles.xml")
	d.rel(main, "commentAuthors", "ppt/commentAuthors.xml")
	d.rel(main, "printerSettings", "ppt/printer.bin")
	section := func(name string, first, last int) string {
		list := ""
		for n := first; n <= last; n++ {
			list += fmt.Sprintf(`<p14:sldId id="%d"/>`, 255+n)
		}
		return `<p14:section name="` + name + `" id="{` + name + `}"><p14:sldIdLst>` + list + `</p14:sldIdLst></p14:section>`
	}
	return s + `</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/><p:custShowLst><p:custShow name="Show Secret6" id="0"><p:sldLst>` + show + `</p:sldLst></p:custShow></p:custShowLst>` +
		`<p:extLst><p:ext uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"><p14:sectionLst xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main">` +
		section("Section Secret1", 1, 1) + section("Middle", 2, 4) + section("Empty Secret6", 9, 8) + section("Section Secret6", 6, 6) + `</p14:sectionLst></p:ext></p:extLst></p:presentation>`
}
