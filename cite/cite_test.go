package cite_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cite"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/verify"
)

const tea = "# Tea\n\nGreen tea is brewed with water of eighty degrees.\n\n## Pot\n\nA pot holds six cups.\n"

// open returns a corpus of two texts, and its folder.
func open(t *testing.T) (*corpus.Corpus, string) {
	t.Helper()
	dir := t.TempDir()
	sharedtest.Write(t, filepath.Join(dir, "tea.md"), []byte(tea))
	sharedtest.Write(t, filepath.Join(dir, "milk.md"), []byte("# Milk\n\nMilk is for black tea.\n"))
	c, err := corpus.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if report, err := c.Ingest(t.Context()); err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
	return c, dir
}

func TestCite(t *testing.T) {
	c, _ := open(t)
	for _, test := range []struct {
		req  cite.Request
		want string // the start of the text or the JSON
		pin  bool
	}{
		{req: cite.Request{ID: "tea"}, want: "[Tea](text://tea)"},
		{req: cite.Request{ID: "tea", Pin: cite.PinAlways}, want: "[Tea](text://tea#v=", pin: true},
		{req: cite.Request{ID: "tea.tea.pot"}, want: "[Tea, Pot, lines 5–7](text://tea#lines=5-7&v=", pin: true},
		{req: cite.Request{ID: "tea.tea.pot", Pin: cite.PinNever}, want: "[Tea, Pot, lines 5–7](text://tea#lines=5-7)"},
		{req: cite.Request{ID: "tea.md", Quote: "a pot holds six cups"}, want: `[Tea, line 7](text://tea#lines=7-7&v=`, pin: true},
		{req: cite.Request{ID: "tea", Quote: "is brewed with water of eighty degrees"},
			want: `[Tea, line 3](text://tea#lines=3-3 "is brewed with water of eighty degrees")`},
		{req: cite.Request{ID: "text://tea#lines=7", Form: cite.Footnote, Number: 4}, want: "[^4]: ", pin: true},
		{req: cite.Request{ID: "text://tea#lines=7", Form: cite.Footnote}, want: "[^1]: ", pin: true},
		{req: cite.Request{ID: "tea", Form: cite.BibTeX}, want: "@misc{tea,"},
		{req: cite.Request{ID: "tea", Form: cite.CSL}, want: `{"`},
		{req: cite.Request{ID: "text://tea#lines=7", Form: cite.Annotation}, want: `{"`, pin: true},
		{req: cite.Request{ID: "text://tea#lines=7", Form: cite.URL}, want: "tea.md#line=6,7"},
		{req: cite.Request{ID: "text://tea#lines=7", Form: cite.URL, URL: "https://example.org/tea"}, want: "https://example.org/tea#line=6,7"},
		{req: cite.Request{ID: "text://tea#lines=7", Form: cite.Anthropic}, want: `{"type":"search_result"`},
		{req: cite.Request{ID: "tea", Quote: "six cups", Form: cite.Anthropic}, want: `{"type":"char_location","cited_text":"six cups"`},
		{req: cite.Request{ID: "tea", Quote: "six cups", Form: cite.OpenAI}, want: `{"`, pin: true},
		{req: cite.Request{ID: "tea", Quote: "six cups", Form: cite.Gemini}, want: `{"`, pin: true},
	} {
		cited, err := c.Citer.Cite(t.Context(), test.req)
		if err != nil {
			t.Errorf("%+v: %v", test.req, err)
			continue
		}
		got := cited.Text
		if cited.JSON != nil {
			if got != "" || !json.Valid(cited.JSON) {
				t.Errorf("%+v: the text %q beside the JSON %s", test.req, got, cited.JSON)
			}
			got = string(cited.JSON)
		}
		if !strings.HasPrefix(got, test.want) || (cited.Address.Version != "") != test.pin || cited.Problem != nil || cited.Note != "" {
			t.Errorf("%+v: %s (%s, %v, %q), want %s", test.req, got, cited.Address, cited.Problem, cited.Note, test.want)
		}
	}
	for _, form := range cite.Forms() {
		if _, err := c.Citer.Cite(t.Context(), cite.Request{ID: "tea", Quote: "six cups", Form: form}); err != nil {
			t.Errorf("%s: %v", form, err)
		}
	}
}

