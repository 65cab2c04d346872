package ooxml_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
)

const relType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

func rel(id, kind, target string) string {
	return `<Relationship Id="` + id + `" Type="` + relType + kind + `" Target="` + target + `"/>`
}

func rels(list ...string) string {
	return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + strings.Join(list, "") + `</Relationships>`
}

const types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
	`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
	`<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>` +
	`<Default Extension="gif" ContentType="image/gif"/>` +
	`<Override PartName="/word/document.xml" ContentType="application/main+xml"/>` +
	`<Override PartName="/word/Notes.xml" ContentType="application/notes+xml"/></Types>`

// files are a package with a cycle, a missing part, an external relationship,
// and parts under names in another case.
func files() []string {
	return []string{
		"[Content_Types].xml", types,
		"_rels/.rels", rels(rel("a", "officeDocument", "/word/document.xml"), rel("b", "metadata/core-properties", "docProps/core.xml")),
		"docProps/core.xml", `<c:p xmlns:c="c" xmlns:d="d"><d:title>The &amp; title</d:title><d:creator>Ada;Bob</d:creator><c:created>2024-05-01T10:00:00Z</c:created><d:language>de</d:language></c:p>`,
		"word/document.xml", "<d/>",
		"word/_rels/document.xml.rels", rels(rel("1", "image", "Media/A.PNG"), rel("2", "notes", "notes.xml"), rel("3", "image", "gone.png"), rel("4", "image", "media/b.gif"),
			`<Relationship Id="5" Type="`+relType+`hyperlink" Target="https://example.org/#x" TargetMode="External"/>`, rel("6", "image", `..\word\media\a.png`)),
		"word/media/a.png", "png",
		"word/media/b.gif", "gif",
		"word/Notes.xml", "<n/>",
		"word/_rels/Notes.xml.rels", rels(rel("1", "document", "document.xml"), rel("2", "outside", "../../../etc/passwd")),
	}
}

func open(t testing.TB, data []byte) *ooxml.Package {
	t.Helper()
	p, err := ooxml.Open(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPackage(t *testing.T) {
	p := open(t, doctest.Zip(files()...))
	if p.Main() != "word/document.xml" || p.ContentType("/Word/document.xml") != "application/main+xml" || p.ContentType("x.PNG") != "image/png" || p.ContentType("x") != "" {
		t.Errorf("%s is %s", p.Main(), p.ContentType(p.Main()))
	}
	picture := p.Part("word/media/a.png")
	if data, err := picture.Bytes(t.Context()); string(data) != "png" || err != nil || picture.Size() != 3 {
		t.Errorf("the picture is %q, %v", data, err)
	}
	list, err := p.Rels(t.Context(), p.Main())
	if err != nil || len(list) != 6 {
		t.Fatalf("%v, %v", list, err)
	}
	if list[0].Target != "word/media/a.png" || list[0].Kind() != "image" || list[5].Target != "word/media/a.png" {
		t.Errorf("%+v, %+v", list[0], list[5])
	}
	if !list[4].External || list[4].Target != "https://example.org/#x" || p.Part(list[2].Target) != nil {
		t.Errorf("%+v, %+v", list[4], list[2])
	}
	if outside, err := p.Rels(t.Context(), "word/notes.xml"); err != nil || outside[1].Target != "etc/passwd" {
		t.Errorf("%+v, %v", outside, err)
	}
	core, err := p.Core(t.Context())
	if want := (ooxml.Core{Title: "The & title", Creator: "Ada;Bob", Created: "2024-05-01T10:00:00Z", Language: "de"}); err != nil || core != want {
		t.Errorf("%+v, %v", core, err)
	}
	metadata := make(map[string]any)
	core.Note(metadata)
	if metadata["author"] != "Ada; Bob" || metadata["date"] != "2024-05-01T10:00:00Z" || metadata["language"] != "de" {
		t.Errorf("%v", metadata)
	}
}

func TestCut(t *testing.T) {
	source := doctest.Zip(files()...)
	write := func() []byte {
		cut := ooxml.NewCut(open(t, source))
		cut.Follow = func(_ string, rel ooxml.Rel) bool { return rel.ID != "4" }
		cut.Replace("word/document.xml", "<other/>")
		cut.Replace("docProps/core.xml", "<no/>")
		cut.Retype("word/document.xml", "application/other")
		cut.Retype("word/media/a.png", "image/other")
		var b bytes.Buffer
		if err := cut.WriteTo(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	got := write()
	if !bytes.Equal(got, write()) {
		t.Errorf("the same cut has other bytes")
	}
	p := open(t, got)
	var names []string
	for _, part := range p.Parts() {
		names = append(names, part.Name)
	}
	want := []string{"[Content_Types].xml", "_rels/.rels", "word/document.xml", "word/_rels/document.xml.rels", "word/media/a.png", "word/Notes.xml", "word/_rels/Notes.xml.rels"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	text, err := p.Part(p.Main()).Text(t.Context())
	if err != nil || text != "<other/>" || p.ContentType(p.Main()) != "application/other" || p.ContentType("word/media/a.png") != "image/other" {
		t.Errorf("%q, %v, %s", text, err, p.ContentType(p.Main()))
	}
	list, _ := p.Rels(t.Context(), p.Main())
	if len(list) != 4 {
		t.Errorf("%+v", list)
	}
	if list, _ := p.Rels(t.Context(), "word/Notes.xml"); len(list) != 1 {
		t.Errorf("%+v", list)
	}
	if all, err := p.Part("[Content_Types].xml").Text(t.Context()); err != nil || strings.Contains(all, "gif") {
		t.Errorf("%s, %v", all, err)
	}
}

// compound returns a compound file whose directory, in the second sector of
// two, has a stream of a name.
func compound(name string) []byte {
	const sector = 512
	b := make([]byte, 5*sector)
	copy(b, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	binary.LittleEndian.PutUint16(b[30:], 9)
	binary.LittleEndian.PutUint32(b[48:], 1)             // the directory begins in sector 1
	binary.LittleEndian.PutUint32(b[76:], 0)             // the table is sector 0
	binary.LittleEndian.PutUint32(b[sector+4*1:], 3)     // after sector 1 comes 3
	binary.LittleEndian.PutUint32(b[sector+4*3:], 1<<31) // a sector that is not there
	entry := b[4*sector+128:]
	for i, unit := range utf16.Encode([]rune(name)) {
		binary.LittleEndian.PutUint16(entry[2*i:], unit)
	}
	binary.LittleEndian.PutUint16(entry[64:], uint16(2*len(name)+2))
	return b
}

func TestRefused(t *testing.T) {
	whole := doctest.Zip(files()...)
	without := func(i int) []byte { return doctest.Zip(slices.Delete(files(), 2*i, 2*i+2)...) }
	with := func(i int, text string) []byte {
		list := files()
		list[2*i+1] = text
		return doctest.Zip(list...)
	}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"encrypted":             {compound("EncryptedPackage"), citekit.ErrEncrypted},
		"an old document":       {compound("WordDocument"), citekit.ErrFormat},
		"a header alone":        {compound("x")[:20], citekit.ErrFormat},
		"nothing":               {nil, citekit.ErrFormat},
		"a PDF":                 {[]byte("%PDF-1.7\n"), citekit.ErrFormat},
		"cut off":               {whole[:len(whole)/2], citekit.ErrFormat},
		"no types":              {without(0), citekit.ErrFormat},
		"no relationships":      {without(1), citekit.ErrFormat},
		"no document":           {without(3), citekit.ErrFormat},
		"entities":              {with(0, `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`), citekit.ErrFormat},
		"deep":                  {with(1, strings.Repeat("<a>", 100_000)), citekit.ErrTooLarge},
		"a list that is a bomb": {with(0, strings.Repeat(" ", 17<<20)), citekit.ErrTooLarge},
	} {
		_, err := ooxml.Open(t.Context(), bytes.NewReader(c.data), int64(len(c.data)))
		if !errors.Is(err, c.want) || errors.Is(err, citekit.ErrEncrypted) != (c.want == citekit.ErrEncrypted) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ooxml.Open(cancelled, bytes.NewReader(whole), int64(len(whole))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(doctest.Zip(files()...))
	f.Add(compound("EncryptedPackage"))
	f.Add(compound("x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ooxml.Open(t.Context(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			if citekit.CodeOf(err) == message.CodeInternal {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := ooxml.NewCut(p).WriteTo(t.Context(), &b); err == nil {
			open(t, b.Bytes())
		}
		if _, err := p.Core(t.Context()); err != nil && citekit.CodeOf(err) == message.CodeInternal {
			t.Fatalf("an error of no kind: %v", err)
		}
	})
}
