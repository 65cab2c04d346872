package text_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
)

// benchBytes is the size of the file for benchmarks; CITEKIT_BENCH_BYTES sets
// another, such as 1073741824.
const benchBytes = 256 << 20

// benchFile writes a file of lines of about 100 bytes, and returns it with
// the number of its lines.
func benchFile(b *testing.B) (path string, count int) {
	b.Helper()
	size := benchBytes
	if s := os.Getenv("CITEKIT_BENCH_BYTES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		size = n
	}
	path = filepath.Join(b.TempDir(), "big.txt")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	block, _ := numbered(2000)
	block = bytes.ReplaceAll(block, bytes.Repeat([]byte("x"), 100), append(bytes.Repeat([]byte("y"), 99), '\n'))
	for written := 0; written < size; written += len(block) {
		if _, err := f.Write(block); err != nil {
			b.Fatal(err)
		}
		count += bytes.Count(block, []byte("\n"))
	}
	return path, count
}

func openBench(b *testing.B, path string, identity string) *citekit.Source {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	return citekit.NewSource(f, citekit.SourceInfo{Name: "big.txt", Size: info.Size(), Identity: identity})
}

func benchmarkLines(b *testing.B, resolver func() *text.Resolver, at func(count int) citekit.Location) {
	path, count := benchFile(b)
	src := openBench(b, path, path)
	loc := at(count)
	if _, err := resolver().Measure(b.Context(), src); err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	for b.Loop() {
		if _, _, err := resolve(b.Context(), resolver(), src, loc); err != nil {
			b.Fatal(err)
		}
	}
}

func cold() *text.Resolver { return new(text.Resolver) }

func last(count int) citekit.Location   { return lines(count-20, count-10) }
func middle(count int) citekit.Location { return lines(count/2, count/2+10) }

func BenchmarkColdLastLines(b *testing.B) { benchmarkLines(b, cold, last) }

func BenchmarkColdFirstLines(b *testing.B) {
	benchmarkLines(b, cold, func(int) citekit.Location { return lines(2, 12) })
}

func BenchmarkWarmMiddle(b *testing.B) {
	r := new(text.Resolver)
	benchmarkLines(b, func() *text.Resolver { return r }, middle)
}

func BenchmarkReadText(b *testing.B) {
	data, _ := numbered(20_000)
	src := source("a", data)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		for _, err := range new(text.Resolver).ReadText(b.Context(), src, citekit.Location{Modality: citekit.Text}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
