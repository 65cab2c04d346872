package slides_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/slides"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/modalitytest"
)

const mediaType = openType + "presentation"

func pages(runs ...int) citekit.Location {
	loc := citekit.Location{Modality: citekit.Document}
	for i := 0; i < len(runs); i += 2 {
		loc.Pages = append(loc.Pages, citekit.Range{First: runs[i], Last: runs[i+1]})
	}
	return loc
}

func source(data []byte) *citekit.Source { return doctest.Source("deck.pptx", data) }

// cut returns the evidence at a location, and what it has otherwise.
func cut(t testing.TB, data []byte, loc citekit.Location) ([]byte, []string) {
	t.Helper()
	return doctest.Cut(t, new(slides.Resolver), source(data), loc)
}

// texts returns the text of the slides at a location.
func texts(t testing.TB, data []byte, loc citekit.Location) []string {
	t.Helper()
	return doctest.Texts(t, new(slides.Resolver), source(data), loc)
}

var wantTexts = []string{
	"Opening & \nwelcome\nto four\nto itself\noutside\na show\nSecret1\nNotes:\nSay Secret1\n",
	"Costs\nItem\tPrice\nTea green\t3\n\t4\nin a group\nSecret2\nNotes:\nSay Secret2\n",
	"Sales Secret3\n\t2023\t2024\nEast\t1.5\t3\nWest\t2\t4\n3\nSecret3\nNotes:\nSay Secret3\n",
	"Plan\nFirst Secret4\nBelow first\nSecond\nSecret4\nNotes:\nSay Secret4\n",
	"Zoom\nSecret5\nNotes:\nSay Secret5\n",
	"Secret6\nNotes:\nSay Secret6\n",
}

func TestConformance(t *testing.T) {
	hasSlides := func(n int) func(testing.TB, []byte, *citekit.Content) {
		return func(t testing.TB, got []byte, c *citekit.Content) {
			if c.MediaType != mediaType || c.Ext != ".pptx" {
				t.Errorf("media type %q, ext %q", c.MediaType, c.Ext)
			}
			if list := texts(t, got, citekit.Location{Modality: citekit.Document}); len(list) != n {
				t.Errorf("%d slides, want %d", len(list), n)
			}
		}
	}
	modalitytest.Test(t, &slides.Resolver{}, modalitytest.Fixture{
		Name:   "deck.pptx",
		Source: newDeck().bytes(),
		Good: []modalitytest.Case{
			{Name: "one", Location: pages(2, 2), WantText: wantTexts[1], Check: hasSlides(1)},
			{Name: "table", Location: onTable(2, ""), WantText: "Item\tPrice\nTea green\t3\n\t4\n", Check: hasSlides(1)},
			{Name: "cells", Location: onTable(2, "B2:B3"), WantText: "3\n4\n", Check: hasSlides(1)},
			{Name: "run", Location: pages(3, 5), WantText: strings.Join(wantTexts[2:5], ""), Check: hasSlides(3)},
			{Name: "apart", Location: pages(1, 1, 4, 6), WantText: wantTexts[0] + strings.Join(wantTexts[3:], ""), Check: hasSlides(4)},
		},
		OutOfRange: []citekit.Location{pages(7, 7), pages(1, 7), pages(2, 2, 2000000000, 2000000000), onTable(1, ""), onTable(2, "C1"), onTable(2, "A4")},
		Foreign:    citekit.Location{Modality: citekit.Audio, Time: citekit.Span{End: 1}},
		Extent:     citekit.Extent{Modality: citekit.Document, Pages: 6, MediaType: mediaType},
	})
}

func TestText(t *testing.T) {
	got := texts(t, newDeck().bytes(), citekit.Location{Modality: citekit.Document})
	for i, want := range wantTexts {
		if i >= len(got) || got[i] != want {
			t.Errorf("slide %d: %q, want %q", i+1, got[i], want)
		}
	}
}

