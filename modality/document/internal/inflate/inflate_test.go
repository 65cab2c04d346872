package inflate

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

func pack(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(data)
	w.Close()
	return packed.Bytes()
}

// rows is text as a large sheet has it.
func rows(n int) []byte {
	var b bytes.Buffer
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		fmt.Fprintf(&b, `<row r="%d"><c r="A%d" t="s"><v>%d</v></c><c r="B%d"><v>%g</v></c></row>`, i, i, r.IntN(1000), i, r.Float64())
	}
	return b.Bytes()
}

func TestReader(t *testing.T) {
	noise := make([]byte, 300_000)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	levels := []int{flate.HuffmanOnly, flate.NoCompression, 1, 6, 9}
	if testing.Short() {
		levels = levels[:3]
	}
	for name, data := range map[string][]byte{
		"empty": nil, "short": []byte("abc"), "rows": rows(20_000), "noise": noise,
		"zeros": make([]byte, 1<<20), "long": []byte(strings.Repeat("abcdefghij", 100_000)),
	} {
		for _, level := range levels {
			packed := pack(t, data, level)
			d := NewReader(bytes.NewReader(packed))
			d.Every = 100_000
			got, err := io.ReadAll(d)
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%s at level %d: %d bytes of %d, %v", name, level, len(got), len(data), err)
			}
			for _, p := range d.Points {
				rest, err := io.ReadAll(NewReaderAt(bytes.NewReader(packed), &p))
				if err != nil || !bytes.Equal(rest, data[p.Offset:]) {
					t.Fatalf("%s at level %d from %d: %d bytes, %v", name, level, p.Offset, len(rest), err)
				}
			}
			if len(data) > 500_000 && len(d.Points) < 4 {
				t.Errorf("%s at level %d: %d points", name, level, len(d.Points))
			}
		}
	}
}

// TestReset reads streams with one reader. Each stream has others behind it.
func TestReset(t *testing.T) {
	var d *Reader
	for _, data := range [][]byte{[]byte("abc"), rows(10_000), nil, rows(100), make([]byte, 200_000)} {
		for _, level := range []int{flate.HuffmanOnly, flate.NoCompression, 6} {
			packed := pack(t, data, level)
			in := bytes.NewReader(append(bytes.Clone(packed), "and more bytes than a word has"...))
			if d == nil {
				d = NewReader(in)
			} else {
				d.Reset(in)
			}
			got, err := io.ReadAll(d)
			if err != nil || !bytes.Equal(got, data) || d.End() != int64(len(packed)) {
				t.Errorf("level %d: %d bytes of %d, end %d of %d, %v", level, len(got), len(data), d.End(), len(packed), err)
			}
		}
	}
}

func TestSkip(t *testing.T) {
	data := rows(10_000)
	packed := pack(t, data, 6)
	for _, n := range []int64{0, 1, 70_000, int64(len(data))} {
		d := NewReader(bytes.NewReader(packed))
		if err := d.Skip(n); err != nil || d.Offset() != n {
			t.Fatalf("skip %d: at %d, %v", n, d.Offset(), err)
		}
		rest, err := io.ReadAll(d)
		if err != nil || !bytes.Equal(rest, data[n:]) {
			t.Errorf("after %d: %d bytes, %v", n, len(rest), err)
		}
	}
	if err := NewReader(bytes.NewReader(packed)).Skip(int64(len(data)) + 1); err != io.ErrUnexpectedEOF {
		t.Errorf("skip past the end: %v", err)
	}
}

func TestCorrupt(t *testing.T) {
	packed := pack(t, rows(1000), 6)
	for _, data := range [][]byte{nil, {7}, {0, 1, 0}, packed[:len(packed)/2], {0xff, 0xff}} {
		if _, err := io.ReadAll(NewReader(bytes.NewReader(data))); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%d bytes: %v", len(data), err)
		}
	}
}

// FuzzReader compares with compress/flate, and reads from every point.
func FuzzReader(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0xff, 0xff})
	f.Add(pack(f, rows(3), 6))
	f.Add(pack(f, rows(30), 1))
	f.Add(pack(f, []byte("aaaaaaaaaaaaaaaaaaaaaaaaab"), 9))
	f.Fuzz(func(t *testing.T, packed []byte) {
		const most = 4 << 20
		want, wantErr := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), most))
		d := NewReader(bytes.NewReader(packed))
		d.Every = 1000
		got, err := io.ReadAll(io.LimitReader(d, most))
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%v, want %v", err, wantErr)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, want %d", len(got), len(want))
		}
		for _, p := range d.Points[:min(len(d.Points), 8)] {
			rest, err := io.ReadAll(io.LimitReader(NewReaderAt(bytes.NewReader(packed), &p), most-p.Offset))
			if err != nil || !bytes.Equal(rest, want[p.Offset:]) {
				t.Fatalf("from %d: %d bytes, %v", p.Offset, len(rest), err)
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	data := rows(200_000)
	packed := pack(b, data, 6)
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			d := NewReader(bytes.NewReader(packed))
			d.Every = 1 << 19
			io.Copy(io.Discard, d)
		}
	})
	b.Run("std", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			io.Copy(io.Discard, flate.NewReader(bytes.NewReader(packed)))
		}
	})
}
