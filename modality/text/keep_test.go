package text_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
)

// beside keeps things in memory.
type beside map[string][]byte

func (b beside) aside(_ context.Context, name string, data []byte) ([]byte, error) {
	if data != nil {
		b[name] = data
	}
	if b[name] == nil {
		return nil, fs.ErrNotExist
	}
	return b[name], nil
}

// A readMeter counts the bytes that are read.
type readMeter struct {
	io.ReaderAt
	read int
}

func (m *readMeter) ReadAt(p []byte, off int64) (int, error) {
	m.read += len(p)
	return m.ReaderAt.ReadAt(p, off)
}

// TestKeptIndex reads lines by the index that another resolver kept beside the source.
func TestKeptIndex(t *testing.T) {
	for name, encode := range map[string]func(string) string{
		"utf-8":    func(s string) string { return s },
		"utf-16le": func(s string) string { return "\xff\xfe" + wide(s, false) },
		"utf-16be": func(s string) string { return "\xfe\xff" + wide(s, true) },
	} {
		var lines strings.Builder
		for i := range 50_000 {
			fmt.Fprintf(&lines, "line %d\n", i+1)
		}
		content, kept := encode(lines.String()), make(beside)
		meter := &readMeter{ReaderAt: strings.NewReader(content)}
		open := func() *citekit.Source {
			return citekit.NewSource(meter, citekit.SourceInfo{Name: "a.txt", Size: int64(len(content)), Identity: "1", Aside: kept.aside})
		}
		var first text.Resolver
		want, err := first.Measure(t.Context(), open())
		if err != nil || want.Lines != 50_000 || len(kept) != 1 {
			t.Fatalf("%s: %+v, %v; %d things are kept, want one", name, want, err, len(kept))
		}
		last := citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 49_999, Last: 50_000}}
		read := func() string {
			var r text.Resolver
			got, err := r.Resolve(t.Context(), open(), citekit.Request{Location: last})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			defer got.Body.Close()
			data, err := io.ReadAll(got.Body)
			if err != nil || got.Charset != want.Charset {
				t.Errorf("%s: the charset %q, %v; want %q", name, got.Charset, err, want.Charset)
			}
			return string(data)
		}
		meter.read = 0
		lastLines := read()
		if meter.read > 150<<10 {
			t.Errorf("%s: %d bytes were read for the last lines, want the last blocks alone", name, meter.read)
		}
		// What is damaged is not used.
		for key, data := range kept {
			for _, damaged := range []string{"", "{}", string(data[:len(data)/2]), strings.Replace(string(data), `"total":50000`, `"total":5`, 1), strings.Replace(string(data), `"ends":"`, `"ends":"AAAA`, 1)} {
				kept[key] = []byte(damaged)
				if got := read(); got != lastLines {
					t.Errorf("%s: with a damaged index %.60q: %q, want %q", name, damaged, got, lastLines)
				}
			}
			if !json.Valid(data) {
				t.Error("what is kept is no JSON")
			}
		}
	}
}

// TestKeptRows reads rows by the index that another resolver kept beside the source.
func TestKeptRows(t *testing.T) {
	var content strings.Builder
	content.WriteString("number,text\n")
	for i := range 50_000 {
		fmt.Fprintf(&content, "%d,\"two\nlines\"\n", i+1)
	}
	kept := make(beside)
	meter := &readMeter{ReaderAt: strings.NewReader(content.String())}
	open := func() *citekit.Source {
		return citekit.NewSource(meter, citekit.SourceInfo{Name: "a.csv", Size: int64(content.Len()), Identity: "1", Aside: kept.aside})
	}
	var first text.Resolver
	if x, err := first.Measure(t.Context(), open()); err != nil || x.Rows != 50_001 || len(kept) != 2 {
		t.Fatalf("%+v, %v; %d things are kept, want two", x, err, len(kept))
	}
	read := func() string {
		var r text.Resolver
		got, err := r.Resolve(t.Context(), open(), citekit.Request{Location: citekit.Location{Modality: citekit.Text, Rows: citekit.Range{First: 49_999, Last: 50_001}}})
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		data, err := io.ReadAll(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	meter.read = 0
	want := "number,text\n49998,\"two\nlines\"\n49999,\"two\nlines\"\n50000,\"two\nlines\"\n"
	if got := read(); got != want || meter.read > 300<<10 {
		t.Errorf("%q, want %q; %d bytes were read, want the first and last blocks alone", got, want, meter.read)
	}
	for key, data := range kept {
		if !strings.Contains(string(data), `"rows":50001`) {
			continue
		}
		for _, damaged := range []string{"", "{}", string(data[:len(data)/2]), strings.Replace(string(data), `"rows":50001`, `"rows":5`, 1), strings.Replace(string(data), `"marks":"`, `"marks":"AAAA`, 1), strings.Replace(string(data), `"delimiter":44`, `"delimiter":59`, 1)} {
			kept[key] = []byte(damaged)
			if got := read(); got != want {
				t.Errorf("with a damaged index %.60q: %q, want %q", damaged, got, want)
			}
		}
	}
}

func wide(s string, big bool) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if big {
			b.Write([]byte{0, c})
		} else {
			b.Write([]byte{c, 0})
		}
	}
	return b.String()
}
