package odf_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/odf"
)

const mediaType = "application/vnd.oasis.opendocument.text"

func entry(path, mediaType, inner string) string {
	return `<manifest:file-entry manifest:full-path="` + path + `" manifest:media-type="` + mediaType + `">` + inner + `</manifest:file-entry>`
}

func manifest(entries ...string) string {
	return `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">` + entry("/", mediaType, "") + strings.Join(entries, "") + `</manifest:manifest>`
}

func files() []string {
	return []string{
		"mimetype", mediaType, "content.xml", "<content/>", "styles.xml", "<styles/>", "Pictures/a.png", "png", "Basic/macro.xml", "<m/>",
		"meta.xml", `<office:document-meta xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta>` +
			`<dc:title>A &amp; B</dc:title><meta:initial-creator>Ada</meta:initial-creator><dc:creator>Bob</dc:creator><meta:creation-date>2024-05-01T10:00:00</meta:creation-date><meta:keyword>x</meta:keyword><meta:keyword>y</meta:keyword><dc:language>de</dc:language></office:meta></office:document-meta>`,
		"META-INF/manifest.xml", manifest(entry("content.xml", "text/xml", ""), entry("styles.xml", "text/xml", ""), entry("Pictures/a.png", "image/png", ""), entry("Basic/macro.xml", "text/xml", "")),
	}
}

func open(t testing.TB, data []byte) (*odf.Package, error) {
	return odf.Open(t.Context(), bytes.NewReader(data), int64(len(data)))
}

func TestPackage(t *testing.T) {
	p, err := open(t, doctest.Zip(files()...))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := p.Text(t.Context(), odf.Content); err != nil || text != "<content/>" || p.MediaType() != mediaType || p.Has("x") {
		t.Errorf("%q, %v, %s", text, err, p.MediaType())
	}
	m, err := p.Meta(t.Context())
	if err != nil || m.Title != "A & B" || m.Author != "Ada" || m.Date != "2024-05-01T10:00:00" || m.Language != "de" || !slices.Equal(m.Keywords, []string{"x", "y"}) {
		t.Errorf("%+v, %v", m, err)
	}
	metadata := make(map[string]any)
	m.Note(metadata)
	if metadata["author"] != "Ada" || metadata["language"] != "de" || metadata["date"] != m.Date {
		t.Errorf("%v", metadata)
	}
}

func TestCut(t *testing.T) {
	p, err := open(t, doctest.Zip(files()...))
	if err != nil {
		t.Fatal(err)
	}
	c := odf.NewCut(p)
	c.Keep(odf.Styles)
	c.Keep("gone")
	c.Replace(odf.Content, "<other/>")
	var b, again bytes.Buffer
	if err := errors.Join(c.WriteTo(t.Context(), &b), c.WriteTo(t.Context(), &again)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("the same cut has other bytes")
	}
	if !bytes.HasPrefix(b.Bytes()[30:], []byte("mimetype"+mediaType)) {
		t.Errorf("the type does not come first: %.80q", b.Bytes())
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	if want := []string{"mimetype", "content.xml", "styles.xml", "META-INF/manifest.xml"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	cut, err := open(t, b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	list, err := cut.Text(t.Context(), "META-INF/manifest.xml")
	if err != nil || list != manifest(entry("content.xml", "text/xml", ""), entry("styles.xml", "text/xml", "")) {
		t.Errorf("%s, %v", list, err)
	}
}

func TestRefused(t *testing.T) {
	with := func(name, text string) []byte {
		list := files()
		list[slices.Index(list, name)+1] = text
		return doctest.Zip(list...)
	}
	without := func(name string) []byte {
		list := files()
		i := slices.Index(list, name)
		return doctest.Zip(slices.Delete(list, i, i+2)...)
	}
	whole := doctest.Zip(files()...)
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"encrypted":   {with("META-INF/manifest.xml", manifest(entry("content.xml", "text/xml", `<manifest:encryption-data/>`))), citekit.ErrEncrypted},
		"no manifest": {without("META-INF/manifest.xml"), citekit.ErrFormat},
		"no content":  {without("content.xml"), citekit.ErrFormat},
		"a bomb":      {with("META-INF/manifest.xml", strings.Repeat(" ", 17<<20)), citekit.ErrTooLarge},
		"entities":    {with("META-INF/manifest.xml", `<!DOCTYPE a [<!ENTITY b "c">]><a/>`), citekit.ErrFormat},
		"cut off":     {whole[:len(whole)/2], citekit.ErrFormat},
		"a PDF":       {[]byte("%PDF-1.7"), citekit.ErrFormat},
	} {
		_, err := open(t, c.data)
		if !errors.Is(err, c.want) || errors.Is(err, citekit.ErrEncrypted) != (c.want == citekit.ErrEncrypted) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(doctest.Zip(files()...))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := open(t, data)
		if err != nil {
			if citekit.CodeOf(err) == message.CodeInternal {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		if _, err := p.Meta(t.Context()); err != nil {
			t.Fatal(err)
		}
		c := odf.NewCut(p)
		c.Keep(odf.Content)
		var b bytes.Buffer
		if err := c.WriteTo(t.Context(), &b); err == nil {
			if _, err := open(t, b.Bytes()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestRepeatedText reads rows, cells and spaces that stand for many, also within
// each other: the text is bounded, and short repeats are written out.
func TestRepeatedText(t *testing.T) {
	const begin = `<o xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">`
	table := func(rows, cols int, cell string) string {
		return fmt.Sprintf(`<table:table><table:table-row table:number-rows-repeated="%d"><table:table-cell table:number-columns-repeated="%d">%s</table:table-cell></table:table-row></table:table>`, rows, cols, cell)
	}
	read := func(body string) string {
		var texter odf.Texter
		texter.Container(odf.Scan(begin+body+"</o>"), 0)
		return texter.String()
	}
	if got, want := read(table(2, 3, `<text:p>a<text:s text:c="3"/>b</text:p>`)), strings.Repeat("a b\ta b\ta b\n", 2); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	long := "<text:p>" + strings.Repeat("long ", 20_000) + "</text:p>"
	for name, body := range map[string]string{
		"rows and cells": table(500, 500, long),
		"nested tables":  table(10, 10, table(10, 10, table(100, 100, table(100, 100, long)))),
		"many tables":    strings.Repeat(table(500, 500, "<text:p>some words</text:p>"), 20),
		"spaces":         "<text:p>" + strings.Repeat(`<text:s text:c="1024"/>`, 100_000) + "</text:p>",
	} {
		if got := len(read(body)); got > 40<<20 {
			t.Errorf("%s: %d MiB of text come of %d KiB", name, got>>20, len(body)>>10)
		}
	}
}
