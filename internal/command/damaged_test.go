package command

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/internal/test/testcorpus"
)

// TestDamagedMember has an archive with one member that is damaged, and one archive
// that has no end. Each command says so.
func TestDamagedMember(t *testing.T) {
	f := newFolder(t)
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for name, text := range map[string]string{"good.txt": "What is right.\n", "bad.txt": "What was right.\n"} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must(t, w.Close())
	damaged := bytes.Replace(packed.Bytes(), []byte("What was"), []byte("What is,"), 1)
	for name, data := range map[string][]byte{"a.zip": damaged, "cut.zip": damaged[:60]} {
		f.write(name, string(data))
	}
	if out := f.ran("ingest", "a.zip"); !strings.Contains(out, "a.zip: 1 member is damaged and cannot be cited; 'citekit structure a' names") {
		t.Errorf("ingest: %s", out)
	}
	if out := f.ran("structure", "a"); !strings.Contains(out, `"damaged": 1`) || !strings.Contains(out, "another checksum") {
		t.Errorf("structure: %s", out)
	}
	if out := f.ran("ingest", "a.zip", "--force", "--json"); !strings.Contains(out, `"damaged": 1`) {
		t.Errorf("ingest as JSON: %s", out)
	}
	for _, args := range [][]string{
		{"resolve", "a#member=bad.txt&lines=1"}, {"resolve", "a.zip#member=bad.txt&lines=1"}, {"resolve", "text://a#member=bad.txt&lines=1"}, {"resolve", "doc://a#member=bad.txt&lines=1"},
		{"resolve", "--virtual", "a#member=bad.txt&lines=1"}, {"read", "a#member=bad.txt&lines=1"}, {"cite", "a#member=bad.txt&lines=1"},
	} {
		if out := f.ran(args...); !strings.Contains(out, "another checksum than declared: damaged ZIP archive") || strings.Contains(out, "a document") {
			t.Errorf("%v: %s", args, out)
		}
	}
	for _, args := range [][]string{{"resolve", "cut.zip#member=good.txt&lines=1"}, {"resolve", "cut.zip#member=good.txt&lines=1", "--type", "document"}} {
		if out := f.ran(args...); !strings.Contains(out, "damaged ZIP archive") {
			t.Errorf("%v: %s", args, out)
		}
	}
	// What is right is found by the same forms.
	for _, args := range [][]string{{"resolve", "--virtual", "a#member=good.txt&lines=1"}, {"cite", "a#member=good.txt&lines=1"}, {"resolve", "doc://a#member=good.txt&lines=1"}} {
		if out := f.ran(args...); !strings.Contains(out, "text://a#member=good.txt&") {
			t.Errorf("%v: %s", args, out)
		}
	}
}

// TestIngestComments has ingest keep an index with comments.
func TestIngestComments(t *testing.T) {
	f := newFolder(t)
	pack := func(name, remark string) {
		content := `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>` +
			`<text:p>The range is wide.<office:annotation><text:p>` + remark + `</text:p></office:annotation></text:p></office:text></office:body></office:document-content>`
		writeZip(t, filepath.Join(f.dir, name), [][2]string{{"mimetype", "application/vnd.oasis.opendocument.text"}, {"content.xml", content},
			{"META-INF/manifest.xml", `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/></manifest:manifest>`}})
	}
	held := func() []string { // their names tell what is in them
		segments, err := filepath.Glob(filepath.Join(f.dir, ".citekit_output", "search_segment-*"))
		if err != nil || len(segments) == 0 {
			t.Fatal("no index", err)
		}
		return segments
	}
	pack("one.odt", "Brest?")
	f.ran("ingest", ".")
	if out := f.ran("search", "--comments", "brest"); !strings.Contains(out, "doc://one#blocks=1") {
		t.Fatalf("%s", out)
	}
	pack("two.odt", "Calais?")
	if out := f.ran("ingest", "--comments", "."); !strings.Contains(out, "two") {
		t.Fatalf("%s", out)
	}
	kept := held()
	if out := f.ran("search", "--comments", "calais"); !strings.Contains(out, "doc://two#blocks=1") {
		t.Errorf("%s", out)
	}
	if now := held(); !slices.Equal(now, kept) {
		t.Errorf("the index that ingest keeps lacks the comments: %q, then %q", kept, now)
	}
}

