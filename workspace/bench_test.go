package workspace_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// manyMaps makes n maps that have been there for a while.
func manyMaps(t testing.TB, n int) string {
	t.Helper()
	dir := t.TempDir()
	maps := filepath.Join(dir, mapsDir)
	if err := os.Mkdir(maps, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := os.WriteFile(filepath.Join(maps, fmt.Sprintf("lecture-%06d.json", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	os.Chtimes(maps, old, old)
	waitUntilSettled(t, maps)
	time.Sleep(150 * time.Millisecond) // the time of change of metadata
	return dir
}

func BenchmarkListMaps(b *testing.B) {
	ctx := context.Background()
	list := func(b *testing.B, d *workspace.Directory, n int) {
		if ids, err := d.ListMaps(ctx, "", 0); err != nil || len(ids) != n {
			b.Fatal(len(ids), err)
		}
	}
	for _, n := range []int{2000, 100000} {
		b.Run(fmt.Sprintf("%d/page", n), func(b *testing.B) {
			d := open(b, manyMaps(b, n), nil)
			list(b, d, n)
			for b.Loop() {
				if ids, err := d.ListMaps(ctx, "lecture-001500", 100); err != nil || len(ids) != 100 {
					b.Fatal(len(ids), err)
				}
			}
		})
		b.Run(fmt.Sprintf("%d/first", n), func(b *testing.B) {
			dir := manyMaps(b, n)
			for b.Loop() {
				d, err := workspace.Open(dir, nil)
				if err != nil {
					b.Fatal(err)
				}
				list(b, d, n)
				d.Close()
			}
		})
		b.Run(fmt.Sprintf("%d/again", n), func(b *testing.B) {
			d := open(b, manyMaps(b, n), nil)
			list(b, d, n)
			for b.Loop() {
				list(b, d, n)
			}
		})
	}
}

func BenchmarkStatMap(b *testing.B) {
	ctx := context.Background()
	dir := manyMaps(b, 100)
	d := open(b, dir, nil)
	writeFile(b, filepath.Join(dir, mapsDir, "Older.json"), "{}")
	for _, id := range []string{"lecture-000050", "Older", "missing"} {
		b.Run(id, func(b *testing.B) {
			for b.Loop() {
				if _, err := d.StatMap(ctx, id); (err != nil) != (id == "missing") {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWriteMap(b *testing.B) {
	d := open(b, b.TempDir(), nil)
	data := []byte(strings.Repeat("x", 20000))
	for b.Loop() {
		if err := d.WriteMap(context.Background(), "m", data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFindEvidence(b *testing.B) {
	ctx, dir := context.Background(), b.TempDir()
	d := open(b, dir, nil)
	store(b, d, key, "e.txt", strings.Repeat("x", 1<<20))
	find := func(b *testing.B, d *workspace.Directory) {
		if _, err := d.FindEvidence(ctx, key); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("held", func(b *testing.B) {
		for b.Loop() {
			find(b, d)
		}
	})
	b.Run("new process", func(b *testing.B) {
		for b.Loop() {
			d, err := workspace.Open(dir, nil)
			if err != nil {
				b.Fatal(err)
			}
			find(b, d)
			d.Close()
		}
	})
}

func BenchmarkStoreEvidence(b *testing.B) {
	ctx := context.Background()
	for _, size := range []int{10 << 10, 10 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			d := open(b, b.TempDir(), nil)
			body := strings.Repeat("x", size)
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := d.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "e", Size: -1}, strings.NewReader(body)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpenSource(b *testing.B) {
	ctx, dir := context.Background(), b.TempDir()
	path := filepath.Join(dir, "docs", "a.txt")
	writeFile(b, path, "content")
	waitUntilSettled(b, path)
	d := open(b, dir, nil)
	if err := d.WriteMap(ctx, "a", []byte("{}")); err != nil {
		b.Fatal(err)
	}
	store(b, d, key, "e.txt", "evidence")
	for b.Loop() {
		src, err := d.OpenSource(ctx, "docs/a.txt")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := src.Hash(ctx); err != nil {
			b.Fatal(err)
		}
		src.Close()
	}
}
