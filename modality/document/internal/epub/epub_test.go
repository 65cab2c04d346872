package epub_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/epub"
	"github.com/citekit/citekit/modality/modalitytest"
)

const container = `<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>` +
	`<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`

const opf = `<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:x</dc:identifier><dc:title>A  Book</dc:title><dc:creator>Ada</dc:creator><dc:language>en</dc:language>
<dc:date>1843-09-01</dc:date><meta name="cover" content="cover"/><meta property="dcterms:modified">2020-01-01T00:00:00Z</meta>
<meta refines="#c1" property="x">said of chapter 1</meta>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
<item id="css" href="style.css" media-type="text/css"/>
<item id="more" href="more.css" media-type="text/css"/>
<item id="font" href="font.woff" media-type="font/woff"/>
<item id="cover" href="cover.png" media-type="image/png" properties="cover-image"/>
<item id="pic" href="img/a%20pic.png" media-type="image/png"/>
<item id="c1" href="c1.xhtml" media-type="application/xhtml+xml"/>
<item id="c2" href="c2.xhtml" media-type="application/xhtml+xml" properties="svg"/>
<item id="c3" href="c3.xhtml" media-type="application/xhtml+xml"/>
</manifest>
<spine toc="ncx"><itemref idref="c1" id="ref1"/>
<itemref idref="c2"/><itemref idref="c3" linear="no"/><itemref idref="c1"/><itemref idref="gone"/></spine>
<guide><reference type="text" href="c1.xhtml"/></guide>
</package>`

const nav = `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>C</title><link rel="stylesheet" href="style.css"/></head><body>
<nav epub:type="toc"><h1>Contents</h1><ol>
<li><a href="c1.xhtml">One</a></li>
<li><span>Group</span><ol>
<li><a href="c2.xhtml">Two <b>bold</b></a><ol><li><a href="c2.xhtml#s1">Two.1</a></li><li><a href="c2.xhtml#s2">Two.2</a></li></ol></li>
<li><a href="c3.xhtml"><img src="cover.png" alt="Three"/></a></li></ol></li>
<li><a href="c1.xhtml"> </a></li>
</ol></nav>
<nav epub:type="page-list"><ol><li><a href="c1.xhtml#p1">1</a></li></ol></nav>
</body></html>`

const ncx = `<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><docTitle><text>A Book</text></docTitle><navMap>
<navPoint id="n1"><navLabel><text>One</text></navLabel><content src="c1.xhtml"/></navPoint>
<navPoint id="n2"><navLabel><text>Two</text></navLabel><content src="c2.xhtml"/><navPoint id="n3"><navLabel><text>Two.2</text></navLabel><content src="c2.xhtml#s2"/></navPoint></navPoint>
</navMap></ncx>`

const c1 = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>One</title><link rel="stylesheet" href="style.css"/></head><body><h1>One</h1><p>The first&#160;chapter, <a href="c2.xhtml">see</a> <a href="http://example.com/">there</a>.</p></body></html>`

const c2 = `<?xml version="1.0"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Two</title></head>
<body class="b"><section id="s1"><h1>Two</h1>
<p id="p2">First  paragraph<br/>in lines &amp; so on.</p><!-- aside -->
<ul><li>one</li><li><p>two</p></li></ul></section>
<a id="mark"/>
<section id="s2"><div><div><h2 id="h2">Second</h2>
loose <b>words</b>
<table><tr><th>a</th><th/></tr><tr><td>b
c</td><td><p>d</p></td></tr></table></div></div>
<div class="empty"/><p><img src="img/a%20pic.png" alt="A picture"/><a href="#p2">up</a></p><svg/></section></body></html>`

const c3 = `<html><head></head><body><p>Not XML<br>at all<p>Two & two</body></html>`

