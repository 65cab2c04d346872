package code_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text/internal/code"
)

// outlineOf draws the map of a source, a node to a line: its type, title, id
// if that is another, lines and summary, indented by depth.
func outlineOf(t *testing.T, lang code.Language, src string) string {
	t.Helper()
	structure, err := code.Map(context.Background(), lang, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if summary, ok := structure.Metadata["summary"]; ok {
		fmt.Fprintf(&b, "# %s\n", summary)
	}
	m := citekit.ResourceMap{Nodes: structure.Nodes}
	for n, depth := range m.All() {
		fmt.Fprintf(&b, "%s%s %s", strings.Repeat("  ", depth), n.Type, n.Title)
		if n.ID != n.Title {
			fmt.Fprintf(&b, " [%s]", n.ID)
		}
		fmt.Fprintf(&b, " %v", n.Location.Lines)
		if n.Summary != "" {
			fmt.Fprintf(&b, ": %s", n.Summary)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The files testdata/LANGUAGE.txt and LANGUAGE-TOPIC.txt are sources with much that
// may mislead a scanner, and those that end in .outline their outlines, checked by
// hand.
func TestOutlines(t *testing.T) {
	files, err := filepath.Glob("testdata/*.outline")
	if err != nil || len(files) == 0 {
		t.Fatalf("no outlines: %v", err)
	}
	for _, file := range files {
		source := strings.TrimSuffix(file, ".outline")
		lang, _, _ := strings.Cut(filepath.Base(source), "-")
		t.Run(filepath.Base(source), func(t *testing.T) {
			src, err := os.ReadFile(source + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			got := outlineOf(t, code.Language(lang), string(src))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("outline (-want +got):\n%s", diff)
			}
		})
	}
}

var update = flag.Bool("update", false, "write the outlines that the tests get")

func TestMap(t *testing.T) {
	ctx := context.Background()
	structure, err := code.Map(ctx, code.Go, []byte("package p\n"))
	if err != nil || structure.Nodes != nil || structure.Method != "symbols" || structure.Metadata["language"] != "go" {
		t.Errorf("a source without symbols: %+v, %v", structure, err)
	}
	if _, err := code.Map(ctx, "cobol", nil); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("an unknown language: %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := code.Map(done, code.Go, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
}

// A map has at most 20,000 nodes: what lies deepest is left out first, and
// where even the outermost are too many, neighbours share a node.
func TestTooManySymbols(t *testing.T) {
	sharedtest.Once(t)
	var nested, flat strings.Builder
	for i := range 300 {
		fmt.Fprintf(&nested, "class c%d:\n", i)
		for j := range 100 {
			fmt.Fprintf(&nested, "  def m%d(self): pass\n", j)
		}
	}
	for i := range 50_000 {
		fmt.Fprintf(&flat, "def f%d(): pass\n", i)
	}
	for _, test := range []struct {
		src   string
		nodes int
		last  int // line
	}{
		{nested.String(), 300, 30_300},
		{flat.String(), 16_667, 50_000},
	} {
		got := flatten(t, code.Python, []byte(test.src))
		if len(got) != test.nodes || got[len(got)-1].Last != test.last {
			t.Errorf("%d nodes, the last %v; want %d, to line %d", len(got), got[len(got)-1], test.nodes, test.last)
		}
	}
}

// TestFarTooManySymbols has sources that the scanners stop reading.
func TestFarTooManySymbols(t *testing.T) {
	sharedtest.Once(t)
	most := 500_000
	if !sharedtest.Long() {
		most = 10_000
		code.SetMaxSymbols(t, most)
	}
	for lang, line := range map[code.Language]string{code.Go: "func a(){}\n", code.C: "int a(){}\n", code.Kotlin: "fun a(){}\n", code.Python: "def a(): pass\n"} {
		if got := flatten(t, lang, []byte(strings.Repeat(line, most+10_000))); len(got) != 0 {
			t.Errorf("%s: %d nodes of more symbols than are kept", lang, len(got))
		}
		if got := flatten(t, lang, []byte(strings.Repeat(line, most))); len(got) == 0 {
			t.Errorf("%s: no nodes of as many symbols as are kept", lang)
		}
	}
}

func TestDeepSymbols(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "%sdef f%d():\n", strings.Repeat(" ", i), i)
	}
	if got := flatten(t, code.Python, []byte(b.String())); len(got) != 64 {
		t.Errorf("%d levels of symbols, want 64", len(got))
	}
}

func TestLanguageOf(t *testing.T) {
	for _, test := range []struct {
		name, head string
		want       code.Language
	}{
		{"a.go", "", code.Go},
		{"A.PY", "", code.Python},
		{"a.tsx", "", code.TSX},
		{"a.mts", "#!/usr/bin/env node\n", code.TypeScript},
		{"run", "#!/usr/bin/env -S python3.12 -u\n", code.Python},
		{"run", "#!/bin/bash\n", code.Shell},
		{"configure", "#! /bin/sh\n", code.Shell},
		{"a.py", "#!/bin/sh\n''':'\nexec python3 \"$0\"\n'''\n", code.Python},
		{"a.txt", "<?php\n", code.PHP},
		{"Rakefile", "", code.Ruby},
		{"a.h", "#include <stdio.h>\nint f(void);\n", code.C},
		{"a.h", "#include <vector>\n", code.CPP},
		{"a.h", "  class A {\n", code.CPP},
		{"a.ts", "<?xml version=\"1.0\"?>\n", ""},
		{"a.txt", "text", ""},
		{"README", "#!\n", ""},
	} {
		got, ok := code.LanguageOf(test.name, []byte(test.head))
		if got != test.want || ok != (test.want != "") {
			t.Errorf("LanguageOf(%q, %q) = %q, %v; want %q", test.name, test.head, got, ok, test.want)
		}
	}
}
