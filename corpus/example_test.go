package corpus_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/citekit/citekit/corpus"
)

// A folder is mapped, a question is answered, an answer of a model is checked, and a
// quote is cited.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "tea-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	tea := []byte("# Tea\n\nGreen tea is brewed with water of eighty degrees. A pot holds six cups.\n")
	if err := os.WriteFile(filepath.Join(dir, "tea.md"), tea, 0o600); err != nil {
		log.Fatal(err)
	}

	files, err := corpus.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	report, err := files.Ingest(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Index.Searchable, "searchable")

	answer, err := files.Answer(ctx, "How hot is the water for green tea?")
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range answer.Sentences {
		fmt.Println(s.Address, s.Text)
	}

	checked, err := files.Verify(ctx, `"A pot holds nine cups." [text://tea#lines=3-3]`)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range checked.Entries {
		fmt.Println(e.Holds(), e.Class, e.Quote)
	}

	cited, err := files.Cite(ctx, "tea", "Green tea is brewed with water")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cited.Text)
	// Output:
	// 1 searchable
	// text://tea#lines=3-3 Green tea is brewed with water of eighty degrees.
	// false altered A pot holds nine cups.
	// [Tea, line 3](text://tea#lines=3-3 "Green tea is brewed with water")
}
