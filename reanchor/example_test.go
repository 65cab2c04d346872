package reanchor_test

import (
	"context"
	"fmt"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/reanchor"
	"github.com/citekit/citekit/workspace"
)

// A line was put above the cited one; its words say where it is now.
func ExampleReanchorer_Find() {
	ctx := context.Background()
	ws := workspace.NewMemory(nil)
	ws.AddSource("poem.txt", []byte("Daffodils\nI wandered lonely as a cloud\nThat floats on high\n"))
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
	defer lib.Close()
	err := lib.Save(ctx, &citekit.ResourceMap{ResourceID: "poem", Type: citekit.Text, Title: "Daffodils", SourcePath: "poem.txt"})
	if err != nil {
		log.Fatal(err)
	}
	old, err := citekit.ParseAddress("text://poem#lines=1&v=0123456789abcdef")
	if err != nil {
		log.Fatal(err)
	}
	found, err := reanchor.New(lib, nil).Find(ctx, reanchor.Request{Address: old, Quote: "I wandered lonely as a cloud"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.How, found.Address.Location.Lines)
	// Output: unique 2
}
