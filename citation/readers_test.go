package citation_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A form is what a reader is given.
type form struct {
	Form string `json:"form"`
	Text string `json:"text"`
}

// What a reader found; members that the form does not have are zero.
type readBack struct {
	Error   string   `json:"error"`
	Title   string   `json:"title"`
	Authors []string `json:"authors"`
	URL     string   `json:"url"`
	Date    []int    `json:"date"`
	Page    string   `json:"page"`
	Quote   string   `json:"quote"`

	Types      []string `json:"types"`
	Address    string   `json:"address"`
	Source     string   `json:"source"`
	Quads      int      `json:"quads"`
	Exact      string   `json:"exact"`
	Start      string   `json:"start"`
	End        string   `json:"end"`
	ConformsTo string   `json:"conformsTo"`
}

// readElsewhere has other libraries read forms.
func readElsewhere(t *testing.T, forms []form) []readBack {
	readers, node := sharedtest.CitationReaders(t), sharedtest.Tool(t, "node")
	input, err := json.Marshal(forms)
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs(filepath.Join("testdata", "readers", "read.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, script)
	cmd.Env = append(os.Environ(), "CITEKIT_READERS="+readers)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var found []readBack
	if err := json.Unmarshal(out, &found); err != nil || len(found) != len(forms) {
		t.Fatalf("%d of %d, %v", len(found), len(forms), err)
	}
	return found
}

// Libraries for CSL, BibTeX and JSON-LD find in our forms what we wrote.
func TestOtherReaders(t *testing.T) {
	var forms []form
	var cited []citation.Citation
	n := uint64(200)
	if sharedtest.Long() {
		n = 3000
	}
	for seed := range n {
		c := randomCitation(rand.New(rand.NewPCG(seed, 21)))
		c.Quote = strings.ToValidUTF8(c.Quote, "")
		for name, write := range map[string]func() (string, error){
			"csl": func() (string, error) { return asText((*citation.Citation).CSL)(&c) }, "bibtex": c.BibTeX,
			"annotation": func() (string, error) { return asText((*citation.Citation).Annotation)(&c) },
		} {
			text, err := write()
			if err != nil {
				t.Fatal(err)
			}
			forms, cited = append(forms, form{name, text}), append(cited, c)
		}
	}
	for i, got := range readElsewhere(t, forms) {
		checkReadBack(t, forms[i], got, &cited[i])
	}
}

func checkReadBack(t *testing.T, f form, got readBack, c *citation.Citation) {
	t.Helper()
	if got.Error != "" {
		t.Errorf("%s\n%s", got.Error, f.Text)
		return
	}
	if f.Form == "annotation" {
		if got.Address != c.Address.String() || got.Exact != c.Quote || !slices.Equal(got.Types, []string{"http://www.w3.org/ns/oa#Annotation"}) || got.Quads < 4 {
			t.Errorf("%+v\n%s", got, f.Text)
		}
		if !c.Position.IsZero() && (got.Start != fmt.Sprint(c.Position.Start) || got.End != fmt.Sprint(c.Position.End)) {
			t.Errorf("position %s to %s\n%s", got.Start, got.End, f.Text)
		}
		return
	}
	title := plain.Line(c.Work.Title)
	if title == "" {
		title = c.Address.Resource
	}
	if got.Title != title || got.URL != c.Address.String() {
		t.Errorf("%q, %q; want %q, %q\n%s", got.Title, got.URL, title, c.Address, f.Text)
	}
	quote := c.Quote
	if f.Form == "bibtex" {
		quote = plain.Line(quote)
	}
	if got.Quote != quote {
		t.Errorf("quote %q; want %q\n%s", got.Quote, quote, f.Text)
	}
	var authors []string
	for _, name := range c.Work.Authors {
		if name = plain.Line(name); name != "" {
			authors = append(authors, name)
		}
	}
	if !slices.Equal(got.Authors, authors) && len(got.Authors)+len(authors) > 0 {
		t.Errorf("authors %q; want %q\n%s", got.Authors, authors, f.Text)
	}
	dates := map[string][]int{"1843": {1843}, "1843-07": {1843, 7}, "1843-07-10": {1843, 7, 10}, "2024-02-29T12:00:00Z": {2024, 2, 29}}
	if !slices.Equal(got.Date, dates[c.Work.Date]) {
		t.Errorf("date %v; want %s\n%s", got.Date, c.Work.Date, f.Text)
	}
}

// GitHub's parser of Markdown finds one link with our address and quote in each
// paragraph, and the label as its text.
func TestMarkdownElsewhere(t *testing.T) {
	cmark := sharedtest.Tool(t, "cmark-gfm")
	var text strings.Builder
	var cited []citation.Citation
	for seed := range uint64(500) {
		c := randomCitation(rand.New(rand.NewPCG(seed, 41)))
		note, err := c.Footnote("n")
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(c.Markdown() + "\n\n" + strings.TrimPrefix(note, "[^n]: ") + "\n\n")
		cited = append(cited, c, c)
	}
	cmd := exec.CommandContext(t.Context(), cmark, "-t", "xml", "-e", "autolink", "-e", "table", "-e", "strikethrough")
	cmd.Stdin = strings.NewReader(text.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Blocks []struct {
			XMLName xml.Name
			Links   []struct {
				Destination string   `xml:"destination,attr"`
				Title       string   `xml:"title,attr"`
				Text        []string `xml:"text"`
			} `xml:"link"`
		} `xml:",any"`
	}
	decoder := xml.NewDecoder(bytes.NewReader(out))
	decoder.Strict = false
	if err := decoder.Decode(&document); err != nil {
		t.Fatal(err)
	}
	if len(document.Blocks) != len(cited) {
		t.Fatalf("%d paragraphs; want %d", len(document.Blocks), len(cited))
	}
	for i, block := range document.Blocks {
		c := &cited[i]
		if block.XMLName.Local != "paragraph" || len(block.Links) != 1 || block.Links[0].Destination != c.Address.String() {
			t.Errorf("%+v; want %v", block, c.Address)
			continue
		}
		link := block.Links[0]
		if i%2 == 0 && (link.Title != plain.Line(c.Quote) || strings.Join(link.Text, "") != c.Label()) {
			t.Errorf("%q, %q; want %q, %q", link.Text, link.Title, c.Label(), plain.Line(c.Quote))
		}
	}
}

// What we write for models is of the types in the SDKs of their APIs. A checker
// that takes everything would prove nothing: one statement is wrong on purpose.
func TestSDKTypes(t *testing.T) {
	readers, node := sharedtest.CitationReaders(t), sharedtest.Tool(t, "node")
	dir := t.TempDir()
	if err := os.Symlink(readers, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	source.WriteString("import type Anthropic from '@anthropic-ai/sdk';\nimport type { ResponseOutputText } from 'openai/resources/responses/responses';\nimport type { Candidate } from '@google/genai';\n")
	statement := func(kind string, data []byte, err error) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&source, "void (%s satisfies %s);\n", data, kind)
	}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 31))
		a := randomAnswer(rng)
		data, err := a.Anthropic()
		statement("Anthropic.TextBlockParam[]", data, err)
		data, err = a.OpenAI()
		statement("ResponseOutputText", data, err)
		data, err = a.Gemini()
		statement("Candidate", data, err)
		c := randomCitation(rng)
		data, err = c.AnthropicSearchResult("a text", "another")
		statement("Anthropic.SearchResultBlockParam", data, err)
		for _, loc := range []citekit.Location{citekit.Document.Pages(3, 5), citekit.Text.Lines(3, 5)} {
			c.Address.Location, c.Position = loc, citation.CodePointRange{Start: 3, End: 9}
			data, err = c.AnthropicLocation(1)
			statement("Anthropic.TextCitation", data, err)
		}
	}
	source.WriteString("// @ts-expect-error\nvoid ({type: 'page_location'} satisfies Anthropic.TextCitation);\n")
	if err := os.WriteFile(filepath.Join(dir, "check.ts"), []byte(source.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	tsc := exec.CommandContext(t.Context(), node, filepath.Join(readers, "typescript", "bin", "tsc"),
		"--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--moduleResolution", "nodenext", "--target", "es2022", "check.ts")
	tsc.Dir = dir
	if out, err := tsc.CombinedOutput(); err != nil {
		t.Errorf("%v\n%.4000s", err, out)
	}
}
