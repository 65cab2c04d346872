package slides_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/slides"
	"github.com/citekit/citekit/modality/modalitytest"
)

const (
	odpType = "application/vnd.oasis.opendocument.presentation"
	odpNS   = ` xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" xmlns:script="urn:oasis:names:tc:opendocument:xmlns:script:1.0" xmlns:form="urn:oasis:names:tc:opendocument:xmlns:form:1.0" xmlns:anim="urn:oasis:names:tc:opendocument:xmlns:animation:1.0" xmlns:smil="urn:oasis:names:tc:opendocument:xmlns:smil-compatible:1.0" xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"`
)

// odpBox returns a frame with paragraphs.
func odpBox(class string, paragraphs ...string) string {
	return `<draw:frame presentation:class="` + class + `"><draw:text-box><text:p>` + strings.Join(paragraphs, `</text:p><text:p>`) + `</text:p></draw:text-box></draw:frame>`
}

// odpPages are the slides of a presentation. Each has a word and a picture of
// its own, and notes.
func odpPages() []string {
	inner := []string{
		odpBox("subtitle", `welcome <text:a xlink:href="#Two">to two</text:a> <text:a xlink:href="#One">here</text:a> <text:a xlink:href="https://example.org/">out</text:a>`) + odpBox("title", "Opening") +
			`<draw:rect><office:event-listeners><presentation:event-listener script:event-name="dom:click" presentation:action="show" xlink:href="#The%20show"/></office:event-listeners></draw:rect>`,
		odpBox("title", "Costs", "of Tea") + `<draw:frame><table:table><table:table-column/><table:table-row><table:table-cell><text:p>Item</text:p></table:table-cell><table:table-cell><text:p>Price</text:p></table:table-cell></table:table-row>` +
			`<table:table-row><table:table-cell><text:p>Tea</text:p><text:p>green</text:p></table:table-cell><table:table-cell><text:p>3</text:p></table:table-cell></table:table-row></table:table><draw:image xlink:href="Pictures/table.svm"/></draw:frame>` +
			`<draw:g><svg:title>unseen</svg:title><draw:custom-shape><text:list><text:list-item><text:p>in a group</text:p></text:list-item></text:list></draw:custom-shape></draw:g>`,
		odpBox("outline", "No title") + `<draw:frame presentation:class="title" presentation:placeholder="true"><draw:text-box><text:p>Click here</text:p></draw:text-box></draw:frame><draw:frame><draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/></draw:frame>`,
		odpBox("title", "Active") + `<draw:control/><draw:frame><draw:object-ole xlink:href="./Object 2"/><draw:image xlink:href="./ObjectReplacements/Object 2"/></draw:frame>` +
			`<draw:rect><office:event-listeners><script:event-listener script:event-name="dom:click" xlink:href="vnd.sun.star.script:Secret.Run"/></office:event-listeners></draw:rect><anim:par><anim:set smil:targetElement="id4"/></anim:par><office:forms><form:form/></office:forms>`,
	}
	names := []string{"One", "Two", "Three", "Four"}
	for i := range inner {
		n := i + 1
		inner[i] = fmt.Sprintf(`<draw:page draw:name="%s" draw:style-name="dp%d" draw:master-page-name="Master%d" presentation:use-footer-name="ftr%d">%s`+
			`<draw:frame draw:style-name="gr%d"><draw:image xlink:href="Pictures/Secret%d.png"/></draw:frame>%s`+
			`<presentation:notes><draw:page-thumbnail draw:page-number="%d" presentation:class="page"/>%s%s</presentation:notes></draw:page>`,
			names[i], n, n/3, n, inner[i], n, n, odpBox("page-number", fmt.Sprintf("Secret%d on <text:page-number>&lt;number&gt;</text:page-number>", n)),
			n, odpBox("notes", fmt.Sprintf("Say Secret%d", n)), odpBox("footer", "unseen"))
	}
	return inner
}

var odpTexts = []string{
	"Opening\nwelcome to two here out\nSecret1 on 1\nNotes:\nSay Secret1\n",
	"Costs\nof Tea\nItem\tPrice\nTea green\t3\nin a group\nSecret2 on 2\nNotes:\nSay Secret2\n",
	"No title\nSales\n\t2024\nEast\t1.5\nSecret3 on 3\nNotes:\nSay Secret3\n",
	"Active\nSecret4 on 4\nNotes:\nSay Secret4\n",
}

