package e2e

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/test/sqlitetest"
	"github.com/citekit/citekit/modality/modalitytest"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/verify"
)

// zipped returns a ZIP archive of names and contents.
func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var data bytes.Buffer
	z := zip.NewWriter(&data)
	for i := 0; i < len(files); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: files[i]})
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

func tarred(t *testing.T, files ...string) []byte {
	t.Helper()
	var data bytes.Buffer
	w := tar.NewWriter(&data)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o600, Size: int64(len(files[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// endFiles returns small files of the formats that have text.
func endFiles(t *testing.T) map[string][]byte {
	t.Helper()
	const (
		rels     = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
		packaged = `http://schemas.openxmlformats.org/package/2006/relationships`
		types    = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>`
		office   = `application/vnd.openxmlformats-officedocument.`
	)
	relations := func(list ...string) string {
		all := `<Relationships xmlns="` + packaged + `">`
		for i := 0; i < len(list); i += 3 {
			all += `<Relationship Id="` + list[i] + `" Type="` + rels + list[i+1] + `" Target="` + list[i+2] + `"/>`
		}
		return all + `</Relationships>`
	}
	workbook := zipped(t,
		"[Content_Types].xml", types+`<Override PartName="/xl/workbook.xml" ContentType="`+office+`spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="`+office+`spreadsheetml.worksheet+xml"/></Types>`,
		"_rels/.rels", relations("r1", "officeDocument", "xl/workbook.xml"),
		"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Bird counts" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relations("r1", "worksheet", "worksheets/sheet1.xml"),
		// B4 and D1 show nothing: the sheet ends at D4, its text at C3.
		"xl/worksheets/sheet1.xml", `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1"><v>11</v></c><c r="B1"><v>12</v></c><c r="D1"/></row><row r="3"><c r="C3"><v>33</v></c></row><row r="4"><c r="B4"/></row></sheetData></worksheet>`,
	)
	const spaces = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"`
	ods := zipped(t,
		"mimetype", "application/vnd.oasis.opendocument.spreadsheet",
		"content.xml", `<office:document-content `+spaces+` office:version="1.3"><office:body><office:spreadsheet><table:table table:name="S"><table:table-row><table:table-cell office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="2"><text:p>2</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell office:value-type="float" office:value="3"><text:p>3</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`,
		"META-INF/manifest.xml", `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
	)
	chapter := func(words string) string {
		return `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>C</title></head><body><h1>Birds</h1><p>` + words + `</p><table><tr><td>a</td><td>b</td></tr></table><p></p></body></html>`
	}
	book := zipped(t,
		"mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
		"book.opf", `<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:x</dc:identifier><dc:title>Birds</dc:title><dc:language>en</dc:language></metadata><manifest><item id="c1" href="c1.xhtml" media-type="application/xhtml+xml"/><item id="c2" href="c2.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c1"/><itemref idref="c2"/></spine></package>`,
		"c1.xhtml", chapter("Herons fish."), "c2.xhtml", chapter("Storks nest."),
	)
	letter := zipped(t,
		"[Content_Types].xml", types+`<Override PartName="/word/document.xml" ContentType="`+office+`wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels", relations("r1", "officeDocument", "word/document.xml"),
		"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Herons fish.</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p><w:r><w:t>Storks nest.</w:t></w:r></w:p><w:p/></w:body></w:document>`,
	)
	guide, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "quickstart", "samples", "guide.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	table := "name,count\nheron,214\nstork,12\n"
	mail := "From: Ann <ann@example.org>\r\nSubject: Counts\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n" +
		"--x\r\nContent-Type: multipart/alternative; boundary=y\r\n\r\n--y\r\nContent-Type: text/plain\r\n\r\nHerons fish.\r\nStorks nest.\r\n--y--\r\n" +
		"--x\r\nContent-Type: text/plain; name=b.txt\r\n\r\nStorks were rare.\r\n--x--\r\n"
	page := "<html><body><h1>Birds</h1>\n<p>Herons fish.</p>\n<table><tr><td>a</td><td>b</td></tr></table><p>Storks nest.</p></body></html>\n"
	subtitles := "1\n00:00:01,000 --> 00:00:02,000\nHerons fish.\n"
	files := map[string][]byte{
		"counts.xlsx": workbook, "sums.ods": ods, "book.epub": book, "letter.docx": letter, "guide.pdf": guide,
		"table.csv": []byte(table), "mail.eml": []byte(mail), "page.html": []byte(page), "words.srt": []byte(subtitles), "notes.txt": []byte("one\ntwo\nthree"),
		"box.mbox": []byte("From a@example.org Mon Jun  3 10:00:01 2024\nSubject: One\n\nHerons first.\n\nFrom a@example.org Mon Jun  3 10:00:01 2024\nSubject: Two\n\nStorks second.\n"),
		"shop.db":  sqlitetest.Make(t, "create table birds(name text, count int); insert into birds values('heron',214),('stork',12);")[0],
	}
	var members []string
	for _, name := range []string{"counts.xlsx", "sums.ods", "book.epub", "letter.docx", "guide.pdf", "table.csv", "mail.eml", "page.html", "notes.txt", "box.mbox", "shop.db"} {
		members = append(members, "in/"+name, string(files[name]))
	}
	files["all.zip"], files["all.tar"] = zipped(t, members...), tarred(t, members...)
	return files
}

// endsOf are places in the files of endFiles with all selectors that count, which
// lie in the source: in the file itself, and in the archives.
var endsOf = map[string][]string{
	"doc://counts": {"sheet=Bird%20counts&cells=A1:D4", "sheet=Bird%20counts&cells=A1:C3", "sheet=Bird%20counts&rows=1-4", "sheet=Bird%20counts&rows=1", "sheet=Bird%20counts&cols=A:D"},
	"doc://sums":   {"sheet=S&cells=A1:B2", "sheet=S&rows=1-2", "sheet=S&cols=A:B"},
	"doc://book":   {"part=1-2", "part=1", "part=2&blocks=1-4", "part=1&blocks=3&cells=A1:B1"},
	"doc://letter": {"blocks=1-4", "blocks=1", "blocks=2&cells=A1:B1"},
	"doc://guide":  {"pages=1-6", "pages=6"},
	"text://table": {"rows=1-3", "rows=2&cols=name", "lines=1-3"},
	"text://mail":  {"part=1.1&lines=1-2", "part=2&lines=1", "part=2", "lines=3-9"},
	"text://page":  {"blocks=1-4", "blocks=3&cells=A1:B1", "lines=1-3"},
	"text://notes": {"lines=1-3", "lines=3"},
	"text://box":   {"message=2", "message=1&lines=1-3", "lines=2-8"},
	"doc://shop":   {"table=birds&rows=1-2", "table=birds&rows=1&cols=name"},
}

// TestEnds moves the ends of places further out, in the formats that have text and
// in members of archives: a place that resolve refuses as out of range is refused
// in the same words when it is read, when a quote of it or its address is verified,
// when it is cited, and when others like it are searched, and a place that resolve accepts is read.
func TestEnds(t *testing.T) {
	files := endFiles(t)
	lib := mapped(t, files)
	ids, err := lib.Resources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	archives := []string{}
	for _, id := range ids {
		if strings.HasPrefix(id, "all") {
			archives = append(archives, id)
		}
	}
	if len(archives) != 2 {
		t.Fatalf("the resources %q", ids)
	}
	searcher := search.New(lib, nil)
	defer searcher.Close()
	e := &ends{T: t, lib: lib, searcher: searcher, reader: contents.New(lib, nil), verifier: verify.New(lib, nil)}
	for resource, fragments := range endsOf {
		scheme, id, _ := strings.Cut(resource, "://")
		name := ""
		for file := range files {
			if strings.HasPrefix(file, id+".") {
				name = file
			}
		}
		for _, fragment := range fragments {
			e.check(resource + "#" + fragment)
			for _, archive := range archives {
				e.check(scheme + "://" + archive + "#member=in/" + name + "&" + fragment)
			}
		}
	}
	if e.refused < 300 || e.accepted < 20 {
		t.Errorf("%d places were refused and %d accepted", e.refused, e.accepted)
	}
}

type ends struct {
	*testing.T
	lib               *citekit.Library
	reader            *contents.Reader
	verifier          *verify.Verifier
	searcher          *search.Searcher
	refused, accepted int
}

// check compares an address that lies in its source, and others that end further
// out.
func (e *ends) check(address string) {
	e.Helper()
	a, err := citekit.ParseAddress(address)
	if err != nil {
		e.Fatal(err)
	}
	if _, err := e.lib.ResolveAddress(e.Context(), a, nil); err != nil {
		e.Errorf("resolve %s: %v", a, err)
		return
	}
	e.compare(a, nil)
	for _, loc := range modalitytest.Further(a.Location) {
		further := citekit.Address{Resource: a.Resource, Location: loc}
		_, err := e.lib.ResolveAddress(e.Context(), further, nil)
		e.compare(further, err)
	}
}

// compare checks that an address is read, verified and cited as it is resolved.
func (e *ends) compare(a citekit.Address, resolved error) {
	e.Helper()
	if resolved == nil {
		e.accepted++
	} else {
		e.refused++
	}
	got, err := e.reader.Read(e.Context(), contents.Request{IDs: []string{a.String()}})
	if err != nil {
		e.Fatal(err)
	}
	e.same(a, "read", resolved, got.Items[0].Err)
	if resolved != nil && got.Items[0].Text != "" {
		e.Errorf("read %s: the text %q beside an error", a, got.Items[0].Text)
	}
	verdict, err := e.verifier.Quote(e.Context(), verify.Request{Quote: "Herons fish.", Address: a, Only: true})
	if err != nil {
		e.Fatal(err)
	}
	e.same(a, "verify a quote at", resolved, verdict.Problem)
	report, err := e.verifier.Text(e.Context(), a.String(), nil)
	if err != nil {
		e.Fatal(err)
	}
	e.same(a, "verify", resolved, report.Entries[0].Problem)
	if resolved != nil && report.Entries[0].Holds() {
		e.Errorf("verify %s: it holds", a)
	}
	if _, err := e.searcher.Similar(e.Context(), search.SimilarRequest{ID: a.String()}); errors.Is(err, citekit.ErrRange) != errors.Is(resolved, citekit.ErrRange) {
		e.Errorf("similar to %s: %v; resolve: %v", a, err, resolved)
	}
	e.same(a, "cite", resolved, lookup.CheckEnd(e.Context(), e.lib, a))
}

func (e *ends) same(a citekit.Address, op string, resolved, err error) {
	e.Helper()
	switch {
	case resolved == nil && err == nil:
	case resolved == nil || err == nil || errors.Is(resolved, citekit.ErrRange) != errors.Is(err, citekit.ErrRange):
		e.Errorf("%s %s: %v; resolve: %v", op, a, err, resolved)
	case lookup.Reason(resolved).Error() != lookup.Reason(err).Error():
		e.Errorf("%s %s says %q, and resolve %q", op, a, err, resolved)
	}
}
