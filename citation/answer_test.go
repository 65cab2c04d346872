package citation_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// An api is how an answer is written and read in the shape of one API.
type api struct {
	name  string
	write func(*citation.Answer) ([]byte, error)
	read  func([]byte) (*citation.Answer, error)

	quotes bool // it has the words of quotes
}

var apis = []api{
	{"anthropic", (*citation.Answer).Anthropic, func(data []byte) (*citation.Answer, error) { return citation.ParseAnthropic(data, nil) }, true},
	{"openai", (*citation.Answer).OpenAI, citation.ParseOpenAI, false},
	{"gemini", (*citation.Answer).Gemini, citation.ParseGemini, true},
}

// randomAnswer returns an answer with claims apart from each other.
func randomAnswer(rng *rand.Rand) *citation.Answer {
	a := &citation.Answer{Text: "Begin "}
	for range rng.IntN(6) {
		claim := citation.Claim{Part: citation.ByteRange{Start: int64(len(a.Text))}}
		a.Text += strings.ToValidUTF8("x"+randomText(rng, 9), "")
		claim.Part.End = int64(len(a.Text))
		for range rng.IntN(3) + 1 {
			c := randomCitation(rng)
			c.Quote = strings.ToValidUTF8(c.Quote, "")
			claim.Citations = append(claim.Citations, c)
		}
		a.Claims = append(a.Claims, claim)
		a.Text += strings.ToValidUTF8(" y"+randomText(rng, 3), "")
	}
	return a
}

func TestAnswersRoundTrip(t *testing.T) {
	sharedtest.NotShort(t)
	for seed := range uint64(1000) {
		a := randomAnswer(rand.New(rand.NewPCG(seed, 11)))
		for _, api := range apis {
			data, err := api.write(a)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, api.name, err)
			}
			got, err := api.read(data)
			if err != nil {
				t.Fatalf("seed %d: %s: %v: %s", seed, api.name, err, data)
			}
			if got.Text != a.Text {
				t.Fatalf("seed %d: %s: text %q; want %q", seed, api.name, got.Text, a.Text)
			}
			checkClaims(t, api, flat(got), flat(a))
			if t.Failed() {
				t.Fatalf("seed %d: %s", seed, data)
			}
		}
	}
}

// A cited is a citation with the text of its claim.
type cited struct {
	text string
	citation.Citation
}

func flat(a *citation.Answer) []cited {
	var all []cited
	for _, claim := range a.Claims {
		for _, c := range claim.Citations {
			all = append(all, cited{a.Text[claim.Part.Start:claim.Part.End], c})
		}
	}
	return all
}

func checkClaims(t *testing.T, api api, got, want []cited) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d citations; want %d", api.name, len(got), len(want))
		return
	}
	for i := range got {
		if got[i].text != want[i].text || got[i].Address.String() != want[i].Address.String() || api.quotes && got[i].Quote != want[i].Quote {
			t.Errorf("%s: %q on %v with %q; want %q on %v with %q", api.name, got[i].text, got[i].Address, got[i].Quote, want[i].text, want[i].Address, want[i].Quote)
		}
	}
}

// Claims that overlap or are empty are never lost, and the text stays whole.
func TestOverlappingClaims(t *testing.T) {
	c := citation.Citation{Address: citekit.Address{Resource: "a", Location: citekit.Location{Modality: citekit.Text}}}
	a := &citation.Answer{Text: "ab🙂cd"}
	for _, part := range []citation.ByteRange{{2, 6}, {0, 2}, {0, 6}, {7, 7}, {8, 8}, {8, 8}} {
		a.Claims = append(a.Claims, citation.Claim{Part: part, Citations: []citation.Citation{c}})
	}
	for _, api := range apis {
		data, err := api.write(a)
		if err != nil {
			t.Fatalf("%s: %v", api.name, err)
		}
		if got, err := api.read(data); err != nil || got.Text != a.Text || len(flat(got)) != 6 {
			t.Errorf("%s: %+v, %v", api.name, got, err)
		}
	}
	for _, bad := range []citation.ByteRange{{3, 6}, {-1, 2}, {0, 99}, {2, 1}} {
		a.Claims = []citation.Claim{{Part: bad}}
		for _, api := range apis {
			if data, err := api.write(a); !errors.Is(err, citekit.ErrRange) {
				t.Errorf("%s: %v: %s, %v", api.name, bad, data, err)
			}
		}
	}
}

