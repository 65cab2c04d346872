package cite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/citekit/citekit/cite"
	"github.com/citekit/citekit/corpus"
)

// A quote is cited where it stands.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "tea-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	text := []byte("# Tea\n\nGreen tea is brewed with water of eighty degrees.\n")
	if err := os.WriteFile(filepath.Join(dir, "tea.md"), text, 0o600); err != nil {
		log.Fatal(err)
	}
	files, err := corpus.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	if _, err := files.Ingest(ctx); err != nil {
		log.Fatal(err)
	}

	citer := cite.New(files.Library, nil)
	cited, err := citer.Cite(ctx, cite.Request{ID: "tea", Quote: "brewed with water of eighty degrees"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cited.Text)
	_, err = citer.Cite(ctx, cite.Request{ID: "tea", Quote: "brewed with water of ninety degrees"})
	fmt.Println(err)
	// Output:
	// [Tea, line 3](text://tea#lines=3-3 "brewed with water of eighty degrees")
	// the quote is altered; text://tea#lines=3-3 has: “brewed with water of eighty degrees”
}
