package word_test

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
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/word"
	"github.com/citekit/citekit/modality/modalitytest"
)

const (
	odtType = "application/vnd.oasis.opendocument.text"
	odtNS   = ` xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"`

	odtBody = `<text:h text:outline-level="1">Scope</text:h><text:p text:style-name="P1">One<text:bookmark-start text:name="b"/></text:p><text:h text:outline-level="2">Parts</text:h>` +
		`<text:list text:style-name="L1"><text:list-item><text:p>first<text:bookmark-end text:name="b"/></text:p></text:list-item></text:list>` +
		`<text:list text:style-name="L1" text:continue-numbering="true"><text:list-item><text:p>second <text:s/>x</text:p></text:list-item></text:list>` +
		`<text:p>See<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>the note</text:p></text:note-body></text:note><draw:frame><draw:image xlink:href="Pictures/a.png"/></draw:frame></text:p>` +
		`<table:table><table:table-column table:number-columns-repeated="3"/><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>wide</text:p></table:table-cell><table:covered-table-cell/><table:table-cell><text:p>c</text:p></table:table-cell></table:table-row>` +
		`<table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"><text:p>b</text:p></table:table-cell></table:table-row></table:table>`
)

var odtTexts = []string{"1.\tScope\n", "One\n", "1.1.\tParts\n", "(a)\tfirst\n", "(b)\tsecond  x\n", "See\n[1] the note\n", "wide\t\tc\na\tb\tb\n"}

func odtFiles(body string) map[string]string {
	entry := func(name, mediaType string) string {
		return `<manifest:file-entry manifest:full-path="` + name + `" manifest:media-type="` + mediaType + `"/>`
	}
	return map[string]string{
		"content.xml": `<office:document-content` + odtNS + `><office:automatic-styles><style:style style:name="P1" style:family="paragraph"/><style:style style:name="P2" style:family="paragraph"/><text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/></text:list-style></office:automatic-styles><office:body><office:text><text:sequence-decls/>` + body + `</office:text></office:body></office:document-content>`,
		"styles.xml":  `<office:document-styles` + odtNS + `><office:styles><text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/><text:outline-level-style text:level="2" style:num-format="1" style:num-suffix="." text:display-levels="2"/></text:outline-style><text:notes-configuration text:note-class="footnote" text:start-value="0"/></office:styles><office:master-styles><style:master-page style:name="Standard"/><style:master-page style:name="Other"/></office:master-styles></office:document-styles>`,
		"meta.xml":    "<secret/>", "Pictures/a.png": "png", "Pictures/secret.png": "secret",
		"META-INF/manifest.xml": `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">` + entry("/", odtType) + entry("content.xml", "text/xml") + entry("styles.xml", "text/xml") + entry("Pictures/a.png", "image/png") + entry("Pictures/secret.png", "image/png") + `</manifest:manifest>`,
	}
}

func packODT(t testing.TB, body string) []byte {
	files := odtFiles(body)
	files["mimetype"] = odtType
	return doctest.ZipMap(files)
}

// TestODTCuts cuts every run of blocks: the evidence has the text of its
// address, and nothing that this does not reach.
func TestODTCuts(t *testing.T) {
	data := packODT(t, odtBody)
	for first := 1; first <= len(odtTexts); first++ {
		for last := first; last <= len(odtTexts); last++ {
			got, _ := cut(t, data, blocks(first, last))
			if text, want := read(t, got, whole), strings.Join(odtTexts[first-1:last], ""); text != want {
				t.Errorf("blocks %d-%d: %q, want %q", first, last, text, want)
			}
			parts := doctest.Unzip(t, got)
			content := parts["content.xml"]
			if strings.Count(content, "bookmark-start") != strings.Count(content, "bookmark-end") {
				t.Errorf("blocks %d-%d: half of a bookmark", first, last)
			}
			_, picture := parts["Pictures/a.png"]
			if picture != (first <= 6 && last >= 6) || parts["meta.xml"] != "" || parts["Pictures/secret.png"] != "" || strings.Contains(parts["META-INF/manifest.xml"], "secret") ||
				strings.Contains(content, `"P2"`) || strings.Contains(parts["styles.xml"], "Other") {
				t.Errorf("blocks %d-%d: what it does not reach travels along", first, last)
			}
		}
	}
	for _, notation := range []string{"A1", "B1", "B1:C2", "C2", "A2:B2", "A1:C2"} {
		got, _ := cut(t, data, cells(7, notation))
		if text, want := read(t, got, whole), read(t, data, cells(7, notation)); text != want && strings.TrimSpace(want) != "" {
			t.Errorf("cells %s: %q, want %q", notation, text, want)
		}
	}
}

