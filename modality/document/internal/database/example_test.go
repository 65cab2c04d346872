package database_test

import (
	"compress/zlib"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"strings"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality/document/internal/database"
	"github.com/citekit/citekit/workspace"
)

// A table is cited by its name, and its rows by their numbers. The evidence is a
// database of these rows.
func ExampleResolver() {
	ctx := context.Background()
	files := fstest.MapFS{"tides.db": {Data: tides()}}
	documents := new(database.Resolver)
	lib := citekit.New(workspace.NewMemory(files), citekit.Resolvers{citekit.Document: documents}, nil)
	defer lib.Close()
	if _, err := ingest.Run(ctx, lib, []string{"tides.db"}, nil); err != nil {
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
	e, err := lib.ResolveFile(ctx, "tides.db", rows, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Address, e.MediaType)
	// Output:
	// tides 3 rows: place, high
	// "4.1\n" <nil>
	// "6.8\n" <nil>
	// doc://tides#table=tides&rows=2-3&cols=high application/vnd.sqlite3
}

// tides returns an SQLite database whose table has the columns place and high,
// and three rows.
func tides() []byte {
	r, err := zlib.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	if err != nil {
		log.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		log.Fatal(err)
	}
	return data
}

const packed = "eNoLDvTJLElVSMsvyk0sUTBmYGJgZGRwUFBgYAAyIRgGGIGYBY1PCDAx6CUz8oIUM+5nAKJRQF1gz8gmLi7OGF+SmJSTWpKZkloMJpicg1wdQ1" +
	"wVQhydfFwVwEIaBTmJyakKJakVJToKGZnpGQpFqYk5mqC4YWY8xcD4jvEOkBoFQxYIMDOLs7vkl6UWOUgbg4EAE1DEo7S4NNdBIA0MBBiBIk5F" +
	"wFTiID0TBGYBAAv9LrY="
