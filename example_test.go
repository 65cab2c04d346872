package citekit_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

func ExampleParseAddress() {
	a, err := citekit.ParseAddress("doc://book#pages=9,3,4,5")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a)
	fmt.Println(a.Resource, a.Location.Modality, a.Location.Pages, a.Location.PageCount())

	_, err = citekit.ParseAddress("doc://book#pages=5-3")
	fmt.Println(err)
	// Output:
	// doc://book#pages=3-5,9
	// book document [3-5 9] 4
	// pages=5-3 ends before it begins: invalid syntax
}

// poem returns a Library in memory with one resource.
func poem() *citekit.Library {
	ws := workspace.NewMemory(nil)
	ws.AddSource("poem.txt", []byte("I wandered lonely as a cloud\nThat floats on high\n"))
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
	err := lib.Save(context.Background(), &citekit.ResourceMap{
		ResourceID: "poem", Type: citekit.Text, Title: "Daffodils", SourcePath: "poem.txt",
		Nodes: []*citekit.Node{{
			ID: "second", Title: "Second line", Type: "line",
			Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 2, Last: 2}},
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	return lib
}

func ExampleLibrary_Resolve() {
	lib := poem()
	defer lib.Close()

	e, err := lib.Resolve(context.Background(), "poem", "second", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Address, e.MediaType, e.Size, "bytes")

	_, err = lib.Resolve(context.Background(), "poem", "third", nil)
	fmt.Println(citekit.CodeOf(err))
	// Output:
	// text://poem#lines=2-2 text/plain 20 bytes
	// NOT_FOUND
}

func ExampleLibrary_Resolve_virtual() {
	lib := poem()
	defer lib.Close()

	e, err := lib.Resolve(context.Background(), "poem", "second", &citekit.ResolveOptions{Virtual: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %q\n", e.Address, e.OutputPath)
	// Output:
	// text://poem#lines=2-2 ""
}

func ExampleLibrary_ResolveAddress() {
	lib := poem()
	defer lib.Close()

	a, err := citekit.ParseAddress("text://poem#lines=2-9")
	if err != nil {
		log.Fatal(err)
	}
	_, err = lib.ResolveAddress(context.Background(), a, nil)
	fmt.Println(err)
	fmt.Println(errors.Is(err, citekit.ErrRange))
	// Output:
	// citekit: resolve text://poem#lines=2-9: lines 2-9 of 2; lines run 1-2: location out of range
	// true
}