func TestBox(t *testing.T) {
	loc := pages(1, 1)
	loc.Box = citekit.Box{X2: 0.5, Y2: 0.5}
	var r slides.Resolver
	if _, err := r.Resolve(t.Context(), source(newDeck().bytes()), citekit.Request{Location: loc}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a box: %v", err)
	}
}

// TestNothingElseTravels looks for the words of slides that are left out in all
// parts of every cut, and for those of the slides that are kept.
func TestNothingElseTravels(t *testing.T) {
	sharedtest.Once(t)
	data := newDeck().bytes()
	for _, loc := range []citekit.Location{pages(1, 1), pages(2, 2), pages(3, 3), pages(4, 4), pages(5, 5), pages(6, 6), pages(2, 4), pages(1, 1, 5, 6), pages(1, 1, 3, 3, 6, 6)} {
		out, _ := cut(t, data, loc)
		if again, _ := cut(t, data, loc); !bytes.Equal(out, again) {
			t.Errorf("%v: other bytes the second time", loc.Pages)
		}
		parts := doctest.Unzip(t, out)
		kept := make(map[int]bool)
		for _, run := range loc.Pages {
			for n := run.First; n <= run.Last; n++ {
				kept[n] = true
			}
		}
		for n := 1; n <= 6; n++ {
			secret, found := fmt.Sprintf("Secret%d", n), 0
			for name, content := range parts {
				if strings.Contains(content, secret) {
					found++
					if !kept[n] {
						t.Errorf("%v: %s has %s", loc.Pages, name, secret)
					}
				}
			}
			if kept[n] && found < 6 {
				t.Errorf("%v: %s is in %d parts", loc.Pages, secret, found)
			}
		}
		for _, gone := range []string{"Object4", "Ada Author", "Printer", "custShow", "sldRg", "handout", "viewPr"} {
			for name, content := range parts {
				if strings.Contains(content, gone) {
					t.Errorf("%v: %s has %q", loc.Pages, name, gone)
				}
			}
		}
		checkPackage(t, out)
		if got, want := texts(t, out, citekit.Location{Modality: citekit.Document}), texts(t, data, loc); !slices.Equal(got, want) {
			t.Errorf("%v: the text is %q, want %q", loc.Pages, got, want)
		}
	}
}

// checkPackage reads a cut as a stranger would: every part has a type and is
// reached, every relationship leads somewhere, and what is named is there.
func checkPackage(t testing.TB, data []byte) {
	t.Helper()
	p, err := ooxml.Open(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Error(err)
		return
	}
	reached := map[string]bool{p.Main(): true}
	for _, part := range p.Parts() {
		if isList(part.Name) {
			continue
		}
		if p.ContentType(part.Name) == "" {
			t.Errorf("%s has no content type", part.Name)
		}
		ids := make(map[string]bool)
		rels, err := p.Rels(t.Context(), part.Name)
		if err != nil {
			t.Errorf("%s: %v", part.Name, err)
		}
		for _, rel := range rels {
			ids[rel.ID] = true
			reached[rel.Target] = true
			if !rel.External && p.Part(rel.Target) == nil {
				t.Errorf("%s: nothing at %s", part.Name, rel.Target)
			}
		}
		if strings.HasSuffix(part.Name, ".xml") {
			checkNames(t, part, ids)
		}
	}
	for _, part := range p.Parts() {
		if !reached[part.Name] && !isList(part.Name) {
			t.Errorf("%s is not reached", part.Name)
		}
	}
}

func isList(name string) bool {
	return strings.HasSuffix(name, ".rels") || name == "[Content_Types].xml"
}

func checkNames(t testing.TB, part *ooxml.Part, ids map[string]bool) {
	t.Helper()
	text, err := part.Text(t.Context())
	if err != nil {
		t.Errorf("%s: %v", part.Name, err)
		return
	}
	s := ooxml.Scan(text)
	for s.Next() {
		if s.Kind != xmlspan.Start {
			continue
		}
		for a := range s.Attrs() {
			if a.Space == "r" && a.Value != "" && !ids[a.Value] {
				t.Errorf("%s: %s names %s", part.Name, s.Local, a.Value)
			}
		}
	}
	if s.Err() != nil {
		t.Errorf("%s: %v", part.Name, s.Err())
	}
}

