// Command answer is the smallest program on citekit: it maps the files in the folder
// tides, and answers a question with sentences of them.
//
//	go run ./examples/quickstart -dir tides
//	go run ./examples/answer
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/citekit/citekit/corpus"
)

func main() {
	ctx := context.Background()
	files, err := corpus.Open("tides", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	if _, err := files.Ingest(ctx); err != nil {
		log.Fatal(err)
	}
	given, err := files.Answer(ctx, "When is the range widest?")
	if err != nil {
		log.Fatal(err)
	}
	for _, sentence := range given.Sentences {
		fmt.Printf("%s: %q\n", sentence.Address, sentence.Text)
	}
}
