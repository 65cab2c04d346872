package anthropic_test

import (
	"fmt"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation/anthropic"
)

// A model cites the documents of a request by their order.
func ExampleParse() {
	notes, err := citekit.ParseAddress("doc://notes")
	if err != nil {
		log.Fatal(err)
	}
	sent := &anthropic.Sent{Documents: []anthropic.Document{{Address: notes}}}
	answer, err := anthropic.Parse([]byte(`{"type": "message", "content": [
		{"type": "text", "text": "It weaves", "citations": [{"type": "page_location", "cited_text": "The Engine weaves",
			"document_index": 0, "document_title": "Notes", "start_page_number": 12, "end_page_number": 14}]}]}`), sent)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Claims[0].Citations[0].Address)
	// Output: doc://notes#pages=12-13
}
