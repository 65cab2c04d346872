package image_test

import (
	"bytes"
	"context"
	"fmt"
	goimage "image"
	"image/png"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/image"
)

func ExampleResolver() {
	var data bytes.Buffer
	if err := png.Encode(&data, goimage.NewGray(goimage.Rect(0, 0, 100, 80))); err != nil {
		log.Fatal(err)
	}
	source := citekit.NewSource(bytes.NewReader(data.Bytes()), citekit.SourceInfo{Name: "chart.png", Size: int64(data.Len())})
	defer source.Close()
	address, err := citekit.ParseAddress("image://chart#bbox=0.5,0.5,1,1")
	if err != nil {
		log.Fatal(err)
	}
	content, err := new(image.Resolver).Resolve(context.Background(), source, citekit.Request{Location: address.Location})
	if err != nil {
		log.Fatal(err)
	}
	defer content.Body.Close()
	region, err := png.Decode(content.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(content.MediaType, region.Bounds().Size())
	// Output: image/png (50,40)
}
