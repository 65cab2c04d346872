package word_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/word"
)

// within is a document with embedded texts: each kind and content of one, in
// the order of blocks that follow a paragraph.
func within(chunks ...string) docx {
	d := docx{body: para("", "before")}
	for i := 0; i < len(chunks); i += 2 {
		name := "chunk" + string(rune('a'+i/2)) + "." + chunks[i]
		d.body += `<w:altChunk r:id="rId` + string(rune('1'+i/2)) + `"><w:altChunkPr/></w:altChunk>`
		d.parts = append(d.parts, "word/"+name, chunks[i+1])
		d.rels = append(d.rels, "aFChunk", name)
	}
	d.body += para("", "after") + sectPr
	return d
}

// packTyped packs a document with content types for some extensions.
func packTyped(t testing.TB, d docx) []byte {
	parts := doctest.Unzip(t, d.pack(t))
	types := `<Default Extension="htm" ContentType="text/html"/><Default Extension="txt" ContentType="text/plain"/><Default Extension="rtf" ContentType="application/rtf"/>` +
		`<Default Extension="docx" ContentType="` + docType + `document.main+xml"/></Types>`
	parts["[Content_Types].xml"] = strings.Replace(parts["[Content_Types].xml"], "</Types>", types, 1)
	return doctest.ZipMap(parts)
}

// TestEmbeddedTexts reads HTML, plain text and DOCX in the place of blocks, says
// of others that they are there, and cuts them.
func TestEmbeddedTexts(t *testing.T) {
	inner := report().pack(t)
	data := packTyped(t, within(
		"htm", "<html><head><title>no</title></head><body><h1>Head</h1><p>Stra\u00dfe</p></body></html>",
		"txt", "one\r\ntwo", "docx", string(inner), "rtf", `{\rtf1 secret}`))
	rtf := "[an embedded text, RTF, that is not read]\n"
	for i, want := range []string{"before\n", "Head\nStra\u00dfe\n", "one\ntwo\n", strings.Join(texts, ""), rtf, "after\n"} {
		loc := blocks(i+1, i+1)
		if got := read(t, data, loc); got != want {
			t.Errorf("block %d: %q, want %q", i+1, got, want)
		}
		out, changes := cut(t, data, loc)
		if got := read(t, out, whole); got != want {
			t.Errorf("the cut of block %d: %q, want %q", i+1, got, want)
		}
		if got := slices.Contains(changes, "embedded texts that are not read left out"); got != (want == rtf) {
			t.Errorf("block %d: %q", i+1, changes)
		}
		if got := slices.Contains(changes, "macros left out, in an embedded text"); got != (i == 3) {
			t.Errorf("block %d: %q", i+1, changes)
		}
		for name, content := range doctest.Unzip(t, out) {
			if strings.Contains(content, "{\\rtf") || strings.Contains(content, "Stra\u00dfe") && i != 1 {
				t.Errorf("block %d: %s travels along", i+1, name)
			}
			if strings.HasSuffix(name, ".docx") {
				checkParts(t, doctest.Unzip(t, []byte(content)))
			}
		}
	}
}

// TestEmbeddedTextsThatAreNotRead names what cannot be read, and what is missing.
func TestEmbeddedTextsThatAreNotRead(t *testing.T) {
	inner := packTyped(t, within("txt", "deep"))
	shiftJIS := "<html><meta charset=\"shift_jis\"><p>\x83e\x83X\x83g</p></html>"
	missing := within("txt", "x")
	missing.rels[1] = "nowhere.txt"
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"in an embedded text": {packTyped(t, within("docx", string(inner))), "[an embedded text, DOCX, that is not read]\n"},
		"a damaged DOCX":      {packTyped(t, within("docx", "PK")), "[an embedded text, DOCX, that is not read]\n"},
		"a charset":           {packTyped(t, within("htm", shiftJIS)), "[an embedded text, HTML, that is not read]\n"},
		"missing":             {packTyped(t, missing), "[an embedded text that the document lacks]\n"},
	} {
		if got := read(t, c.data, blocks(2, 2)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		out, changes := cut(t, c.data, blocks(1, 2))
		if got := read(t, out, whole); got != "before\n"+c.want || len(changes) != 1 {
			t.Errorf("%s: the cut has %q, %q", name, got, changes)
		}
	}
}

// TestEmbeddedTextOften has one text in many blocks, which all together are
// more than a document may have.
func TestEmbeddedTextOften(t *testing.T) {
	d := within("txt", strings.Repeat("words ", 1<<20))
	d.body = strings.Repeat(`<w:altChunk r:id="rId1"/>`, 1000)
	if got := read(t, packTyped(t, d), blocks(1000, 1000)); got != "[an embedded text, plain text, that is not read]\n" {
		t.Errorf("%d bytes", len(got))
	}
}

// TestDamagedHeader cuts a document with a header that is not well-formed, which
// stays as it is.
func TestDamagedHeader(t *testing.T) {
	d := report()
	header := slices.Index(d.parts, "word/header1.xml") + 1
	d.parts[header] = strings.Replace(d.parts[header], "><w:r>", " <w:r>", 1)
	d.parts = append(d.parts, "word/_rels/header1.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="`+relType+`image" Target="media/image1.png"/></Relationships>`)
	out, changes := cut(t, d.pack(t), blocks(2, 2))
	if got := read(t, out, whole); got != texts[1] || doctest.Unzip(t, out)["word/header1.xml"] != d.parts[header] {
		t.Errorf("%q, %q", got, doctest.Unzip(t, out)["word/header1.xml"])
	}
	if !slices.Contains(changes, "parts that are damaged in the source stay as they are") {
		t.Errorf("%q", changes)
	}
}

// TestExternalEntity refuses a document that would have a file read, and
// TestNoBlocks one that has nothing to cite, which can be had as a whole.
func TestExternalEntity(t *testing.T) {
	parts := doctest.Unzip(t, report().pack(t))
	parts["word/document.xml"] = `<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/hostname">]>` + strings.Replace(parts["word/document.xml"][len(`<?xml version="1.0" encoding="UTF-8"?>`):], "Scope", "&e;", 1)
	_, err := new(word.Resolver).Measure(t.Context(), doctest.Source("x.docx", doctest.ZipMap(parts)))
	if !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "document type") {
		t.Error(err)
	}
}

func TestNoBlocks(t *testing.T) {
	data := docx{body: sectPr}.pack(t)
	r := new(word.Resolver)
	if got := read(t, data, whole); got != "" {
		t.Errorf("%q", got)
	}
	c, err := r.Resolve(t.Context(), doctest.Source("x.docx", data), citekit.Request{Location: whole})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(c.Body); err != nil || !bytes.Equal(all, data) {
		t.Errorf("%d bytes, %v", len(all), err)
	}
	if _, err := r.Resolve(t.Context(), doctest.Source("x.docx", data), citekit.Request{Location: blocks(1, 1)}); !errors.Is(err, citekit.ErrRange) {
		t.Error(err)
	}
	if _, err := r.Map(t.Context(), doctest.Source("x.docx", data), citekit.MapRequest{Modality: citekit.Document}); !errors.Is(err, citekit.ErrEmpty) || !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "nothing to cite") {
		t.Error(err)
	}
}
