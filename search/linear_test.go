package search_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/testcorpus"
	"github.com/citekit/citekit/search"
)

// zipped returns a ZIP archive of names, each with its text.
func zipped(members ...[2]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, err := z.Create(m[0])
		if err == nil {
			_, err = io.WriteString(w, m[1])
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// epub returns a book whose spine has one chapter some times, with entries of its table
// of contents.
func epub(times int, chapter, entries string) []byte {
	const html = `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>%s</body></html>`
	manifest := `<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>`
	if entries != "" {
		manifest += `<item id="n" href="n.xhtml" properties="nav" media-type="application/xhtml+xml"/>`
		entries = `<nav epub:type="toc"><ol>` + entries + `</ol></nav>`
	}
	return zipped([2]string{"mimetype", "application/epub+zip"},
		[2]string{"META-INF/container.xml", `<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`},
		[2]string{"b.opf", `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>` + manifest + `</manifest><spine>` + strings.Repeat(`<itemref idref="c"/>`, times) + `</spine></package>`},
		[2]string{"c.xhtml", fmt.Sprintf(html, chapter)}, [2]string{"n.xhtml", fmt.Sprintf(html, entries)})
}

// bookOf returns a book that has one chapter some times.
func bookOf(times int, chapter string) []byte { return epub(times, chapter, "") }

// each joins what f returns for 0 up to n.
func each(n int, f func(i int) string) string {
	var all strings.Builder
	for i := range n {
		all.WriteString(f(i))
	}
	return all.String()
}

// sized are files of n parts of a format, such as would show a look at all parts for
// each of them.
var sized = []struct {
	name, file string
	make       func(n int) []byte
}{
	{"EPUB, one chapter n times", "a.epub", func(n int) []byte { return bookOf(n, "<p>A kettle of tea.</p>") }},
	{"EPUB, entries to one chapter", "a.epub", func(n int) []byte {
		return epub(1, each(n, func(i int) string { return fmt.Sprintf("<p>Kettle %d.</p>", i) }), each(n, func(i int) string { return fmt.Sprintf(`<li><a href="c.xhtml">Entry %d</a></li>`, i) }))
	}},
	{"EPUB, entries to paragraphs", "a.epub", func(n int) []byte {
		return epub(1, each(n, func(i int) string { return fmt.Sprintf(`<p id="p%d">Kettle %d.</p>`, i, i) }), each(n, func(i int) string { return fmt.Sprintf(`<li><a href="c.xhtml#p%d">Entry %d</a></li>`, i, i) }))
	}},
	{"EPUB, entries backwards", "a.epub", func(n int) []byte {
		return epub(1, each(n, func(i int) string { return fmt.Sprintf(`<p id="p%d">Kettle %d.</p>`, i, i) }), each(n, func(i int) string { return fmt.Sprintf(`<li><a href="c.xhtml#p%d">Entry %d</a></li>`, n-1-i, i) }))
	}},
	{"mailbox", "a.mbox", func(n int) []byte {
		return []byte(each(n, func(i int) string {
			return fmt.Sprintf("From a@b Mon Jan  1 00:00:00 2024\nSubject: s%d\n\nHi %d\n\n", i, i)
		}))
	}},
	{"mail of many parts", "a.eml", func(n int) []byte {
		return []byte("Subject: many\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n" + each(n, func(i int) string {
			return fmt.Sprintf("--b\nContent-Type: text/plain; name=p%d.txt\nContent-Disposition: attachment; filename=p%d.txt\n\nKettle %d.\n", i, i, i)
		}) + "--b--\n")
	}},
	{"archive, a folder for each member", "a.zip", func(n int) []byte {
		var members [][2]string
		for i := range n {
			members = append(members, [2]string{fmt.Sprintf("d%d/e%d/a.txt", i%50, i), fmt.Sprintf("Kettle %d.\n", i)})
		}
		return zipped(members...)
	}},
	{"workbook", "a.xlsx", func(n int) []byte {
		rows := make([][]string, n)
		for i := range rows {
			rows[i] = []string{fmt.Sprint("Kettle ", i), "tea"}
			if i%4 == 3 {
				rows[i] = nil // ends a table
			}
		}
		return testcorpus.Workbook(rows...)
	}},
	{"DOCX", "a.docx", func(n int) []byte {
		rows := make([][]string, n)
		texts := make([]string, n)
		for i := range rows {
			rows[i], texts[i] = []string{fmt.Sprint("Kettle ", i), "tea"}, fmt.Sprintf("Paragraph %d.", i)
		}
		return testcorpus.WordTable(texts, rows...)
	}},
	{"Markdown", "a.md", func(n int) []byte {
		return []byte(each(n, func(i int) string { return fmt.Sprintf("%s Part %d\n\nKettle.\n\n", strings.Repeat("#", 1+i%6), i) }))
	}},
	{"HTML", "a.html", func(n int) []byte {
		return []byte("<!doctype html><title>A</title>" + each(n, func(i int) string { return fmt.Sprintf("<h%d>Part %d</h%d>\n<p>Kettle.</p>\n", 1+i%6, i, 1+i%6) }))
	}},
	{"Go", "a.go", func(n int) []byte {
		return []byte("package a\n\n" + each(n, func(i int) string { return fmt.Sprintf("// F%d boils.\nfunc F%d() {}\n\n", i, i) }))
	}},
	{"CSV", "a.csv", func(n int) []byte {
		return []byte("name,n\n" + each(n, func(i int) string { return fmt.Sprintf("kettle,%d\n", i) }))
	}},
	{"text", "a.txt", func(n int) []byte {
		return []byte(each(n, func(i int) string { return fmt.Sprintf("Kettle %d.\n", i) }))
	}},
	{"text of one line", "a.txt", func(n int) []byte {
		return []byte(each(n, func(i int) string { return fmt.Sprintf("Kettle %d. ", i) }))
	}},
	{"PDF of n/50 pages", "a.pdf", func(n int) []byte { return pdftest.Manual(n / 50) }},
}

// TestLinear counts the work of indexing files of n, 2n and 4n parts: for each part, it
// is at most twice as much in one as in another.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("indexes 48 files")
	}
	const n = 100
	for _, format := range sized {
		t.Run(format.name, func(t *testing.T) {
			var each [3]float64
			for i := range each {
				size := n << i
				s := newShelf(t, map[string]string{format.file: string(format.make(size))})
				work, err := search.Work(t.Context(), s.Searcher, "a")
				if err != nil {
					t.Fatal(err)
				}
				each[i] = float64(work) / float64(size)
			}
			if each[0] == 0 || max(each[0], each[1], each[2]) > 2*min(each[0], each[1], each[2]) {
				t.Errorf("the work for each of %d, %d and %d parts is %.0f", n, 2*n, 4*n, each)
			}
		})
	}
}

// BenchmarkSizes indexes files of three sizes: the time for each part is the same.
func BenchmarkSizes(b *testing.B) {
	for _, format := range sized {
		for _, n := range []int{1_000, 2_000, 4_000} {
			b.Run(fmt.Sprintf("%s/n=%d", format.name, n), func(b *testing.B) {
				s := newShelf(b, map[string]string{format.file: string(format.make(n))})
				if _, err := search.Work(b.Context(), s.Searcher, "a"); err != nil { // reads the text
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := search.Work(b.Context(), s.Searcher, "a"); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/part")
			})
		}
	}
}
