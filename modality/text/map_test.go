package text_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text"
)

func mapSource(ctx context.Context, src *citekit.Source) (*citekit.Draft, error) {
	return new(text.Resolver).Map(ctx, src, citekit.MapRequest{Modality: citekit.Text})
}

// outline writes a line for every node: its lines, its type and its title.
func outline(nodes []*citekit.Node) string {
	var b strings.Builder
	m := citekit.ResourceMap{Nodes: nodes}
	for n, depth := range m.All() {
		fmt.Fprintf(&b, "%s%v %s %q\n", strings.Repeat("\t", depth), n.Location.Lines, n.Type, n.Title)
	}
	return b.String()
}

const (
	markdown = "intro\n\n# One\n\nwords\n\n## Two\nmore\n"
	golang   = "package p\n\n// F does.\nfunc F() {\n}\n"
	subRip   = "1\n00:00:01,000 --> 00:00:02,000\nHello there. You.\n\n2\n00:01:03,000 --> 00:01:04,000\nBye.\n"
	prose    = "It was the best of times. It was the worst of times.\nIt was the age of wisdom.\n"
)

func TestMap(t *testing.T) {
	for _, test := range []struct{ name, src, method, want string }{
		{"a.md", markdown, "headings", "1-2 passage \"\"\n3-8 section \"One\"\n\t7-8 section \"Two\"\n"},
		{"a.md", prose, "passages", "1-2 passage \"It was the best of times.\"\n"},
		{"a.go", golang, "symbols", "4-5 function \"F\"\n"},
		{"run", "#!/bin/sh\nf() {\n:\n}\n", "symbols", "2-4 function \"f\"\n"},
		{"a.srt", subRip, "cues", "1-3 segment \"Hello there.\"\n5-7 segment \"Bye.\"\n"},
		{"subtitles.txt", subRip, "cues", "1-3 segment \"Hello there.\"\n5-7 segment \"Bye.\"\n"},
		{"t.json", "{\"segments\": [{\"startTime\": 1, \"endTime\": 2, \"body\": \"Hi.\"}, {\"startTime\": 61, \"endTime\": 62, \"body\": \"Yo.\"}]}", "cues", "1 segment \"Hi.\"\n"},
		{"a.json", "{\"a\":\n1,\n\"b\": 2}", "keys", "1-2 key \"a\"\n3 key \"b\"\n"},
		{"a.txt", "{\"a\":\n1,\n\"b\": 2}", "keys", "1-2 key \"a\"\n3 key \"b\"\n"},
		{"a.json", "{\"cells\": [\n{\"cell_type\": \"code\", \"source\": \"x\"},\n{\"cell_type\": \"code\", \"source\": \"y\"}], \"metadata\": {}}", "cells", "2 cell \"x\"\n3 cell \"y\"\n"},
		{"a.yml", "a: 1\nb:\n- 2\n", "keys", "1 key \"a\"\n2-3 key \"b\"\n"},
		{"a.toml", "[a]\nb = 1\n", "keys", "1-2 table \"a\"\n\t2 key \"b\"\n"},
		{"a.txt", "<?xml version='1.0'?>\n<a><b/>\n<c/></a>\n", "keys", "2 element \"b\"\n3 element \"c\"\n"},
		{"page", "<!doctype html>\n<h1>One</h1>\n<p>x\n", "headings", "2-3 section \"One\"\n"},
		{"page.txt", "<!doctype html>\n<h1>One</h1>\n<p>x\n", "headings", "2-3 section \"One\"\n"},
		{"a.html", "<h1>One</h1><p>x<h1>Two</h1>", "whole", "1 passage \"\"\n"},
		{"a.js", "function a(){}function b(){}", "whole", "1 passage \"\"\n"},
		{"a.js", "function a(){}function b(){}\n//# x\n", "lines", "1-2 passage \"function a(){}function b(){}\"\n"},
		{"a.csv", "a,b\n1,2\n", "rows", "2 rows \"\"\n"},
		{"a.log", strings.Repeat("2024-01-31 10:11:12 x\n", 3), "entries", "1-3 entries \"2024-01-31 10:11:12\"\n"},
		{"a.txt", prose, "passages", "1-2 passage \"It was the best of times.\"\n"},
		{"a.unknown", "x = {1}\ny = [2]\n", "lines", "1-2 passage \"x = {1}\"\n"},
	} {
		s, err := mapSource(t.Context(), source(test.name, test.src))
		if err != nil {
			t.Errorf("%s %q: %v", test.name, test.src, err)
			continue
		}
		if diff := cmp.Diff(test.want, outline(s.Nodes)); diff != "" || s.Method != test.method || s.Metadata["format"] == nil {
			t.Errorf("%s by %s, %v (-want +got):\n%s", test.name, s.Method, s.Metadata, diff)
		}
	}
}

