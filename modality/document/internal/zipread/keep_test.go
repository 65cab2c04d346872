package zipread

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/citekit/citekit"
)

// beside keeps one thing in memory.
type beside struct{ data []byte }

func (b *beside) aside(_ context.Context, _ string, data []byte) ([]byte, error) {
	if data != nil {
		b.data = data
	}
	if b.data == nil {
		return nil, fs.ErrNotExist
	}
	return b.data, nil
}

// A meter counts the bytes that are read.
type meter struct {
	io.ReaderAt
	read int
}

func (m *meter) ReadAt(p []byte, off int64) (int, error) {
	m.read += len(p)
	return m.ReaderAt.ReadAt(p, off)
}

func farSource(r io.ReaderAt, size int, b *beside) *citekit.Source {
	return citekit.NewSource(r, citekit.SourceInfo{Name: "a.zip", Size: int64(size), Identity: "1", Aside: b.aside})
}

// said returns the names and contents of all members.
func said(t testing.TB, a *Archive) string {
	t.Helper()
	var all bytes.Buffer
	for _, f := range a.Files() {
		content, err := f.Bytes(context.Background(), 1<<20)
		fmt.Fprintf(&all, "%s %v %d %q %v\n", f.Text(), f.IsTwice(), f.PackedSize(), content, err)
	}
	return all.String()
}

// TestKept opens an archive by what is kept of it, which reads nothing of it.
func TestKept(t *testing.T) {
	var members []member
	for i := range 300 {
		members = append(members, member{fmt.Sprintf("dir%d/file.txt", i), fmt.Sprint("content ", i)})
	}
	data := append(archive(t, members...), make([]byte, 100)...)
	want := said(t, mustOpen(t, data))
	kept, m := new(beside), &meter{ReaderAt: bytes.NewReader(data)}
	src := farSource(m, len(data), kept)
	for i := range 2 {
		m.read = 0
		a, err := Open(t.Context(), src, src.Size())
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 && m.read > 0 {
			t.Errorf("%d bytes are read to open an archive that was opened before", m.read)
		}
		if got := said(t, a); got != want {
			t.Errorf("opened for time %d, the archive says %.200q, want %.200q", i+1, got, want)
		}
	}
	// What is damaged is not used.
	packed := kept.data
	for _, damaged := range [][]byte{{}, {1}, packed[:len(packed)/2], append(bytes.Clone(packed[:9]), packed[10:]...)} {
		kept.data = damaged
		a, err := Open(t.Context(), src, src.Size())
		if err != nil || said(t, a) != want {
			t.Errorf("with damaged parts, %.20x: %v, or the archive says something else", damaged, err)
		}
	}
}

func FuzzKept(f *testing.F) {
	data := archive(f, member{"a.txt", "one"}, member{"b/", ""}, member{"b/c.txt", "three"})
	kept := new(beside)
	src := farSource(bytes.NewReader(data), len(data), kept)
	if _, err := Open(f.Context(), src, src.Size()); err != nil {
		f.Fatal(err)
	}
	seed, err := unpackKept(kept.data, src.Size())
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range seed {
		f.Add(p.off, p.data, int64(0), []byte{})
	}
	f.Fuzz(func(t *testing.T, off int64, part []byte, off2 int64, part2 []byte) {
		var parts []keptPart
		for _, p := range []keptPart{{off, part}, {off2, part2}} {
			if p.off >= 0 && (len(parts) == 0 || p.off >= parts[0].end()) {
				parts = append(parts, p)
			}
		}
		packed, err := packKept(parts)
		if err != nil {
			t.Fatal(err)
		}
		for _, packed := range [][]byte{packed, part} {
			kept.data = packed
			if a := Kept(t.Context(), src); a != nil {
				said(t, a)
			}
		}
	})
}