func odpFiles(body string) map[string]string {
	files := map[string]string{
		"mimetype":                    odpType,
		"meta.xml":                    `<office:document-meta` + odpNS + `><office:meta><dc:title>The deck</dc:title><meta:initial-creator>Secret0</meta:initial-creator><dc:language>en-GB</dc:language></office:meta></office:document-meta>`,
		"settings.xml":                "Secret0",
		"Thumbnails/thumbnail.png":    "Secret0",
		"Basic/Standard/module.xml":   "Secret0",
		"Object 1/content.xml":        `<office:document-content` + odpNS + `><office:body><office:chart><chart:chart><chart:title><text:p>Sales</text:p></chart:title><table:table><table:table-row><table:table-cell/><table:table-cell><text:p>2024</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>East</text:p></table:table-cell><table:table-cell><text:p>1.5</text:p></table:table-cell></table:table-row></table:table></chart:chart></office:chart></office:body></office:document-content>`,
		"Object 2":                    "Secret0",
		"ObjectReplacements/Object 1": "chart", "ObjectReplacements/Object 2": "object", "Pictures/table.svm": "table",
	}
	var styles, decls strings.Builder
	for n := 1; n <= 4; n++ {
		files[fmt.Sprintf("Pictures/Secret%d.png", n)] = fmt.Sprintf("picture Secret%d", n)
		fmt.Fprintf(&styles, `<style:style style:name="dp%d" style:family="drawing-page"><style:drawing-page-properties presentation:display-page-number="true"/></style:style><style:style style:name="gr%d" style:family="graphic"/>`, n, n)
		fmt.Fprintf(&decls, `<presentation:footer-decl presentation:name="ftr%d">Secret%d</presentation:footer-decl>`, n, n)
	}
	files["content.xml"] = `<office:document-content` + odpNS + `><office:scripts/><office:automatic-styles>` + styles.String() + `</office:automatic-styles><office:body><office:presentation>` + decls.String() + body +
		`<presentation:settings presentation:start-page="Two"><presentation:show presentation:name="The show" presentation:pages="One,Two"/></presentation:settings></office:presentation></office:body></office:document-content>`
	files["styles.xml"] = `<office:document-styles` + odpNS + `><office:master-styles><style:handout-master><text:p>Secret0</text:p></style:handout-master><style:master-page style:name="Master0"><text:p>zero <text:page-number/></text:p></style:master-page><style:master-page style:name="Master1"><text:p>one</text:p></style:master-page></office:master-styles></office:document-styles>`
	var list strings.Builder
	list.WriteString(`<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="` + odpType + `"/><manifest:file-entry manifest:full-path="Object 1/" manifest:media-type="application/vnd.oasis.opendocument.chart"/>`)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&list, `<manifest:file-entry manifest:full-path="%s" manifest:media-type=""/>`, name)
	}
	files["META-INF/manifest.xml"] = list.String() + `</manifest:manifest>`
	return files
}

func newODP(t testing.TB) []byte { return doctest.ZipMap(odpFiles(strings.Join(odpPages(), ""))) }

// TestODPCuts cuts all runs of slides: the evidence has the text of its address,
// and nothing of other slides.
func TestODPCuts(t *testing.T) {
	data := newODP(t)
	locs := []citekit.Location{pages(1, 1, 3, 3), pages(1, 2, 4, 4)}
	for first := 1; first <= len(odpTexts); first++ {
		for last := first; last <= len(odpTexts); last++ {
			locs = append(locs, pages(first, last))
		}
	}
	for _, loc := range locs {
		out, _ := cut(t, data, loc)
		got, want := texts(t, out, citekit.Location{Modality: citekit.Document}), texts(t, data, loc)
		if !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", loc, got, want)
		}
		parts := doctest.Unzip(t, out)
		all := fmt.Sprint(parts)
		for n := range len(odpTexts) + 1 {
			kept := slices.ContainsFunc(loc.Pages, func(r citekit.Range) bool { return r.First <= n && n <= r.Last })
			if strings.Contains(all, fmt.Sprintf("Secret%d", n)) != kept {
				t.Errorf("%v: slide %d travels along: %t, want %t", loc, n, !kept, kept)
			}
			if n > 0 && (parts[fmt.Sprintf("Pictures/Secret%d.png", n)] != "" != kept || strings.Contains(parts["content.xml"], fmt.Sprintf(`style:name="gr%d"`, n)) != kept) {
				t.Errorf("%v: the picture or the style of slide %d: %t, want %t", loc, n, !kept, kept)
			}
		}
		checkODP(t, loc, parts)
	}
}

