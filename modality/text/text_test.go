package text_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
)

func utf16le(s string) []byte {
	return appendUnits(binary.LittleEndian, s)
}

func utf16be(s string) []byte { return appendUnits(binary.BigEndian, s) }

func appendUnits(order binary.AppendByteOrder, s string) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, unit)
	}
	return b
}

func utf32(order binary.AppendByteOrder, s string) []byte {
	var b []byte
	for _, r := range s {
		b = order.AppendUint32(b, uint32(r))
	}
	return b
}

// source returns a source of unknown version over data.
func source[T string | []byte](name string, data T) *citekit.Source {
	return citekit.NewSource(bytes.NewReader([]byte(data)), citekit.SourceInfo{Name: name, Size: int64(len(data))})
}

// resolve returns the bytes and the extract at loc.
func resolve(ctx context.Context, r citekit.Resolver, src *citekit.Source, loc citekit.Location) ([]byte, *citekit.Content, error) {
	x, err := r.Resolve(ctx, src, citekit.Request{Location: loc})
	if err != nil {
		return nil, nil, err
	}
	defer x.Body.Close()
	data, err := io.ReadAll(x.Body)
	return data, x, err
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name string
		text string
		want []string // all lines
	}{
		{"empty", "", nil},
		{"no final newline", "a\nb", []string{"a\n", "b"}},
		{"only newlines", "\n\n", []string{"\n", "\n"}},
		{"CRLF", "a\r\nb\r\n", []string{"a\r\n", "b\r\n"}},
		{"LF with a CR inside", "a\rb\nc\n", []string{"a\rb\n", "c\n"}},
		{"CRLF with a CR inside", "a\rb\r\nc\r\n", []string{"a\rb\r\n", "c\r\n"}},
		{"LF and CRLF", "a\nb\r\nc", []string{"a\n", "b\r\n", "c"}},
		{"CR", "a\rb\r", []string{"a\r", "b\r"}},
		{"CR without the last", "a\rb", []string{"a\r", "b"}},
		{"CR, closed by CRLF", "a\rb\r\r\n", []string{"a\r", "b\r", "\r\n"}},
		{"CR CR LF in a CRLF file", "a\r\r\nb\r\n", []string{"a\r\r\n", "b\r\n"}},
		{"other breaks", "a\fb\vc\u0085d\u2028e\u2029f\n", []string{"a\fb\vc\u0085d\u2028e\u2029f\n"}},
		{"mark", "\ufeffa\nb\n", []string{"\ufeffa\n", "b\n"}},
		{"only a mark", "\ufeff", []string{"\ufeff"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, c := range []struct {
				charset string
				encode  func(string) []byte
			}{
				{"utf-8", func(s string) []byte { return []byte(s) }},
				{"utf-16le", func(s string) []byte { return utf16le("\ufeff" + s) }},
				{"utf-16be", func(s string) []byte { return utf16be("\ufeff" + s) }},
				{"utf-32le", func(s string) []byte { return utf32(binary.LittleEndian, "\ufeff"+s) }},
				{"utf-32be", func(s string) []byte { return utf32(binary.BigEndian, "\ufeff"+s) }},
			} {
				if c.charset != "utf-8" && tt.text == "" {
					continue // a mark alone is a line
				}
				checkLines(t, c.charset, c.encode, tt.text, tt.want)
			}
		})
	}
}

func checkLines(t *testing.T, charset string, encode func(string) []byte, content string, want []string) {
	t.Helper()
	data := encode(content)
	extent, err := new(text.Resolver).Measure(t.Context(), source("a.txt", data))
	if err != nil {
		t.Fatalf("%s: Measure: %v", charset, err)
	}
	if extent.Lines != len(want) || extent.Charset != charset {
		t.Errorf("%s: Measure: %+v, want %d lines", charset, extent, len(want))
	}
	for first := range want {
		for last := first; last < len(want); last++ {
			start := len(encode(strings.Join(want[:first], "")))
			end := len(encode(strings.Join(want[:last+1], "")))
			if first == 0 {
				start = 0
			}
			got, x, err := resolve(t.Context(), new(text.Resolver), source("a.txt", data), lines(first+1, last+1))
			if err != nil {
				t.Errorf("%s: lines %d-%d: %v", charset, first+1, last+1, err)
			} else if !bytes.Equal(got, data[start:end]) || x.Charset != charset {
				t.Errorf("%s: lines %d-%d: got %q in %s, want %q", charset, first+1, last+1, got, x.Charset, data[start:end])
			}
		}
	}
}