// TestAround checks the text around a quote, which ends at whole words.
func TestAround(t *testing.T) {
	c, _ := open(t)
	cited, err := c.Cite(t.Context(), "tea", "water")
	if err != nil {
		t.Fatal(err)
	}
	if got := cited.Prefix + "|" + cited.Quote + "|" + cited.Suffix; got != "# Tea\n\nGreen tea is brewed with |water| of eighty degrees.\n\n## Pot\n\nA" {
		t.Errorf("%q", got)
	}
	if got := []rune(tea)[cited.Position.Start:cited.Position.End]; string(got) != "water" {
		t.Errorf("the position is that of %q", string(got))
	}
}

func TestErrors(t *testing.T) {
	c, _ := open(t)
	for _, test := range []struct {
		req   cite.Request
		field string
		is    error
		want  string
	}{
		{req: cite.Request{ID: "tea", Form: "word"}, field: "Form", is: citekit.ErrSyntax, want: "write one of markdown, footnote, csl"},
		{req: cite.Request{ID: "tea", Quote: " "}, field: "Quote", is: citekit.ErrSyntax, want: ""},
		{req: cite.Request{ID: "tea", Quote: strings.Repeat("a", verify.MaxQuote+1)}, field: "Quote", is: citekit.ErrTooLarge, want: "quote less"},
		{req: cite.Request{ID: "tea", Form: cite.URL, URL: "a#b"}, field: "URL", is: citekit.ErrSyntax, want: "without a fragment"},
		{req: cite.Request{ID: "text://tea#lines=2", Form: cite.Anthropic}, field: "Form", is: citekit.ErrSyntax, want: "without text"},
		{req: cite.Request{}, is: citekit.ErrSyntax, want: "an empty id"},
		{req: cite.Request{ID: "te"}, is: fs.ErrNotExist, want: "te"},
		{req: cite.Request{ID: "text://tea#lines=900"}, is: citekit.ErrRange, want: "citekit: cite text://tea#lines=900-900: "},
		{req: cite.Request{ID: "image://tea#bbox=0,0,1,1"}, is: citekit.ErrSyntax, want: "the modality of the resource is text"},
		{req: cite.Request{ID: "tea", Quote: "Milk is for black tea"}, is: fs.ErrNotExist, want: "the quote is not in text://tea, but in text://milk#lines=3-3; cite that"},
		{req: cite.Request{ID: "tea", Quote: "A pot holds nine cups"}, is: fs.ErrNotExist, want: "the quote is altered; text://tea#lines=7-7 has: “A pot holds six cups”"},
		{req: cite.Request{ID: "tea", Quote: "zebras gallop over purple mountains"}, is: fs.ErrNotExist, want: "the quote is not in text://tea"},
	} {
		_, err := c.Citer.Cite(t.Context(), test.req)
		var field *cite.FieldError
		if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.want) || errors.As(err, &field) != (test.field != "") {
			t.Errorf("%.60v: %v, want %q", test.req, err, test.want)
		}
		if field != nil && field.Field != test.field {
			t.Errorf("%.60v: the field is %s", test.req, field.Field)
		}
	}
}

// TestChanged cites a source that has changed, and one that is gone.
func TestChanged(t *testing.T) {
	c, dir := open(t)
	path := filepath.Join(dir, "tea.md")
	sharedtest.Write(t, path, []byte("# Coffee\n"))
	cited, err := c.Cite(t.Context(), "tea", "")
	if err != nil || !errors.Is(cited.Problem, citekit.ErrStale) || cited.Text != "[Tea](text://tea)" {
		t.Fatal(cited, err)
	}
	if _, err := c.Cite(t.Context(), "tea", "six cups"); !errors.Is(err, citekit.ErrStale) {
		t.Errorf("a quote of a source that has changed: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if cited, err = c.Cite(t.Context(), "tea", ""); err != nil || !errors.Is(cited.Problem, fs.ErrNotExist) {
		t.Fatal(cited, err)
	}
}