// checkODP checks that what files of a cut name is there, and nothing else.
func checkODP(t *testing.T, loc citekit.Location, parts map[string]string) {
	t.Helper()
	number := 0
	for _, r := range loc.Pages {
		for range r.Last - r.First + 1 {
			number++
			if !strings.Contains(parts["content.xml"], fmt.Sprintf(`draw:page-number="%d"`, number)) {
				t.Errorf("%v: no small picture of slide %d", loc, number)
			}
		}
	}
	for name := range parts {
		switch name {
		case "mimetype", "META-INF/manifest.xml", "content.xml", "styles.xml", "Object 1/content.xml":
		default:
			if !strings.Contains(parts["content.xml"], `"`+name+`"`) && !strings.Contains(parts["content.xml"], `"./`+name+`"`) {
				t.Errorf("%v: %s is not used", loc, name)
			}
		}
		if name != "mimetype" && name != "META-INF/manifest.xml" && !strings.Contains(parts["META-INF/manifest.xml"], `"`+name+`"`) {
			t.Errorf("%v: %s is not in the manifest", loc, name)
		}
	}
}

func TestODPChanges(t *testing.T) {
	data := newODP(t)
	const links, shows, macros, numbers = "links to slides that are left out removed", "custom shows left out", "macros left out", "the numbers on slides that come from master pages count anew"
	for _, test := range []struct {
		n    int
		want []string
		has  []string
		not  []string
	}{
		{1, []string{macros, links, shows}, []string{`<text:a xlink:href="#One">`, `"https://example.org/"`, `"Master0"`}, []string{"#Two", "The%20show", `"Master1"`, "presentation:show"}},
		{2, []string{macros, shows, numbers}, []string{`"ftr2"`}, []string{`"ftr1"`}},
		{3, []string{macros, shows}, []string{`"Master1"`, "./Object 1"}, []string{`"Master0"`}},
		{4, []string{macros, "embedded objects left out, their pictures kept", "form controls left out", shows}, []string{"anim:set"}, []string{"vnd.sun.star", "object-ole", "form:form", "draw:control"}},
	} {
		out, changes := cut(t, data, pages(test.n, test.n))
		if !slices.Equal(changes, test.want) {
			t.Errorf("slide %d: %q, want %q", test.n, changes, test.want)
		}
		parts := doctest.Unzip(t, out)
		text := parts["content.xml"] + parts["styles.xml"]
		for _, s := range test.has {
			if !strings.Contains(text, s) {
				t.Errorf("slide %d: no %s", test.n, s)
			}
		}
		for _, s := range test.not {
			if strings.Contains(text, s) {
				t.Errorf("slide %d has %s", test.n, s)
			}
		}
	}
}

func TestODPConformance(t *testing.T) {
	modalitytest.Test(t, new(slides.Resolver), modalitytest.Fixture{
		Name:   "deck.odp",
		Source: newODP(t),
		Good: []modalitytest.Case{
			{Name: "one", Location: pages(2, 2), WantText: odpTexts[1]},
			{Name: "run", Location: pages(2, 4), WantText: strings.Join(odpTexts[1:], "")},
			{Name: "apart", Location: pages(1, 1, 3, 3), WantText: odpTexts[0] + odpTexts[2]},
		},
		OutOfRange: []citekit.Location{pages(5, 5), pages(1, 5)},
		Foreign:    citekit.Location{Modality: citekit.Audio, Time: citekit.Span{End: 1}},
		Extent:     citekit.Extent{Modality: citekit.Document, Pages: 4, MediaType: odpType},
	})
}