// TestODTComments reads the comments on a block after it and its notes, if asked for.
func TestODTComments(t *testing.T) {
	note := func(author, text string) string {
		return `<office:annotation office:name="n" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>` + author + `</dc:creator><dc:date>2024-01-01</dc:date><text:p>` + text + `</text:p></office:annotation>`
	}
	data := packODT(t, `<text:p>The range is `+note(" Ann\n", "At which port?")+note("Bob", "At Brest.</text:p><text:p>See page 9.")+`six metres<office:annotation-end office:name="n"/>.`+
		`<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>On average.`+note("", "In a note")+`</text:p></text:note-body></text:note></text:p>`+
		`<text:p>Nothing is said on this.`+note("Eve", " ")+`</text:p>`+
		`<table:table><table:table-column/><table:table-row table:number-rows-repeated="2"><table:table-cell><text:p>cell`+note("", "Empty?")+`</text:p></table:table-cell></table:table-row></table:table>`)
	said := []string{"The range is six metres.\n[1] On average.\n", "Nothing is said on this.\n", "cell\ncell\n"}
	remarks := []string{"[comment by Ann] At which port?\n[comment by Bob] At Brest.\nSee page 9.\n[comment] In a note\n", "", "[comment] Empty?\n"}
	for i := range said {
		if got := read(t, data, blocks(i+1, i+1)); got != said[i] {
			t.Errorf("not asked for: %q, want %q", got, said[i])
		}
		said[i] += remarks[i]
	}
	var got []string
	for run, err := range (&word.Resolver{Comments: true}).ReadText(t.Context(), doctest.Source("a.odt", data), citekit.Location{Modality: citekit.Document}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, run.Text)
	}
	if !slices.Equal(got, said) {
		t.Errorf("got %q, want %q", got, said)
	}
}

// TestODTRaised: numbers above the line are not part of the number before them.
func TestODTRaised(t *testing.T) {
	span := func(style, text string) string {
		return `<text:span text:style-name="` + style + `">` + text + `</text:span>`
	}
	texts := map[string]string{
		`10` + span("T1", "2") + ` m`:                                       "10² m\n",
		`10` + span("T2", span("T5", "−3 ")) + `m`:                          "10⁻³ m\n",
		`the 5` + span("T1", "th") + ` of 6`:                                "the 5th of 6\n",
		`H` + span("T3", "2") + `O`:                                         "H₂O\n",
		`10` + span("T4", "2"):                                              "102\n",
		`10` + span("T1", "2"+span("T4", "3")+"4") + "5":                    "10²3⁴5\n",
		`for ` + span("S1", "100 ") + `80`:                                  "for ~~100~~ 80\n",
		span("S1", `1<text:tab/>2`+span("S2", "3")):                         "~~1~~\t~~2~~3\n",
		span("S1", `1<text:s/>2`) + span("S1", "3") + `<text:line-break/>4`: "~~1 23~~\n4\n",
		`10` + span("More", "2"):                                            "10²\n",
		`10` + span("Ring", "2") + span("none", "3"):                        "1023\n",
		span("T1", `1<draw:frame><draw:text-box><text:p>2`+span("T1", "3")+`</text:p></draw:text-box></draw:frame>`) + `4`: "¹4\n2³\n",
	}
	files := odtFiles("")
	style := func(name, parent, position string) string {
		return `<style:style style:name="` + name + `" style:family="text" style:parent-style-name="` + parent + `"><style:text-properties style:text-position="` + position + `"/></style:style>`
	}
	files["mimetype"] = odtType
	files["styles.xml"] = strings.Replace(files["styles.xml"], "<office:styles>", "<office:styles>"+style("Up", "", "super 58%")+style("More", "Up", "")+style("Ring", "Ring", ""), 1)
	content := strings.Replace(files["content.xml"], "<office:automatic-styles>", "<office:automatic-styles>"+style("T1", "", "super 58%")+style("T2", "", "33% 58%")+style("T3", "", "sub 58%")+style("T4", "Up", "0% 100%")+style("T5", "", "")+
		strings.NewReplacer("text-position", "text-line-through-style").Replace(style("S1", "", "solid")+style("S2", "S1", "none")), 1)
	for body, want := range texts {
		files["content.xml"] = strings.Replace(content, "</office:text>", "<text:p>"+body+"</text:p></office:text>", 1)
		data := doctest.ZipMap(files)
		if got := read(t, data, whole); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
		evidence, _ := cut(t, data, blocks(1, 1))
		if got := read(t, evidence, whole); got != want {
			t.Errorf("the evidence of %s: %q, want %q", body, got, want)
		}
	}
}

