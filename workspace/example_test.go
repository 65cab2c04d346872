package workspace_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// Sources lie in a directory; citekit keeps its own files below it.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "poem.txt"), []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		log.Fatal(err)
	}

	ws, err := workspace.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	defer lib.Close() // closes ws too
	ctx := context.Background()

	e, err := lib.ResolveFile(ctx, "poem.txt", citekit.Text.Lines(2, 3), nil)
	if err != nil {
		log.Fatal(err)
	}
	content, err := os.ReadFile(e.OutputPath)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %q\n", e.Address, content)

	// Nothing outside the directory is read.
	_, err = lib.ResolveFile(ctx, "../poem.txt", citekit.Location{}, nil)
	fmt.Println(citekit.CodeOf(err))
	// Output:
	// text://poem#lines=2-3 "two\nthree\n"
	// FORBIDDEN
}