func TestODPMap(t *testing.T) {
	var r slides.Resolver
	d, err := r.Map(t.Context(), source(newODP(t)), citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, n := range d.Nodes {
		titles = append(titles, n.Title)
	}
	if want := []string{"Opening", "Costs of Tea", "No title", "Active"}; !slices.Equal(titles, want) {
		t.Errorf("titles %q, want %q", titles, want)
	}
	if d.Title != "The deck" || d.Metadata["language"] != "en-GB" || d.Metadata["pages"] != 4 {
		t.Errorf("title %q, metadata %v", d.Title, d.Metadata)
	}
}

// TestODPNumbers checks when a cut says that the numbers of master pages are
// others than in the source.
func TestODPNumbers(t *testing.T) {
	const (
		own    = `<text:p><text:page-number/></text:p>`
		total  = `<text:p>of <text:page-count/></text:p>`
		asked  = `<draw:frame presentation:class="page-number"><draw:text-box>` + own + `</draw:text-box></draw:frame>`
		change = "the numbers on slides that come from master pages count anew"
	)
	for _, test := range []struct {
		name, master string
		shown        bool // slides ask for their number
		loc          citekit.Location
		want         bool
	}{
		{"a number at another place", own, false, pages(2, 2), true},
		{"a number at the same place", own, false, pages(1, 1), false},
		{"a number that slides ask for", asked, true, pages(2, 2), true},
		{"a number that no slide asks for", asked, false, pages(2, 2), false},
		{"a number after one that slides ask for", asked + own, false, pages(2, 2), true},
		{"a number of notes", `<presentation:notes>` + own + `</presentation:notes>`, true, pages(2, 2), false},
		{"a total", total, false, pages(1, 1), true},
		{"a total of all", total, false, pages(1, 4), false},
	} {
		files := odpFiles(strings.Join(odpPages(), ""))
		files["styles.xml"] = strings.Replace(files["styles.xml"], `<text:p>zero <text:page-number/></text:p>`, test.master, 1)
		if !test.shown {
			files["content.xml"] = strings.ReplaceAll(files["content.xml"], `display-page-number="true"`, `display-page-number="false"`)
		}
		_, changes := cut(t, doctest.ZipMap(files), test.loc)
		if got := slices.Contains(changes, change); got != test.want {
			t.Errorf("%s: %q", test.name, changes)
		}
	}
}

// TestODPTables has the cells of a table.
func TestODPTables(t *testing.T) {
	var r slides.Resolver
	got, err := r.Tables(t.Context(), source(doctest.ZipMap(odpFiles(strings.Join(odpPages(), "")))), pages(1, 4))
	if err != nil || len(got) != 1 || got[0].Location.String() != "pages=2&table=1" || got[0].CSV() != "Item,Price\r\nTea green,3\r\n" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestODPRaised: digits above or below the line are not part of the number before them.
func TestODPRaised(t *testing.T) {
	style := func(name, position string) string {
		return `<style:style style:name="` + name + `" style:family="text"><style:text-properties style:text-position="` + position + `"/></style:style>`
	}
	files := odpFiles(`<draw:page draw:name="One" draw:master-page-name="Master0">` + odpBox("outline", `10<text:span text:style-name="T1">2</text:span> m, 10<text:span text:style-name="Sub">2</text:span>`) + `</draw:page>`)
	files["content.xml"] = strings.Replace(files["content.xml"], "<office:automatic-styles>", "<office:automatic-styles>"+style("T1", "super 58%"), 1)
	files["styles.xml"] = strings.Replace(files["styles.xml"], "<office:master-styles>", "<office:styles>"+style("Sub", "-33% 58%")+"</office:styles><office:master-styles>", 1)
	for _, want := range []string{"10² m, 10₂\n", "10² m, 102\n"} {
		for run, err := range new(slides.Resolver).ReadText(t.Context(), source(doctest.ZipMap(files)), pages(1, 1)) {
			if err != nil || run.Text != want {
				t.Errorf("%q, %v, want %q", run.Text, err, want)
			}
		}
		files["styles.xml"] = "<office" // damaged
	}
}