// TestODTLookOfParagraphs: what the style of a paragraph strikes out is marked, and hidden
// text is left out.
func TestODTLookOfParagraphs(t *testing.T) {
	style := func(family, name, parent, properties string) string {
		return `<style:style style:name="` + name + `" style:family="` + family + `" style:parent-style-name="` + parent + `"><style:text-properties ` + properties + `/></style:style>`
	}
	files := odtFiles("")
	files["mimetype"] = odtType
	files["styles.xml"] = strings.Replace(files["styles.xml"], "<office:styles>", "<office:styles>"+style("paragraph", "Old", "", `style:text-line-through-style="solid"`)+style("paragraph", "P8", "Old", ""), 1)
	files["content.xml"] = strings.NewReplacer("<office:automatic-styles>", "<office:automatic-styles>"+style("paragraph", "P8", "", "")+style("paragraph", "P9", "Old", "")+style("text", "P9", "", `text:display="none"`)+style("text", "T9", "", `style:text-line-through-style="none"`),
		"</office:text>", `<text:p text:style-name="P9">100 <text:span text:style-name="T9">80<text:span text:style-name="P9">7</text:span></text:span></text:p><text:p text:style-name="P8">6</text:p></office:text>`).Replace(files["content.xml"])
	data := doctest.ZipMap(files)
	const want = "~~100~~ 80\n6\n"
	if got := read(t, data, whole); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	evidence, _ := cut(t, data, blocks(1, 2))
	if got := read(t, evidence, whole); got != want {
		t.Errorf("of the evidence: %q, want %q", got, want)
	}
}

// TestODTOutside: pictures that are outside of the package are left out of
// evidence, and the text that is in them stays.
func TestODTOutside(t *testing.T) {
	const picture = `<text:p>before<draw:frame><draw:image xlink:href="https://example.com/a.png"><text:p>in the <text:span>picture</text:span></text:p><text:list><text:list-item><text:p>item</text:p></text:list-item></text:list></draw:image></draw:frame></text:p>`
	for name, body := range map[string]string{
		"picture":        picture,
		"without text":   `<text:p>only this<draw:frame><draw:image xlink:href="../a.png"/></draw:frame></text:p>`,
		"object":         `<text:p>x<draw:frame><draw:object-ole xlink:href="./Object 1"><text:p>of an object</text:p></draw:object-ole></draw:frame></text:p>`,
		"in another one": strings.Replace(picture, ">item<", `>item<draw:frame><draw:image xlink:href="b.png"><text:p>deep</text:p></draw:image></draw:frame><`, 1),
		"in a frame":     `<text:p>x<draw:frame><draw:floating-frame xlink:href="https://example.com/"><text:p>of a page</text:p></draw:floating-frame></draw:frame></text:p>`,
	} {
		data := packODT(t, body+"<text:p>after</text:p>")
		got, changes := cut(t, data, blocks(1, 1))
		if text, want := read(t, got, whole), read(t, data, blocks(1, 1)); text != want || len(changes) != 1 {
			t.Errorf("%s: %q, want %q; changes %q", name, text, want, changes)
		}
		if content := doctest.Unzip(t, got)["content.xml"]; strings.Contains(content, "xlink:href") {
			t.Errorf("%s: the link travels along: %s", name, content)
		}
	}
}