// TestMapFallsBack has sources that are not what they are named.
func TestMapFallsBack(t *testing.T) {
	for name, src := range map[string]string{
		"a.json": "{\"a\": \n", "a.yaml": "words\n", "a.xml": "<a><b></a>\n", "a.csv": "a,\"b\n", "a.srt": "no times\n", "a.ipynb": "{\"a\": 1}\n",
	} {
		s, err := mapSource(t.Context(), source(name, src))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		reason, _ := s.Metadata["structure"].(string)
		if len(s.Nodes) != 1 || !strings.HasPrefix(reason, "not ") || strings.Contains(reason, citekit.ErrFormat.Error()) {
			t.Errorf("%s: %v, %s", name, s.Metadata, outline(s.Nodes))
		}
	}
}

// TestMapEncodings has the same text in many encodings and with all line ends.
func TestMapEncodings(t *testing.T) {
	sharedtest.NotShort(t)
	want := map[string]string{}
	encode := map[string]func(string) []byte{
		"utf-8":      func(s string) []byte { return []byte(s) },
		"with mark":  func(s string) []byte { return []byte("\ufeff" + s) },
		"utf-16le":   utf16le,
		"utf-16be":   func(s string) []byte { return utf16be("\ufeff" + s) },
		"utf-32be":   func(s string) []byte { return utf32(binary.BigEndian, s) },
		"iso-8859-1": func(s string) []byte { return []byte(strings.NewReplacer("é", "\xe9", "É", "\xc9").Replace(s)) },
	}
	for name, text := range map[string]string{
		"a.md": "café\n\n# Été\n\n" + strings.Repeat("mots\n", 20_000) + "# Deux\nfin", "a.json": "{\"café\":\n [1,\n2],\n \"b\": 3\n}\n", "a.srt": subRip,
		"a.txt": strings.Repeat(strings.Repeat("Un été au café. Deux.\n", 30)+"\n", 200),
	} {
		for charset, encode := range encode {
			for end, bytes := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
				s, err := mapSource(t.Context(), source(name, encode(strings.ReplaceAll(text, "\n", bytes))))
				if err != nil {
					t.Errorf("%s in %s with %s: %v", name, charset, end, err)
					continue
				}
				got := outline(s.Nodes)
				if want[name] == "" {
					want[name] = got
				}
				if got != want[name] {
					t.Errorf("%s in %s with %s: %s", name, charset, end, cmp.Diff(want[name], got))
				}
			}
		}
	}
}

