package modality_test

import (
	"context"
	"fmt"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// A node may point to a record elsewhere. To resolve it gives its address back,
// without a file.
func ExampleVirtual() {
	ctx := context.Background()
	lib := citekit.New(workspace.NewMemory(nil), citekit.Resolvers{citekit.Virtual: modality.Virtual{}}, nil)
	defer lib.Close()
	err := lib.Save(ctx, &citekit.ResourceMap{
		ResourceID: "crm", Type: citekit.Virtual, Title: "Customers",
		Nodes: []*citekit.Node{{
			ID: "ada", Title: "Ada", Type: "record",
			Location: citekit.Location{Modality: citekit.Virtual, VirtualAddress: "virtual://crm/customers?id=7"},
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	e, err := lib.Resolve(ctx, "crm", "ada", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %q\n", e.Address, e.OutputPath)
	// Output:
	// virtual://crm/customers?id=7 ""
}
