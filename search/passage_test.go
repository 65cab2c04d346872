package search

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// passagesOf ingests a file and returns its passages with its layer.
func passagesOf(t *testing.T, name, content string) ([]passage, *textlayer.Layer) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	t.Cleanup(func() { lib.Close() })
	ctx := context.Background()
	report, err := ingest.Run(ctx, lib, []string{name}, nil)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
	ids, err := lib.Resources(ctx)
	if err != nil || len(ids) != 1 {
		t.Fatal(ids, err)
	}
	m, err := lib.Map(ctx, ids[0])
	if err != nil {
		t.Fatal(err)
	}
	layer, err := textlayer.New(lib, nil).Open(ctx, ids[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { layer.Close() })
	claimed, err := claims(ctx, layer, places(m), &meter{most: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := addLeads(ctx, layer, claimed, stretches(claimed, layer.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var found []passage
	for p, err := range passages(ctx, layer, parts) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, p)
	}
	checkPassages(t, found, layer)
	return found, layer
}

// checkPassages checks what holds of the passages of every text: they are in
// order and apart, have the text that they say, keep the bounds, and leave out
// no letter and no digit.
func checkPassages(t *testing.T, found []passage, layer *textlayer.Layer) {
	t.Helper()
	ctx := context.Background()
	all, err := layer.Text(ctx, 0, layer.Len())
	if err != nil {
		t.Fatal(err)
	}
	var at int64
	for i, p := range found {
		if p.from < at || all[p.from:p.to] != p.text {
			t.Fatalf("passage %d, bytes %d-%d after %d, is %q", i, p.from, p.to, at, p.text)
		}
		if !utf8.ValidString(p.text) {
			t.Errorf("passage %d, bytes %d-%d, begins or ends in a character", i, p.from, p.to)
		}
		if left := all[at:p.from]; strings.IndexFunc(left, isWordRune) >= 0 {
			t.Errorf("no passage has %q", left)
		}
		loc, err := layer.Location(p.from, p.to)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.text) > mostBytes || loc.Lines.Len() > mostLines || loc.PageCount() > 1 || loc.Time.End-loc.Time.Start > mostTime {
			t.Errorf("passage %d is too long: %d bytes, %v", i, len(p.text), loc)
		}
		at = p.to
	}
	if left := all[at:]; strings.IndexFunc(left, isWordRune) >= 0 {
		t.Errorf("no passage has %q", left)
	}
}

func TestPassagesOfSections(t *testing.T) {
	found, _ := passagesOf(t, "notes.md", "# Tea\n\nGreen or black.\n\n## Water\n\nEighty degrees.\n\n## Time\n\nThree minutes.\n\nNo longer.\n")
	var got []string
	for _, p := range found {
		got = append(got, fmt.Sprint(strings.Join(p.place.path, "/"), "|", p.place.node.Title, "|", strings.Join(strings.Fields(p.text), " ")))
	}
	want := []string{
		"|Tea|# Tea Green or black.",
		"Tea|Water|## Water Eighty degrees.",
		"Tea|Time|## Time Three minutes. No longer.",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What leads to something is in one passage with it, in whatever format.
func TestPassagesKeepTogether(t *testing.T) {
	sharedtest.NotShort(t)
	long := strings.Repeat("It goes on and on for many words. ", 90)
	rows := strings.Repeat("| leaf | three |\n", 200)
	for name, test := range map[string]struct {
		content string
		parts   []string // that one passage has
		node    string   // which it belongs to
	}{
		"a.go":    {"package a\n\n// Frob turns a widget into\n// a gadget.\nfunc Frob() {\n\tturn()\n}\n\n// T is it.\ntype T struct{}\n", []string{"// Frob turns", "turn()"}, "Frob"},
		"b.go":    {"package a\n\n// Frob is long.\n" + strings.Repeat("// It says so again.\n", 60) + "func Frob() {\n" + strings.Repeat("\tturn()\n", 900) + "}\n", []string{"// Frob is long", "func Frob"}, "Frob"},
		"A.java":  {"package a;\n\npublic class A {\n    /**\n     * Frobs the\n     * widget.\n     */\n    @Override\n    public void frob() {\n        turn();\n    }\n}\n", []string{"/**", "Frobs the", "@Override", "turn()"}, "frob"},
		"a.py":    {"class C:\n    # turns widgets\n    def frob(self):\n        turn()\n\n    # other\n    def other(self):\n        pass\n", []string{"# turns widgets", "turn()"}, "frob"},
		"b.py":    {"import os\n\n# turns widgets\n# slowly\ndef frob():\n    turn()\n", []string{"# turns widgets", "turn()"}, "frob"},
		"a.rs":    {"/// Turns widgets.\n#[inline]\npub fn frob(a: i32) -> i32 {\n    a\n}\n", []string{"Turns widgets", "pub fn"}, "frob"},
		"a.c":     {"#include <a.h>\n\n/*\n   Turns the widgets\n\n   and more.\n*/\nstatic int\nfrob(int a)\n{\n\treturn a;\n}\n", []string{"/*\n   Turns the", "return a"}, "frob"},
		"a.sql":   {"-- people who work here\nCREATE TABLE people (id int);\n\n-- their pay\nCREATE TABLE pay (id int);\n", []string{"-- their pay", "TABLE pay"}, "pay"},
		"a.yaml":  {"a: 1\n\n# where it listens\nserver:\n  port: 80\n", []string{"# where it listens", "port: 80"}, "server"},
		"head.md": {"# Tea\n\n## Water\n\n" + long + "\n\n## Time\n\nThree minutes.\n", []string{"## Water", "It goes on"}, "Water"},
		"cap.md":  {"# Tea\n\n" + long[:1200] + "\n\n" + long[:700] + "\n\nTable 1: steeping\n\n" + rows, []string{"Table 1: steeping", "| leaf"}, "Tea"},
		"end.md":  {"# Tea\n\n" + long[:1990] + "\n\nThe last words.\n\n## Time\n\n" + long + "\n", []string{"goes on", "The last words."}, "Tea"},
		"a.csv":   {"leaf,minutes\n" + strings.Repeat("green,three\n", 9), []string{"leaf,minutes", "green,three"}, ""},
		"list.md": {"---\ntitle: T\ntags:\n  - chemistry\n  - Water\n---\n# Tea\n\nEighty degrees.\n", []string{"# Tea", "Eighty"}, "Tea"},
		"sub.md":  {"# Tea\n\n## Water\n\nEighty degrees.\n", []string{"# Tea", "Eighty"}, "Water"},
		"near.md": {"# Tea\nGreen, or\n- black\n## Water\nEighty degrees.\n", []string{"# Tea", "- black"}, "Tea"},
	} {
		t.Run(name, func(t *testing.T) {
			found, _ := passagesOf(t, name, test.content)
			for _, p := range found {
				if !strings.Contains(p.text, test.parts[0]) {
					continue
				}
				for _, part := range test.parts[1:] {
					if !strings.Contains(p.text, part) {
						t.Errorf("%q is not in the passage %.200q", part, p.text)
					}
				}
				if p.place == nil || p.place.node.Title != test.node {
					t.Errorf("the passage belongs to %+v", p.place)
				}
				return
			}
			t.Errorf("no passage has %q", test.parts[0])
		})
	}
}

func TestPassagesOfLongTexts(t *testing.T) {
	sentence := "The quick brown fox jumps over the lazy dog. "
	for name, content := range map[string]string{
		"prose.md":  "# Title\n\n" + strings.Repeat(strings.Repeat(sentence, 9)+"\n\n", 60),
		"one.txt":   strings.Repeat(sentence, 3000),
		"lines.txt": strings.Repeat("x\n", 3000),
		"crlf.txt":  strings.Repeat("some words\r\n", 1000),
		"cr.txt":    strings.Repeat("some words\r", 1000),
		"cr.py":     "import os\r\r" + strings.Repeat("# x"+strings.Repeat("é", 30)+"\r", 80) + "def frob():\r    turn()\r",
		"solid.txt": strings.Repeat("é", 20000),
		"blank.txt": "a" + strings.Repeat("\n", 5000) + "b\n",
		"code.go":   "package a\n\n" + strings.Repeat("// F does it.\nfunc F() {\n\tx := 1\n}\n\n", 200),
		"said.srt":  subtitles(400),
	} {
		t.Run(name, func(t *testing.T) {
			found, _ := passagesOf(t, name, content)
			letters := strings.Count(strings.Map(keepLetters, content), "") - 1
			if most := letters/200 + 400; len(found) == 0 || len(found) > most {
				t.Errorf("%d passages of %d letters", len(found), letters)
			}
		})
	}
}

func keepLetters(r rune) rune {
	if unicode.IsLetter(r) {
		return r
	}
	return -1
}

func subtitles(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d\n00:%02d:%02d,000 --> 00:%02d:%02d,500\nWe said it %d times.\n\n", i+1, i*4/60, i*4%60, i*4/60, i*4%60+3, i)
	}
	return b.String()
}
