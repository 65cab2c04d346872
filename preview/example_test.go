package preview_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	imageresolver "github.com/citekit/citekit/modality/image"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/workspace"
)

// The left half of a chart, for a model to look at, with a box around what the
// answer quotes.
func ExampleMaker_Make() {
	var chart bytes.Buffer
	if err := png.Encode(&chart, image.NewGray(image.Rect(0, 0, 800, 600))); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	files := fstest.MapFS{"chart.png": {Data: chart.Bytes()}}
	lib := citekit.New(workspace.NewMemory(files), citekit.Resolvers{citekit.Image: new(imageresolver.Resolver)}, nil)
	defer lib.Close()
	if err := lib.Save(ctx, &citekit.ResourceMap{ResourceID: "chart", Type: citekit.Image, Title: "Chart", SourcePath: "chart.png"}); err != nil {
		log.Fatal(err)
	}

	address, err := citekit.ParseAddress("image://chart#bbox=0,0,0.5,1")
	if err != nil {
		log.Fatal(err)
	}
	p, err := preview.New(lib).Make(ctx, address, &preview.Options{
		Side:  300, // pixels
		Boxes: []citekit.Box{{X1: 0.1, Y1: 0.2, X2: 0.3, Y2: 0.4}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.MediaType, p.Width, p.Height, len(p.Data) > 0)
	// Output:
	// image/png 200 300 true
}
