package textlayer_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// benchLibrary returns a Library over a directory with the resource "a".
func benchLibrary(b *testing.B, of citekit.Modality, name string, write func(path string)) *citekit.Library {
	b.Helper()
	dir := b.TempDir()
	write(filepath.Join(dir, name))
	ws, err := workspace.Open(dir, &workspace.Options{KeyDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	b.Cleanup(func() { lib.Close() })
	if err := lib.Save(b.Context(), &citekit.ResourceMap{ResourceID: "a", Type: of, SourcePath: name}); err != nil {
		b.Fatal(err)
	}
	return lib
}

// benchmarkWarm opens a layer that is there and reads what is at a location.
func benchmarkWarm(b *testing.B, lib *citekit.Library, loc citekit.Location) {
	s := textlayer.New(lib, nil)
	for range 3 { // the hash of a source that was just written is not trusted at once
		l, err := s.Open(b.Context(), "a")
		if err != nil {
			b.Fatal(err)
		}
		l.Close()
		time.Sleep(200 * time.Millisecond)
	}
	b.ReportAllocs()
	for b.Loop() {
		l, err := s.Open(b.Context(), "a")
		if err != nil {
			b.Fatal(err)
		}
		parts, err := l.Ranges(loc)
		if err != nil {
			b.Fatal(err)
		}
		for _, p := range parts {
			if _, err := l.Text(b.Context(), p.From, p.To); err != nil {
				b.Fatal(err)
			}
		}
		l.Close()
	}
}

// manual writes the file named by CITEKIT_BENCH_PDF, or one of 2,400 pages.
func manual(b *testing.B) func(path string) {
	return func(path string) {
		data := []byte(nil)
		if name := os.Getenv("CITEKIT_BENCH_PDF"); name != "" {
			data, _ = os.ReadFile(name)
		} else {
			data = pdftest.Manual(2400)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// bigText writes lines, 256 MB of them or as many bytes as CITEKIT_BENCH_BYTES
// says, such as 1073741824.
func bigText(b *testing.B) func(path string) {
	return func(path string) {
		size := 256 << 20
		if s := os.Getenv("CITEKIT_BENCH_BYTES"); s != "" {
			size, _ = strconv.Atoi(s)
		}
		block := bytes.Repeat([]byte("a line of some length, as there are in many a file\n"), 20_000)
		f, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		for written := 0; written < size; written += len(block) {
			if _, err := f.Write(block); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkWarmManual(b *testing.B) {
	benchmarkWarm(b, benchLibrary(b, citekit.Document, "a.pdf", manual(b)), citekit.Document.Pages(1200, 1203))
}

func BenchmarkWarmText(b *testing.B) {
	benchmarkWarm(b, benchLibrary(b, citekit.Text, "a.txt", bigText(b)), citekit.Text.Lines(3_000_000, 3_000_050))
}

func BenchmarkColdManual(b *testing.B) {
	lib := benchLibrary(b, citekit.Document, "a.pdf", manual(b))
	for i := range b.N {
		s := textlayer.New(lib, &textlayer.Options{MaxBytes: 1<<30 + int64(i)})
		l, err := s.Open(b.Context(), "a")
		if err != nil {
			b.Fatal(err)
		}
		l.Close()
	}
}

func BenchmarkColdText(b *testing.B) {
	for _, copied := range []int64{-1, 1 << 40} {
		b.Run(map[bool]string{true: "mirrored", false: "copied"}[copied < 0], func(b *testing.B) {
			lib := benchLibrary(b, citekit.Text, "a.txt", bigText(b))
			for i := range b.N {
				s := textlayer.New(lib, &textlayer.Options{MaxBytes: 4<<30 + int64(i), CopyBytes: copied, SmallBytes: -1})
				l, err := s.Open(b.Context(), "a")
				if err != nil {
					b.Fatal(err)
				}
				l.Close()
			}
		})
	}
}