func files() map[string]string {
	return map[string]string{
		"META-INF/container.xml": container, "OPS/book.opf": opf, "OPS/nav.xhtml": nav, "OPS/toc.ncx": ncx,
		"OPS/c1.xhtml": c1, "OPS/c2.xhtml": c2, "OPS/c3.xhtml": c3,
		"OPS/style.css": `@import "more.css"; /* url(cover.png) */`, "OPS/more.css": "@font-face { src: URL( 'font.woff' ) }",
		"OPS/font.woff": "font", "OPS/cover.png": "cover", "OPS/img/a pic.png": "picture", "OPS/unused": "unused",
	}
}

func pack(_ testing.TB, members map[string]string) []byte {
	all := maps.Clone(members)
	all["mimetype"] = "application/epub+zip"
	return doctest.ZipMap(all)
}

// with returns the book with other members; an empty one is left out.
func with(t testing.TB, changed map[string]string) []byte {
	members := files()
	for name, content := range changed {
		if members[name] = content; content == "" {
			delete(members, name)
		}
	}
	return pack(t, members)
}

func source(data []byte) *citekit.Source { return doctest.Source("book.epub", data) }

func at(part int, blocks ...int) citekit.Location {
	loc := citekit.Location{Modality: citekit.Document, Part: strconv.Itoa(part)}
	if len(blocks) == 2 {
		loc.Blocks = citekit.Range{First: blocks[0], Last: blocks[1]}
	}
	return loc
}

func parts(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Part: citekit.Range{First: first, Last: last}.String()}
}

// cut resolves a location and returns the members of the evidence.
func cut(t testing.TB, data []byte, loc citekit.Location) (map[string]string, []string) {
	t.Helper()
	got, changes := doctest.Cut(t, new(epub.Resolver), source(data), loc)
	return unpack(t, got), changes
}

func unpack(t testing.TB, data []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if f := z.File[0]; f.Name != "mimetype" || f.Method != zip.Store || len(f.Extra) > 0 {
		t.Errorf("the first member is %s", f.Name)
	}
	return doctest.Unzip(t, data)
}

func readAll(t testing.TB, data []byte, loc citekit.Location) (text string, places []string) {
	t.Helper()
	for run, err := range new(epub.Resolver).ReadText(t.Context(), source(data), loc) {
		if err != nil {
			t.Fatalf("%v: %v", loc, err)
		}
		text += run.Text
		places = append(places, run.Location.String())
	}
	return text, places
}

const twoText = "Two\nFirst paragraph\nin lines & so on.\none\ntwo\nSecond\nloose words\na\t\nb c\td\nA pictureup\n"

func TestText(t *testing.T) {
	data := pack(t, files())
	text, places := readAll(t, data, at(2))
	if text != twoText {
		t.Errorf("the text is %q", text)
	}
	if got := strings.Join(places, " "); got != "part=2&blocks=1 part=2&blocks=2 part=2&blocks=3 part=2&blocks=4 part=2&blocks=5 part=2&blocks=6 part=2&blocks=7" {
		t.Errorf("the runs are at %s", got)
	}
	one := "One\nThe first\u00a0chapter, see there.\n"
	if text, _ := readAll(t, data, citekit.Location{Modality: citekit.Document}); text != one+twoText+"Not XML\nat all\nTwo & two\n" {
		t.Errorf("the whole is %q", text)
	}
	if text, _ := readAll(t, data, at(4)); text != one { // the file of part 1 again
		t.Errorf("part 4 is %q", text)
	}
	if text, _ := readAll(t, data, at(3, 2, 2)); text != "Two & two\n" {
		t.Errorf("the second block of part 3 is %q", text)
	}
}

