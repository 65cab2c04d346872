package ingest_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// Files become maps, and maps become text for an agent to read.
func ExampleRun() {
	files := fstest.MapFS{
		"guide.md": {Data: []byte("# Guide\n\nHow it is done.\n\n## Install\n\nRun the installer.\n\n## Use\n\nJust start it.\n")},
		"main.go":  {Data: []byte("package main\n\n// main says hello.\nfunc main() {\n\tprintln(\"hello\")\n}\n")},
	}
	lib := citekit.New(workspace.NewMemory(files), modality.All(), nil)
	defer lib.Close()
	ctx := context.Background()

	report, err := ingest.Run(ctx, lib, []string{"."}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range report.Items {
		fmt.Println(item.Status, item.Path, "as", item.ResourceID)
	}
	c, err := contents.DigestOf(ctx, lib, []string{"guide", "main"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(c.Text)
	// Output:
	// mapped guide.md as guide
	// mapped main.go as main
	// # Guide
	// guide, text://guide
	// - `guide` Guide (lines=1-11)
	//   How it is done.
	//   - `guide.install` Install (lines=5-8)
	//     Run the installer.
	//   - `guide.use` Use (lines=9-11)
	//     Just start it.
	//
	// # main.go
	// main, text://main
	// - `main` main (lines=4-6)
	//   main says hello.
}

// Ids come from titles, so they stay when another part of the source changes.
func ExampleNameNodes() {
	nodes := []*citekit.Node{
		{Title: "1. Introduction"},
		{Title: "2. Results", Children: []*citekit.Node{{Title: "Notes"}, {Title: "Notes"}}},
	}
	ingest.NameNodes(nodes)
	m := citekit.ResourceMap{Nodes: nodes}
	for n := range m.All() {
		fmt.Println(n.ID)
	}
	// Output:
	// 1-introduction
	// 2-results
	// 2-results.notes
	// 2-results.notes-2
}
