package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/selector"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/archive"
)

// skipped returns the names and reasons of members that a map leaves out.
func skipped(draft *citekit.Draft) map[string]string {
	reasons := make(map[string]string)
	list, _ := draft.Metadata["skipped"].([]any)
	for _, one := range list {
		m := one.(map[string]any)
		reasons[m["name"].(string)] = m["reason"].(string)
	}
	return reasons
}

// expectSkipped opens members that cannot be, and looks for them in a map.
func expectSkipped(t *testing.T, src *citekit.Source, want map[string]error) {
	t.Helper()
	r := newResolver()
	draft := mapOf(t, r, src)
	reasons := skipped(draft)
	for name, target := range want {
		if m, err := r.OpenMember(t.Context(), src, name); !errors.Is(err, target) {
			t.Errorf("member %q: %v, %v, want %v", name, m, err, target)
		}
		shown := strings.ReplaceAll(name, `\`, `\\`)
		if reasons[shown] == "" {
			t.Errorf("member %q is not among the skipped: %v", name, reasons)
		}
		delete(reasons, shown)
	}
	if len(reasons) > 0 {
		t.Errorf("others are skipped: %v", reasons)
	}
	if got := dropPassages(outline(draft.Nodes)); got != "file good.txt: text://a#member=good.txt\n" {
		t.Errorf("the map has\n%s", got)
	}
}

func TestTarOfOtherThanFiles(t *testing.T) {
	secret := t.TempDir() + "/secret"
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	data := tarOf(t, []tar.Header{
		{Name: "good.txt", Typeflag: tar.TypeReg, Size: 5},
		{Name: "symlink", Typeflag: tar.TypeSymlink, Linkname: secret},
		{Name: "up", Typeflag: tar.TypeSymlink, Linkname: "../../.."},
		{Name: "hardlink", Typeflag: tar.TypeLink, Linkname: "good.txt"},
		{Name: "zero", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 5},
		{Name: "disk", Typeflag: tar.TypeBlock, Devmajor: 8},
		{Name: "pipe", Typeflag: tar.TypeFifo},
	}, []file{{content: "good\n"}})
	unsupported := errors.ErrUnsupported
	expectSkipped(t, doctest.Source("a.tar", data), map[string]error{
		"symlink": unsupported, "up": unsupported, "hardlink": unsupported, "zero": unsupported, "disk": unsupported, "pipe": unsupported,
	})
}

func TestNamesThatLeadOut(t *testing.T) {
	files := []file{
		{"good.txt", "good\n"}, {"../up.txt", "x"}, {"/etc/passwd", "x"}, {"a/../../b.txt", "x"}, {`..\win.txt`, "x"}, {"C:x.txt", "x"},
		{"twice.txt", "one"}, {"twice.txt", "two"}, {"bang!/x.txt", "x"},
	}
	want := make(map[string]error)
	for _, f := range files[1:] {
		want[f.name] = errors.ErrUnsupported
	}
	expectSkipped(t, doctest.Source("a.zip", zipped(t, files...)), want)
	expectSkipped(t, doctest.Source("a.tar", tarred(t, files...)), want)
}

// patch changes the directory entry of a member of a ZIP archive.
func patch(t testing.TB, data []byte, name string, change func(entry []byte)) []byte {
	t.Helper()
	changed := bytes.Clone(data)
	for i := range changed {
		if bytes.HasPrefix(changed[i:], []byte("PK\x01\x02")) && bytes.HasPrefix(changed[i+46:], []byte(name)) {
			change(changed[i:])
			return changed
		}
	}
	t.Fatalf("no member %s", name)
	return nil
}

func TestEncryptedMember(t *testing.T) {
	data := zipped(t, file{"good.txt", "good\n"}, file{"locked.txt", "secret"})
	locked := patch(t, data, "locked.txt", func(entry []byte) { entry[8] |= 1 })
	expectSkipped(t, doctest.Source("a.zip", locked), map[string]error{"locked.txt": citekit.ErrEncrypted})
}

func TestLyingSizes(t *testing.T) {
	sharedtest.NotShort(t)
	data := zipped(t, file{"good.txt", "good\n"}, file{"bomb.txt", strings.Repeat("\x00", 50<<20)})
	for name, size := range map[string]uint32{"less": 100, "more": math.MaxInt32} {
		lying := patch(t, data, "bomb.txt", func(entry []byte) { binary.LittleEndian.PutUint32(entry[24:], size) })
		m, err := newResolver().OpenMember(t.Context(), doctest.Source("a.zip", lying), "bomb.txt")
		if !errors.Is(err, citekit.ErrFormat) && !errors.Is(err, citekit.ErrTooLarge) {
			t.Errorf("%s than there is: %v, %v", name, m, err)
		}
	}
}

func TestBombs(t *testing.T) {
	sharedtest.NotShort(t)
	mib := 1 << 20
	if !sharedtest.Long() {
		mib = 1 << 16
	}
	zeros := strings.Repeat("\x00", 8*mib)
	var files []file
	for i := range 8 {
		files = append(files, file{fmt.Sprintf("%d.txt", i), zeros})
	}
	data := zipped(t, append(files, file{"good.txt", "good\n"})...)
	r := newResolver()
	r.MaxMember, r.MaxUnpacked = int64(10*mib), int64(20*mib)
	draft := mapOf(t, r, doctest.Source("a.zip", data))
	if fmt.Sprint(draft.Metadata["incomplete"]) != "[contents of members]" || !strings.Contains(outline(draft.Nodes), "member=good.txt") {
		t.Errorf("the map of a bomb: %v\n%s", draft.Metadata, outline(draft.Nodes))
	}
	texts := zipped(t, file{"a.txt", strings.Repeat("a\n", 6*mib)}, file{"b.txt", strings.Repeat("b\n", 6*mib)})
	larger := newResolver()
	larger.MaxUnpacked = int64(20 * mib)
	err := readAll(t, larger, doctest.Source("a.zip", texts))
	if !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("the text of a bomb: %v", err)
	}
}

// readAll reads the text of an archive.
func readAll(t testing.TB, r *archive.Resolver, src *citekit.Source) error {
	t.Helper()
	for _, err := range r.ReadText(t.Context(), src, citekit.Location{Modality: citekit.Document}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestDepth looks for members that are too deep, as those of an archive that
// holds itself are.
func TestDepth(t *testing.T) {
	data := zipped(t, file{"deep.txt", "deep\n"})
	for range 10 {
		data = zipped(t, file{"in.zip", string(data)})
	}
	r := newResolver()
	draft := mapOf(t, r, doctest.Source("a.zip", data))
	want := "file in.zip: doc://a#member=in.zip\n  file in.zip: doc://a#member=in.zip!/in.zip\n"
	if diff := cmp.Diff(want, outline(draft.Nodes)); diff != "" {
		t.Errorf("map (-want +got):\n%s", diff)
	}
	if err := readAll(t, r, doctest.Source("a.zip", data)); err != nil {
		t.Error(err)
	}
}

func TestManyEntries(t *testing.T) {
	sharedtest.Once(t)
	entries, nodes := 1<<16, about.MaxMappedNodes
	if !sharedtest.Long() {
		entries, nodes = 2000, 1000
		archive.SetLimits(t, entries, nodes)
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := range entries + 1 {
		if err := w.WriteHeader(&tar.Header{Name: fmt.Sprint(i), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	if _, err := newResolver().Measure(t.Context(), doctest.Source("a.tar", out.Bytes())); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("a tar of many entries: %v", err)
	}
	var files []file
	for i := range nodes + 10 {
		files = append(files, file{fmt.Sprintf("%d/f", i%3), ""})
		files[i].name += fmt.Sprint(i)
	}
	draft := mapOf(t, new(archive.Resolver), doctest.Source("a.zip", zipped(t, files...)))
	if n := strings.Count(outline(draft.Nodes), "\n"); n != nodes {
		t.Errorf("a map of %d nodes", n)
	}
	if fmt.Sprint(draft.Metadata["incomplete"]) != "[13 members left out]" || draft.Metadata["members"] != nodes+10 {
		t.Errorf("metadata %v", draft.Metadata)
	}
}

func TestDamagedTar(t *testing.T) {
	data := tarred(t, file{"a.txt", strings.Repeat("a", 3000)}, file{"b.txt", strings.Repeat("b", 3000)})
	for _, n := range []int{100, 600, 4000, 5000} {
		if _, err := newResolver().Measure(t.Context(), doctest.Source("a.tar", data[:n])); !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
		if _, err := newResolver().Measure(t.Context(), doctest.Source("a.tgz", gzipped(t, "", data[:n]))); n >= 512 && !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("the first %d bytes, compressed: %v", n, err)
		}
	}
	for n, data := range map[string][]byte{"a.tar": data[:7168], "a.tgz": gzipped(t, "", data[:7168])} { // the zeros at the end are missing
		if x, err := newResolver().Measure(t.Context(), doctest.Source(n, data)); err != nil || x.Members != 2 {
			t.Errorf("%s without its end: %+v, %v", n, x, err)
		}
	}
	for name, data := range map[string][]byte{"nothing": nil, "zeros": make([]byte, 10240), "text": []byte("hello"), "PDF": []byte("%PDF-1.7")} {
		if _, err := newResolver().Measure(t.Context(), doctest.Source("a.tar", data)); !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEmptyArchive(t *testing.T) {
	draft := mapOf(t, newResolver(), doctest.Source("a.zip", zipped(t)))
	if len(draft.Nodes) != 0 || draft.Metadata["members"] != 0 {
		t.Errorf("%+v", draft)
	}
}

// FuzzArchive maps and reads archives, and opens what their maps name.
func FuzzArchive(f *testing.F) {
	inner := string(tarred(f, file{"b.txt", "beta\n"}))
	f.Add(zipped(f, file{"a.txt", "alpha\n"}, file{"dir/inner.tar", inner}, file{"x.bin", "\x00\x01"}))
	f.Add(tarred(f, file{"a.txt", "alpha\n"}, file{"dir/", ""}, file{"dir/b.md", "# B\n"}))
	f.Add(tarOf(f, []tar.Header{{Name: "s", Typeflag: tar.TypeSymlink, Linkname: "/"}}, nil))
	var stored bytes.Buffer
	w := zip.NewWriter(&stored)
	member, _ := w.CreateHeader(&zip.FileHeader{Name: "s.txt"})
	io.WriteString(member, "stored")
	w.Close()
	f.Add(stored.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			t.Skip()
		}
		r := newResolver()
		delete(r.Members, citekit.Image)
		r.MaxMember, r.MaxUnpacked = 1<<20, 4<<20
		src := doctest.Source("a.zip", data)
		draft, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
		if err != nil {
			if citekit.CodeOf(err) == message.CodeInternal {
				t.Errorf("an error of no kind: %v", err)
			}
			return
		}
		for _, n := range draft.Nodes {
			name, _, _ := strings.Cut(n.Location.Member, selector.MemberSeparator)
			m, err := r.OpenMember(t.Context(), src, name)
			if err != nil {
				if citekit.CodeOf(err) == message.CodeInternal {
					t.Errorf("member %q: %v", name, err)
				}
				continue
			}
			if _, err := io.Copy(io.Discard, m.Reader()); err != nil {
				t.Errorf("member %q: %v", name, err)
			}
			sniff.Detect(m, m.Size())
			m.Close()
		}
		if err := readAll(t, r, src); err != nil && citekit.CodeOf(err) == message.CodeInternal {
			t.Errorf("text: %v", err)
		}
	})
}

// TestStoredChecksum has a large member that is not compressed and is damaged.
func TestStoredChecksum(t *testing.T) {
	sharedtest.Once(t)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range []string{"a.txt", "b.txt"} {
		member, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(member, strings.Repeat(name[:1]+" line of text\n", 5<<20/15))
	}
	w.Close()
	data := out.Bytes()
	r := newResolver()
	if m, err := r.OpenMember(t.Context(), versioned("a.zip", data, "whole"), "b.txt"); err != nil {
		t.Error(err)
	} else {
		m.Close()
	}
	data[len(data)-1000] ^= 1
	for _, version := range []string{"", "damaged", "damaged"} {
		src := versioned("a.zip", data, version)
		m, err := r.OpenMember(t.Context(), src, "b.txt")
		if !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "checksum") {
			t.Errorf("version %q: %v, %v", version, m, err)
		}
		if m, err := r.OpenMember(t.Context(), src, "a.txt"); err != nil {
			t.Error(err)
		} else {
			m.Close()
		}
	}
	src := doctest.Source("a.zip", data)
	if reasons := skipped(mapOf(t, r, src)); !strings.Contains(reasons["b.txt"], "checksum") || len(reasons) != 1 {
		t.Errorf("skipped: %v", reasons)
	}
	for run, err := range r.ReadText(t.Context(), src, citekit.Location{Modality: citekit.Document}) {
		if err != nil || run.Location.Member != "a.txt" {
			t.Fatalf("text of %s: %v", run.Location.Member, err)
		}
	}
}
