package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/test/altertest"
)

// The categories of quotes. A checker is to accept the true ones, which stand in the
// text, as it is or with the changes of copying and typesetting, and no other.
var categories = []string{"true", "altered", "spliced", "moved", "invented"}

// A quote is to be checked against the text in a file.
type quote struct {
	Category string `json:"category"`
	Kind     string `json:"kind"`
	File     string `json:"file"` // where it is said to stand
	Quote    string `json:"quote"`
	Base     string `json:"base"` // the sentence that it was made from
}

// A text is a file that quotes are taken from.
type text struct {
	file string
	*altertest.Source
}

// readTexts returns the texts of a folder, or those of this project that nothing in
// citekit was tuned with.
func readTexts(folder string) (found []text, err error) {
	add := func(file, group, content string) {
		t := text{file, &altertest.Source{Group: group, Wide: group == "ja" || group == "zh", Text: content}}
		t.Sentences = altertest.Sentences(t.Source)
		found = append(found, t)
	}
	if folder == "" {
		for _, group := range []string{"en", "de", "ja", "zh"} {
			add(group+".md", group, strings.ReplaceAll(altertest.Prose(group+"-held"), "\n", "\n\n")+"\n")
		}
		return found, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext != ".md" && ext != ".txt" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		if !utf8.Valid(data) {
			return nil, fmt.Errorf("%s is not UTF-8", e.Name())
		}
		add(e.Name(), "md", string(data))
	}
	if len(found) < 2 {
		return nil, fmt.Errorf("%s has %d .md and .txt files; quotes are moved from one to another, so two are needed", folder, len(found))
	}
	return found, nil
}

// category returns that of a kind of change, or "" for one that needs pages.
func category(k altertest.Kind) string {
	switch {
	case k.Elsewhere == "file":
		return "moved"
	case k.Elsewhere != "":
		return ""
	case k.Name == "spliced" || k.Name == "ellipsis turned round":
		return "spliced"
	case k.Want == "exact" || k.Want == "repaired":
		return "true"
	case k.Want == "altered":
		return "altered"
	}
	return "invented"
}

// generate makes n quotes of each kind by a seed.
func generate(texts []text, seed uint64, n int) (quotes []quote) {
	var all []*altertest.Source
	for _, t := range texts {
		all = append(all, t.Source)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	g := altertest.New(r, altertest.NewStock(all), all, strings.Split(altertest.Prose("invented"), "\n"))
	g.Cases(n, func(c altertest.Case) bool {
		of := category(c.Kind)
		if of == "" {
			return false
		}
		at := slices.IndexFunc(texts, func(t text) bool { return t.Source == c.Source })
		if of == "moved" {
			at = (at + 1 + r.IntN(len(texts)-1)) % len(texts)
		}
		quotes = append(quotes, quote{of, c.Kind.Name, texts[at].file, c.Quote, c.Base})
		return true
	})
	return quotes
}

// write makes dir anew with the folder of the texts, which it returns, and the quotes. What
// an earlier run left is replaced, and nothing else.
func write(dir string, texts []text, quotes []quote) (folder string, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	folder = filepath.Join(dir, "texts")
	list := filepath.Join(dir, "quotes.jsonl")
	if _, err := os.Lstat(folder); err == nil {
		if _, err := os.Lstat(list); err != nil { // of somebody else
			return "", fmt.Errorf("%s is there already, and of no earlier run: give another -dir", folder)
		}
	}
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	for _, t := range texts {
		if err := os.WriteFile(filepath.Join(folder, t.file), []byte(t.Text), 0o600); err != nil {
			return "", err
		}
	}
	var lines []byte
	for _, q := range quotes {
		lines = append(lines, encode(q)...)
	}
	return folder, os.WriteFile(list, lines, 0o600)
}
