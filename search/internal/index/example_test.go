package index_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

func ExampleLocal() {
	ctx := context.Background()
	words := index.New(workspace.NewMemory(nil), nil)
	defer words.Close()
	poem := index.Resource{ID: "poem", Version: "1", Entries: slices.Values([]index.Entry{
		{Node: "first", Title: "Daffodils", Text: "I wandered lonely as a cloud"},
		{Node: "second", Title: "Hills", Text: "That floats on high o'er vales"},
	})}
	if err := words.Put(ctx, slices.Values([]index.Resource{poem})); err != nil {
		log.Fatal(err)
	}
	found, err := words.Search(ctx, index.Query{Text: "cloud"})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range found.Hits {
		fmt.Println(hit.Resource, hit.Entry.Node, hit.Terms)
	}
	// Output: poem first [cloud]
}