func TestRangeError(t *testing.T) {
	for _, tt := range []struct {
		text string
		loc  citekit.Location
		want string
	}{
		{"a\nb\nc\n", lines(2, 99), "lines 2-99 of 3; lines run 1-3: location out of range"},
		{"", lines(1, 1), "line 1 of 0; the source has no lines: location out of range"},
	} {
		_, _, err := resolve(t.Context(), new(text.Resolver), source("a", tt.text), tt.loc)
		if !errors.Is(err, citekit.ErrRange) || err.Error() != tt.want {
			t.Errorf("%v of %q: %v, want %s", tt.loc.Lines, tt.text, err, tt.want)
		}
	}
}

func TestBinary(t *testing.T) {
	for _, data := range []string{
		"\x00", "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x01\x18\x00\x00\x01\x68",
		"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00", strings.Repeat("\x00", 1<<17), "PK\x03\x04\x14\x00\x08\x00\x08\x00\x00\x00",
		"SQLite format 3\x00\x10\x00\x01\x01", "!<arch>\ndebian-binary   1410122664  0     0     100644  4         `\n2.0\n\x00",
		"\x01\x00\x02\x00ab\x03\x00", strings.Repeat("\x8a\x02\x1c\x7f\x90a\xc5\x11", 100), "MZ\x90\x00\x03\x00\x00\x00\x04",
	} {
		for _, loc := range []citekit.Location{lines(1, 1), {Modality: citekit.Text}} {
			_, _, err := resolve(t.Context(), new(text.Resolver), source("a.txt", data), loc)
			if !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "binary, not text") {
				t.Errorf("%.20q: %v, want that it is binary", data, err)
			}
		}
	}
}

func TestTypes(t *testing.T) {
	for name, want := range map[string][2]string{
		"notes.md": {"text/markdown", ".md"}, "Page.HTM": {"text/html", ".HTM"}, "main.go": {"text/plain", ".go"},
		"Makefile": {"text/plain", ".txt"}, ".bashrc": {"text/plain", ".txt"}, "a.b c": {"text/plain", ".txt"},
		"data.json": {"application/json", ".json"}, "x.": {"text/plain", ".txt"}, "": {"text/plain", ".txt"},
		"x." + strings.Repeat("y", 40): {"text/plain", ".txt"}, "x.ü": {"text/plain", ".txt"},
	} {
		_, x, err := resolve(t.Context(), new(text.Resolver), source(name, "a\n"), lines(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, [2]string{x.MediaType, x.Ext}); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", name, diff)
		}
	}
}

// A countingReader counts the bytes that are read.
type countingReader struct {
	io.ReaderAt
	mu   sync.Mutex
	read int64
}

func (r *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	r.mu.Lock()
	r.read += int64(n)
	r.mu.Unlock()
	return n, err
}

// numbered returns n lines of different lengths.
func numbered(n int) (data []byte, starts []int) {
	for i := range n {
		starts = append(starts, len(data))
		data = append(data, strings.Repeat("x", i*7919%500)...)
		data = append(data, '\n')
	}
	return data, append(starts, len(data))
}

func TestReadsNoMoreThanNeeded(t *testing.T) {
	data, starts := numbered(40_000) // some 10 MB
	r := &countingReader{ReaderAt: bytes.NewReader(data)}
	src := citekit.NewSource(r, citekit.SourceInfo{Name: "a", Size: int64(len(data)), Hash: "h"})
	resolver := new(text.Resolver)
	for _, tt := range []struct {
		name  string
		at    int
		limit int64
	}{
		{"near the beginning", 3, 1 << 20},
		{"at the end", 39_999, int64(len(data)) + 1<<20},
		{"known by the index", 30_000, 1 << 20},
	} {
		r.read = 0
		got, _, err := resolve(t.Context(), resolver, src, lines(tt.at, tt.at))
		if err != nil || !bytes.Equal(got, data[starts[tt.at-1]:starts[tt.at]]) {
			t.Errorf("%s: got %d bytes, %v", tt.name, len(got), err)
		}
		if r.read > tt.limit {
			t.Errorf("%s: %d bytes were read, at most %d are needed", tt.name, r.read, tt.limit)
		}
	}
}

