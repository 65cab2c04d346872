package modality_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/parquettest"
	"github.com/citekit/citekit/internal/pdftest"
	"github.com/citekit/citekit/internal/sharedtest"
	"github.com/citekit/citekit/internal/sqlitetest"
	"github.com/citekit/citekit/internal/testcorpus"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/document/parquet"
	"github.com/citekit/citekit/modality/modalitytest"
)

var random = rand.New(rand.NewPCG(1, 2))

// words returns n words that do not compress well.
func words(n int) string {
	var b strings.Builder
	for range n {
		for range 2 + random.IntN(8) {
			b.WriteByte(byte('a' + random.IntN(26)))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// repeated joins what f returns for 0 to n-1.
func repeated(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

// stored returns a ZIP archive of members, names and contents in turn, that are not
// compressed.
func stored(t *testing.T, members ...string) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: members[i], Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(members[i+1]))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func epubOf(t *testing.T, manifest, spine string, members ...string) []byte {
	return stored(t, append([]string{
		"mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
		"b.opf", `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>` + manifest + `</manifest><spine>` + spine + `</spine></package>`,
	}, members...)...)
}

func odf(t *testing.T, kind, body string) []byte {
	return stored(t,
		"mimetype", "application/vnd.oasis.opendocument."+kind,
		"META-INF/manifest.xml", `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.`+kind+`"/></manifest:manifest>`,
		"content.xml", `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body>`+body+`</office:body></office:document-content>`)
}

const chapter = `<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>`

// TestLinear counts the work for sources of three sizes of all formats that need no
// other program, and of those shapes that once took more for each byte of a larger one.
func TestLinear(t *testing.T) {
	for _, test := range []struct {
		name string // of the source
		n    int
		grow func(t *testing.T, n int) []byte
	}{
		{"lines.txt", 2000, func(t *testing.T, n int) []byte {
			return []byte(repeated(n, func(i int) string { return words(8+i%3) + "\n" }))
		}},
		{"one line.txt", 20_000, func(t *testing.T, n int) []byte { return []byte(words(n)) }},
		{"iso-2022-jp.txt", 2000, func(t *testing.T, n int) []byte {
			data, err := japanese.ISO2022JP.NewEncoder().Bytes([]byte(strings.Repeat("これはとてもながいぶん a ", n)))
			if err != nil {
				t.Fatal(err)
			}
			return data
		}},
		{"headings.md", 500, func(t *testing.T, n int) []byte {
			return []byte(repeated(n, func(i int) string {
				return fmt.Sprintf("%s Heading %d\n\n%s\n\n", strings.Repeat("#", 1+i%4), i, words(20))
			}))
		}},
		{"rows.csv", 2000, func(t *testing.T, n int) []byte {
			return []byte("a,b,c\n" + repeated(n, func(i int) string { return fmt.Sprintf("%d,%q,%d\n", i, words(3), i*i) }))
		}},
		{"list.json", 1000, func(t *testing.T, n int) []byte {
			return []byte("[" + repeated(n, func(i int) string { return fmt.Sprintf("{\"id\":%d,\"name\":%q},\n", i, words(4)) }) + "0]")
		}},
		{"list.yaml", 500, func(t *testing.T, n int) []byte {
			return []byte(repeated(n, func(i int) string { return fmt.Sprintf("key%d:\n  name: %s\n  list: [a, b]\n", i, words(4)) }))
		}},
		{"page.html", 500, func(t *testing.T, n int) []byte {
			return []byte("<!doctype html><html><body>" + repeated(n, func(i int) string { return fmt.Sprintf("<h2>Part %d</h2><p>%s</p>\n", i, words(20)) }))
		}},
		{"code.go", 500, func(t *testing.T, n int) []byte {
			return []byte("package a\n" + repeated(n, func(i int) string {
				return fmt.Sprintf("\n// F%d says %s.\nfunc F%d() int { return %d }\n", i, words(5), i, i)
			}))
		}},
		{"mails.mbox", 300, func(t *testing.T, n int) []byte {
			return []byte(repeated(n, func(i int) string {
				return fmt.Sprintf("From a@example.org Thu Jan  1 00:00:00 2026\nFrom: a@example.org\nSubject: mail %d\nMessage-ID: <%d@example.org>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\n%s\n\n", i, i, words(10))
			}))
		}},
		{"members.zip", 300, func(t *testing.T, n int) []byte {
			var members []string
			for i := range n {
				members = append(members, fmt.Sprintf("folder%d/file%d.txt", i%10, i), words(10))
			}
			return stored(t, members...)
		}},
		{"binary.zip", 300, func(t *testing.T, n int) []byte {
			var members []string
			for i := range n {
				members = append(members, fmt.Sprintf("file%d.bin", i), strings.Repeat("\x89\x00\x01\x02\xff", 20))
			}
			return stored(t, members...)
		}},
		{"members.tar", 300, func(t *testing.T, n int) []byte {
			var out bytes.Buffer
			w := tar.NewWriter(&out)
			for i := range n {
				text := words(10)
				w.WriteHeader(&tar.Header{Name: fmt.Sprintf("file%d.txt", i), Mode: 0o600, Size: int64(len(text))})
				w.Write([]byte(text))
			}
			w.Close()
			return out.Bytes()
		}},
		{"empty members.gz", 3000, func(t *testing.T, n int) []byte {
			var one, empty bytes.Buffer
			w := gzip.NewWriter(&one)
			w.Write([]byte("some words\n"))
			w.Close()
			gzip.NewWriter(&empty).Close()
			return append(one.Bytes(), bytes.Repeat(empty.Bytes(), n)...)
		}},
		{"book.epub", 100, func(t *testing.T, n int) []byte {
			var members []string
			for i := range n {
				members = append(members, fmt.Sprintf("c%d.xhtml", i), fmt.Sprintf("<html><body><h1>Chapter %d</h1><p>%s</p></body></html>", i, words(50)))
			}
			return epubOf(t, repeated(n, func(i int) string {
				return fmt.Sprintf(`<item id="c%d" href="c%d.xhtml" media-type="application/xhtml+xml"/>`, i, i)
			}), repeated(n, func(i int) string { return fmt.Sprintf(`<itemref idref="c%d"/>`, i) }), members...)
		}},
		{"one chapter.epub", 200, func(t *testing.T, n int) []byte {
			return epubOf(t, chapter, strings.Repeat(`<itemref idref="c"/>`, n),
				"c.xhtml", "<html><body>"+repeated(n, func(int) string { return "<p>" + words(5) + "</p>" })+"</body></html>")
		}},
		{"contents of one chapter.epub", 200, func(t *testing.T, n int) []byte {
			nav := "<html><body><nav epub:type='toc'><ol>" + repeated(n, func(i int) string { return fmt.Sprintf("<li><a href='c.xhtml#p%d'>%d</a></li>", i, i) }) + "</ol></nav></body></html>"
			return epubOf(t, chapter+`<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>`, `<itemref idref="c"/>`, "nav.xhtml", nav,
				"c.xhtml", "<html><body>"+repeated(n, func(i int) string { return fmt.Sprintf("<p id='p%d'>%s</p>", i, words(5)) })+"</body></html>")
		}},
		{"rows.xlsx", 500, func(t *testing.T, n int) []byte {
			var rows [][]string
			for i := range n {
				rows = append(rows, []string{fmt.Sprint(i), words(4 + i%5), fmt.Sprint(i * i)})
			}
			return testcorpus.Workbook(rows...)
		}},
		{"rows.ods", 500, func(t *testing.T, n int) []byte {
			return odf(t, "spreadsheet", `<office:spreadsheet><table:table table:name="S">`+repeated(n, func(int) string {
				return `<table:table-row><table:table-cell office:value-type="string"><text:p>` + words(5) + `</text:p></table:table-cell></table:table-row>`
			})+`</table:table></office:spreadsheet>`)
		}},
		{"paragraphs.docx", 500, func(t *testing.T, n int) []byte {
			var paragraphs []string
			for i := range n {
				paragraphs = append(paragraphs, words(8+i%5))
			}
			return testcorpus.WordTable(paragraphs, []string{"a", "b"})
		}},
		{"paragraphs.odt", 500, func(t *testing.T, n int) []byte {
			return odf(t, "text", "<office:text>"+repeated(n, func(int) string { return "<text:p>" + words(8) + "</text:p>" })+"</office:text>")
		}},
		{"short rows.sqlite", 1000, func(t *testing.T, n int) []byte {
			return sqlitetest.Make(t, fmt.Sprintf("create table t(a); with recursive n(i) as (select 1 union all select i+1 from n where i<%d) insert into t select 'row ' || i from n;", n)+
				repeated(20, func(i int) string { return fmt.Sprintf("alter table t add column c%d;", i) }))[0]
		}},
		{"rows.parquet", 1000, func(t *testing.T, n int) []byte { return parquettest.File(t, n, 500, "none") }},
		{"pages.pdf", 3, func(t *testing.T, n int) []byte { return pdftest.Dense(n, 20) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := test.n
			if sharedtest.Long() {
				n *= 10
			}
			kind := citekit.Text
			if !strings.Contains("txt md csv json yaml html go mbox", test.name[strings.LastIndex(test.name, ".")+1:]) {
				kind = citekit.Document
			}
			fresh := func() citekit.Resolver {
				all := modality.All()
				all[citekit.Document].(*document.Resolver).More = map[string]citekit.Resolver{parquet.Format: new(parquet.Resolver)}
				return all[kind]
			}
			modalitytest.Linear(t, fresh, test.name, kind, n, func(n int) []byte { return test.grow(t, n) })
		})
	}
}
