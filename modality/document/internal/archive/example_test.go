package archive_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/archive"
	"github.com/citekit/citekit/modality/text"
)

func ExampleResolver_Map() {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, name := range []string{"a.txt", "b/c.txt"} {
		member, err := z.Create(name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Fprintln(member, "a line")
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	source := citekit.NewSource(bytes.NewReader(packed.Bytes()), citekit.SourceInfo{Name: "notes.zip", Size: int64(packed.Len())})
	defer source.Close()
	archives := &archive.Resolver{Members: citekit.Resolvers{citekit.Text: new(text.Resolver)}}
	draft, err := archives.Map(context.Background(), source, citekit.MapRequest{})
	if err != nil {
		log.Fatal(err)
	}
	for _, node := range draft.Nodes {
		fmt.Println(node.Location.Member)
	}
	// Output:
	// a.txt
	// b/
}
