package document_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/workspace"
)

// A reader reads documents as the built-in resolver does, and pages without text by
// another program.
type reader struct{ *document.Resolver }

// Version tells the texts of this resolver from those of the built-in one.
func (r reader) Version() string { return "reader/1+" + r.Resolver.Version() }

// ReadText yields the runs of the built-in resolver, with text where they have none.
func (r reader) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		for run, err := range r.Resolver.ReadText(ctx, src, loc) {
			if err == nil && run.Text == "" && len(run.Location.Pages) > 0 {
				run.Text, err = r.recognise(ctx, src, run.Location)
			}
			if !yield(run, err) || err != nil {
				return
			}
		}
	}
}

// recognise gives a page to the other program, as a PDF.
func (r reader) recognise(ctx context.Context, src *citekit.Source, page citekit.Location) (string, error) {
	content, err := r.Resolve(ctx, src, citekit.Request{Location: page})
	if err != nil {
		return "", err
	}
	defer content.Body.Close()
	pdf, err := io.ReadAll(content.Body)
	if err != nil {
		return "", err
	}
	return otherProgram(ctx, pdf)
}

// otherProgram stands for what you have.
func otherProgram(ctx context.Context, pdf []byte) (string, error) {
	return "High water at noon.", ctx.Err()
}

// scan is a PDF of one page without text.
const scan = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>> endobj
trailer <</Root 1 0 R>>
`

// A program of your own can read scans where the built-in resolver finds no text.
func Example_ownTextOfScans() {
	if err := readScan(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// doc://log#pages=1 High water at noon.
	// text_layer: false
}

func readScan(ctx context.Context) error {
	resolvers := modality.All()
	resolvers[citekit.Document] = reader{resolvers[citekit.Document].(*document.Resolver)}
	ws := workspace.NewMemory(fstest.MapFS{"log.pdf": {Data: []byte(scan)}})
	lib := citekit.New(ws, resolvers, nil)
	defer lib.Close()

	report, err := ingest.Run(ctx, lib, []string{"log.pdf"}, nil)
	if err != nil {
		return err
	}
	if err := report.Err(); err != nil {
		return err
	}
	for run, err := range lib.ReadText(ctx, "log", citekit.Location{}) {
		if err != nil {
			return err
		}
		fmt.Println(citekit.Address{Resource: "log", Location: run.Location}, run.Text)
	}
	m, err := lib.Map(ctx, "log")
	if err != nil {
		return err
	}
	fmt.Println("text_layer:", m.Metadata["text_layer"])
	return nil
}
