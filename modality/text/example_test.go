package text_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
)

func ExampleResolver() {
	source := citekit.NewSource(strings.NewReader("first\nsecond\nthird\n"), citekit.SourceInfo{Name: "notes.txt", Size: 19})
	defer source.Close()
	lines := citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 2, Last: 3}}
	content, err := new(text.Resolver).Resolve(context.Background(), source, citekit.Request{Location: lines})
	if err != nil {
		log.Fatal(err)
	}
	defer content.Body.Close()
	cut, err := io.ReadAll(content.Body)
	fmt.Printf("%s: %q %v\n", content.MediaType, cut, err)
	// Output: text/plain: "second\nthird\n" <nil>
}
