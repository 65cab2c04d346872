package parquet_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/document/parquet"
	"github.com/citekit/citekit/workspace"
)

// A table is cited by its name, and its rows by their numbers.
func ExampleResolver() {
	ctx := context.Background()
	files := fstest.MapFS{"tides.parquet": {Data: tides()}}
	documents := &document.Resolver{More: map[string]citekit.Resolver{parquet.Format: new(parquet.Resolver)}}
	lib := citekit.New(workspace.NewMemory(files), citekit.Resolvers{citekit.Document: documents}, nil)
	defer lib.Close()
	if _, err := ingest.Run(ctx, lib, []string{"tides.parquet"}, nil); err != nil {
		log.Fatal(err)
	}
	m, err := lib.Map(ctx, "tides")
	if err != nil {
		log.Fatal(err)
	}
	for _, node := range m.Nodes {
		fmt.Println(node.Title, node.Summary)
	}
	rows := citekit.Location{Table: "tides", Rows: citekit.Range{First: 2, Last: 3}, Cols: []string{"high"}}
	for run, err := range lib.ReadText(ctx, "tides", rows) {
		fmt.Printf("%q %v\n", run.Text, err)
	}
	e, err := lib.ResolveFile(ctx, "tides.parquet", rows, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Address, e.MediaType)
	// Output:
	// tides 3 rows: place STRING, high DOUBLE
	// "4.1\n" <nil>
	// "6.8\n" <nil>
	// doc://tides#table=tides&rows=2-3&cols=high application/vnd.apache.parquet
}

// tides returns a Parquet file whose table has the columns place and high, and
// three rows.
func tides() []byte {
	data, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		log.Fatal(err)
	}
	return data
}

const packed = "UEFSMRUGFUoVShWf1dbfB0wVBhUAFQYVDBUAFQASAACAAQQDCgkDAAAALQAAAAAAAAAAAAAAQnJlc3RIdXN1bURvdmVyFQYVMBUwFdnViugNTB" +
	"UGFQAVBhUAFQAVABIAAJqZmZmZmRtAZmZmZmZmEEAzMzMzMzMbQBkSABkYBUJyZXN0GRgFSHVzdW0VABkWAAAZEgAZGAhmZmZmZmYQQBkYCJqZ" +
	"mZmZmRtAFQAZFgAAGRwWCBWCARYAAAAZHBaKARVoFgAAABUEGTxIBXRpZGVzFQQAFQwlABgFcGxhY2UlAEwcAAAAFQoVgAEVABgEaGlnaAAWBh" +
	"kcGSwmABwVDBkVDBkYBXBsYWNlFQAWBhaCARaCASYIPFgFSHVzdW0YBUJyZXN0ABkcFQYVDBUCAAAW4gIVFhbyARUyACYAHBUKGRUAGRgEaGln" +
	"aBUAFgYWaBZoJooBPFgImpmZmZmZG0AYCGZmZmZmZhBAABkcFQYVABUCAAAW+AIVFhakAhU+ABbqARYGGQwWCBbqAQAZDBggZ2l0aHViLmNvbS" +
	"9wYXJxdWV0LWdvL3BhcnF1ZXQtZ28ZLBwAABwAAAD0AAAAUEFSMQ=="
