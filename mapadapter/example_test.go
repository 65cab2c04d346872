package mapadapter_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/citekit/citekit/mapadapter"
)

func ExampleDetect() {
	in := mapadapter.Input{
		FS: fstest.MapFS{"tree.json": {Data: []byte(`{"doc_name": "book.pdf", "structure": [
			{"title": "Beginnings", "node_id": "0001", "start_index": 1, "end_index": 9}]}`)}},
		Name: "tree.json",
	}
	adapter, err := mapadapter.Detect(context.Background(), in)
	if err != nil {
		fmt.Println(err)
		return
	}
	maps, err := adapter.Adapt(context.Background(), in, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := range maps[0].All() {
		fmt.Println(maps[0].ResourceID, maps[0].SourcePath, n.ID, n.Location.Pages[0])
	}
	// Output: book book.pdf beginnings 1-9
}