func TestMapErrors(t *testing.T) {
	for name, src := range map[string][]byte{"empty.md": nil, "mark.txt": []byte("\ufeff"), "image.md": []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")} {
		if s, err := mapSource(t.Context(), source(name, src)); !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	for _, blank := range []string{" ", "\n\n", "\ufeff \t\r\n", "\xff\xfe \x00\n\x00"} {
		if s, err := mapSource(t.Context(), source("a.txt", blank)); !errors.Is(err, citekit.ErrEmpty) {
			t.Errorf("%q: %v, %v", blank, s, err)
		}
	}
	if _, err := new(text.Resolver).Map(t.Context(), source("a", "x"), citekit.MapRequest{Modality: citekit.Document}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("another modality: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"a.md", "a.go", "a.json", "a.srt", "a.yaml", "a.txt"} {
		if _, err := mapSource(ctx, source(name, golang)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMapLarge has sources that are not held in memory.
func TestMapLarge(t *testing.T) {
	sharedtest.NotShort(t)
	for _, test := range []struct{ name, line, method string }{
		{"a.csv", "0123456789,abcdef,\"x\"\n", "rows"},
		{"a.txt", prose + "\n", "passages"},
		{"a.md", "# One\nwords and words\n", "passages"},
		{"a.yaml", "a: 1\n", "lines"},
	} {
		src := strings.Repeat(test.line, 17<<20/len(test.line))
		told := 0.0
		req := citekit.MapRequest{Modality: citekit.Text, Progress: func(done float64) {
			if done < told || done > 1 {
				t.Fatalf("%s: progress %v after %v", test.name, done, told)
			}
			told = done
		}}
		s, err := new(text.Resolver).Map(t.Context(), source(test.name, src), req)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if whole := test.name == "a.md" || test.name == "a.yaml"; whole != (s.Metadata["structure"] != nil) {
			t.Errorf("%s: %v", test.name, s.Metadata)
		}
		last := s.Nodes[len(s.Nodes)-1].Location.Lines.Last
		if want := strings.Count(strings.TrimRight(src, "\n"), "\n") + 1; s.Method != test.method || last != want || told != 1 {
			t.Errorf("%s: %d nodes by %s, to line %d of %d, progress %v", test.name, len(s.Nodes), s.Method, last, want, told)
		}
	}
}

// TestMapCorpus maps every text of the corpus, and looks for the titles where
// the nodes say they are.
func TestMapCorpus(t *testing.T) {
	r := new(text.Resolver)
	for _, dir := range []string{"text", "maps", "docs"} {
		paths, err := filepath.Glob(filepath.Join(sharedtest.Corpus(t, dir), "*"))
		if err != nil || len(paths) == 0 {
			t.Fatal(err)
		}
		for _, path := range paths {
			src := openFile(t, path)
			extent, err := r.Measure(t.Context(), src)
			if err != nil || extent.Lines == 0 {
				continue // no text
			}
			s, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Text})
			if errors.Is(err, citekit.ErrEmpty) && filepath.Base(path) == "whitespace-only.txt" {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", filepath.Base(path), err)
				continue
			}
			checkMap(t, s, extent)
			checkTitles(t, r, src, s.Nodes)
		}
	}
}

// checkTitles checks that the first word of every title of a passage stands in
// the lines of its node.
func checkTitles(t *testing.T, r *text.Resolver, src *citekit.Source, nodes []*citekit.Node) {
	t.Helper()
	for _, n := range nodes {
		words := strings.Fields(n.Title)
		if len(words) == 0 || n.Type != "passage" && n.Type != "segment" {
			continue
		}
		var text strings.Builder
		for run, err := range r.ReadText(t.Context(), src, n.Location) {
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString(run.Text)
		}
		if !strings.Contains(text.String(), words[0]) {
			t.Errorf("%s: lines %v do not have %q", src.Name(), n.Location.Lines, words[0])
		}
	}
}

// checkMap checks that the nodes can be named, and what holds for every map of text.
func checkMap(t *testing.T, s *citekit.Draft, extent citekit.Extent) {
	t.Helper()
	if problem := draftProblem(s, extent); problem != "" {
		t.Fatal(problem)
	}
}

func FuzzMap(f *testing.F) {
	names := []string{"a.md", "a.go", "a.json", "a.srt", "a.yaml", "a.toml", "a.xml", "a.csv", "a.ipynb", "a.txt", "a.log", "a.html", "a.py", "a", "a.vtt", "a.ini"}
	for i, seed := range []string{markdown, golang, subRip, prose, "\xff\xfea\x00\n\x00", "a\rb\r\r\n", "{\"a\": [\n1]}", "\x83\x41\n\x83\n"} {
		f.Add(uint(i), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, kind uint, data []byte) {
		r := new(text.Resolver)
		src := source(names[kind%uint(len(names))], data)
		s, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Text})
		if err != nil {
			if !errors.Is(err, citekit.ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		extent, err := r.Measure(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		checkMap(t, s, extent)
	})
}

func BenchmarkMap(b *testing.B) {
	for _, bench := range []struct{ name, part string }{
		{"prose.txt", strings.Repeat(prose, 10) + "\n"},
		{"data.csv", "1,two,\"three\"\n"},
		{"records.jsonl", "{\"a\": 1, \"b\": \"some words\"}\n"},
		{"crlf.txt", strings.ReplaceAll(strings.Repeat(prose, 10)+"\n", "\n", "\r\n")},
		{"latin.txt", strings.Repeat("Un \xe9t\xe9 au caf\xe9.\n", 20) + "\n"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), bench.name)
			f, err := os.Create(path)
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			const size = 50 << 20
			if _, err := io.WriteString(f, strings.Repeat(bench.part, size/len(bench.part))); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(size)
			for b.Loop() {
				if _, err := mapSource(b.Context(), openBench(b, path, "")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
