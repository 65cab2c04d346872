package answer_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

func Example() {
	ctx := context.Background()
	files := fstest.MapFS{"tea.md": {Data: []byte("# Tea\n\nGreen tea is brewed with water of eighty degrees. A pot holds six cups.\n")}}
	lib := citekit.New(workspace.NewMemory(files), modality.All(), nil)
	defer lib.Close()
	if _, err := ingest.Run(ctx, lib, []string{"tea.md"}, nil); err != nil {
		fmt.Println(err)
		return
	}
	searcher := search.New(lib, nil)
	defer searcher.Close()
	a := answer.New(searcher, nil)
	for _, question := range []string{"How hot is the water for green tea?", "Who invented the kettle?"} {
		got, err := a.Answer(ctx, answer.Request{Question: question})
		if err != nil {
			fmt.Println(err)
			return
		}
		if !got.Found {
			fmt.Println("not found")
		}
		for _, s := range got.Sentences {
			fmt.Println(s.Address, s.Verdict, s.Text)
		}
	}
	// Output:
	// text://tea#lines=3-3 exact Green tea is brewed with water of eighty degrees.
	// not found
}