// TestRaised: numbers above the line are not part of the number before them.
func TestRaised(t *testing.T) {
	for html, want := range map[string]string{
		`<p>10<sup>2</sup> m, 10<sup><i>&#8722;3</i></sup>, the 5<sup>th</sup>, said<sup>12</sup>, Na<sup> + </sup>x, 7</p>`:                                       "10² m, 10⁻³, the 5th, said¹², Na ⁺ x, 7\n",
		`<p>x<sup>a 2 b</sup>3, H<sub>2</sub>O<sup>[4]</sup></p>`:                                                                                                  "xa ² b3, H₂O[4]\n",
		`<p>2<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>3 <m:math><m:msup><m:mn>10</m:mn> <m:mn>2</m:mn></m:msup><m:annotation>9</m:annotation></m:math></p>`: "2 1/2 3 10²\n",
		`<p>for <s>100 <b>and</b></s> <del>9</del>80</p>`:                                                                                                          "for ~~100 and 9~~80\n",
		`<div><del><p>a</p><p>b</p></del>c</div>`:                                                                                                                  "~~a~~\n",
		"<pre>x<s>y\nz</s>w</pre>":                                             "x~~y~~\n~~z~~w\n",
		`<table><tr><td>1<s>2</s></td><td><s>3</s></td></tr></table>`:          "1~~2~~\t~~3~~\n",
		`<p><math><mfenced open="["><mn>1</mn><mn>2</mn></mfenced></math></p>`: "[1,2)\n",
		`<table><tr><td>10<sup>2</sup></td><td>3</td></tr></table>`:            "10²\t3\n",
	} {
		data := with(t, map[string]string{"OPS/c1.xhtml": `<html xmlns="http://www.w3.org/1999/xhtml"><body>` + html + `</body></html>`})
		if got, _ := readAll(t, data, at(1, 1, 1)); got != want {
			t.Errorf("%s: %q, want %q", html, got, want)
		}
	}
}

// TestLooks: what style sheets, in the document or linked, and attributes strike out, raise or
// hide. The evidence has the same text.
func TestLooks(t *testing.T) {
	for body, want := range map[string]string{
		`<p>for <span class="old">100</span> 80</p>`:                                                        "for ~~100~~ 80\n",
		`<p>10<span class="up">2</span> m, 10<i style="vertical-align:sub">3</i></p>`:                       "10² m, 10₃\n",
		`<p>1 <span class="off">2 <img alt="3"/><math><mn>4</mn></math></span>5</p>`:                        "1 5\n",
		`<p>1 <span style="visibility:hidden">2 <b style="visibility:visible">3</b></span></p>`:             "1 3\n",
		`<p>1 <span hidden="">2</span> <b class="own">3</b></p>`:                                            "1 ~~3~~\n",
		`<div class="old"><div><p>1 <b>2</b></p></div></div>`:                                               "~~1 2~~\n",
		`<table><tr class="old"><td>1</td><td>2</td></tr><tr><td>3</td><td class="off">4</td></tr></table>`: "~~1~~\t~~2~~\n3\t\n",
		`<pre>1 <i class="old">2</i></pre>`:                                                                 "1 ~~2~~\n",
		`<p>2<sup>2<sup>3</sup></sup>, x<sub>1<sub>2</sub></sub>, 10<sup>2</sup></p>`:                       "2^(2³), x_(1₂), 10²\n",
		`<p>10<sup class="off">9<sup>8</sup></sup>7</p>`:                                                    "107\n",
	} {
		data := with(t, map[string]string{
			"OPS/look.css": ".old{text-decoration:line-through}.up{vertical-align:super} .off{display:none}",
			"OPS/c1.xhtml": `<html xmlns="http://www.w3.org/1999/xhtml"><head><link rel="stylesheet" href="look.css"/><link rel="stylesheet" href="missing.css"/><link rel="alternate stylesheet" href="look.css#x"/>` +
				`<style><![CDATA[p>.old,.own{text-decoration:line-through}]]></style></head><body>` + body + `</body></html>`,
		})
		if got, _ := readAll(t, data, at(1, 1, 1)); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
		evidence, _ := cut(t, data, at(1, 1, 1))
		if got, _ := readAll(t, pack(t, evidence), at(1, 1, 1)); got != want {
			t.Errorf("the evidence of %s: %q, want %q", body, got, want)
		}
	}
}