// What the documentation of each API shows.
func TestResponses(t *testing.T) {
	book := citekit.Address{Resource: "book", Location: citekit.Location{Modality: citekit.Document}}
	notes := citekit.Address{Resource: "notes", Location: citekit.Location{Modality: citekit.Text}}
	block, _ := citekit.ParseAddress("text://notes#lines=5-9")
	sent := &citation.AnthropicSent{Documents: []citation.AnthropicDocument{{Address: book}, {Address: notes, Blocks: []citekit.Address{notes, block}}}}
	message := `{"type": "message", "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "The 🙂 "},
		{"type": "text", "text": "grass is green", "citations": [
			{"type": "page_location", "cited_text": "green", "document_index": 0, "document_title": "B", "start_page_number": 3, "end_page_number": 5},
			{"type": "char_location", "cited_text": "grass", "document_index": 1, "document_title": null, "start_char_index": 7, "end_char_index": 12},
			{"type": "content_block_location", "cited_text": "is", "document_index": 1, "document_title": null, "start_block_index": 1, "end_block_index": 2},
			{"type": "page_location", "cited_text": "x", "document_index": 9, "document_title": "Unknown", "start_page_number": 1, "end_page_number": 2},
			{"type": "search_result_location", "cited_text": "y", "search_result_index": 0, "source": "https://x.example", "title": "X", "start_block_index": 0, "end_block_index": 1},
			{"type": "web_search_result_location", "cited_text": "z", "url": "https://w.example", "title": "W", "encrypted_index": "…"}]}]}`
	a, err := citation.ParseAnthropic([]byte(message), sent)
	if err != nil || a.Text != "The 🙂 grass is green" || len(a.Claims) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	all := flat(a)
	for i, want := range []string{"doc://book#pages=3-4", "text://notes", "text://notes#lines=5-9"} {
		if all[i].Address.String() != want || all[i].text != "grass is green" {
			t.Errorf("%v; want %s", all[i], want)
		}
	}
	if all[1].Position != (citation.CodePointRange{Start: 7, End: 12}) {
		t.Errorf("position %v", all[1].Position)
	}
	if all[3].Work.Title != "Unknown" || all[3].Address.Resource != "" || citation.Place(all[3].Address.Location) != "page 1" {
		t.Errorf("%+v", all[3])
	}
	if all[4].Work.Path != "https://x.example" || all[5].Work.Path != "https://w.example" {
		t.Errorf("%+v, %+v", all[4], all[5])
	}

	response := `{"output": [{"type": "file_search_call", "id": "x"}, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "é🙂 green.", "annotations": [
		{"type": "file_citation", "index": 8, "file_id": "file-1", "filename": "book.pdf"},
		{"type": "url_citation", "start_index": 3, "end_index": 8, "url": "doc://book#pages=3", "title": "B"},
		{"type": "container_file_citation", "container_id": "c", "start_index": 0, "end_index": 2, "file_id": "f", "filename": "a.csv"}]}]}]}`
	if a, err = citation.ParseOpenAI([]byte(response)); err != nil {
		t.Fatal(err)
	}
	all = flat(a)
	if all[0].Work.Path != "book.pdf" || all[0].text != "" || all[1].text != "green" || all[1].Address.String() != "doc://book#pages=3" || all[2].text != "é🙂" {
		t.Errorf("%+v", all)
	}
	chat := `{"choices": [{"message": {"role": "assistant", "content": "ab", "annotations": [{"type": "url_citation", "url_citation": {"start_index": 0, "end_index": 1, "url": "https://x", "title": ""}}]}}]}`
	if a, err = citation.ParseOpenAI([]byte(chat)); err != nil || len(a.Claims) != 1 || flat(a)[0].Work.Path != "https://x" {
		t.Errorf("%+v, %v", a, err)
	}

	generated := `{"candidates": [{"content": {"role": "model", "parts": [{"text": "hm", "thought": true}, {"text": "é🙂 green."}]}, "groundingMetadata": {
		"groundingChunks": [{"web": {"uri": "https://x", "title": "X"}}, {"retrievedContext": {"title": "book", "text": "so green", "ragChunk": {"pageSpan": {"firstPage": 3, "lastPage": 4}}}}],
		"groundingSupports": [{"segment": {"partIndex": 1, "endIndex": 6, "text": "é🙂"}, "groundingChunkIndices": [0, 1], "confidenceScores": [0.9, 0.8]}]}}]}`
	if a, err = citation.ParseGemini([]byte(generated)); err != nil {
		t.Fatal(err)
	}
	all = flat(a)
	if len(all) != 2 || all[0].text != "é🙂" || all[0].Work.Path != "https://x" || all[1].Quote != "so green" || citation.Place(all[1].Address.Location) != "pages 3–4" {
		t.Errorf("%+v", all)
	}
}