// TestSharedIndex lets callers grow one index together.
func TestSharedIndex(t *testing.T) {
	data, starts := numbered(20_000)
	src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "a", Size: int64(len(data)), Identity: "i"})
	resolver := new(text.Resolver)
	var group sync.WaitGroup
	for i := range 32 {
		group.Go(func() {
			n := 1 + i*7919%20_000
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%4 == 0 {
				cancel()
			}
			got, _, err := resolve(ctx, resolver, src, lines(n, n))
			if i%4 == 0 {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("line %d, cancelled: %v", n, err)
				}
			} else if err != nil || !bytes.Equal(got, data[starts[n-1]:starts[n]]) {
				t.Errorf("line %d: got %d bytes, %v", n, len(got), err)
			}
		})
	}
	group.Wait()
}

// An endlessReader has one line of any length. It calls at with the offset of
// each read.
type endlessReader struct{ at func(off int64) }

func (r endlessReader) ReadAt(p []byte, off int64) (int, error) {
	r.at(off)
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestCancelLongScan cancels the scan of sources that would take for ever.
func TestCancelLongScan(t *testing.T) {
	for _, size := range []int64{5 << 30, 1 << 45, 1<<63 - 1} {
		ctx, cancel := context.WithCancel(t.Context())
		var furthest int64
		r := endlessReader{at: func(off int64) {
			furthest = off
			if off > 1<<24 {
				cancel()
			}
		}}
		src := citekit.NewSource(r, citekit.SourceInfo{Name: "a", Size: size})
		if _, _, err := resolve(ctx, new(text.Resolver), src, lines(2, 2)); !errors.Is(err, context.Canceled) {
			t.Errorf("%d bytes: %v", size, err)
		}
		if furthest > 1<<27 {
			t.Errorf("%d bytes: read on to %d", size, furthest)
		}
		cancel()
	}
}

func TestShorterThanItWas(t *testing.T) {
	data, _ := numbered(1000)
	for _, loc := range []citekit.Location{lines(900, 1000), {Modality: citekit.Text}} {
		info := citekit.SourceInfo{Name: "a", Size: int64(len(data))}
		src := citekit.NewSource(bytes.NewReader(data[:len(data)-10]), info)
		if _, _, err := resolve(t.Context(), new(text.Resolver), src, loc); !errors.Is(err, citekit.ErrStale) {
			t.Errorf("%v: %v, want that it changed", loc.Lines, err)
		}
	}
}

func TestReadText(t *testing.T) {
	long := strings.Repeat("é€𝄞", 40_000) // some 360 KB in one line
	content := "\ufeffa\n" + long + "\r\nb\n\nc"
	for _, tt := range []struct {
		charset string
		data    []byte
	}{
		{"utf-8", []byte(content)}, {"utf-16le", utf16le(content)}, {"utf-16be", utf16be(content)},
		{"utf-32le", utf32(binary.LittleEndian, content)}, {"utf-32be", utf32(binary.BigEndian, content)},
	} {
		var got strings.Builder
		next := 1
		for run, err := range new(text.Resolver).ReadText(t.Context(), source("a", tt.data), citekit.Location{Modality: citekit.Text}) {
			if err != nil {
				t.Fatal(err)
			}
			if first := run.Location.Lines.First; first != next && first != next-1 {
				t.Errorf("%s: a run of lines %v after line %d", tt.charset, run.Location.Lines, next-1)
			}
			next = run.Location.Lines.Last + 1
			got.WriteString(run.Text)
		}
		if want := strings.TrimPrefix(content, "\ufeff"); got.String() != want || next != 6 {
			t.Errorf("%s: %d bytes of text and %d lines, want %d and 5", tt.charset, got.Len(), next-1, len(want))
		}
	}
}

func TestReadTextRunsSayTheirLines(t *testing.T) {
	data, starts := numbered(3000)
	for run, err := range new(text.Resolver).ReadText(t.Context(), source("a", data), lines(10, 2900)) {
		if err != nil {
			t.Fatal(err)
		}
		at := run.Location.Lines
		if want := string(data[starts[at.First-1]:starts[at.Last]]); run.Text != want {
			t.Fatalf("lines %v: got %d bytes of text, want %d", at, len(run.Text), len(want))
		}
	}
}