// TestCutOfParts cuts several parts. The last is missing in the book, and the one
// before it is the first again.
func TestCutOfParts(t *testing.T) {
	data := pack(t, files())
	got, changes := cut(t, data, parts(3, 5))
	if names := slices.Sorted(maps.Keys(got)); slices.Contains(names, "OPS/c2.xhtml") || got["OPS/c1.xhtml"] != c1 || got["OPS/c3.xhtml"] != c3 {
		t.Errorf("the members are %q", names)
	}
	if spine := got["OPS/book.opf"]; !strings.Contains(spine, `<itemref idref="c3" linear="no"/><itemref idref="c1"/></spine>`) {
		t.Errorf("the package document is %s", spine)
	}
	if nav := got["OPS/nav.xhtml"]; !strings.Contains(nav, "One") || !strings.Contains(nav, "Three") || strings.Contains(nav, "Two") {
		t.Errorf("the contents are %s", nav)
	}
	if want := []string{"1 part left out that the book lacks", "1 link leads to what is left out"}; !slices.Equal(changes, want) {
		t.Errorf("the changes are %q", changes)
	}
	text, places := readAll(t, data, parts(3, 5))
	if text != "Not XML\nat all\nTwo & two\nOne\nThe first\u00a0chapter, see there.\n" || places[0] != "part=3&blocks=1" {
		t.Errorf("the text is %q at %q", text, places)
	}
	delete(got, "mimetype") // which pack adds
	if again, _ := readAll(t, pack(t, got), citekit.Location{Modality: citekit.Document}); again != text {
		t.Errorf("the text of the cut is %q", again)
	}
}

// TestMapOfGroups has entries above entries of other parts: their children lie
// within them.
func TestMapOfGroups(t *testing.T) {
	groups := `<html xmlns:epub="x"><body><nav epub:type="toc"><ol>
<li><a href="c1.xhtml">Volume</a><ol><li><a href="c2.xhtml#s2">Second</a></li><li><a href="c3.xhtml">Third</a></li></ol></li>
<li><span>Sections</span><ol><li><a href="c2.xhtml#s1">First</a></li><li><a href="c2.xhtml#s2">Second</a></li></ol></li>
<li><span>Nothing</span><ol><li><span>Either</span></li></ol></li></ol></nav></body></html>`
	draft := mapped(t, with(t, map[string]string{"OPS/nav.xhtml": groups}))
	want := "Volume part=1-3\n Second part=2&blocks=4-8\n Third part=3\n" +
		"Sections part=2\n First part=2&blocks=1-3\n Second part=2&blocks=4-8\n" +
		"Nothing \n Either \n"
	if got := outline(draft.Nodes, 0); got != want {
		t.Errorf("the map is\n%s", got)
	}
	for n := range (&citekit.ResourceMap{Nodes: draft.Nodes}).All() {
		for _, child := range n.Children {
			if !n.Location.Contains(child.Location) {
				t.Errorf("%v does not hold %v", n.Location, child.Location)
			}
		}
	}
}

