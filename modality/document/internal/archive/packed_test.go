package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/selector"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/archive"
	"github.com/citekit/citekit/modality/modalitytest"
)

func gzipped(t testing.TB, name string, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Name = name
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zstandard(t testing.TB, content []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(content, nil)
}

// bzippedText is "hello\n", and bzippedTar a tar archive with a.txt and dir/b.md, as
// bzip2 compresses them.
var (
	bzippedText = decoded("QlpoOTFBWSZTWcHAgOIAAAFBAAAQAkSgADDNAMNGKZcXckU4UJDBwIDi")
	bzippedTar  = decoded("QlpoOTFBWSZTWWME1okAAIz/gMuQBABIAfeAEAAASHZmnkAIiCAAdBKSGgjCabU9NGQnom1BKSANGQAAGgPsumg+SqABUKIghbU4sFhdA0WSCCCgHaOtWjO9qb2ngEqFAg+E4hONwewYZFDqyuC5raAdqoh85lFue8eoqeddkqZFUjHIRA/i7kinChIMYJrRIA==")
)

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

// versioned returns a source whose index is kept.
func versioned(name string, data []byte, version string) *citekit.Source {
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: name, Size: int64(len(data)), Identity: version})
}

func memberText(t testing.TB, r *archive.Resolver, src *citekit.Source, name string) (string, error) {
	t.Helper()
	m, err := r.OpenMember(t.Context(), src, name)
	if err != nil {
		return "", err
	}
	defer m.Close()
	data, err := io.ReadAll(m.Reader())
	return string(data), err
}

