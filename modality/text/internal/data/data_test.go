package data_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/modality/text/internal/data"
)

// outline writes a line for every node: its lines, type, title, the id where
// it has one of its own, and the summary.
func outline(nodes []*citekit.Node) string {
	var b strings.Builder
	var walk func(nodes []*citekit.Node, indent string)
	walk = func(nodes []*citekit.Node, indent string) {
		for _, n := range nodes {
			fmt.Fprintf(&b, "%s%v %s %q", indent, n.Location.Lines, n.Type, n.Title)
			if n.ID != "" && n.ID != n.Title {
				fmt.Fprintf(&b, " id %s", n.ID)
			}
			if n.Summary != "" {
				fmt.Fprintf(&b, " – %s", n.Summary)
			}
			b.WriteByte('\n')
			walk(n.Children, indent+"\t")
		}
	}
	walk(nodes, "")
	return b.String()
}

// mapped maps src, and fails the test if the nodes break the rules for all
// formats.
func mapped(t *testing.T, format data.Format, src string) *citekit.Draft {
	t.Helper()
	s, err := data.Map(t.Context(), format, []byte(src))
	if err != nil {
		t.Fatalf("%s %.100q: %v", format, src, err)
	}
	linetest.CheckNodes(t, s.Nodes, linetest.CountLines(src))
	return s
}

func checkOutline(t *testing.T, format data.Format, src, want string) *citekit.Draft {
	t.Helper()
	s := mapped(t, format, src)
	if diff := cmp.Diff(strings.ReplaceAll(strings.TrimLeft(want, "\n"), "        ", "\t"), outline(s.Nodes)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", format, diff)
	}
	return s
}

func TestEmpty(t *testing.T) {
	for _, format := range []data.Format{data.JSON, data.Records, data.YAML, data.TOML, data.INI, data.XML, data.CSV, data.Notebook, data.Log, data.Prose, data.Lines} {
		if _, err := data.Map(t.Context(), format, nil); !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%s: %v", format, err)
		}
	}
	if _, err := data.Map(t.Context(), "other", []byte("x")); !errors.Is(err, citekit.ErrFormat) {
		t.Errorf("an unknown format: %v", err)
	}
}

func TestMalformed(t *testing.T) {
	for _, test := range []struct {
		format data.Format
		src    string
	}{
		{data.JSON, "{"}, {data.JSON, `{"a" 1}`}, {data.JSON, "{\"a\": 1\n\"b\": 2}"}, {data.JSON, "[1]]"}, {data.JSON, "[1 2]"},
		{data.JSON, `{a: 1}`}, {data.JSON, `["\x"]`}, {data.JSON, "[\"a\nb\"]"}, {data.JSON, `[tru]`}, {data.JSON, `{"a": 1`}, {data.JSON, "[01]"},
		{data.JSON, "[,]"}, {data.JSON, "[/]"}, {data.JSON, "[1}"}, {data.JSON, `"a`},
		{data.XML, "<a><b></a>"}, {data.XML, "<a>"}, {data.XML, "text"}, {data.XML, "<a/><b/>"}, {data.XML, "<a b=c/>"}, {data.XML, "<!DOCTYPE a"},
		{data.XML, "<a><!-- "}, {data.XML, "<a></a>x"}, {data.XML, "<>"}, {data.XML, "<a b></a>"}, {data.XML, "<a><![CDATA[ ]]</a>"},
		{data.YAML, "a: \"b\nc: d\n"}, {data.YAML, "a: [b\n"}, {data.YAML, "just words\nand more\n"},
		{data.TOML, "a\n"}, {data.TOML, "a =\n"}, {data.TOML, "[a\n"}, {data.TOML, "a = [1\n"}, {data.TOML, "a = \"b\n"}, {data.TOML, "a = 1 2]\n"},
		{data.CSV, "a,\"b\nc\n"}, {data.Notebook, "{}"}, {data.Notebook, `{"cells": [{"cell_type": "code"]}`}, {data.INI, "a=b\n"}, {data.Log, "no\ntime\n"},
	} {
		s, err := data.Map(t.Context(), test.format, []byte(test.src))
		if !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%s %q: %v, %v", test.format, test.src, s, err)
		}
	}
}

func TestReading(t *testing.T) {
	const src = "{\"a\": \"x\",\n\"b\": [1,\n2]}\n"
	want := outline(mapped(t, data.JSON, src).Nodes)
	for name, reader := range map[string]io.Reader{
		"bytes": iotest.OneByteReader(strings.NewReader(src)), "error with data": iotest.DataErrReader(strings.NewReader(src)),
	} {
		s, err := data.MapReader(t.Context(), data.JSON, reader)
		if err != nil || outline(s.Nodes) != want {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	broken := errors.New("broken")
	if _, err := data.MapReader(t.Context(), data.JSON, io.MultiReader(strings.NewReader(src), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if _, err := data.MapReader(t.Context(), data.YAML, strings.NewReader(strings.Repeat("a", data.MaxWhole+1))); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := data.Map(ctx, data.Prose, []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFormatOf(t *testing.T) {
	prose := strings.Repeat("It was the best of times, it was the worst of times.\n", 3)
	for _, test := range []struct {
		name, head string
		want       data.Format
		structured bool
	}{
		{"a.json", "// c\n{}", data.JSON, true},
		{"a", `{"a": 1}`, data.JSON, true},
		{"a", "{\"a\": 1}\n{\"a\": 2}\n", data.Records, true},
		{"a.txt", `[{"a": 1}]`, data.JSON, true},
		{"a.toml", "[[bin]]\nname = 1\n", data.TOML, true},
		{"a.toml", "[table]\n", data.TOML, true},
		{"a.ipynb", `{"cells": []}`, data.Notebook, true},
		{"a.json", `{"cells": [{"cell_type": "code", "source": []}]}`, data.Notebook, true},
		{"a.yaml", "a: b\n", data.YAML, true},
		{"a.ts", "<?xml version='1.0'?>", data.XML, true},
		{"a.CSV", "a,b\n", data.CSV, true},
		{"a.conf", "2024-01-01 10:00:00 a\n2024-01-01 10:00:01 b\n2024-01-01T10:00:02 c\n", data.Log, true},
		{"a.txt", prose, data.Prose, false},
		{"README", prose, data.Prose, false},
		{"a.xyz", prose, data.Prose, false},
		{"a.xyz", "a { b: c; }\n#x { y: z }\n", data.Lines, false},
		{"requirements.txt", "a>=1\nb==2\nc[d]==3\n", data.Lines, false},
		{"a", "", data.Prose, false},
	} {
		if got, ok := data.FormatOf(test.name, []byte(test.head)); got != test.want || ok != test.structured {
			t.Errorf("FormatOf(%q, %q) = %s, %t", test.name, test.head, got, ok)
		}
	}
}
