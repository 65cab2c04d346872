// Customresolver adds two resolvers of one's own to the built-in ones: tunes,
// for a modality that citekit does not have, and rows, which reads CSV files
// and hands all other text to the resolver that it replaces.
package main

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

var sources = fstest.MapFS{
	"song":      {Data: []byte("tune 60\n# Verse\nC 1\nE 1\n# Refrain\nG 2\n")},
	"ships.csv": {Data: []byte("name,remark\nAda,\"late,\nbut whole\"\nBea,\nCleo,early\n")},
	"poem.txt":  {Data: []byte("one\ntwo\nthree\n")},
}

// resolvers returns the built-in resolvers with one added and one replaced.
func resolvers() citekit.Resolvers {
	all := modality.All()
	all[Tune] = tunes{}
	all[citekit.Text] = rows{new(text.Resolver)}
	return all
}

func main() {
	files := workspace.NewMemory(sources)
	lib := citekit.New(files, resolvers(), nil)
	defer lib.Close()
	ctx := context.Background()

	report, err := ingest.Run(ctx, lib, []string{"."}, nil)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range report.Items {
		fmt.Printf("%s is %s, by %s\n", item.Path, item.Type, item.Method)
	}
	for _, cited := range []string{"tune://song#t=1-2", "tune://song#t=9-", "text://ships#lines=2-3", "text://poem#lines=2"} {
		cite(ctx, lib, files, cited)
	}
}

// cite prints what an address stands for.
func cite(ctx context.Context, lib *citekit.Library, files *workspace.Memory, cited string) {
	address, err := citekit.ParseAddress(cited)
	if err != nil {
		log.Fatal(err)
	}
	evidence, err := lib.ResolveAddress(ctx, address, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	content, err := files.Evidence(evidence.OutputPath)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n%s", evidence.Address, content)
}
