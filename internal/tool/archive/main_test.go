package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestPack(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b.1": "second", "a.1": "first"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var one, two bytes.Buffer
	if err := pack(&one, dir, "share/man/man1"); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "a.1"), later, later); err != nil {
		t.Fatal(err)
	}
	if err := pack(&two, dir, "share/man/man1"); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("other bytes when a file is newer")
	}
	compressed, err := gzip.NewReader(&one)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(compressed)
	for _, want := range []string{"share/man/man1/a.1 first", "share/man/man1/b.1 second"} {
		header, err := archive.Next()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if got := header.Name + " " + string(data); err != nil || got != want || header.Mode != 0o644 {
			t.Errorf("%q, mode %o, %v; want %q", got, header.Mode, err, want)
		}
	}
	if _, err := archive.Next(); err != io.EOF {
		t.Errorf("after the last: %v", err)
	}
}
