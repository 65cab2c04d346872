package render_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/render"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// Blocks of a contract are evidence as DOCX. Where LibreOffice is installed, a
// person can look at them as PDF.
func ExamplePDF() {
	ws, err := workspace.Open("/data", nil)
	if err != nil {
		log.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()

	ctx := context.Background()
	e, err := lib.ResolveFile(ctx, "contract.docx", citekit.Document.Blocks(7, 9), nil)
	if err != nil {
		log.Fatal(err)
	}
	pdf, err := render.PDF(ctx, lib, e)
	if errors.Is(err, errors.ErrUnsupported) {
		fmt.Println(e.OutputPath, "stays as it is:", err)
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pdf.OutputPath, pdf.Changes) // the changes name the version of LibreOffice
}
