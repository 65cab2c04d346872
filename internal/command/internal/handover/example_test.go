package handover_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/command/internal/handover"
)

// The words of a quote as a page that shows them where they stand.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "notes.md"), []byte("# Notes\n\nRing the bell twice when you arrive.\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	files, err := corpus.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	ctx := context.Background()
	if _, err := files.Ingest(ctx); err != nil {
		log.Fatal(err)
	}
	maker := handover.New(files)
	piece, err := maker.Cite(ctx, "notes", "the bell twice")
	if err != nil {
		log.Fatal(err)
	}
	made, err := maker.HTML(ctx, piece)
	if err != nil {
		log.Fatal(err)
	}
	page, err := os.ReadFile(made.OutputPath)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(piece.Label, piece.Evidence.Address, made.MediaType)
	fmt.Println(strings.Contains(string(page), "Ring <mark>the bell twice</mark> when"))
	// Output:
	// Notes, line 3 text://notes#lines=3-3 text/html
	// true
}
