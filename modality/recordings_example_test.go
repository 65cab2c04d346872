package modality_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/media"
)

// Video and audio share the programs that they run, and do not look for scenes
// and silences. So their maps have even parts.
func ExampleAll_recordings() {
	options := media.Options{
		FFmpeg:   "/opt/ffmpeg/bin/ffmpeg",
		Children: &citekit.Slots{Max: 2},
		Timeout:  5 * time.Minute,
		ScanTime: -1,
	}
	resolvers := modality.All()
	resolvers[citekit.Video] = &media.Resolver{Options: options}
	resolvers[citekit.Audio] = &media.Resolver{Modality: citekit.Audio, Options: options}

	data := mp4test.PCM(180, 8000, 1) // three minutes, in place of your own
	source := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "talk.mov", Size: int64(len(data))})
	defer source.Close()
	draft, err := resolvers[citekit.Audio].(citekit.Mapper).Map(context.Background(), source, citekit.MapRequest{Modality: citekit.Audio})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(draft.Nodes), draft.Method, draft.Metadata["unscanned"])
	// Output:
	// 3 even turned off
}