// TestMapOfSplitParts has parts that a converter split: those that no entry leads
// to belong to the entry before.
func TestMapOfSplitParts(t *testing.T) {
	names := []string{"front", "ch1_split_000", "ch1_split_001", "ch1_split_002", "ch2_split_000", "ch2_split_001", "ch2_split_002", "back"}
	changed := map[string]string{"OPS/toc.ncx": ""}
	manifest, spine := "", ""
	for _, name := range names {
		changed["OPS/"+name+".xhtml"] = strings.Replace(c2, "<title>Two", "<title>"+name, 1)
		manifest += `<item id="` + name + `" href="` + name + `.xhtml" media-type="application/xhtml+xml"/>`
		spine += `<itemref idref="` + name + `"/>`
	}
	changed["OPS/book.opf"] = `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>` + manifest + `</manifest><spine>` + spine + `</spine></package>`
	changed["OPS/nav.xhtml"] = `<html xmlns:epub="x"><body><nav epub:type="toc"><ol>
<li><a href="ch1_split_000.xhtml">One</a><ol><li><a href="ch1_split_000.xhtml#s1">One.1</a></li><li><a href="ch1_split_000.xhtml#s2">One.2</a></li></ol></li>
<li><a href="ch2_split_000.xhtml">Two</a></li><li><a href="ch2_split_001.xhtml#s2">Three</a></li></ol></nav></body></html>`
	data := with(t, changed)
	draft := mapped(t, data)
	if got, want := outline(draft.Nodes, 0), "One part=2-4\n One.1 part=2&blocks=1-3\n One.2 part=2-4\nTwo part=5\nThree part=6-7\n"; got != want {
		t.Errorf("the map is\n%swant\n%s", got, want)
	}
	members, _ := cut(t, data, draft.Nodes[0].Location)
	if got := slices.Sorted(maps.Keys(members)); !slices.Contains(got, "OPS/ch1_split_002.xhtml") || slices.Contains(got, "OPS/ch2_split_000.xhtml") || !strings.Contains(members["OPS/nav.xhtml"], "One.2") {
		t.Errorf("the evidence has %q", got)
	}
}

// TestMapOfMarks has entries that lead to empty elements at the end of the block
// before their heading.
func TestMapOfMarks(t *testing.T) {
	data := with(t, map[string]string{"OPS/toc.ncx": "",
		"OPS/c2.xhtml": `<html xmlns="http://www.w3.org/1999/xhtml"><body><h1 id="a">A</h1><p>x <a id="b"></a>
</p><h1>B</h1><p>y <a id="c"/>z</p><p><span id="d"/></p><h1>D</h1><p>v <a id="e"/><img src="cover.png"/></p><p>w <a id="f"/></p></body></html>`,
		"OPS/nav.xhtml": `<html xmlns:epub="x"><body><nav epub:type="toc"><ol><li><a href="c2.xhtml#a">A</a></li><li><a href="c2.xhtml#b">B</a></li>
<li><a href="c2.xhtml#c">C</a></li><li><a href="c2.xhtml#d">D</a></li><li><a href="c2.xhtml#e">E</a></li><li><a href="c2.xhtml#f">F</a></li></ol></nav></body></html>`})
	want := "A part=2&blocks=1-2\nB part=2&blocks=3\nC part=2&blocks=4-5\nD part=2&blocks=6\nE part=2&blocks=7\nF part=2&blocks=8\n"
	if got := outline(mapped(t, data).Nodes, 0); got != want {
		t.Errorf("the map is\n%swant\n%s", got, want)
	}
}

func TestCutOfPart(t *testing.T) {
	data := pack(t, files())
	got, changes := cut(t, data, at(1))
	names := slices.Sorted(maps.Keys(got))
	if want := "META-INF/container.xml OPS/book.opf OPS/c1.xhtml OPS/font.woff OPS/more.css OPS/nav.xhtml OPS/style.css OPS/toc.ncx mimetype"; strings.Join(names, " ") != want {
		t.Errorf("the members are %v", names)
	}
	if got["OPS/c1.xhtml"] != c1 {
		t.Error("the bytes of the part have changed")
	}
	if !slices.Equal(changes, []string{"1 link leads to what is left out"}) {
		t.Errorf("the changes are %q", changes)
	}
	for name, absent := range map[string][]string{
		"OPS/book.opf":  {"c2", "c3", "cover", "pic", `"gone"`},
		"OPS/nav.xhtml": {"Two", "Group", "style.css", "cover.png"},
		"OPS/toc.ncx":   {"Two"},
	} {
		wellFormed(t, name, got[name])
		for _, word := range absent {
			if strings.Contains(got[name], word) {
				t.Errorf("%s has %s: %s", name, word, got[name])
			}
		}
	}
	for name, present := range map[string][]string{
		"OPS/book.opf":  {`<itemref idref="c1" id="ref1"/>`, "said of chapter 1", "<reference", "A  Book", `toc="ncx"`},
		"OPS/nav.xhtml": {`<li><a href="c1.xhtml">One</a></li>`, "<h1>Contents</h1>", "page-list"},
		"OPS/toc.ncx":   {"One", "docTitle"},
	} {
		for _, word := range present {
			if !strings.Contains(got[name], word) {
				t.Errorf("%s lacks %s: %s", name, word, got[name])
			}
		}
	}
	if strings.Count(got["OPS/book.opf"], "<itemref") != 1 {
		t.Errorf("the spine is %s", got["OPS/book.opf"])
	}
}

