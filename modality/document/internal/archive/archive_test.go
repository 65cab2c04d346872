package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/internal/test/sqlitetest"
	"github.com/citekit/citekit/modality/document/internal/archive"
	"github.com/citekit/citekit/modality/document/internal/pdf"
	"github.com/citekit/citekit/modality/image"
	"github.com/citekit/citekit/modality/text"
)

// documents are archives and PDF.
type documents struct {
	archives *archive.Resolver
	pdf      pdf.Resolver
}

func (d *documents) of(src *citekit.Source) interface {
	citekit.Resolver
	citekit.Mapper
	citekit.TextReader
} {
	if format, err := sniff.Detect(src, src.Size()); err == nil && format.ID == "pdf" {
		return &d.pdf
	}
	return d.archives
}

func (d *documents) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	return d.of(src).Resolve(ctx, src, req)
}

func (d *documents) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	return d.of(src).Map(ctx, src, req)
}

func (d *documents) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return d.of(src).ReadText(ctx, src, loc)
}

func (d *documents) OpenMember(ctx context.Context, src *citekit.Source, name string) (*citekit.Source, error) {
	return d.archives.OpenMember(ctx, src, name)
}

// newResolver returns a resolver of archives whose members are read.
func newResolver() *archive.Resolver {
	r := new(archive.Resolver)
	r.Members = citekit.Resolvers{
		citekit.Document: &documents{archives: r}, citekit.Text: new(text.Resolver), citekit.Image: new(image.Resolver),
	}
	return r
}

// A file is what an archive is made of. A name that ends in "/" is a folder.
type file struct{ name, content string }

func zipped(_ testing.TB, files ...file) []byte {
	var list []string
	for _, f := range files {
		list = append(list, f.name, f.content)
	}
	return doctest.Zip(list...)
}

