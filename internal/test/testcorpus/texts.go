package testcorpus

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// A sample is a text as people read it, and how it is stored.
type sample struct {
	name     string
	text     string
	encoding string // as the truth names it; "" for ascii or utf-8
}

func (m *maker) texts() {
	for _, s := range samples() {
		m.write(s.name, s.bytes())
	}
	for _, name := range []string{"page-breaks.docx", "slides.pptx", "small.epub"} {
		m.write("docs/"+name, office(name))
	}
	m.write("docs/notebook.ipynb", []byte(`{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# A notebook\n", "With a cell of text."]},`+
		"\n"+` {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [], "source": ["print(1 + 1)"]}],`+"\n"+` "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`+"\n"))
	m.write("maps/podcast-chapters.json", []byte("{\n  \"version\": \"1.2.0\",\n  \"chapters\": [\n    {\"startTime\": 0, \"title\": \"Opening\"},\n    {\"startTime\": 60.5, \"title\": \"The middle\"}\n  ]\n}\n"))
	m.write("maps/podcast-transcript.json", []byte("{\n  \"version\": \"1.0.0\",\n  \"segments\": [\n    {\n      \"speaker\": \"Host\",\n      \"startTime\": 0.5,\n      \"endTime\": 0.75,\n      \"body\": \"I\"\n    },\n"+
		"    {\n      \"speaker\": \"Guest\",\n      \"startTime\": 2.75,\n      \"endTime\": 3,\n      \"body\": \"see\"\n    }\n  ]\n}\n"))
}

func (s sample) bytes() []byte {
	var data []byte
	var err error
	switch s.encoding {
	case "utf-8-sig":
		data = []byte("\ufeff" + s.text)
	case "utf-16-le (no bom)":
		data = utf16Bytes(s.text, binary.LittleEndian)
	case "utf-16-be (no bom)":
		data = utf16Bytes(s.text, binary.BigEndian)
	case "utf-16-le+bom":
		data = utf16Bytes("\ufeff"+s.text, binary.LittleEndian)
	case "utf-32-le":
		for _, r := range "\ufeff" + s.text {
			data = binary.LittleEndian.AppendUint32(data, uint32(r))
		}
	case "not-utf8 = latin-1":
		data, err = charmap.ISO8859_1.NewEncoder().Bytes([]byte(s.text))
	case "not-utf8 = cp1252":
		data, err = charmap.Windows1252.NewEncoder().Bytes([]byte(s.text))
	case "not-utf8 = shift_jis":
		data, err = japanese.ShiftJIS.NewEncoder().Bytes([]byte(s.text))
	default:
		data = []byte(s.text)
	}
	if err != nil {
		panic(s.name + ": " + err.Error())
	}
	return data
}

func utf16Bytes(text string, order binary.AppendByteOrder) (data []byte) {
	for _, unit := range utf16.Encode([]rune(text)) {
		data = order.AppendUint16(data, unit)
	}
	return data
}

// cues are subtitles that are written in several formats.
const cues = "1\n00:01:39,000 --> 00:01:41,040\n(low humming)\n\n2\n00:02:04,080 --> 00:02:05,360\nWho is there?\n\n3\n00:02:20,000 --> 00:02:22,000\nNobody.\nOnly the wind.\n\n" +
	"4\n00:02:25,000 --> 00:02:26,500\nThe wind\ndoes not knock.\n\n5\n00:02:28,000 --> 00:02:30,000\n(silence)\n\n6\n00:02:31,400 --> 00:02:33,440\n(bells that ring\nfrom afar)\n"