func TestWrongResponses(t *testing.T) {
	common := []string{"", "3", `"x"`, "{}", "{", `[3]`, `{"content": 3}`, `{"type": "message"}`}
	wrong := map[string][]string{
		"anthropic": {
			`[{"type": "text", "text": "a", "citations": [{"type": "page_location", "start_page_number": 3, "end_page_number": 3}]}]`,
			`[{"type": "text", "text": "a", "citations": [{"type": "page_location", "start_page_number": 0, "end_page_number": 1}]}]`,
			`[{"type": "text", "text": "a", "citations": [{"type": "char_location", "start_char_index": 9, "end_char_index": 2}]}]`,
			`[{"type": "text", "text": "a", "citations": [{"type": "search_result_location", "source": "doc://a"}]}]`,
			`[{"type": "text", "text": "a", "citations": [{"type": "other"}]}]`,
		},
		"openai": {
			`{"type": "output_text", "text": "a", "annotations": [{"type": "url_citation", "url": "x"}]}`,
			`{"type": "output_text", "text": "a", "annotations": [{"type": "other"}]}`,
			`{"type": "output_text", "text": "a", "annotations": [{"type": "url_citation", "start_index": 0, "end_index": 2}]}`,
		},
		"gemini": {
			`{"candidates": [{}]}`,
			`{"content": {"parts": [{"text": "a"}]}, "groundingMetadata": {"groundingSupports": [{"segment": {"endIndex": 1}, "groundingChunkIndices": [0]}]}}`,
			`{"content": {"parts": [{"text": "é"}]}, "groundingMetadata": {"groundingSupports": [{"segment": {"endIndex": 1}}]}}`,
			`{"content": {"parts": [{"text": "a"}]}, "groundingMetadata": {"groundingSupports": [{"segment": {"partIndex": 1}}]}}`,
		},
	}
	for _, api := range apis {
		for _, bad := range append(common, wrong[api.name]...) {
			if a, err := api.read([]byte(bad)); !errors.Is(err, citekit.ErrSyntax) && !errors.Is(err, citekit.ErrRange) {
				t.Errorf("%s: %s: %+v, %v", api.name, bad, a, err)
			}
		}
	}
}

// What is read can be written again, and stays the same text.
func fuzzAPI(f *testing.F, api api) {
	for seed := range uint64(3) {
		data, err := api.write(randomAnswer(rand.New(rand.NewPCG(seed, 1))))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := api.read(data)
		if err != nil {
			return
		}
		again, err := api.write(a)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if b, err := api.read(again); err != nil || b.Text != a.Text {
			t.Fatalf("%s is %s: %v", data, again, err)
		}
	})
}

func FuzzAnthropic(f *testing.F) { fuzzAPI(f, apis[0]) }
func FuzzOpenAI(f *testing.F)    { fuzzAPI(f, apis[1]) }
func FuzzGemini(f *testing.F)    { fuzzAPI(f, apis[2]) }

