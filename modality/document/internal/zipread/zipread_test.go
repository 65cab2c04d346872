package zipread

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

type member struct{ name, content string }

// archive returns an archive as archive/zip makes it: with data descriptors.
func archive(t testing.TB, members ...member) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range members {
		f, err := w.Create(m.name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, m.content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(data []byte) (*Archive, error) {
	return Open(context.Background(), bytes.NewReader(data), int64(len(data)))
}

func mustOpen(t testing.TB, data []byte) *Archive {
	t.Helper()
	a, err := open(data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestReads(t *testing.T) {
	long := strings.Repeat("all work and no play ", 10_000)
	data := archive(t, member{"a.txt", "one"}, member{"dir/", ""}, member{"dir/b.txt", long}, member{"empty", ""})
	for name, source := range map[string][]byte{
		"alone":       data,
		"data before": append([]byte(strings.Repeat("#!/bin/sh\n", 30)), data...),
		"data after":  append(bytes.Clone(data), make([]byte, 1000)...),
	} {
		t.Run(name, func(t *testing.T) {
			a := mustOpen(t, source)
			var names []string
			for _, f := range a.Files() {
				names = append(names, f.Name())
			}
			if got := strings.Join(names, " "); got != "a.txt dir/ dir/b.txt empty" {
				t.Errorf("the members are %s", got)
			}
			for name, want := range map[string]string{"a.txt": "one", "dir/b.txt": long, "empty": ""} {
				if got, err := a.File(name).Bytes(t.Context(), 1<<20); err != nil || string(got) != want {
					t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(want))
				}
			}
			if !a.File("dir/").IsDir() || a.File("DIR/b.txt") != nil {
				t.Error("folders end in a slash, and names are exact")
			}
			if _, err := a.File("dir/b.txt").Bytes(t.Context(), 100); !errors.Is(err, ErrLimit) {
				t.Errorf("above the limit: %v", err)
			}
			again := a.On(bytes.NewReader(source))
			if got, err := again.File("a.txt").Bytes(t.Context(), 9); err != nil || string(got) != "one" {
				t.Errorf("on another reader: %q, %v", got, err)
			}
		})
	}
}

// directory returns where the entry of a member begins in the directory.
func directory(t testing.TB, data []byte, name string) int {
	t.Helper()
	for i := 0; i < len(data); i++ {
		if bytes.HasPrefix(data[i:], []byte("PK\x01\x02")) && bytes.HasPrefix(data[i+46:], []byte(name)) {
			return i
		}
	}
	t.Fatalf("%s is not in the directory", name)
	return 0
}

func TestRefuses(t *testing.T) {
	data := archive(t, member{"a", strings.Repeat("a", 1000)}, member{"b", strings.Repeat("b", 1000)})
	changed := func(change func(b []byte, a, z int)) []byte {
		b := bytes.Clone(data)
		change(b, directory(t, b, "a"), directory(t, b, "b"))
		return b
	}
	put32, put16 := binary.LittleEndian.PutUint32, binary.LittleEndian.PutUint16
	for _, c := range []struct {
		name string
		data []byte
		open bool // the directory is read, and member b is not
		want error
	}{
		{"no archive", []byte("%PDF-1.7"), false, ErrNotZip},
		{"nothing", nil, false, ErrNotZip},
		{"cut off", data[:len(data)-30], false, ErrDamaged},
		{"duplicate", changed(func(b []byte, _, z int) { b[z+46] = 'a' }), false, ErrDamaged},
		{"overlap", changed(func(b []byte, _, z int) { put32(b[z+42:], 0) }), false, ErrDamaged},
		{"too long", changed(func(b []byte, a, _ int) { put32(b[a+20:], 1<<20) }), false, ErrDamaged},
		{"encrypted", changed(func(b []byte, _, z int) { b[z+8] |= 1 }), true, ErrEncrypted},
		{"AES", changed(func(b []byte, _, z int) { put16(b[z+10:], methodAES) }), true, ErrEncrypted},
		{"method", changed(func(b []byte, _, z int) { put16(b[z+10:], 14) }), true, ErrMethod},
		{"larger", changed(func(b []byte, _, z int) { put32(b[z+24:], 999) }), true, ErrDamaged},
		{"smaller", changed(func(b []byte, _, z int) { put32(b[z+24:], 1001) }), true, ErrDamaged},
		{"checksum", changed(func(b []byte, _, z int) { b[z+16] ^= 1 }), true, ErrDamaged},
		{"elsewhere", changed(func(b []byte, _, z int) { put32(b[z+42:], 7) }), true, ErrDamaged},
		{"past the end", changed(func(b []byte, _, z int) { put32(b[z+42:], math.MaxInt32) }), true, ErrDamaged},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := open(c.data)
			if c.open {
				if err != nil {
					t.Fatal(err)
				}
				if got, err := a.File("a").Bytes(t.Context(), 1<<20); err != nil || len(got) != 1000 {
					t.Errorf("the other member: %d bytes, %v", len(got), err)
				}
				_, err = a.File("b").Bytes(t.Context(), 1<<20)
				if copied := NewWriter(io.Discard).Copy(a.File("b")); c.want == ErrEncrypted && !errors.Is(copied, c.want) {
					t.Errorf("copied: %v", copied)
				}
			}
			if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

// TestTwice has members that were put in twice.
func TestTwice(t *testing.T) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for range 2 {
		f, _ := w.Create("a")
		io.WriteString(f, "one")
		w.Create("dir/")
	}
	w.Close()
	a := mustOpen(t, out.Bytes())
	if got, err := a.File("a").Bytes(t.Context(), 9); len(a.Files()) != 2 || err != nil || string(got) != "one" {
		t.Errorf("%d members, %q, %v", len(a.Files()), got, err)
	}
}

func TestText(t *testing.T) {
	for name, want := range map[string]string{"caf\x82": "café", "café": "café", "\xff": "\u00a0"} {
		a := &Archive{files: []*File{{header: &zip.FileHeader{Name: name}}}}
		if a.nameFiles(); a.files[0].Text() != want {
			t.Errorf("%q is %q, want %q", name, a.files[0].Text(), want)
		}
	}
}

// TestUnicodePath has names in code page 437 with the same name in UTF-8 beside it.
func TestUnicodePath(t *testing.T) {
	field := func(id uint16, of, name string) []byte {
		b := binary.LittleEndian.AppendUint16(nil, id)
		b = binary.LittleEndian.AppendUint16(b, uint16(5+len(name)))
		b = binary.LittleEndian.AppendUint32(append(b, 1), crc32.ChecksumIEEE([]byte(of)))
		return append(b, name...)
	}
	const stored, name = "\x81ber.txt", "日本語.txt"
	for what, c := range map[string]struct {
		extra []byte
		want  string
	}{
		"alone":              {field(0x7075, stored, name), name},
		"behind another":     {append(field(0x6375, stored, "comment"), field(0x7075, stored, name)...), name},
		"of another name":    {field(0x7075, "other", name), "über.txt"},
		"cut off":            {field(0x7075, stored, name)[:12], "über.txt"},
		"not UTF-8":          {field(0x7075, stored, "\xff"), "über.txt"},
		"of another version": {append([]byte{0x75, 0x70, 9, 0, 2}, field(0x7075, stored, name)[5:13]...), "über.txt"},
	} {
		a := &Archive{files: []*File{{header: &zip.FileHeader{Name: stored, Extra: c.extra}}}}
		if a.nameFiles(); a.files[0].Text() != c.want {
			t.Errorf("%s: %q, want %q", what, a.files[0].Text(), c.want)
		}
	}
}

func TestBombedDirectory(t *testing.T) {
	sharedtest.Once(t)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := range MaxEntries + 1 {
		if _, err := w.CreateRaw(&zip.FileHeader{Name: string(binary.AppendUvarint(nil, uint64(i))) + "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(out.Bytes()); !errors.Is(err, ErrLimit) {
		t.Errorf("many entries: %v", err)
	}
	out.Reset()
	w = zip.NewWriter(&out)
	for i := range maxDirectory/60_000 + 1 {
		w.CreateRaw(&zip.FileHeader{Name: strings.Repeat("x", 60_000) + string(rune('a'+i))})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(out.Bytes()); !errors.Is(err, ErrLimit) {
		t.Errorf("long names: %v", err)
	}
}

func TestUnsafeNames(t *testing.T) {
	for name, want := range map[string]bool{
		"a.txt": false, "dir/a..b": false, "...": false, "é\xff": false,
		"": true, "/etc/passwd": true, "../x": true, "a/../x": true, "a/..": true, `a\b`: true, "C:x": true, "a\x00": true,
	} {
		f := &File{header: &zip.FileHeader{Name: name}, text: name}
		if f.IsUnsafe() != want {
			t.Errorf("%q: unsafe is %v", name, !want)
		}
	}
}

func TestWriter(t *testing.T) {
	source := mustOpen(t, archive(t, member{"a.txt", strings.Repeat("one", 99)}, member{"é", "two"}, member{"dir/", ""}))
	write := func() []byte {
		var out bytes.Buffer
		w := NewWriter(&out)
		for _, err := range []error{
			w.Store("mimetype", []byte("application/epub+zip")), w.Copy(source.File("a.txt")), w.Copy(source.File("é")), w.Copy(source.File("dir/")),
			w.Add("b", bytes.Repeat([]byte("two"), 99)), w.Add("ü", []byte("short")), w.Add("empty", nil), w.Close(),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return out.Bytes()
	}
	data := write()
	if !bytes.Equal(data, write()) {
		t.Error("the same calls give other bytes")
	}
	if string(data[30:58]) != "mimetypeapplication/epub+zip" {
		t.Errorf("the first member is %q", data[:58])
	}
	if err := NewWriter(io.Discard).Copy(mustOpen(t, data[:]).File("a.txt")); err != nil {
		t.Error(err)
	}
	a := mustOpen(t, data)
	for name, want := range map[string]string{"a.txt": strings.Repeat("one", 99), "b": strings.Repeat("two", 99), "é": "two", "ü": "short", "empty": ""} {
		if got, err := a.File(name).Bytes(t.Context(), 1<<20); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	w := NewWriter(io.Discard)
	w.Add("a", nil)
	if err := w.Add("a", nil); err == nil {
		t.Error("a name is written twice")
	}
}

func TestErrors(t *testing.T) {
	for ours, known := range map[error]error{
		ErrNotZip: citekit.ErrFormat, ErrDamaged: citekit.ErrFormat, ErrLimit: citekit.ErrTooLarge,
		ErrEncrypted: citekit.ErrEncrypted, ErrMethod: errors.ErrUnsupported, io.ErrClosedPipe: io.ErrClosedPipe,
	} {
		if err := Known(t.Context(), ours); !errors.Is(err, known) || !errors.Is(err, ours) {
			t.Errorf("%v becomes %v", ours, err)
		}
	}
	if Known(t.Context(), nil) != nil {
		t.Error("no error becomes one")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := archive(t, member{"a", "one"})
	if _, err := mustOpen(t, data).File("a").Bytes(ctx, 9); err != context.Canceled || Known(ctx, ErrDamaged) != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	broken := errors.New("the disk is broken")
	r := io.NewSectionReader(readerAt{broken}, 0, 100)
	if _, err := Open(t.Context(), r, 100); err != broken {
		t.Errorf("a reader that fails: %v", err)
	}
	a := mustOpen(t, data).On(readerAt{broken})
	if _, err := a.File("a").Bytes(t.Context(), 9); err != broken {
		t.Errorf("a reader that fails later: %v", err)
	}
}

type readerAt struct{ err error }

func (r readerAt) ReadAt([]byte, int64) (int, error) { return 0, r.err }

func TestReaderObeysIOTest(t *testing.T) {
	a := mustOpen(t, archive(t, member{"a", "some content"}))
	r, err := a.File("a").Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(r, []byte("some content")); err != nil {
		t.Error(err)
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	if n, err := r.Read(make([]byte, 9)); n != 0 || err == nil || err == io.EOF {
		t.Errorf("after Close: %d, %v", n, err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(archive(f, member{"a", "one"}, member{"../b", strings.Repeat("two", 99)}, member{"dir/", ""}))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := open(data)
		if err != nil {
			if known := Known(t.Context(), err); !errors.Is(known, citekit.ErrFormat) && !errors.Is(known, citekit.ErrTooLarge) {
				t.Fatalf("an error that is not known: %v", err)
			}
			return
		}
		w := NewWriter(io.Discard)
		packed := int64(0)
		for _, file := range a.Files() {
			packed += file.PackedSize()
			content, err := file.Bytes(t.Context(), 1<<20)
			if err == nil && int64(len(content)) != file.Size() {
				t.Errorf("%d bytes where %d are declared", len(content), file.Size())
			}
			if err == nil && w.Copy(file) != nil {
				t.Error("what is read is not copied")
			}
		}
		if w.Close() == nil && packed < 0 {
			t.Errorf("members of %d bytes in an archive of %d", packed, len(data))
		}
	})
}

// TestXML reads XML files, and says what is wrong with those that are none.
func TestXML(t *testing.T) {
	stored := doctest.Zip("mimetype", "<a/>") // which is not compressed
	damaged := bytes.Replace(stored, []byte("<a/>"), []byte("<b/>"), 1)
	for name, c := range map[string]struct {
		data  []byte
		limit int64
		want  error
	}{
		"sound":           {stored, 100, nil},
		"UTF-16":          {doctest.Zip("mimetype", "\xfe\xff\x00<\x00a\x00/\x00>"), 100, nil},
		"too long":        {stored, 3, citekit.ErrTooLarge},
		"another charset": {doctest.Zip("mimetype", `<?xml version="1.0" encoding="ebcdic"?><a/>`), 100, citekit.ErrFormat},
		"damaged":         {damaged, 100, citekit.ErrFormat},
	} {
		text, err := mustOpen(t, c.data).File("mimetype").XML(t.Context(), "a part", c.limit)
		if !errors.Is(err, c.want) || c.want == nil && text != "<a/>" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mustOpen(t, stored).File("mimetype").XML(done, "a part", 100); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is done: %v", err)
	}
}
