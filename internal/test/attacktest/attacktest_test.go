package attacktest

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"io"
	"testing"
)

// TestBombs inflates small bombs: they are well-formed.
func TestBombs(t *testing.T) {
	for _, n := range []int{0, 1, 1 << 20, 1<<20 + 7, 5 << 20, 9<<20 + 123} {
		r, err := zlib.NewReader(bytes.NewReader(deflated('x', n)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || len(got) != n || bytes.Count(got, []byte("x")) != n {
			t.Errorf("%d bytes come out as %d, %v", n, len(got), err)
		}
	}
	data := zipBomb(6 << 20)
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, f); n != 6<<20 || err != nil {
		t.Errorf("the archive holds %d bytes, %v", n, err)
	}
}

// TestMake makes all files.
func TestMake(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	if err := Make(t.TempDir(), Seeds{MP4: []byte("m"), PDF: []byte("p"), PNG: []byte("a"), OtherPNG: []byte("b")}); err != nil {
		t.Fatal(err)
	}
}
