package media_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/modality/media"
)

// A clip of MP4 or QuickTime has the frames of the source, and is cut without
// ffmpeg.
func ExampleResolver_video() {
	film := mp4test.Video(250, 25, 64, 48) // 10 seconds, in place of your own
	source := citekit.NewSource(bytes.NewReader(film), citekit.SourceInfo{Name: "talk.mov", Size: int64(len(film))})
	defer source.Close()
	address, err := citekit.ParseAddress("video://talk#t=2-3.6")
	if err != nil {
		log.Fatal(err)
	}
	ctx, films := context.Background(), new(media.Resolver)
	content, err := films.Resolve(ctx, source, citekit.Request{Location: address.Location})
	if err != nil {
		log.Fatal(err)
	}
	defer content.Body.Close()
	clip, err := io.ReadAll(content.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(content.MediaType, len(clip) < len(film))

	cut := citekit.NewSource(bytes.NewReader(clip), citekit.SourceInfo{Name: "clip.mov", Size: int64(len(clip))})
	defer cut.Close()
	extent, err := films.Measure(ctx, cut)
	fmt.Println(extent.Duration, extent.Width, extent.Height, err)
	// Output:
	// video/quicktime true
	// 1.6 64 48 <nil>
}