// TestODTRefused: encrypted and damaged documents, and those that unpack to more
// than is read.
func TestODTRefused(t *testing.T) {
	with := func(name, text string) []byte {
		files := odtFiles(odtBody)
		files["mimetype"], files[name] = odtType, text
		return doctest.ZipMap(files)
	}
	files := odtFiles(odtBody)
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"encrypted":      {with("META-INF/manifest.xml", strings.Replace(files["META-INF/manifest.xml"], `media-type="text/xml"/>`, `media-type="text/xml"><manifest:encryption-data/></manifest:file-entry>`, 1)), citekit.ErrEncrypted},
		"large content":  {declaring(t, "content.xml", 1<<30), citekit.ErrTooLarge},
		"large styles":   {declaring(t, "styles.xml", 1<<30), citekit.ErrTooLarge},
		"large manifest": {declaring(t, "META-INF/manifest.xml", 17<<20), citekit.ErrTooLarge},
		"more than said": {declaring(t, "content.xml", 100), citekit.ErrFormat},
		"an entity":      {with("content.xml", `<!DOCTYPE x [<!ENTITY a "b">]>`+files["content.xml"]), citekit.ErrFormat},
		"cut off":        {with("content.xml", files["content.xml"][:900]), citekit.ErrFormat},
		"too deep":       {with("content.xml", strings.Replace(files["content.xml"], odtBody, strings.Repeat("<text:section>", 1<<16), 1)), citekit.ErrTooLarge},
	} {
		r := new(word.Resolver)
		if _, err := r.Measure(t.Context(), doctest.Source("x.odt", c.data)); !errors.Is(err, c.want) {
			t.Errorf("%s: measured with %v, want %v", name, err, c.want)
		}
		if _, err := r.Resolve(t.Context(), doctest.Source("x.odt", c.data), citekit.Request{Location: blocks(1, 1)}); !errors.Is(err, c.want) {
			t.Errorf("%s: resolved with %v, want %v", name, err, c.want)
		}
	}
	spaces := packODT(t, "<text:p>x"+strings.Repeat(`<text:s text:c="1024"/>`, 20_000)+"</text:p>")
	if n := len(read(t, spaces, whole)); n > 17<<20 {
		t.Errorf("spaces for %d bytes of text", n)
	}
}

