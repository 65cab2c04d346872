package citation_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
)

// inner are places inside a file, part or message of their resource, with what their
// fragments would be if they were places of the resource itself.
var inner = map[string]string{
	"doc://a#member=b.pdf&pages=3":                "page",
	"doc://a#member=b.pdf&pages=3&bbox=0,0,0.5,1": "page",
	"text://a#member=b.txt&lines=1-3":             "line",
	"text://a#part=1&lines=4":                     "line",
	"text://a#message=2&part=1&lines=4":           "line",
	"text://a#member=b.csv&rows=2&cols=1":         "cell",
	"image://a#member=b.png&bbox=0,0,0.5,1":       "xywh",
	"video://a#member=b.mp4&t=4-5":                "t=",
}

// The fragment of a place inside an inner file would be another place of the file
// around it: no form has it.
func TestInnerPlaces(t *testing.T) {
	for address, fragment := range inner {
		a, err := citekit.ParseAddress(address)
		if err != nil {
			t.Fatal(err)
		}
		c := citation.Citation{Address: a, Work: citation.Work{Title: "A", Path: "a"}}
		if link, err := c.URL("https://example.org/a"); err != nil || link != "https://example.org/a" {
			t.Errorf("%s: %s, %v", address, link, err)
		}
		c.Quote = "some words"
		link, err := c.URL("https://example.org/a")
		if err != nil || strings.Contains(link, "#"+fragment) || strings.Contains(link, "#") && (a.Location.Member != "" || !strings.Contains(link, "#:~:text=some%20words")) {
			t.Errorf("%s: %s, %v", address, link, err)
		}
		data, err := c.Annotation()
		if err != nil || strings.Contains(string(data), "FragmentSelector") {
			t.Errorf("%s: %s, %v", address, data, err)
		}
		for _, data := range []string{string(data), strings.Replace(string(data), `"id":"`+strings.ReplaceAll(address, "&", `\u0026`), `"id":"x`, 1)} {
			read, err := citation.ParseAnnotation([]byte(data))
			if err != nil || len(read) != 1 || read[0].Quote != c.Quote || read[0].Address.String() != a.String() && !read[0].Address.Location.IsWhole() {
				t.Errorf("%s is read as %+v, %v", data, read, err)
			}
		}
		item, err := c.CSL()
		if err != nil || strings.Contains(string(item), `"page":`) || !strings.Contains(string(item), `"note":`) {
			t.Errorf("%s: %s, %v", address, item, err)
		}
		entry, err := c.BibTeX()
		if err != nil || strings.Contains(entry, "pages =") || !strings.Contains(entry, "note =") {
			t.Errorf("%s: %s, %v", address, entry, err)
		}
		candidate, err := citation.AnswerOf(c).Gemini()
		if err != nil || strings.Contains(string(candidate), "pageNumber") {
			t.Errorf("%s: %s, %v", address, candidate, err)
		}
		if output, err := citation.AnswerOf(c).OpenAI(); err != nil || !strings.Contains(string(output), strings.ReplaceAll(a.String(), "&", `\u0026`)) {
			t.Errorf("%s: %s, %v", address, output, err)
		}
		if data, err := c.AnthropicLocation(0); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%s: %s, %v", address, data, err)
		}
		c.Position = citation.CodePointRange{Start: 5, End: 9}
		if data, err := c.AnthropicLocation(0); err != nil || !strings.Contains(string(data), `"char_location"`) || strings.Contains(string(data), "page") {
			t.Errorf("%s: %s, %v", address, data, err)
		}
		for kind, of := range map[string]func(citekit.Location) (string, error){
			"PDF": citation.PDFFragment, "text": citation.TextFragment, "media": citation.MediaFragment,
			"table": func(l citekit.Location) (string, error) { _, err := citation.TableCells(l, nil); return "", err },
		} {
			if f, err := of(a.Location); f != "" || !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%s has the %s fragment %q, %v", address, kind, f, err)
			}
		}
	}
}

// A selector of an annotation whose source is an inner file is a place in that file.
func TestReadInnerPlaces(t *testing.T) {
	for source, want := range map[string][3]string{
		"doc://a#member=b.pdf":  {"http://tools.ietf.org/rfc/rfc3778", "page=3", "doc://a#member=b.pdf&pages=3"},
		"text://a#part=1":       {"http://tools.ietf.org/rfc/rfc5147", "line=3,4", "text://a#part=1&lines=4-4"},
		"text://a#member=b.txt": {"http://tools.ietf.org/rfc/rfc7111", "row=5", "text://a#member=b.txt&rows=5"},
		"doc://a":               {"http://tools.ietf.org/rfc/rfc3778", "page=3", "doc://a#pages=3"},
	} {
		got, err := citation.ParseAnnotation([]byte(`{"type": "Annotation", "target": {"source": "` + source +
			`", "selector": {"type": "FragmentSelector", "conformsTo": "` + want[0] + `", "value": "` + want[1] + `"}}}`))
		if err != nil || len(got) != 1 || got[0].Address.String() != want[2] {
			t.Errorf("%s with %s: %+v, %v; want %s", source, want[1], got, err, want[2])
		}
	}
	member, err := citekit.ParseAddress("doc://a#member=b.pdf")
	if err != nil {
		t.Fatal(err)
	}
	got, err := citation.ParseAnthropic([]byte(`{"type": "page_location", "cited_text": "x", "document_index": 0, "start_page_number": 3, "end_page_number": 5}`),
		&citation.AnthropicSent{Documents: []citation.AnthropicDocument{{Address: member}}})
	if err != nil || got.Claims[0].Citations[0].Address.String() != "doc://a#member=b.pdf&pages=3-4" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A page of a presentation is a slide.
func TestSlides(t *testing.T) {
	for path, want := range map[string]string{"a/Talk #1.PPTX": "[Talk, slides 2–3](doc://a#pages=2-3)", "a.odp": "[Talk, slides 2–3](doc://a#pages=2-3)", "a.pdf": "[Talk, pages 2–3](doc://a#pages=2-3)"} {
		a, err := citekit.ParseAddress("doc://a#pages=2-3")
		if err != nil {
			t.Fatal(err)
		}
		c := citation.Citation{Address: a, Work: citation.Work{Title: "Talk", Path: path}}
		note, err := c.Footnote("1")
		if word, _, _ := strings.Cut(strings.TrimPrefix(want, "[Talk, "), " "); c.Markdown() != want || err != nil || !strings.Contains(note, word) {
			t.Errorf("%s: %s, %s, %v", path, c.Markdown(), note, err)
		}
	}
}

func TestMarkdownInBrackets(t *testing.T) {
	const text = `It says "rings twice" [text://a#lines=3], and „läutet“ [text://b; doc://c#pages=2].

> A block of words

[doc://d#blocks=4]

Here it is [page two](doc://e#pages=2), and “there” ([page 3](doc://e#pages=3 "in the title")). Bare: doc://f#pages=1.
A claim “word”[^n] with [doc://bad#pages=x] and ` + "`doc://code#pages=1`" + ` and [doc://g#pages=1](doc://g#pages=1).

[^n]: *G*. <doc://g>
`
	var got []string
	for _, c := range citation.ParseMarkdown(text) {
		got = append(got, c.Address.String()+" "+c.Quote)
	}
	want := []string{
		"text://a#lines=3-3 rings twice", "text://b läutet", "doc://c#pages=2 läutet", "doc://d#blocks=4 A block of words",
		"doc://e#pages=2 ", "doc://e#pages=3 in the title", "doc://f#pages=1 ", "doc://g#pages=1 ", "doc://g word",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
