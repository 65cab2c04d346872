package view_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/view"
	"github.com/citekit/citekit/workspace"
)

// The lines around a quote, of which a page shows what is marked.
func ExampleViewer_View() {
	ctx := context.Background()
	files := fstest.MapFS{"tides.txt": {Data: []byte("Low water\nHigh water at six\nSlack\n")}}
	lib := citekit.New(workspace.NewMemory(files), citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	defer lib.Close()
	if err := lib.Save(ctx, &citekit.ResourceMap{ResourceID: "tides", Type: citekit.Text, Title: "Tides", SourcePath: "tides.txt"}); err != nil {
		log.Fatal(err)
	}

	v, err := view.New(lib, nil).View(ctx, view.Request{Address: "text://tides#lines=2", Quote: "water at six"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.State, v.Quote.Class)
	for _, span := range v.Spans {
		for _, mark := range span.Marks {
			fmt.Println(span.Address, span.Text[mark[0]:mark[1]]) // of ASCII, where code points are bytes
		}
	}
	// Output:
	// current exact
	// text://tides#lines=2-2 water at six
}