func wellFormed(t testing.TB, name, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%s: %v: %s", name, err, text)
		}
	}
}

func TestCutOfBlocks(t *testing.T) {
	data := pack(t, files())
	got, changes := cut(t, data, at(2, 5, 6))
	if want := `<?xml version="1.0"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Two</title></head>
<body class="b"><section id="s2"><div><div>
loose <b>words</b>
<table><tr><th>a</th><th/></tr><tr><td>b
c</td><td><p>d</p></td></tr></table></div></div></section></body></html>`; got["OPS/c2.xhtml"] != want {
		t.Errorf("the part is %s", got["OPS/c2.xhtml"])
	}
	if got["OPS/img/a pic.png"] != "" || strings.Contains(got["OPS/book.opf"], `properties="svg"`) {
		t.Error("what the blocks do not show is there")
	}
	if nav := got["OPS/nav.xhtml"]; !strings.Contains(nav, "Two.2") || strings.Contains(nav, "Two.1") || strings.Contains(nav, "One") {
		t.Errorf("the table of contents is %s", nav)
	}
	if len(changes) > 0 {
		t.Errorf("the changes are %q", changes)
	}
	got, changes = cut(t, data, at(2, 7, 7))
	if !slices.Equal(changes, []string{"1 link leads to what is left out"}) || got["OPS/img/a pic.png"] == "" {
		t.Errorf("the changes are %q", changes)
	}
}

// TestCutOfContents cites a part that is the table of contents.
func TestCutOfContents(t *testing.T) {
	data := with(t, map[string]string{"OPS/book.opf": strings.Replace(opf, "<itemref", `<itemref idref="nav"/><itemref`, 1)})
	if got, _ := cut(t, data, at(1)); got["OPS/nav.xhtml"] != nav {
		t.Error("the bytes of the part have changed")
	}
	got, changes := cut(t, data, at(1, 1, 1))
	if !strings.Contains(got["OPS/contents-0.xhtml"], `<a href="nav.xhtml">Contents</a>`) || len(changes) != 1 {
		t.Errorf("%q, %q", got["OPS/contents-0.xhtml"], changes)
	}
	if opf := got["OPS/book.opf"]; strings.Count(opf, `properties="nav"`) != 1 || !strings.Contains(opf, "contents-0.xhtml") {
		t.Errorf("the package document is %s", opf)
	}
	wellFormed(t, "the package document", got["OPS/book.opf"])
}

// TestCutsSayTheSame resolves every part and block, and reads the text of the
// evidence.
func TestCutsSayTheSame(t *testing.T) {
	data := pack(t, files())
	for part := 1; part <= 4; part++ {
		_, places := readAll(t, data, at(part))
		locs := []citekit.Location{at(part)}
		for i := range places {
			locs = append(locs, at(part, i+1, i+1), at(part, 1, i+1))
		}
		for _, loc := range locs {
			want, _ := readAll(t, data, loc)
			content, err := new(epub.Resolver).Resolve(t.Context(), source(data), citekit.Request{Location: loc})
			if err != nil {
				t.Fatal(err)
			}
			evidence, _ := io.ReadAll(content.Body)
			if got, _ := readAll(t, evidence, citekit.Location{Modality: citekit.Document}); got != want {
				t.Errorf("%v: the evidence says %q, not %q", loc, got, want)
			}
			if _, err := new(epub.Resolver).Map(t.Context(), source(evidence), citekit.MapRequest{Modality: citekit.Document}); err != nil {
				t.Errorf("%v: the map of the evidence: %v", loc, err)
			}
		}
	}
}

