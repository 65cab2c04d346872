package verify_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/workspace"
)

// open returns a Library over a folder with one file, which is mapped.
func open(ctx context.Context) (lib *citekit.Library, done func()) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	text := "The kettle must be cleaned weekly.\nDo not use chalk in the kettle.\n"
	if err := os.WriteFile(filepath.Join(dir, "kettle.txt"), []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	lib = citekit.New(ws, modality.All(), nil)
	if _, err := ingest.Run(ctx, lib, []string{"."}, nil); err != nil {
		log.Fatal(err)
	}
	return lib, func() {
		lib.Close()
		os.RemoveAll(dir)
	}
}

func ExampleVerifier_Quote() {
	ctx := context.Background()
	lib, done := open(ctx)
	defer done()

	address, err := citekit.ParseAddress("text://kettle#lines=2")
	if err != nil {
		log.Fatal(err)
	}
	verifier := verify.New(lib, nil)
	for _, quote := range []string{"Do not use chalk in the kettle.", "do not  use CHALK", "Do use chalk in the kettle.", "must be cleaned weekly"} {
		verdict, err := verifier.Quote(ctx, verify.Request{Quote: quote, Address: address})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(verdict.Class, verdict.Address, verdict.Holds())
	}
	// Output:
	// exact text://kettle#lines=2-2 true
	// repaired text://kettle#lines=2-2 true
	// altered text://kettle#lines=2-2 false
	// elsewhere text://kettle#lines=1-1 false
}

func ExampleVerifier_Text() {
	ctx := context.Background()
	lib, done := open(ctx)
	defer done()

	answer := "Keep it clean: it “must be cleaned weekly” [text://kettle#lines=1].\n" +
		"But “use chalk in the kettle weekly” (text://kettle#lines=2). It is a good kettle."
	report, err := verify.New(lib, nil).Text(ctx, answer, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, entry := range report.Entries {
		fmt.Println(entry.Kind, entry.Class, entry.Cited, entry.Holds())
	}
	for _, sentence := range report.Uncited {
		fmt.Println("uncited:", sentence.Text)
	}
	fmt.Println("all hold:", report.Holds())
	// Output:
	// quote exact text://kettle#lines=1 true
	// quote altered text://kettle#lines=2 false
	// uncited: It is a good kettle.
	// all hold: false
}
