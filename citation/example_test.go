package citation_test

import (
	"fmt"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/textlayer"
)

func ExampleMediaFragment() {
	loc, err := citation.ParseMediaFragment("t=10,20", citekit.Extent{Modality: citekit.Video})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(citekit.Address{Resource: "lecture", Location: loc})
	fmt.Println(citation.MediaFragment(loc))
	// Output:
	// video://lecture#t=10-20
	// t=10,20 <nil>
}

// notes is what a quote from a page is cited by.
func notes() *citation.Citation {
	a, err := citekit.ParseAddress("doc://notes#pages=12")
	if err != nil {
		log.Fatal(err)
	}
	return &citation.Citation{
		Address: a, Quote: "weaves algebraical patterns", Prefix: "the Engine ",
		Work: citation.Work{Title: "Notes & Sketches", Authors: []string{"Lovelace, Ada"}, Date: "1843-07"},
	}
}

func ExampleCitation_Markdown() {
	fmt.Println(notes().Markdown())
	fmt.Println(citation.ParseMarkdown(notes().Markdown())[0].Address)
	// Output:
	// [Notes &amp; Sketches, page 12](doc://notes#pages=12 "weaves algebraical patterns")
	// doc://notes#pages=12
}

func ExampleCitation_Footnote() {
	fmt.Println(notes().Footnote("1"))
	// Output:
	// [^1]: Lovelace, Ada, *Notes &amp; Sketches*, page 12, 1843-07. "weaves algebraical patterns" <doc://notes#pages=12> <nil>
}

func ExampleCitation_BibTeX() {
	entry, err := notes().BibTeX()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(entry)
	// Output:
	// @misc{notes-pages-12,
	//   title = {{Notes \& Sketches}},
	//   author = {{Lovelace}, {Ada}},
	//   year = {1843},
	//   month = jul,
	//   pages = {12},
	//   url = {doc://notes#pages=12},
	//   annote = {weaves algebraical patterns}
	// }
}

func ExampleCitation_CSL() {
	item, err := notes().CSL()
	fmt.Println(string(item), err)
	// Output:
	// {"id":"notes-pages-12","type":"document","title":"Notes \u0026 Sketches","author":[{"family":"Lovelace","given":"Ada"}],"issued":{"date-parts":[[1843,7]]},"page":"12","URL":"doc://notes#pages=12","custom":{"quote":"weaves algebraical patterns","prefix":"the Engine "}} <nil>
}

func ExampleCitation_Annotation() {
	annotation, err := notes().Annotation()
	if err != nil {
		log.Fatal(err)
	}
	back, err := citation.ParseAnnotation(annotation)
	fmt.Println(back[0].Address, back[0].Quote, err)
	// Output: doc://notes#pages=12 weaves algebraical patterns <nil>
}

func ExampleCitation_URL() {
	fmt.Println(notes().URL("https://example.org/notes.pdf"))
	// Output: https://example.org/notes.pdf#page=12:~:text=the%20Engine-,weaves%20algebraical%20patterns <nil>
}

func ExampleCodePointRange_Bytes() {
	text := "Café 🙂 open"
	r, err := citation.CodePointRange{Start: 7, End: 11}.Bytes(textlayer.NewOffsets(text))
	fmt.Println(r, text[r.Start:r.End], err)
	// Output: {11 15} open <nil>
}

func ExampleCells_Lines() {
	cells, err := citation.ParseCSVFragment("row=2-3")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cells[0].Lines("name,note\nkettle,\"hot\nand full\"\npot,empty\n"))
	// Output: 2-4 <nil>
}

// A model cites the documents that it was given by their order.
func Example_anthropic() {
	sent := &citation.AnthropicSent{Documents: []citation.AnthropicDocument{{Address: citekit.Address{Resource: "notes", Location: citekit.Location{Modality: citekit.Document}}}}}
	answer, err := citation.ParseAnthropic([]byte(`{"type": "message", "content": [
		{"type": "text", "text": "It weaves", "citations": [{"type": "page_location", "cited_text": "The Engine weaves",
			"document_index": 0, "document_title": "Notes", "start_page_number": 12, "end_page_number": 14}]}]}`), sent)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Claims[0].Citations[0].Address)
	// Output: doc://notes#pages=12-13
}

// An answer in the form of one API is converted to the form of another.
func Example_gemini() {
	answer := citation.AnswerOf(*notes())
	candidate, err := answer.Gemini()
	if err != nil {
		log.Fatal(err)
	}
	back, err := citation.ParseGemini(candidate)
	if err != nil {
		log.Fatal(err)
	}
	blocks, err := back.Anthropic()
	fmt.Println(len(blocks) > 0, back.Claims[0].Citations[0].Address, err)
	// Output: true doc://notes#pages=12 <nil>
}

// A model cites the documents of a request by their order.
func ExampleParseAnthropic() {
	notes, err := citekit.ParseAddress("doc://notes")
	if err != nil {
		log.Fatal(err)
	}
	sent := &citation.AnthropicSent{Documents: []citation.AnthropicDocument{{Address: notes}}}
	answer, err := citation.ParseAnthropic([]byte(`{"type": "message", "content": [
		{"type": "text", "text": "It weaves", "citations": [{"type": "page_location", "cited_text": "The Engine weaves",
			"document_index": 0, "document_title": "Notes", "start_page_number": 12, "end_page_number": 14}]}]}`), sent)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Claims[0].Citations[0].Address)
	// Output: doc://notes#pages=12-13
}

// A citation is written as grounding metadata, and read again.
func ExampleParseGemini() {
	address, err := citekit.ParseAddress("doc://notes#pages=12")
	if err != nil {
		log.Fatal(err)
	}
	candidate, err := citation.AnswerOf(citation.Citation{Address: address, Quote: "weaves algebraical patterns"}).Gemini()
	if err != nil {
		log.Fatal(err)
	}
	answer, err := citation.ParseGemini(candidate)
	if err != nil {
		log.Fatal(err)
	}
	cited := answer.Claims[0].Citations[0]
	fmt.Println(cited.Address, cited.Quote)
	// Output: doc://notes#pages=12 weaves algebraical patterns
}

// A citation is written as annotations of an output text, and read again.
func ExampleParseOpenAI() {
	address, err := citekit.ParseAddress("doc://notes#pages=12")
	if err != nil {
		log.Fatal(err)
	}
	output, err := citation.AnswerOf(citation.Citation{Address: address, Quote: "weaves algebraical patterns"}).OpenAI()
	if err != nil {
		log.Fatal(err)
	}
	answer, err := citation.ParseOpenAI(output)
	if err != nil {
		log.Fatal(err)
	}
	cited := answer.Claims[0].Citations[0]
	fmt.Println(cited.Address)
	// Output: doc://notes#pages=12
}