func TestEncodings(t *testing.T) {
	utf16 := func(s string) string {
		var out strings.Builder
		out.WriteString("\xff\xfe")
		for _, c := range []byte(s) {
			out.Write([]byte{c, 0})
		}
		return out.String()
	}
	data := with(t, map[string]string{
		"OPS/c1.xhtml": utf16(c1), "OPS/c3.xhtml": "<?xml version='1.0' encoding='windows-1252'?><html><body><p>caf\xe9</p><p>two</p></body></html>",
	})
	if text, _ := readAll(t, data, at(1, 1, 1)); text != "One\n" {
		t.Errorf("UTF-16: %q", text)
	}
	got, _ := cut(t, data, at(1, 1, 1))
	if want := utf16(c1[:strings.Index(c1, "<p>")] + "</body></html>"); got["OPS/c1.xhtml"] != want {
		t.Errorf("the block in UTF-16 is %q", got["OPS/c1.xhtml"])
	}
	if text, _ := readAll(t, data, at(3, 1, 1)); text != "café\n" {
		t.Errorf("windows-1252: %q", text)
	}
	if got, _ := cut(t, data, at(3, 1, 1)); !strings.Contains(got["OPS/c3.xhtml"], "caf\xe9") {
		t.Errorf("the block in windows-1252 is %q", got["OPS/c3.xhtml"])
	}
}

func outline(nodes []*citekit.Node, depth int) string {
	var out strings.Builder
	for _, n := range nodes {
		fmt.Fprintf(&out, "%s%s %s\n", strings.Repeat(" ", depth), n.Title, n.Location)
		out.WriteString(outline(n.Children, depth+1))
	}
	return out.String()
}

func mapped(t testing.TB, data []byte) *citekit.Draft {
	t.Helper()
	draft, err := new(epub.Resolver).Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	return draft
}

func TestMap(t *testing.T) {
	draft := mapped(t, pack(t, files()))
	if got, want := outline(draft.Nodes, 0), `One part=1
Group part=2-3
 Two bold part=2
  Two.1 part=2&blocks=1-3
  Two.2 part=2&blocks=4-8
 Three part=3
`; got != want {
		t.Errorf("the map is\n%swant\n%s", got, want)
	}
	want := map[string]any{"parts": 5, "author": "Ada", "date": "1843-09-01", "language": "en"}
	if draft.Title != "A Book" || draft.Method != "nav" || !maps.Equal(draft.Metadata, want) {
		t.Errorf("%q by %s with %v", draft.Title, draft.Method, draft.Metadata)
	}
	draft = mapped(t, with(t, map[string]string{"OPS/nav.xhtml": "<html><body><p>nothing</p></body></html>"}))
	if got, want := outline(draft.Nodes, 0), "One part=1\nTwo part=2\n Two.2 part=2&blocks=4-8\n"; got != want || draft.Method != "ncx" {
		t.Errorf("by %s the map is\n%s", draft.Method, got)
	}
	draft = mapped(t, with(t, map[string]string{"OPS/nav.xhtml": "", "OPS/toc.ncx": ""}))
	if got, want := outline(draft.Nodes, 0), "One part=1\nTwo part=2\nPart 3 part=3\nOne part=4\n"; got != want || draft.Method != "parts" {
		t.Errorf("by %s the map is\n%s", draft.Method, got)
	}
}