// fuzzForm adds forms of random citations, and what others write.
func fuzzForm(f *testing.F, write func(*citation.Citation) (string, error), more ...string) {
	for seed := range uint64(5) {
		c := randomCitation(rand.New(rand.NewPCG(seed, 1)))
		form, err := write(&c)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(form)
	}
	for _, form := range more {
		f.Add(form)
	}
}

func FuzzParseMarkdown(f *testing.F) {
	fuzzForm(f, func(c *citation.Citation) (string, error) { return c.Footnote("1") }, "[a](<doc://a> \"x\\\"\")", "](doc://a")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range citation.ParseMarkdown(text) {
			again := citation.ParseMarkdown(c.Markdown())
			if len(again) != 1 || again[0].Address.String() != c.Address.String() {
				t.Fatalf("%q: %v is %q", text, c.Address, c.Markdown())
			}
		}
	})
}

func FuzzParseBibTeX(f *testing.F) {
	fuzzForm(f, (*citation.Citation).BibTeX, `@book(a, title = "x {y} " # jan, year = 1843)`, "@string{a = {b}} @misc{x}")
	f.Fuzz(func(t *testing.T, text string) {
		found, err := citation.ParseBibTeX(text)
		if err != nil {
			return
		}
		for _, c := range found {
			if c.Address.Resource == "" || strings.ContainsAny(c.Address.String(), "{}") {
				continue
			}
			entry, err := c.BibTeX()
			if err != nil {
				t.Fatal(err)
			}
			if again, err := citation.ParseBibTeX(entry); err != nil || len(again) != 1 || again[0].Address.String() != c.Address.String() {
				t.Fatalf("%q: %s: %v", text, entry, err)
			}
		}
	})
}

func FuzzParseCSL(f *testing.F) {
	fuzzForm(f, asText((*citation.Citation).CSL), `[{"id": 3, "issued": {"date-parts": [["1843", 7]]}}]`)
	f.Fuzz(func(t *testing.T, text string) {
		if found, err := citation.ParseCSL([]byte(text)); err == nil {
			for _, c := range found {
				if data, err := c.CSL(); err == nil && !utf8.Valid(data) {
					t.Fatalf("%q: %q", text, data)
				}
			}
		}
	})
}

func asText(write func(*citation.Citation) ([]byte, error)) func(*citation.Citation) (string, error) {
	return func(c *citation.Citation) (string, error) {
		data, err := write(c)
		return string(data), err
	}
}

func FuzzParseAnnotation(f *testing.F) {
	fuzzForm(f, asText((*citation.Citation).Annotation))
	f.Fuzz(func(t *testing.T, text string) {
		found, err := citation.ParseAnnotation([]byte(text))
		if err != nil {
			return
		}
		for _, c := range found {
			data, err := c.Annotation()
			if err != nil {
				continue
			}
			if again, err := citation.ParseAnnotation(data); err != nil || again[0].Address.String() != c.Address.String() || again[0].Position != c.Position {
				t.Fatalf("%q is %s: %v", text, data, err)
			}
		}
	})
}

func FuzzFragments(f *testing.F) {
	for _, fragment := range []string{"text=a-,b,c,-d", "row=1-*", "cell=1,2-3,*;4,4"} {
		f.Add(fragment, "a,\"b\r\nc\"\r\nd")
	}
	f.Fuzz(func(t *testing.T, fragment, text string) {
		if d, err := citation.ParseTextDirective(fragment); err == nil {
			if again, err := citation.ParseTextDirective(d.String()); err != nil || again != d {
				t.Fatalf("%q is %+v and %q", fragment, d, d)
			}
		}
		if cells, err := citation.ParseCSVFragment(fragment); err == nil {
			if _, err := citation.CSVFragment(cells...); err != nil {
				t.Fatalf("%q: %v", fragment, err)
			}
			if lines, err := cells[0].Lines(text); err == nil && (lines.First < 1 || lines.Last < lines.First) {
				t.Fatalf("%q of %q: lines %v", fragment, text, lines)
			}
		}
	})
}