func withoutNumbers(srt string) string {
	var b strings.Builder
	for block := range strings.SplitSeq(srt, "\n\n") {
		_, rest, _ := strings.Cut(block, "\n")
		b.WriteString(rest + "\n\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

const greeting = "Ein Satz auf Deutsch: die Größe der Übung.\nA sentence in English.\nПредложение по-русски.\nΜια πρόταση στα ελληνικά.\n日本語の文です。\nוגם משפט בעברית.\nجملة بالعربية.\n한국어 문장입니다.\n𝒜 letter outside the first plane 😀\n"

const tale = "The keeper of the lighthouse wrote a line each night.\nOn Monday the wind came from the west.\nOn Tuesday there was none.\nA ship lay still before the cape, and its lamps were lit.\n" +
	"\nOn Wednesday it was gone.\nNobody had seen it sail.\nHe drew a line under the page – the last one – and shut the book.\nThe end.\n"

func samples() []sample {
	list := []sample{
		{name: "text/utf16le-nobom.txt", text: tale, encoding: "utf-16-le (no bom)"},
		{name: "text/utf16be.txt", text: tale, encoding: "utf-16-be (no bom)"},
		{name: "text/utf16-bom.txt", text: greeting, encoding: "utf-16-le+bom"},
		{name: "text/utf32.txt", text: greeting, encoding: "utf-32-le"},
		{name: "text/latin1-umlauts.md", text: "# Über die Größe\n\nDie Straße führt über den Fluß, und die Brücke ächzt.\n\nSchöne Grüße aus Köln und Düsseldorf.\n", encoding: "not-utf8 = latin-1"},
		{name: "text/utf8-umlauts.md", text: "# Über die Größe\n\nDie Straße führt über den Fluß, und die Brücke ächzt.\n\nSchöne Grüße aus Köln und Düsseldorf.\n"},
		{name: "text/whitespace-only.txt", text: " \n\t\n  \n"},
		{name: "text/empty.txt"},
		{name: "text/html-cp1252.html", text: htmlPage, encoding: "not-utf8 = cp1252"},
		{name: "text/utf8bom.srt", text: cues, encoding: "utf-8-sig"},
		{name: "text/utf16le.srt", text: cues, encoding: "utf-16-le+bom"},
		{name: "text/missing-sequence.srt", text: withoutNumbers(cues)},
		{name: "text/cr-only.vtt", text: "WEBVTT\r\r00:00.000 --> 00:03.766\rDid you find\ra story that you like?\r\r00:04.000 --> 00:09.000\rThe one of the lighthouse.\r\r00:10.733 --> 00:14.066\rTell it again,\rplease.\r\n", encoding: "utf-8-sig"},
		{name: "text/broken.vtt", text: "WEBVTT\n00:00.000 -> nothing\n"},
		{name: "text/stream-of-water.vtt", text: "WEBVTT\n\nNOTE a stream\n\n1\n00:00:00.000 --> 00:00:02.000\nWater runs down.\n\n2\n00:00:02.500 --> 00:00:05.000\n<i>It</i> runs on &amp; on.\n"},
		{name: "text/example.ssa", text: scripted()},
		{name: "text/shift-jis.csv", text: "名前,住所,電話\n山田太郎,東京都千代田区,03-1234\n鈴木花子,大阪府大阪市,06-5678\n佐藤次郎,北海道札幌市,011-9999\n", encoding: "not-utf8 = shift_jis"},
		{name: "text/crlf.md", text: strings.ReplaceAll(markdownPage, "\n", "\r\n")},
		{name: "text/plain-long-lines.txt", text: longLines(742)},
		{name: "text/udhr-all-scripts.txt", text: strings.Repeat(greeting+"\n", 151) + "The end.\n"},
		{name: "text/naughty-strings.txt", text: naughty()},
		{name: "text/csv-long-lines.csv", text: wideRows(11)},
	}
	for name, source := range sourceCode {
		list = append(list, sample{name: "text/" + name, text: source})
	}
	return list
}

func scripted() string {
	var b strings.Builder
	b.WriteString("[Script Info]\nTitle: An example\nScriptType: v4.00\n\n[V4 Styles]\nFormat: Name, Fontname, Fontsize\nStyle: Default,Arial,18\n\n[Events]\nFormat: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n")
	for i, line := range []string{"(low humming)", "Who is there?", "Nobody.\\NOnly the wind.", "The wind does not knock.", "(silence)", "{\\i1}(bells){\\i0}"} {
		fmt.Fprintf(&b, "Dialogue: Marked=0,0:%02d:%02d.00,0:%02d:%02d.50,Default,Someone,0000,0000,0000,,%s\n", 1+i/3, 10*(i%3)+5, 1+i/3, 10*(i%3)+7, line)
	}
	return b.String()
}

func longLines(n int) string {
	var b strings.Builder
	for i := range n {
		if i%2 == 1 {
			b.WriteString("\n")
			continue
		}
		for j := range 3 + i%9 {
			fmt.Fprintf(&b, "In the year %d the %s of the %s was moved to the %s — so they say. ", 1300+i, subjects[(i+j)%16], subjects[(i*3+j)%16], subjects[(i*5+j*7)%16])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// naughty returns strings that terminals, logs and browsers misinterpret.
func naughty() string {
	odd := []string{"Strings that \x1b[2J\x1b[31mredden", "\x1b]0;title\x07", "\u202egnp.exe", "a\u200bb\u2060c", "\U000e0041\U000e0042", "<script>alert(1)</script>", "$(reboot)", "';DROP TABLE maps;--",
		"Ω≈ç√∫˜µ≤≥÷", "田中さんにあげて下さい", "١٢٣", "𝕿𝖍𝖊 𝖖𝖚𝖎𝖈𝖐", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢", "NUL", "1.0e-9999", "\ufeffmark", "\u2028line\u2029paragraph", "%n%s%x", "../../etc/passwd", "{{7*7}}"}
	var b strings.Builder
	for i := range 742 {
		b.WriteString(odd[i%len(odd)] + strings.Repeat(" ", i%3) + "\n")
	}
	return b.String()
}

func wideRows(n int) string {
	var b strings.Builder
	for i := range n {
		for j := range 200 {
			if j > 0 {
				b.WriteByte(',')
			}
			if i == 0 {
				fmt.Fprintf(&b, "column_%d", j)
			} else {
				fmt.Fprintf(&b, "%d.%02d", i*j, j%100)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const htmlPage = "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"windows-1252\">\n<title>A café – “quoted”</title>\n</head>\n<body>\n<h1>The café</h1>\n<p>It costs 5 € – that’s all.</p>\n" +
	"<h2>Its menu</h2>\n<ul>\n<li>Crème brûlée</li>\n<li>Smørrebrød</li>\n</ul>\n<h2>Its hours</h2>\n<p>From 9 to 17…</p>\n</body>\n</html>\n"

const markdownPage = "# A page\n\nSome words first.\n\n## Part one\n\n- an item\n- another item\n\n```\n# not a heading\n```\n\n## Part two\n\nMore words,\nover two lines.\n\n### Deeper\n\nA table:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"

var sourceCode = map[string]string{
	"code-go.go":     "// Package shelf keeps books.\npackage shelf\n\nimport \"errors\"\n\n// A Book is what one reads.\ntype Book struct {\n\tTitle string\n}\n\n// Open opens a book.\nfunc (b *Book) Open(page int) error {\n\tif page < 1 {\n\t\treturn errors.New(\"no such page\")\n\t}\n\treturn nil\n}\n\nfunc count(books []Book) int { return len(books) }\n",
	"code-python.py": "\"\"\"Keeps books.\"\"\"\n\nimport os\n\n\nclass Shelf:\n    \"\"\"A shelf.\"\"\"\n\n    def __init__(self, books):\n        self.books = books\n\n    def count(self):\n        return len(self.books)\n\n\ndef main():\n    print(Shelf(os.listdir('.')).count())\n\n\nif __name__ == '__main__':\n    main()\n",
	"code-js.js":     "'use strict';\n\nclass Shelf {\n  constructor(books) {\n    this.books = books;\n  }\n\n  count() {\n    return this.books.length;\n  }\n}\n\nfunction open(book) {\n  return book.page ?? 1;\n}\n\nmodule.exports = { Shelf, open };\n",
	"code-c.h":       "#ifndef SHELF_H\n#define SHELF_H\n\n/* A book. */\nstruct book {\n\tconst char *title;\n\tint pages;\n};\n\nint shelf_count(const struct book *books);\n\nstatic inline int shelf_first(const struct book *books)\n{\n\treturn books ? books[0].pages : 0;\n}\n\n#endif\n",
	"code-rust.rs":   "//! Keeps books.\n\n/// A book.\npub struct Book {\n    pub title: String,\n}\n\nimpl Book {\n    /// Opens it.\n    pub fn open(&self, page: u32) -> Result<(), String> {\n        if page == 0 {\n            return Err(\"no such page\".into());\n        }\n        Ok(())\n    }\n}\n\nfn count(books: &[Book]) -> usize {\n    books.len()\n}\n",
	"code-ruby.rb":   "# Keeps books.\nmodule Shelf\n  class Book\n    attr_reader :title\n\n    def initialize(title)\n      @title = title\n    end\n\n    def open(page)\n      raise ArgumentError if page < 1\n    end\n  end\n\n  def self.count(books)\n    books.size\n  end\nend\n",
	"code-tcl.tcl":   "# Keeps books.\nproc count {books} {\n    return [llength $books]\n}\n\nproc open_book {book page} {\n    if {$page < 1} {\n        error \"no such page\"\n    }\n}\n\nputs [count {a b c}]\n",
	"code-shell.sh":  "#!/bin/sh\n# Keeps books.\nset -eu\n\ncount() {\n  ls \"$1\" | wc -l\n}\n\nopen_book() {\n  [ \"$2\" -ge 1 ] || exit 1\n}\n\ncount .\n",
}

// office returns a small document as word processors write it: a DOCX, a PPTX or an
// EPUB, depending on its name.
func office(name string) []byte {
	const (
		xml    = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
		types  = `http://schemas.openxmlformats.org/package/2006/content-types`
		linked = `http://schemas.openxmlformats.org/package/2006/relationships`
		kind   = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
		word   = `http://schemas.openxmlformats.org/wordprocessingml/2006/main`
		slides = `http://schemas.openxmlformats.org/presentationml/2006/main`
		shapes = `http://schemas.openxmlformats.org/drawingml/2006/main`
		format = `application/vnd.openxmlformats-officedocument.`
	)
	contentTypes := func(overrides string) string {
		return xml + `<Types xmlns="` + types + `"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` + overrides + `</Types>`
	}
	link := func(kindOf, target string) string {
		return xml + `<Relationships xmlns="` + linked + `"><Relationship Id="rId1" Type="` + kind + "/" + kindOf + `" Target="` + target + `"/></Relationships>`
	}
	paragraph := func(text string) string { return `<w:p><w:r><w:t>` + text + `</w:t></w:r></w:p>` }
	var members [][2]string
	switch path.Ext(name) {
	case ".docx":
		members = [][2]string{
			{"[Content_Types].xml", contentTypes(`<Override PartName="/word/document.xml" ContentType="` + format + `wordprocessingml.document.main+xml"/>`)},
			{"_rels/.rels", link("officeDocument", "word/document.xml")},
			{"word/document.xml", xml + `<w:document xmlns:w="` + word + `"><w:body>` + paragraph("Before the break") +
				`<w:p><w:r><w:br w:type="page"/><w:t>After it</w:t></w:r></w:p><w:sectPr/></w:body></w:document>`},
		}
	case ".pptx":
		members = [][2]string{
			{"[Content_Types].xml", contentTypes(`<Override PartName="/ppt/presentation.xml" ContentType="` + format + `presentationml.presentation.main+xml"/>` +
				`<Override PartName="/ppt/slides/slide1.xml" ContentType="` + format + `presentationml.slide+xml"/>`)},
			{"_rels/.rels", link("officeDocument", "ppt/presentation.xml")},
			{"ppt/presentation.xml", xml + `<p:presentation xmlns:p="` + slides + `" xmlns:r="` + kind + `"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>`},
			{"ppt/_rels/presentation.xml.rels", link("slide", "slides/slide1.xml")},
			{"ppt/slides/slide1.xml", xml + `<p:sld xmlns:p="` + slides + `" xmlns:a="` + shapes + `"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>` +
				`<p:sp><p:nvSpPr><p:cNvPr id="2" name="Title"/><p:cNvSpPr/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>One slide</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`},
		}
	case ".epub":
		members = [][2]string{
			{"mimetype", "application/epub+zip"},
			{"META-INF/container.xml", xml + `<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`},
			{"book.opf", xml + `<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">small</dc:identifier><dc:title>A small book</dc:title><dc:language>en</dc:language></metadata>` +
				`<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="one"/></spine></package>`},
			{"nav.xhtml", xml + `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>Contents</title></head><body><nav epub:type="toc"><ol><li><a href="one.xhtml">Chapter one</a></li></ol></nav></body></html>`},
			{"one.xhtml", xml + `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>One</title></head><body><h1>Chapter one</h1><p>It begins.</p></body></html>`},
		}
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		method := zip.Deflate
		if m[0] == "mimetype" {
			method = zip.Store
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: m[0], Method: method})
		if err == nil {
			_, err = io.WriteString(f, m[1])
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func (m *maker) textTruths() {
	type truth struct {
		File     string            `json:"file"`
		Encoding string            `json:"encoding"`
		Lines    int               `json:"lines"`
		Probe    map[string]string `json:"line_probe"`
	}
	var all []truth
	for _, s := range samples() {
		t := truth{File: s.name, Encoding: s.encoding, Probe: make(map[string]string)}
		if t.Encoding == "" {
			t.Encoding = "utf-8"
		}
		lines := linesOf(s.text)
		t.Lines = len(lines)
		for _, n := range []int{1, (len(lines) + 1) / 2, len(lines)} {
			if 0 < n && n <= len(lines) {
				line := []rune(lines[n-1])
				t.Probe[fmt.Sprint(n)] = string(line[:min(len(line), 80)])
			}
		}
		all = append(all, t)
	}
	m.writeJSON("truth/text.json", all)
}

// linesOf splits a text at CR, LF and CRLF line ends.
func linesOf(text string) []string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