// TestDocumentWithoutText: a document without a paragraph is skipped in a folder.
func TestDocumentWithoutText(t *testing.T) {
	f := newFolder(t)
	writeZip(t, filepath.Join(f.dir, "blank.docx"), [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:sectPr/></w:body></w:document>`},
	})
	if out := f.ran("ingest", ".", "-v"); out != "skipped blank.docx: empty; there is nothing to cite\n1 skipped\n" {
		t.Errorf("%s", out)
	}
}

// writeZip writes a ZIP with some members.
func writeZip(t *testing.T, name string, members [][2]string) {
	t.Helper()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, member := range members {
		f, err := w.Create(member[0])
		if err == nil {
			_, err = f.Write([]byte(member[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must(t, errors.Join(w.Close(), os.WriteFile(name, packed.Bytes(), 0o600)))
}

// TestCutPDF has PDF files whose end is missing: what there is of one is mapped, and told to
// be damaged, and nothing is told of one that is sound. Other formats are not told about in
// the words of the reader of PDF.
func TestCutPDF(t *testing.T) {
	sharedtest.Once(t)
	f := newFolder(t)
	whole := pdftest.Manual(12)
	f.write("sound.pdf", string(whole))
	f.write("cut.pdf", string(whole[:bytes.LastIndex(whole, []byte("startxref"))]))
	if out := f.ran("ingest", "sound.pdf"); strings.Contains(out, "damaged") {
		t.Errorf("a sound file: %s", out)
	}
	out := f.ran("ingest", "cut.pdf")
	if !strings.Contains(out, "mapped cut.pdf as cut") || !strings.Contains(out, "cut.pdf: the file is damaged or incomplete (its end is missing), so pages may be missing; get it anew") {
		t.Errorf("ingest: %s", out)
	}
	if out := f.ran("ingest", "cut.pdf", "--force", "--json"); !strings.Contains(out, `"damage": "its end is missing"`) {
		t.Errorf("ingest as JSON: %s", out)
	}
	if out := f.ran("structure", "cut"); !strings.Contains(out, `"damage": "its end is missing"`) {
		t.Errorf("structure: %s", out)
	}
	for name, data := range map[string][]byte{"w.docx": testcorpus.WordTable([]string{"a", "b"}), "s.xlsx": testcorpus.Workbook([]string{"a", "b"})} {
		f.write(name, string(data[:len(data)/2]))
		out := f.ran("ingest", name)
		for _, word := range []string{"startxref", "PDF", "pdf", "catalog", "xref"} {
			if strings.Contains(out, word) {
				t.Errorf("half of %s: %s", name, out)
			}
		}
	}
}

// TestFailedIngestLeavesNothing has a folder in which nothing could be mapped.
func TestFailedIngestLeavesNothing(t *testing.T) {
	f := newFolder(t)
	f.write("bad.pdf", "%PDF-1.4 broken")
	left := func() (names []string) {
		entries, err := os.ReadDir(f.dir)
		must(t, err)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	for _, args := range [][]string{{"bad.pdf"}, {"none.pdf"}, {"--ocr", "bad.pdf", "none.pdf"}, {"--output-dir", "out", "bad.pdf"}} {
		f.ran(append([]string{"ingest"}, args...)...)
		if got := left(); !slices.Equal(got, []string{"bad.pdf"}) {
			t.Errorf("%v left %v", args, got)
		}
	}
	f.write("good.txt", "One\n")
	f.ran("ingest", ".")
	f.ran("ingest", "none.pdf")
	if got := left(); !slices.Equal(got, []string{".citekit_output", ".resource_maps", "bad.pdf", "good.txt"}) {
		t.Errorf("with a map there is %v", got)
	}
}
