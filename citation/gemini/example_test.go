package gemini_test

import (
	"fmt"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/citation/gemini"
)

// A citation is written as grounding metadata, and read again.
func ExampleParse() {
	address, err := citekit.ParseAddress("doc://notes#pages=12")
	if err != nil {
		log.Fatal(err)
	}
	candidate, err := gemini.Candidate(citation.AnswerOf(citation.Citation{Address: address, Quote: "weaves algebraical patterns"}))
	if err != nil {
		log.Fatal(err)
	}
	answer, err := gemini.Parse(candidate)
	if err != nil {
		log.Fatal(err)
	}
	cited := answer.Claims[0].Citations[0]
	fmt.Println(cited.Address, cited.Quote)
	// Output: doc://notes#pages=12 weaves algebraical patterns
}