func TestPackedTar(t *testing.T) {
	data := tarred(t, file{"a.txt", "hello\n"}, file{"dir/b.md", "# B\n\nbeta\n"})
	want := "file a.txt: text://a#member=a.txt\nfolder dir: doc://a#member=dir/\n" +
		"  file b.md: text://a#member=dir/b.md\n    section B: text://a#member=dir/b.md&lines=1-3\n"
	for name, packed := range map[string][]byte{
		"tar+gzip": gzipped(t, "a.tar", data), "tar+zstd": zstandard(t, data), "tar+bzip2": bzippedTar,
	} {
		r := newResolver()
		draft := mapOf(t, r, doctest.Source("a", packed))
		if diff := cmp.Diff(want, dropPassages(outline(draft.Nodes))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if draft.Metadata["format"] != name || draft.Metadata["members"] != 2 {
			t.Errorf("%s: metadata %v", name, draft.Metadata)
		}
		if got, err := memberText(t, r, doctest.Source("a", packed), "dir/b.md"); err != nil || got != "# B\n\nbeta\n" {
			t.Errorf("%s: member %q, %v", name, got, err)
		}
		folder, err := r.OpenMember(t.Context(), doctest.Source("a", packed), "dir/")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := memberText(t, r, folder, "dir/b.md"); err != nil || got != "# B\n\nbeta\n" || folder.Name() != "dir.tar" {
			t.Errorf("%s: a member of the folder %s: %q, %v", name, folder.Name(), got, err)
		}
		folder.Close()
		var text strings.Builder
		for run, err := range r.ReadText(t.Context(), doctest.Source("a", packed), citekit.Location{Modality: citekit.Document}) {
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString(run.Text)
		}
		if text.String() != "hello\n# B\n\nbeta\n" {
			t.Errorf("%s: text %q", name, text.String())
		}
		whole, err := r.Resolve(t.Context(), doctest.Source("a", packed), citekit.Request{Location: citekit.Location{Modality: citekit.Document}})
		if err != nil || whole.Size != int64(len(packed)) || !strings.HasPrefix(whole.Ext, ".t") {
			t.Errorf("%s: evidence %+v, %v", name, whole, err)
		}
	}
}

// TestPackedFile has files that are compressed alone: their names are theirs, or
// those of the compressed files.
func TestPackedFile(t *testing.T) {
	text := []byte("hello\n")
	for _, c := range []struct {
		file   string
		packed []byte
		want   string
	}{
		{"x.gz", gzipped(t, "notes.txt", text), "notes.txt"},
		{"notes.txt.gz", gzipped(t, "", text), "notes.txt"},
		{"notes.txt.GZ", gzipped(t, "/etc/notes", text), "notes.txt"},
		{"notes.txt.gz", gzipped(t, "a!/b", text), "notes.txt"},
		{"dump", gzipped(t, "", text), "dump"},
		{"", gzipped(t, "", text), "content"},
		{"notes.txt.zst", zstandard(t, text), "notes.txt"},
		{"notes.txt.bz2", bzippedText, "notes.txt"},
	} {
		draft := mapOf(t, newResolver(), doctest.Source(c.file, c.packed))
		if len(draft.Nodes) != 1 || draft.Nodes[0].Location.Member != c.want {
			t.Errorf("%q: %s", c.file, outline(draft.Nodes))
		}
		if got, err := memberText(t, newResolver(), doctest.Source(c.file, c.packed), c.want); err != nil || got != "hello\n" {
			t.Errorf("%q: %q, %v", c.file, got, err)
		}
	}
	if _, err := newResolver().OpenMember(t.Context(), doctest.Source("a.txt.gz", gzipped(t, "", text)), "b/"); !errors.Is(err, citekit.ErrRange) {
		t.Errorf("a folder: %v", err)
	}
}

// TestGzipMembers has gzip files of several members, one of them empty, and
// of many small ones, and zeros at the end.
func TestGzipMembers(t *testing.T) {
	data := tarred(t, file{"a.txt", strings.Repeat("alpha ", 1000)}, file{"b.txt", strings.Repeat("beta ", 1000)})
	var parts, many bytes.Buffer
	for _, part := range [][]byte{data[:700], nil, data[700:6000], data[6000:]} {
		parts.Write(gzipped(t, "x", part))
	}
	for i := 0; i < len(data); i += 100 {
		many.Write(gzipped(t, "", data[i:min(i+100, len(data))]))
	}
	for name, packed := range map[string][]byte{
		"parts": parts.Bytes(), "many": many.Bytes(), "zeros": append(bytes.Clone(parts.Bytes()), make([]byte, 1000)...),
	} {
		got, err := memberText(t, newResolver(), doctest.Source("a.tgz", packed), "b.txt")
		if err != nil || got != strings.Repeat("beta ", 1000) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

// TestPackedDamage has compressed files that are cut off or changed at every
// place.
func TestPackedDamage(t *testing.T) {
	sharedtest.Once(t)
	data := tarred(t, file{"a.txt", strings.Repeat("alpha ", 50)})
	for name, packed := range map[string][]byte{
		"gzip": append(gzipped(t, "a.tar", data), gzipped(t, "", []byte("more"))...), "bzip2": bzippedTar, "zstd": zstandard(t, data),
	} {
		whole, err := memberText(t, newResolver(), doctest.Source("a", packed), "a.txt")
		if err != nil {
			t.Fatal(err)
		}
		first := bytes.LastIndex(packed, []byte("\x1f\x8b"))
		for n := 6; n < len(packed); n++ {
			_, err := newResolver().Measure(t.Context(), doctest.Source("a", packed[:n]))
			if !errors.Is(err, citekit.ErrFormat) && (name != "gzip" || n != first) {
				t.Fatalf("%s: the first %d of %d bytes: %v", name, n, len(packed), err)
			}
		}
		for n := range packed {
			changed := bytes.Clone(packed)
			changed[n] ^= 0x10
			got, err := memberText(t, newResolver(), doctest.Source("a", changed), "a.txt")
			if err == nil && got != whole || err != nil && citekit.CodeOf(err) == message.CodeInternal {
				t.Errorf("%s: byte %d: %q, %v", name, n, got, err)
			}
		}
		trailed := append(bytes.Clone(packed), "garbage"...)
		if _, err := newResolver().Measure(t.Context(), doctest.Source("a", trailed)); !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%s: with garbage: %v", name, err)
		}
	}
}

// TestPackedBombs has content that is far larger than the file.
func TestPackedBombs(t *testing.T) {
	sharedtest.NotShort(t)
	zeros := make([]byte, 1<<20) // compressed files may have several parts
	for name, part := range map[string][]byte{"gzip": gzipped(t, "", zeros), "zstd": zstandard(t, zeros)} {
		packed := bytes.Repeat(part, 66)
		_, err := newResolver().Measure(t.Context(), doctest.Source("a", packed))
		if !errors.Is(err, citekit.ErrTooLarge) || !strings.Contains(err.Error(), "500 times") {
			t.Errorf("%s: %v", name, err)
		}
		small := newResolver()
		small.MaxMember = 10 << 20
		if _, err := small.Measure(t.Context(), doctest.Source("a", packed)); !errors.Is(err, citekit.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	window := "\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00" // of 1 GiB
	if _, err := newResolver().Measure(t.Context(), doctest.Source("a", []byte(window))); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("a window of 1 GiB: %v", err)
	}
}

// TestNestedBudget has archives in an archive, which share what may be unpacked.
func TestNestedBudget(t *testing.T) {
	sharedtest.Once(t)
	text := strings.Repeat("a word ", 1<<17)
	var files []file
	for i := range 8 {
		files = append(files, file{fmt.Sprintf("%d.tgz", i), string(gzipped(t, "", tarred(t, file{"a.txt", text})))})
	}
	r := newResolver()
	r.MaxUnpacked = 3 << 20
	data := zipped(t, files...)
	draft := mapOf(t, r, doctest.Source("a.zip", data))
	n := strings.Count(outline(draft.Nodes), "file a.txt")
	if n < 1 || n > 3 {
		t.Errorf("%d archives were looked into", n)
	}
	unsearched, _ := draft.Metadata["unsearched"].([]any)
	if len(unsearched) < 8-n || len(unsearched) == 8 { // the last one may have room for its list alone
		t.Errorf("%d archives were looked into, metadata: %v", n, draft.Metadata)
	}
	runs := 0
	var failed error
	for _, err := range r.ReadText(t.Context(), doctest.Source("a.zip", data), citekit.Location{Modality: citekit.Document}) {
		if failed = err; err == nil {
			runs++
		}
	}
	if runs == 0 || !errors.Is(failed, citekit.ErrTooLarge) || !strings.Contains(failed.Error(), fmt.Sprintf("%d members", len(unsearched))) {
		t.Errorf("%d runs, then %v", runs, failed)
	}
}

// TestBudgetOfLists counts what is unpacked to list the members of archives in an
// archive, also where none of it is a member's.
func TestBudgetOfLists(t *testing.T) {
	hidden := gzipped(t, "", append(tarOf(t, []tar.Header{{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "/"}}, nil), make([]byte, 1<<20)...))
	var files []file
	for i := range 8 {
		files = append(files, file{fmt.Sprintf("%d.tgz", i), string(hidden)})
	}
	r := newResolver()
	r.MaxUnpacked = 3 << 20
	draft := mapOf(t, r, doctest.Source("a.zip", zipped(t, files...)))
	if n := strings.Count(outline(draft.Nodes), "link"); n > 3 {
		t.Errorf("%d archives were looked into:\n%s", n, outline(draft.Nodes))
	}
}

// TestLargePackedTar reads members on both sides of the first place that a gzip
// file is read on from, which lies in a gzip member or where one begins.
func TestLargePackedTar(t *testing.T) {
	if os.Getenv("CITEKIT_LONG") == "" {
		t.Skip("CITEKIT_LONG is not set")
	}
	random := rand.New(rand.NewPCG(1, 2))
	block := make([]byte, 100_000)
	for i := range block {
		block[i] = "abcdefgh"[random.IntN(8)]
	}
	files := []file{{"0.txt", strings.Repeat(string(block), 165)}, {"1.txt", "one"}, {"2.txt", strings.Repeat(string(block[7:]), 10)}, {"3.txt", "three"}}
	data := tarred(t, files...)
	var one, many bytes.Buffer
	w, err := gzip.NewWriterLevel(&one, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(data)
	w.Close()
	for len(data) > 0 {
		n := min(len(data), 1<<20)
		w.Reset(&many)
		w.Write(data[:n])
		w.Close()
		data = data[n:]
	}
	for name, packed := range map[string][]byte{"one": one.Bytes(), "many": many.Bytes()} {
		r := newResolver()
		for _, i := range []int{3, 2, 0, 3} {
			got, err := memberText(t, r, versioned("a.tar.gz", packed, "v1"), files[i].name)
			if err != nil || got != files[i].content {
				t.Errorf("%s: member %d: %d bytes, %v", name, i, len(got), err)
			}
		}
	}
}

func TestPackedConformance(t *testing.T) {
	files := []file{
		{"docs/a.txt", "one\ntwo\n"}, {"inner.zip", string(zipped(t, file{"b.txt", "beta\n"}))},
		{"large.txt", strings.Repeat("large ", 2000)},
	}
	r := newResolver()
	r.MaxMember = 30_000
	f := fixture("a.tar.gz", gzipped(t, "", tarred(t, files...)), r)
	f.Extent.MediaType, f.LargeMembers = "application/gzip", nil
	modalitytest.Test(t, r, f)
}

// FuzzPacked reads compressed files, and members again from the middle.
func FuzzPacked(f *testing.F) {
	data := tarred(f, file{"a.txt", "alpha\n"}, file{"dir/b.md", "# B\n"})
	f.Add(gzipped(f, "a.tar", data))
	f.Add(append(gzipped(f, "a", []byte("one")), gzipped(f, "", []byte("two"))...))
	f.Add(zstandard(f, data))
	f.Add(zstandard(f, []byte("text")))
	f.Add(bzippedTar)
	f.Add(bzippedText)
	f.Add([]byte("\x1f\x8b\x08\x1e\x00\x00\x00\x00\x00\x03\x02\x00xxname\x00comment\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			t.Skip()
		}
		r := newResolver()
		delete(r.Members, citekit.Image)
		r.MaxMember, r.MaxUnpacked = 4<<20, 4<<20
		src := doctest.Source("a", data)
		draft, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
		if err != nil {
			if citekit.CodeOf(err) == message.CodeInternal {
				t.Errorf("an error of no kind: %v", err)
			}
			return
		}
		for _, n := range draft.Nodes {
			name, _, _ := strings.Cut(n.Location.Member, selector.MemberSeparator)
			if _, err := memberText(t, r, src, name); err != nil && citekit.CodeOf(err) == message.CodeInternal {
				t.Errorf("member %q: %v", name, err)
			}
		}
		if err := readAll(t, r, src); err != nil && citekit.CodeOf(err) == message.CodeInternal {
			t.Errorf("text: %v", err)
		}
	})
}

// BenchmarkLargeTar opens the last member of a tar archive of 256 MiB: the first
// time, and again.
func BenchmarkLargeTar(b *testing.B) {
	line := []byte("2026-01-01T00:00:00Z service: a line of a log that says something else each time\n")
	var log bytes.Buffer
	for i := 0; log.Len() < 64<<20; i++ {
		fmt.Fprintf(&log, "%x ", uint64(i)*0x9e3779b97f4a7c15)
		log.Write(line)
	}
	data := tarred(b, file{"1", log.String()}, file{"2", log.String()}, file{"3", log.String()}, file{"4", log.String()}, file{"last.txt", "last"})
	for name, packed := range map[string][]byte{"gzip": gzipped(b, "", data), "zstd": zstandard(b, data)} {
		for _, version := range []string{"", "v1"} {
			b.Run(name+" kept="+version, func(b *testing.B) {
				r := newResolver()
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					if _, err := memberText(b, r, versioned("a.tgz", packed, version), "last.txt"); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