func TestChanges(t *testing.T) {
	data := newDeck().bytes()
	for loc, want := range map[*citekit.Location][]string{
		{Pages: []citekit.Range{{First: 2, Last: 2}}}: {"custom shows left out"},
		{Pages: []citekit.Range{{First: 1, Last: 1}}}: {"links of slide 1 to macros and custom shows removed", "links of slide 1 to slides that are left out removed", "custom shows left out"},
		{Pages: []citekit.Range{{First: 4, Last: 4}}}: {"embedded objects of slide 4 replaced by their pictures", "custom shows left out"},
		{Pages: []citekit.Range{{First: 5, Last: 5}}}: {"links of slide 5 to slides that are left out removed", "custom shows left out"},
		{Pages: []citekit.Range{{First: 1, Last: 1}, {First: 3, Last: 3}}}: {
			"links of slide 1 to macros and custom shows removed", "links of slide 1 to slides that are left out removed",
			"slide numbers written as text, so that they stay", "custom shows left out"},
	} {
		loc.Modality = citekit.Document
		if _, got := cut(t, data, *loc); !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", loc.Pages, got, want)
		}
	}
}

// TestEmbeddedObject holds the picture of an embedded file to the place and the
// id of its frame.
func TestEmbeddedObject(t *testing.T) {
	sharedtest.Once(t)
	out, _ := cut(t, newDeck().bytes(), pages(4, 4))
	slide := doctest.Unzip(t, out)[slideName(4)]
	for _, want := range []string{`<p:pic><p:nvPicPr><p:cNvPr id="4" name="Frame 4"/>`, `<dgm:relIds`} {
		if !strings.Contains(slide, want) {
			t.Errorf("the slide has no %s", want)
		}
	}
	for _, gone := range []string{"oleObj", "AlternateContent"} {
		if strings.Contains(slide, gone) {
			t.Errorf("the slide has %s", gone)
		}
	}
}

// TestObjectOfDrawing keeps the picture of an embedded file that is in the VML
// drawing of the slide alone; without one the file is left out and reported.
func TestObjectOfDrawing(t *testing.T) {
	sharedtest.Once(t)
	for _, shape := range []string{"_x0000_s1026", "other"} {
		d := newDeck()
		name, vml := slideName(6), "ppt/drawings/vmlDrawing1.vml"
		d.add(vml, "application/vnd.openxmlformats-officedocument.vmlDrawing", "")
		d.add("ppt/media/object.png", "", png+"Secret6 object")
		d.add("ppt/media/beside.png", "", png+"beside")
		d.add("ppt/embeddings/oleObject6.bin", "application/vnd.openxmlformats-officedocument.oleObject", "Object6")
		beside, image := d.rel(vml, "image", "ppt/media/beside.png"), d.rel(vml, "image", "ppt/media/object.png")
		d.rel(name, "vmlDrawing", vml)
		drawn := func(id, image string) string {
			return `<v:shape id="` + id + `" style="width:1pt"><v:imagedata o:relid="` + image + `" o:title=""/></v:shape>`
		}
		d.parts[vml] = `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">` + drawn("_x0000_s1025", beside) + drawn(shape, image) + `</xml>`
		object := frame(7, "presentationml/2006/ole", `<p:oleObj spid="_x0000_s1026" name="Sheet" r:id="`+d.rel(name, "oleObject", "ppt/embeddings/oleObject6.bin")+`" progId="Excel.Sheet.8"><p:embed/></p:oleObj>`)
		d.parts[name] = strings.Replace(d.parts[name], "</p:spTree>", object+"</p:spTree>", 1)
		out, changes := cut(t, d.bytes(), pages(6, 6))
		checkPackage(t, out)
		parts := doctest.Unzip(t, out)
		want, has := "embedded objects of slide 6 replaced by their pictures", shape != "other"
		if !has {
			want = "embedded objects without a picture of slide 6 left out"
		}
		if !slices.Contains(changes, want) || strings.Contains(parts[name], `<p:cNvPr id="7" name="Frame 7" descr=""/>`) != has || (parts["ppt/media/object.png"] != "") != has {
			t.Errorf("%s: %q: %s", shape, changes, parts[name])
		}
		for part, content := range parts {
			if strings.Contains(content, "Object6") || strings.Contains(content, "beside") || strings.Contains(part, "vml") {
				t.Errorf("%s: %s travels along", shape, part)
			}
		}
	}
}

