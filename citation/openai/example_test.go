package openai_test

import (
	"fmt"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/citation/openai"
)

// A citation is written as annotations of an output text, and read again.
func ExampleParse() {
	address, err := citekit.ParseAddress("doc://notes#pages=12")
	if err != nil {
		log.Fatal(err)
	}
	output, err := openai.OutputText(citation.AnswerOf(citation.Citation{Address: address, Quote: "weaves algebraical patterns"}))
	if err != nil {
		log.Fatal(err)
	}
	answer, err := openai.Parse(output)
	if err != nil {
		log.Fatal(err)
	}
	cited := answer.Claims[0].Citations[0]
	fmt.Println(cited.Address)
	// Output: doc://notes#pages=12
}