func tarred(t testing.TB, files ...file) []byte {
	t.Helper()
	var headers []tar.Header
	for _, f := range files {
		h := tar.Header{Name: f.name, Size: int64(len(f.content)), Mode: 0o644, Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		headers = append(headers, h)
	}
	return tarOf(t, headers, files)
}

func tarOf(t testing.TB, headers []tar.Header, files []file) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i, h := range headers {
		err := w.WriteHeader(&h)
		if err == nil && i < len(files) {
			_, err = io.WriteString(w, files[i].content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func manual() string { return string(pdftest.Manual(2)) }

// outline shows nodes, one a line: the address, and the title if it is not the
// end of that.
func outline(nodes []*citekit.Node) string {
	var out strings.Builder
	var show func(nodes []*citekit.Node, indent string)
	show = func(nodes []*citekit.Node, indent string) {
		for _, n := range nodes {
			a := citekit.Address{Resource: "a", Location: n.Location}
			fmt.Fprintf(&out, "%s%s %s: %s\n", indent, n.Type, n.Title, a)
			show(n.Children, indent+"  ")
		}
	}
	show(nodes, "")
	return out.String()
}

func mapOf(t testing.TB, r *archive.Resolver, src *citekit.Source) *citekit.Draft {
	t.Helper()
	draft, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	return draft
}

func TestMap(t *testing.T) {
	inner := string(zipped(t, file{"notes/b.md", "# Beta\n\nb\n"}, file{"deepest.zip", string(zipped(t, file{"no.txt", "no"}))}))
	files := []file{
		{"readme.txt", "hello\n"}, {"docs/", ""}, {"docs/a.md", "# Alpha\n\none\n\n## Two\n\ntwo\n"},
		{"docs/more/inner.zip", inner}, {"tool.exe", "MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00"},
	}
	want := strings.TrimPrefix(`
file readme.txt: text://a#member=readme.txt
folder docs: doc://a#member=docs/
  file a.md: text://a#member=docs/a.md
    section Alpha: text://a#member=docs/a.md&lines=1-7
      section Two: text://a#member=docs/a.md&lines=5-7
  folder more: doc://a#member=docs/more/
    file inner.zip: doc://a#member=docs/more/inner.zip
      folder notes: doc://a#member=docs/more/inner.zip!/notes/
        file b.md: text://a#member=docs/more/inner.zip!/notes/b.md
          section Beta: text://a#member=docs/more/inner.zip!/notes/b.md&lines=1-3
      file deepest.zip: doc://a#member=docs/more/inner.zip!/deepest.zip
`, "\n")
	for name, data := range map[string][]byte{"a.zip": zipped(t, files...), "a.tar": tarred(t, files...)} {
		draft := mapOf(t, newResolver(), doctest.Source(name, data))
		if diff := cmp.Diff(want, dropPassages(outline(draft.Nodes))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		meta, err := json.Marshal(draft.Metadata)
		if err != nil || !strings.Contains(string(meta), `"members":4`) || !strings.Contains(string(meta), `"name":"tool.exe"`) {
			t.Errorf("%s: metadata %s, %v", name, meta, err)
		}
	}
	listed := outline(mapOf(t, new(archive.Resolver), doctest.Source("a.zip", zipped(t, files...))).Nodes)
	if strings.Contains(listed, "lines=") || !strings.Contains(listed, "doc://a#member=docs/more/inner.zip\n") {
		t.Errorf("a resolver without others lists:\n%s", listed)
	}
}

// dropPassages leaves out the lines of passages, which package text makes of
// texts without headings.
func dropPassages(outline string) string {
	lines := slices.DeleteFunc(strings.SplitAfter(outline, "\n"), func(line string) bool {
		return strings.HasPrefix(strings.TrimSpace(line), "passage ")
	})
	return strings.Join(lines, "")
}

func TestMapOfPDF(t *testing.T) {
	sharedtest.Once(t)
	r := newResolver()
	draft := mapOf(t, r, doctest.Source("a.zip", zipped(t, file{"m.pdf", manual()})))
	if got := outline(draft.Nodes); !strings.Contains(got, "file m.pdf: doc://a#member=m.pdf\n  ") || !strings.Contains(got, "doc://a#member=m.pdf&pages=") {
		t.Errorf("the map of a PDF in an archive:\n%s", got)
	}
}

func TestComicBook(t *testing.T) {
	page := "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
	data := zipped(t, file{"p10.gif", page}, file{"p2.gif", page}, file{"p01.gif", page})
	draft := mapOf(t, newResolver(), doctest.Source("book.cbz", data))
	want := "page p01.gif: image://a#member=p01.gif\npage p2.gif: image://a#member=p2.gif\npage p10.gif: image://a#member=p10.gif\n"
	if diff := cmp.Diff(want, outline(draft.Nodes)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	content, err := newResolver().Resolve(t.Context(), doctest.Source("book.cbz", data), citekit.Request{Location: citekit.Location{Modality: citekit.Document}})
	if err != nil || content.Ext != ".cbz" {
		t.Errorf("the whole is %+v, %v", content, err)
	}
}

func TestText(t *testing.T) {
	sharedtest.Once(t)
	inner := string(tarred(t, file{"b.txt", "beta\n"}))
	data := zipped(t, file{"a.txt", "alpha\n"}, file{"inner.tar", inner}, file{"bad.pdf", "%PDF-1.7\nno"}, file{"x.bin", "\x00\x01\x02"}, file{"m.pdf", manual()}, file{"z.txt", "omega\n"})
	var got []string
	for run, err := range newResolver().ReadText(t.Context(), doctest.Source("a.zip", data), citekit.Location{Modality: citekit.Document}) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(run.Text) != "" {
			first, _, _ := strings.Cut(strings.TrimSpace(run.Text), "\n")
			got = append(got, citekit.Address{Resource: "a", Location: run.Location}.String()+" "+strings.TrimSpace(first))
		}
	}
	want := []string{
		"text://a#member=a.txt&lines=1-1 alpha", "text://a#member=inner.tar!/b.txt&lines=1-1 beta",
		"doc://a#member=m.pdf&pages=1 Page 1", "doc://a#member=m.pdf&pages=2 Page 2", "text://a#member=z.txt&lines=1-1 omega",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// contentOf returns the bytes of a member.
func contentOf(t testing.TB, r *archive.Resolver, src *citekit.Source, name string) []byte {
	t.Helper()
	m, err := r.OpenMember(t.Context(), src, name)
	if err != nil {
		t.Fatalf("member %q: %v", name, err)
	}
	defer m.Close()
	data, err := io.ReadAll(m.Reader())
	if err != nil {
		t.Fatalf("member %q: %v", name, err)
	}
	return data
}

func TestFolder(t *testing.T) {
	files := []file{{"docs/", ""}, {"docs/a.txt", "alpha"}, {"docs/b/c.txt", strings.Repeat("gamma ", 1000)}, {"docs.txt", "no"}, {"e/f.txt", "f"}}
	for name, data := range map[string][]byte{"a.zip": zipped(t, files...), "a.tar": tarred(t, files...)} {
		r := newResolver()
		folder := contentOf(t, r, doctest.Source(name, data), "docs/")
		if again := contentOf(t, r, doctest.Source(name, data), "docs/"); !bytes.Equal(folder, again) {
			t.Errorf("%s: a folder has other bytes the second time", name)
		}
		cut := doctest.Source(name, folder)
		extent, err := r.Measure(t.Context(), cut)
		if err != nil || extent.Members != 2 {
			t.Errorf("%s: a folder has %+v, %v", name, extent, err)
		}
		if got := string(contentOf(t, r, cut, "docs/b/c.txt")); got != files[2].content {
			t.Errorf("%s: %q", name, got)
		}
		if _, err := r.OpenMember(t.Context(), doctest.Source(name, data), "doc/"); !errors.Is(err, citekit.ErrRange) || !strings.Contains(err.Error(), "'docs/'") {
			t.Errorf("%s: a folder that is not there: %v", name, err)
		}
	}
}

func TestNames(t *testing.T) {
	data := zipped(t, file{"\x81ber.txt", "437"}, file{"über.txt", "utf-8"}, file{"日本.txt", "nihon"}, file{"a b&c#d.txt", "odd"})
	r := newResolver()
	for name, want := range map[string]string{"日本.txt": "nihon", "a b&c#d.txt": "odd"} {
		if got := string(contentOf(t, r, doctest.Source("a.zip", data), name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	// The first two are one name in an address.
	if _, err := r.OpenMember(t.Context(), doctest.Source("a.zip", data), "über.txt"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a name of two members: %v", err)
	}
	alone := zipped(t, file{"\x81ber.txt", "437"})
	if got := string(contentOf(t, r, doctest.Source("a.zip", alone), "über.txt")); got != "437" {
		t.Errorf("a name of code page 437: %q", got)
	}
}

func TestLargeMembers(t *testing.T) {
	sharedtest.Once(t)
	large := strings.Repeat("0123456789abcdef", 5<<20/16)
	var stored bytes.Buffer
	w := zip.NewWriter(&stored)
	member, err := w.CreateHeader(&zip.FileHeader{Name: "large.txt", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(member, large)
	w.Close()
	t.Setenv("TMPDIR", t.TempDir())
	for name, data := range map[string][]byte{"deflated.zip": zipped(t, file{"large.txt", large}), "stored.zip": stored.Bytes(), "a.tar": tarred(t, file{"large.txt", large})} {
		if got := contentOf(t, newResolver(), doctest.Source(name, data), "large.txt"); string(got) != large {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}

// TestBinaryMembers has members that are no text: the archive is sound.
func TestBinaryMembers(t *testing.T) {
	r := newResolver()
	data := zipped(t, file{"a.txt", "some words\n"}, file{".DS_Store", "\x00\x00\x00\x01Bud1\x00\x00\x10\x00\x01\x02\x03\x04\x05\x06"}, file{"b.bin", strings.Repeat("\x89\x00\x01\x02\xff", 50)},
		file{"c.pdf", "%PDF-1.7\nnot really one\n"})
	draft, err := r.Map(t.Context(), doctest.Source("a.zip", data), citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	if n := draft.Metadata["damaged"]; n != nil {
		t.Errorf("%v members count as damaged: %v", n, draft.Metadata["skipped"])
	}
	if skipped := fmt.Sprint(draft.Metadata["skipped"]); !strings.Contains(skipped, "b.bin") || !strings.Contains(skipped, "is binary") {
		t.Errorf("skipped %v", skipped)
	}
}

// TestNamesOfOneCharset has names that only together say in which charset they are, in
// a ZIP and in a tar archive.
func TestNamesOfOneCharset(t *testing.T) {
	r := newResolver()
	var tarred bytes.Buffer
	w := tar.NewWriter(&tarred)
	var files []file
	for _, stored := range []string{"\x95\xb6\x8f\xcd1.txt", "\x95\x5c\x8e\x86.txt", "plain.txt"} { // 文章1, 表紙 with a backslash in it
		files = append(files, file{stored, stored})
		if err := w.WriteHeader(&tar.Header{Name: stored, Mode: 0o600, Size: int64(len(stored)), Format: tar.FormatGNU}); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, stored)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for kind, data := range map[string][]byte{"a.zip": zipped(t, files...), "a.tar": tarred.Bytes()} {
		for name, want := range map[string]string{"文章1.txt": files[0].content, "表紙.txt": files[1].content, "plain.txt": "plain.txt"} {
			if got := string(contentOf(t, r, doctest.Source(kind, data), name)); got != want {
				t.Errorf("%s: %s is %q, want %q", kind, name, got, want)
			}
		}
	}
}

// TestDatabaseWithLog checks that a database in an archive is read together with the
// write-ahead log that is packed with it.
func TestDatabaseWithLog(t *testing.T) {
	before := sqlitetest.Small(t)
	after := bytes.Replace(before, []byte("apple"), []byte("grape"), 1)
	for log, want := range map[string][]byte{
		string(sqlitetest.Log(512, false, before, after)): after,
		string(sqlitetest.Log(512, true, before, after)):  before,
		"": before,
	} {
		var packed bytes.Buffer
		z := zip.NewWriter(&packed)
		for name, data := range map[string]string{"in/shop.db": string(before), "in/shop.db-wal": log} {
			w, err := z.Create(name)
			if err == nil {
				_, err = io.WriteString(w, data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		src, err := new(archive.Resolver).OpenMember(t.Context(), doctest.Source("backup.zip", packed.Bytes()), "in/shop.db")
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		if got, err := io.ReadAll(src.Reader()); err != nil || !bytes.Equal(got, want) || src.Name() != "shop.db" {
			t.Errorf("with a log of %d bytes: %s has %d bytes, %v", len(log), src.Name(), len(got), err)
		}
	}
}

// TestSideFiles checks that the side files of a SQLite database are no members, in
// either order, and that files with such names beside something else are.
func TestSideFiles(t *testing.T) {
	database := file{"in/shop.db", string(sqlitetest.Small(t))}
	sides := []file{{"in/shop.db-wal", "not committed\n"}, {"in/shop.db-shm", "not committed\n"}, {"in/shop.db-journal", "not committed\n"}}
	others := []file{{"note", "text\n"}, {"note-journal", "text\n"}, {"alone-wal", "text\n"}}
	for name, files := range map[string][]file{
		"before": append(append([]file{database}, sides...), others...),
		"after":  append(append(slices.Clone(sides), database), others...),
	} {
		for format, packed := range map[string][]byte{"zip": zipped(t, files...), "tar": tarred(t, files...), "tar+gzip": gzipped(t, "", tarred(t, files...))} {
			r := newResolver()
			if got := outline(mapOf(t, r, doctest.Source("a", packed)).Nodes); strings.Contains(got, "shop.db-") || !strings.Contains(got, "note-journal") || !strings.Contains(got, "alone-wal") {
				t.Errorf("%s, %s: %s", name, format, got)
			}
			for run, err := range r.ReadText(t.Context(), doctest.Source("a", packed), citekit.Location{Modality: citekit.Document}) {
				if err != nil || strings.Contains(run.Text, "committed") {
					t.Errorf("%s, %s: text %q, %v", name, format, run.Text, err)
				}
			}
			for _, side := range sides {
				if _, err := memberText(t, r, doctest.Source("a", packed), side.name); !errors.Is(err, errors.ErrUnsupported) {
					t.Errorf("%s, %s: %s: %v", name, format, side.name, err)
				}
			}
			for _, other := range others {
				if got, err := memberText(t, r, doctest.Source("a", packed), other.name); err != nil || got != "text\n" {
					t.Errorf("%s, %s: %s: %q, %v", name, format, other.name, got, err)
				}
			}
		}
	}
}