func TestSectionsAndNumbers(t *testing.T) {
	data := newDeck().bytes()
	out, _ := cut(t, data, pages(3, 4))
	got := doctest.Unzip(t, out)[main]
	for _, want := range []string{`firstSlideNum="3"`, `<p14:section name="Middle" id="{Middle}"><p14:sldIdLst><p14:sldId id="258"/><p14:sldId id="259"/></p14:sldIdLst></p14:section></p14:sectionLst>`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	out, _ = cut(t, data, pages(5, 5)) // of no section
	if got := doctest.Unzip(t, out)[main]; strings.Contains(got, "extLst") || strings.Contains(got, "section") {
		t.Errorf("an extension without sections stays: %s", got)
	}
	out, _ = cut(t, data, pages(1, 1, 3, 3))
	if got := doctest.Unzip(t, out)[slideName(3)]; !strings.Contains(got, `<a:r><a:rPr lang="en"/><a:t>3</a:t></a:r>`) {
		t.Errorf("the number is not written: %s", got)
	}
}

// TestLayouts checks that only what slides use stays of layouts and masters.
func TestLayouts(t *testing.T) {
	out, _ := cut(t, newDeck().bytes(), pages(2, 2))
	parts := doctest.Unzip(t, out)
	for name := range parts {
		if strings.Contains(name, "slideLayout") && !strings.Contains(name, "slideLayout2.xml") || strings.Contains(name, "slideMaster2") {
			t.Errorf("%s stays", name)
		}
	}
	if got := parts["ppt/slideMasters/slideMaster1.xml"]; strings.Count(got, "<p:sldLayoutId ") != 1 {
		t.Errorf("the master lists other layouts: %s", got)
	}
}

// TestMacros checks that a cut has none, and says so.
func TestMacros(t *testing.T) {
	d := newDeck()
	d.types[main] = "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"
	d.add("ppt/vbaProject.bin", "application/vnd.ms-office.vbaProject", "Macro")
	d.rel(main, "http://schemas.microsoft.com/office/2006/relationships/vbaProject", "ppt/vbaProject.bin")
	var r slides.Resolver
	for _, whole := range []bool{true, false} {
		loc, ext := citekit.Location{Modality: citekit.Document}, ".pptm"
		if !whole {
			loc, ext = pages(2, 2), ".pptx"
		}
		c, err := r.Resolve(t.Context(), source(d.bytes()), citekit.Request{Location: loc})
		if err != nil {
			t.Fatal(err)
		}
		out, _ := io.ReadAll(c.Body)
		if c.Ext != ext || slices.Contains(c.Changes, "macros left out") == whole {
			t.Errorf("whole %t: %s, %q", whole, c.Ext, c.Changes)
		}
		parts := doctest.Unzip(t, out)
		if _, there := parts["ppt/vbaProject.bin"]; there != whole || strings.Contains(parts["[Content_Types].xml"], "macro") != whole {
			t.Errorf("whole %t: macros are there: %t, %s", whole, there, parts["[Content_Types].xml"])
		}
	}
}

func TestMap(t *testing.T) {
	var r slides.Resolver
	m, err := r.Map(t.Context(), source(newDeck().bytes()), citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var walk func(nodes []*citekit.Node, indent string)
	walk = func(nodes []*citekit.Node, indent string) {
		for _, n := range nodes {
			got = append(got, fmt.Sprintf("%s%s %q %v %q", indent, n.Type, n.Title, n.Location.Pages, n.Summary))
			walk(n.Children, indent+"  ")
		}
	}
	walk(m.Nodes, "")
	want := []string{
		`section "Section Secret1" [1] ""`,
		`  slide "Opening & welcome" [1] "to four to itself outside a show Secret1"`,
		`section "Middle" [2-4] ""`,
		`  slide "Costs" [2] "Item Price Tea green 3 4 in a group Secret2"`,
		`  slide "Sales Secret3" [3] "2023 2024 East 1.5 3 West 2 4 3 Secret3"`,
		`  slide "Plan" [4] "First Secret4 Below first Second Secret4"`,
		`slide "Zoom" [5] "Secret5"`,
		`section "Section Secret6" [6] ""`,
		`  slide "Secret6" [6] ""`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	metadata := map[string]any{"pages": 6, "author": "Ada Author", "date": "2024-05-01T10:00:00Z"}
	if m.Title != "The plan" || m.Method != "slides" || !reflect.DeepEqual(m.Metadata, metadata) {
		t.Errorf("title %q, method %q, metadata %v", m.Title, m.Method, m.Metadata)
	}
}

// onTable returns the location of the first table of a slide, or of cells of it.
func onTable(slide int, cells string) citekit.Location {
	loc := pages(slide, slide)
	loc.Table = "1"
	if cells != "" {
		_ = loc.Cells.UnmarshalText([]byte(cells))
	}
	return loc
}

// TestSpans has a table with merged cells.
func TestSpans(t *testing.T) {
	d := newDeck()
	merged := strings.NewReplacer("<a:tblPr/>", `<a:tblPr firstRow="1"/>`,
		"<a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>wide", `<a:tc gridSpan="2"><a:txBody><a:bodyPr/><a:p><a:r><a:t>wide`,
		"<a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>-", `<a:tc hMerge="1"><a:txBody><a:bodyPr/><a:p><a:r><a:t>`,
		"<a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>tall", `<a:tc rowSpan="9"><a:txBody><a:bodyPr/><a:p><a:r><a:t>tall`,
		"<a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>^", `<a:tc vMerge="1"><a:txBody><a:bodyPr/><a:p><a:r><a:t>`,
	).Replace(table([]string{"wide", "-", "c"}, []string{"tall", "1", "2"}, []string{"^", "3", "4"}))
	d.parts[slideName(2)] = strings.Replace(d.parts[slideName(2)], "<p:graphicFrame>", frame(9, "drawingml/2006/table", merged)+"<p:graphicFrame>", 1)
	var r slides.Resolver
	got, err := r.Tables(t.Context(), source(d.bytes()), pages(2, 2))
	if err != nil || len(got) != 2 {
		t.Fatalf("%d tables, %v", len(got), err)
	}
	var cells []string
	for _, c := range got[0].Cells {
		cells = append(cells, fmt.Sprint(c.Cells, " ", c.Text, c.Header))
	}
	if want := []string{"A1:B1 widetrue", "C1 ctrue", "A2:A3 tallfalse", "B2 1false", "C2 2false", "B3 3false", "C3 4false"}; !slices.Equal(cells, want) {
		t.Errorf("%q", cells)
	}
	if got[0].Extent.String() != "A1:C3" || got[0].Headers != 1 || got[1].Location.String() != "pages=2&table=2" {
		t.Errorf("%+v", got[0])
	}
}

// TestLooks: text of a shape looks as its list style, its placeholder in the layout and the
// master, the styles of the master and those of the presentation say, by its level.
func TestLooks(t *testing.T) {
	list := func(levels ...string) string {
		s := "<a:lstStyle>"
		for i, attrs := range levels {
			s += fmt.Sprintf(`<a:lvl%[1]dpPr><a:defRPr%[2]s/></a:lvl%[1]dpPr>`, i+1, attrs)
		}
		return s + "</a:lstStyle>"
	}
	box := func(ph, style, runs string) string {
		return `<p:sp><p:nvSpPr><p:cNvPr id="90" name="box"/><p:cNvSpPr/><p:nvPr>` + ph + `</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>` + style + `<a:p>` + runs + `</a:p></p:txBody></p:sp>`
	}
	const (
		body  = `<p:ph type="body" idx="7"/>`
		out   = ` strike="sngStrike"`
		in    = ` strike="noStrike"`
		up    = ` baseline="30000"`
		line  = ` baseline="0"`
		two   = `<a:pPr lvl="1"/>`
		plain = `<a:r><a:t>of 10</a:t></a:r><a:r><a:rPr strike="noStrike" baseline="0"/><a:t>2</a:t></a:r>`
	)
	for name, c := range map[string]struct{ shape, layout, master, styles, usual, want string }{
		"nothing":               {box(body, "", plain), box(body, "", ""), box(body, "", ""), "", "", "of 102"},
		"its list":              {box("", list(out), plain), "", "", "", "", "~~of 10~~2"},
		"another level":         {box("", list(out), two+plain), "", "", "", "", "of 102"},
		"its level":             {box("", list("", out), two+plain), "", "", "", "", "~~of 10~~2"},
		"raised":                {box("", list(up), plain), "", "", "", "", "of ¹⁰2"},
		"the layout":            {box(body, "", plain), box(body, list(out), ""), "", "", "", "~~of 10~~2"},
		"the layout, not":       {box(body, list(in), plain), box(body, list(out), ""), "", "", "", "of 102"},
		"another place":         {box(body, "", plain), box(`<p:ph type="body" idx="8"/>`, list(out), "") + box(body, "", ""), "", "", "", "of 102"},
		"a place by its kind":   {box(`<p:ph type="ftr" idx="9"/>`, "", plain), box(`<p:ph type="ftr" idx="11"/>`, list(out), ""), "", "", "", "~~of 10~~2"},
		"the master":            {box(body, "", plain), box(body, "", ""), box(`<p:ph type="body"/>`, list(out), ""), "", "", "~~of 10~~2"},
		"the styles":            {box(body, "", plain), box(body, "", ""), "", `<p:bodyStyle>` + list(out)[12:len(list(out))-13] + `</p:bodyStyle>`, "", "~~of 10~~2"},
		"the styles of titles":  {box(body, "", plain), box(body, "", ""), "", `<p:titleStyle>` + list(out)[12:len(list(out))-13] + `</p:titleStyle>`, "", "of 102"},
		"the presentation":      {box("", "", plain), "", "", "", list(out), "~~of 10~~2"},
		"the master before it":  {box(body, "", plain), box(body, "", ""), "", `<p:bodyStyle>` + list(in + line)[12:len(list(in+line))-13] + `</p:bodyStyle>`, list(out + up), "of 102"},
		"a cell":                {frame(9, "drawingml/2006/table", `<a:tbl><a:tblPr/><a:tr><a:tc><a:txBody><a:bodyPr/><a:p>`+plain+`</a:p></a:txBody></a:tc></a:tr></a:tbl>`), "", "", "", list(out), "~~of 10~~2"},
		"a layout that is none": {box(body, "", plain), "<p:sp>", "", "", "", "of 102"},
	} {
		d := newDeck()
		d.parts[slideName(2)] = strings.Replace(d.parts[slideName(2)], "</p:spTree>", c.shape+"</p:spTree>", 1)
		rels := strings.Join(d.rels[slideName(2)], "")
		at := strings.Index(rels, "ppt/slideLayouts/")
		layout := rels[at : at+strings.IndexByte(rels[at:], '"')]
		rels = strings.Join(d.rels[layout], "")
		at = strings.Index(rels, "ppt/slideMasters/")
		master := rels[at : at+strings.IndexByte(rels[at:], '"')]
		d.parts[layout] = strings.Replace(d.parts[layout], "</p:spTree>", c.layout+"</p:spTree>", 1)
		d.parts[master] = strings.Replace(strings.Replace(d.parts[master], "</p:spTree>", c.master+"</p:spTree>", 1), "</p:sldMaster>", `<p:txStyles>`+c.styles+`</p:txStyles></p:sldMaster>`, 1)
		d.parts["ppt/presentation.xml"] = strings.Replace(d.parts["ppt/presentation.xml"], "</p:presentation>", `<p:defaultTextStyle>`+strings.TrimSuffix(strings.TrimPrefix(c.usual, "<a:lstStyle>"), "</a:lstStyle>")+`</p:defaultTextStyle></p:presentation>`, 1)
		lines := strings.Split(strings.Join(texts(t, d.bytes(), pages(2, 2)), ""), "\n")
		if !slices.Contains(lines, c.want) {
			t.Errorf("%s: %q lacks %q", name, lines, c.want)
		}
		out, _ := cut(t, d.bytes(), pages(2, 2))
		if lines = strings.Split(strings.Join(texts(t, out, pages(1, 1)), ""), "\n"); !slices.Contains(lines, c.want) {
			t.Errorf("%s: the evidence %q lacks %q", name, lines, c.want)
		}
	}
}

// TestRaised: digits of a power, of an index or of parts of a formula are not part of the
// number before them.
func TestRaised(t *testing.T) {
	run := func(attrs, text string) string {
		return `<a:r><a:rPr` + attrs + `/><a:t>` + text + `</a:t></a:r>`
	}
	const up, down, mathNS = ` baseline="30000"`, ` baseline="-25000"`, ` xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`
	half := `<a14:m` + mathNS + `><m:oMath><m:r><a:rPr/><m:t>3</m:t></m:r><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></a14:m>`
	for inner, want := range map[string]string{
		run("", "10") + run(up, "2") + run("", " m"):                                    "10² m",
		run("", "10") + run(` lang="en" baseline="30%"`, "−3"):                          "10⁻³",
		run("", "10") + run(down, "2") + run(` baseline="0"`, "3"):                      "10₂3",
		run("", "the 5") + run(up, "th"):                                                "the 5th",
		run("", "2019") + run(up, "1,2"):                                                "2019¹,²",
		run(up, "2") + `<a:r><a:t>3</a:t></a:r>`:                                        "²3",
		run("", "10") + `<a:fld type="datetime"><a:rPr` + up + `/><a:t>2</a:t></a:fld>`: "10²",
		run(` baseline="x"`, "1"):                                                       "1",
		half:                                                                            "3 1/2",
		`<a:r><a:rPr><a:sym typeface="Symbol"/></a:rPr><a:t>` + "\uf0a3" + `</a:t></a:r>` + run("", "5"): "≤5",
	} {
		d := newDeck()
		d.parts[slideName(2)] = strings.Replace(d.parts[slideName(2)], "<p:graphicFrame>", frame(9, "drawingml/2006/table",
			`<a:tbl><a:tblPr/><a:tr><a:tc><a:txBody><a:bodyPr/><a:p>`+inner+`</a:p></a:txBody></a:tc></a:tr></a:tbl>`)+"<p:graphicFrame>", 1)
		var r slides.Resolver
		tables, err := r.Tables(t.Context(), source(d.bytes()), pages(2, 2))
		if err != nil || len(tables) != 2 || len(tables[0].Cells) != 1 || tables[0].Cells[0].Text != want {
			t.Errorf("%s: %+v, %v, want %q", inner, tables, err, want)
		}
		found := false
		for text, err := range r.ReadText(t.Context(), source(d.bytes()), pages(2, 2)) {
			found = found || err == nil && strings.Contains(text.Text, "\n"+want+"\n")
		}
		if !found {
			t.Errorf("%s: the text of the slide lacks %q", inner, want)
		}
	}
}
