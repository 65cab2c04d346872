package data_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/modality/text/internal/data"
)

// fuzz maps src and checks what holds for every source.
func fuzz(t *testing.T, format data.Format, src string) {
	t.Helper()
	s, err := data.Map(t.Context(), format, []byte(src))
	if err != nil {
		if !errors.Is(err, citekit.ErrFormat) {
			t.Fatalf("%s: %v", format, err)
		}
		return
	}
	if len(s.Nodes) == 0 || s.Method == "" {
		t.Fatalf("%s: %+v", format, s)
	}
	linetest.CheckNodes(t, s.Nodes, linetest.CountLines(src))
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a": [1, {"b": "c\n"}], // d` + "\n}", "[[\n1],\n{\"name\": 2}\n]", "-1e5", `{"cells": [{"cell_type": "markdown", "source": ["# a\n"]},` + "\n{}]}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		fuzz(t, data.JSON, src)
		fuzz(t, data.Notebook, src)
		fuzz(t, data.Records, src)
		if json.Valid([]byte(src)) {
			mapped(t, data.JSON, src)
		}
	})
}

func FuzzYAML(f *testing.F) {
	for _, seed := range hard {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) { fuzz(t, data.YAML, src) })
}

func FuzzTOML(f *testing.F) {
	for _, seed := range []string{"a = 1\n[b.\"c\"]\nd = '''x\n'''\n[[e]]\nname = [1,\n2]", "# c\n[a]\n[a.b]\nx.y = {z = \"\"\"\n\"\"\"}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		fuzz(t, data.TOML, src)
		fuzz(t, data.INI, src)
	})
}

func FuzzXML(f *testing.F) {
	for _, seed := range []string{"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b \"c\">]><a><b id='x'>t</b>\n<c/><![CDATA[]]>]]></a>", "<a>\n<!-- --><b\nc=\"d\"/></a>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) { fuzz(t, data.XML, src) })
}

func FuzzRuns(f *testing.F) {
	for _, seed := range []string{"a,b\n\"1\n\",\"\"\"2\"\n", "2024-01-31 10:00:00 a\nb\n2024-02-01 10:00:00 a\n2024-02-01 10:00:00\n", "CHAPTER I\n\nText. More\n\n\nPART TWO\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, format := range []data.Format{data.CSV, data.Log, data.Prose, data.Lines} {
			fuzz(t, format, src)
			fuzz(t, format, strings.Repeat(src, 150))
		}
	})
}