// TestMapOutOfOrder has a table of contents that is not in the order of the
// part, and entries that lead nowhere.
func TestMapOutOfOrder(t *testing.T) {
	draft := mapped(t, with(t, map[string]string{"OPS/nav.xhtml": `<html xmlns:epub="x"><body><nav epub:type="toc"><ol>
<li><a href="c2.xhtml#p2">A</a><ol><li><a href="c2.xhtml#h2">B</a></li><li><a href="c2.xhtml#s1">C</a></li></ol></li>
<li><a href="c2.xhtml#mark">D</a></li><li><a href="c2.xhtml#mark">E</a></li>
<li><a href="../../x">F</a><ol><li><a href="gone.xhtml">G</a><ol><li><a href="c3.xhtml#gone">H</a></li></ol></li><li><span>I</span></li></ol></li>
<li><a href="http://example.com">J</a></li></ol></nav></body></html>`}))
	if got, want := outline(draft.Nodes, 0), `A part=2
 B part=2&blocks=4-8
 C part=2&blocks=1-3
D part=2&blocks=4-8
E part=2&blocks=4-8
F part=3
 G part=3
  H part=3
 I part=3
J 
`; got != want {
		t.Errorf("the map is\n%swant\n%s", got, want)
	}
}

func TestConformance(t *testing.T) {
	modalitytest.Test(t, new(epub.Resolver), modalitytest.Fixture{
		Name:   "book.epub",
		Source: pack(t, files()),
		Good: []modalitytest.Case{
			{Name: "part", Location: at(2), WantText: twoText},
			{Name: "blocks", Location: at(2, 2, 3), WantText: "First paragraph\nin lines & so on.\none\ntwo\n"},
			{Name: "not XML", Location: at(3, 1, 1), WantText: "Not XML\nat all\n"},
			{Name: "repeated", Location: at(4, 1, 1), WantText: "One\n"},
			{Name: "parts", Location: parts(2, 3), WantText: twoText + "Not XML\nat all\nTwo & two\n"},
		},
		OutOfRange: []citekit.Location{at(6), parts(2, 6), at(2, 7, 9), at(1, 3, 3), at(2000000000)},
		Foreign:    citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}},
		Extent:     citekit.Extent{Modality: citekit.Document, Parts: 5, MediaType: "application/epub+zip"},
	})
}

func encryption(algorithm string) string {
	return `<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="` + algorithm +
		`"/><enc:CipherData><enc:CipherReference URI="OPS/font.woff"/></enc:CipherData></enc:EncryptedData></encryption>`
}

func TestRights(t *testing.T) {
	const aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
	for name, c := range map[string]struct {
		members map[string]string
		says    string // "" if the book is read
	}{
		"fonts":      {map[string]string{"META-INF/encryption.xml": encryption("http://www.idpf.org/2008/embedding")}, ""},
		"leftover":   {map[string]string{"META-INF/rights.xml": "<rights/>"}, ""},
		"unknown":    {map[string]string{"META-INF/encryption.xml": encryption(aes)}, "DRM"},
		"ADEPT":      {map[string]string{"META-INF/encryption.xml": encryption(aes), "META-INF/rights.xml": "<rights/>"}, "Adobe ADEPT (DRM)"},
		"LCP":        {map[string]string{"META-INF/encryption.xml": encryption(aes), "META-INF/license.lcpl": "{}"}, "Readium LCP (DRM)"},
		"undeclared": {map[string]string{"META-INF/sinf.xml": "<sinf/>", "OPS/c1.xhtml": "\x8f\x12cipher"}, "Apple FairPlay (DRM)"},
	} {
		t.Run(name, func(t *testing.T) {
			data := with(t, c.members)
			_, err := new(epub.Resolver).Resolve(t.Context(), source(data), citekit.Request{Location: at(1)})
			if c.says != "" {
				if !errors.Is(err, citekit.ErrEncrypted) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := cut(t, data, at(1)); (got["META-INF/encryption.xml"] != "") != (name == "fonts") {
				t.Error("encryption.xml says of the font that is kept how it is obfuscated")
			}
			if got, _ := cut(t, data, at(2)); got["META-INF/encryption.xml"] != "" || got["META-INF/rights.xml"] != "" {
				t.Error("encryption.xml stays without the font")
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := new(epub.Resolver)
	if _, err := r.FromCFI(ctx, source(pack(t, files())), "epubcfi(/6/4!)"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