// declaring packs a document in which a file says to have another size than it
// has.
func declaring(t *testing.T, name string, size uint64) []byte {
	t.Helper()
	files := odtFiles(odtBody)
	files["mimetype"] = odtType
	data := doctest.ZipMap(files)
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range r.File {
		if f.Name == name {
			f.UncompressedSize64 = size
		}
		raw, err := f.OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		w, err := z.CreateRaw(&f.FileHeader)
		if err == nil {
			_, err = io.Copy(w, raw)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestODTMap(t *testing.T) {
	files := odtFiles(`<text:p>Intro</text:p><text:h text:outline-level="1">One</text:h><text:p>a</text:p><text:h text:outline-level="2">Parts</text:h><text:section><text:p>b</text:p></text:section>` +
		`<table:table><table:table-row><table:table-cell><text:p>h</text:p></table:table-cell></table:table-row></table:table><text:p text:style-name="Caption">Table <text:sequence text:name="Table">1</text:sequence>. Sizes</text:p>` +
		`<text:h text:outline-level="1">Two</text:h><text:p>c</text:p>`)
	files["mimetype"] = odtType
	files["meta.xml"] = `<office:document-meta` + odtNS + ` xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"><office:meta><dc:title>A report</dc:title><meta:initial-creator>Ada</meta:initial-creator><dc:language>de</dc:language></office:meta></office:document-meta>`
	d, err := new(word.Resolver).Map(t.Context(), doctest.Source("x.odt", doctest.ZipMap(files)), citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var list func(nodes []*citekit.Node, indent string)
	list = func(nodes []*citekit.Node, indent string) {
		for _, n := range nodes {
			got = append(got, fmt.Sprint(indent, n.Type, " ", n.Title, " ", n.Location.Blocks))
			list(n.Children, indent+"- ")
		}
	}
	list(d.Nodes, "")
	want := []string{"passage  1", "section 1. One 2-7", "- section 1.1. Parts 4-7", "- - table Table 1. Sizes 6-7", "section 2. Two 8-9"}
	if !slices.Equal(got, want) || d.Title != "A report" || d.Metadata["author"] != "Ada" || d.Metadata["language"] != "de" || d.Metadata["blocks"] != 9 {
		t.Errorf("%q, want %q; %q %v", got, want, d.Title, d.Metadata)
	}
}

// TestODTChanges: text that is deleted is not read, and evidence has the tracked
// changes of its own blocks alone. Its notes have the numbers of the source.
func TestODTChanges(t *testing.T) {
	region := func(id, kind, text string) string {
		return `<text:changed-region text:id="` + id + `"><text:` + kind + `><office:change-info/>` + text + `</text:` + kind + `></text:changed-region>`
	}
	note := func(class, mark, text string) string {
		return `<text:note text:note-class="` + class + `"><text:note-citation>` + mark + `</text:note-citation><text:note-body><text:p>` + text + `</text:p></text:note-body></text:note>`
	}
	data := packODT(t, `<text:tracked-changes>`+region("c1", "deletion", "<text:p>secret one</text:p>")+region("c2", "insertion", "")+region("c3", "deletion", "<text:p>secret three</text:p>")+`</text:tracked-changes>`+
		`<text:p>A<text:change text:change-id="c1"/> first`+note("footnote", "1", "note one")+`</text:p>`+
		`<text:p>B <text:change-start text:change-id="c2"/>put in<text:change-end text:change-id="c2"/>`+note("footnote", "2", "note two")+note("endnote", "i", "at the end")+`</text:p>`+
		`<text:p>C<text:change text:change-id="c3"/></text:p>`)
	want := []string{"A first\n[1] note one\n", "B put in\n[2] note two\n[i] at the end\n", "C\n"}
	if got := read(t, data, whole); got != strings.Join(want, "") {
		t.Errorf("%q, want %q", got, want)
	}
	for i, ids := range []string{"c1", "c2", "c3"} {
		got, _ := cut(t, data, blocks(i+1, i+1))
		if text := read(t, got, whole); text != want[i] {
			t.Errorf("block %d: %q, want %q", i+1, text, want[i])
		}
		parts := doctest.Unzip(t, got)
		for _, id := range []string{"c1", "c2", "c3"} {
			if strings.Contains(parts["content.xml"], `text:id="`+id+`"`) != (id == ids) {
				t.Errorf("block %d has the change %s: %s", i+1, id, parts["content.xml"])
			}
		}
		if has := strings.Contains(parts["styles.xml"], `text:start-value="1"`); has != (i == 1) {
			t.Errorf("block %d: footnotes begin with 2 is %t: %s", i+1, has, parts["styles.xml"])
		}
	}
}

func TestODTConformance(t *testing.T) {
	modalitytest.Test(t, new(word.Resolver), modalitytest.Fixture{
		Name:   "report.odt",
		Source: packODT(t, odtBody),
		Good: []modalitytest.Case{
			{Name: "middle", Location: blocks(5, 6), WantText: odtTexts[4] + odtTexts[5]},
			{Name: "cells", Location: cells(7, "B1:C2"), WantText: "\tc\nb\tb\n"},
			{Name: "cells by the number of the table", Location: numbered("1", "B1:C2"), WantText: "\tc\nb\tb\n"},
		},
		OutOfRange: []citekit.Location{blocks(8, 8), cells(7, "D1"), cells(1, "A1"), numbered("2", "A1")},
		Foreign:    citekit.Location{Modality: citekit.Audio, Time: citekit.Span{End: 1}},
		Extent:     citekit.Extent{Modality: citekit.Document, Blocks: 7, MediaType: odtType},
	})
}
