package word_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/word"
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
	return packParts(t, files)
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
			parts := unpack(t, got)
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

func TestODTConformance(t *testing.T) {
	modalitytest.Test(t, new(word.Resolver), modalitytest.Fixture{
		Name:   "report.odt",
		Source: packODT(t, odtBody),
		Good: []modalitytest.Case{
			{Name: "middle", Location: blocks(5, 6), WantText: odtTexts[4] + odtTexts[5]},
			{Name: "cells", Location: cells(7, "B1:C2"), WantText: "\tc\nb\tb\n"},
		},
		OutOfRange: []citekit.Location{blocks(8, 8), cells(7, "D1"), cells(1, "A1")},
		Foreign:    citekit.Location{Modality: citekit.Audio, Time: citekit.Span{End: 1}},
		Extent:     citekit.Extent{Modality: citekit.Document, Blocks: 7, MediaType: odtType},
	})
}
