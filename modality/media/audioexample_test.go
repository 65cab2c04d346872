package media_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality/media"
	"github.com/citekit/citekit/workspace"
)

// Subtitles beside a recording give its words and the nodes of its map. A WAV
// is cut without ffmpeg.
func ExampleResolver_sound() {
	ctx := context.Background()
	files := fstest.MapFS{
		"talk.wav": {Data: silence(4)},
		"talk.srt": {Data: []byte("1\n00:00:00,000 --> 00:00:01,500\nGood evening.\n\n2\n00:00:01,500 --> 00:00:04,000\nThe tide turns at noon.\n")},
	}
	lib := citekit.New(workspace.NewMemory(files), citekit.Resolvers{citekit.Audio: &media.Resolver{Modality: citekit.Audio}}, nil)
	defer lib.Close()
	if _, err := ingest.Run(ctx, lib, []string{"talk.wav"}, nil); err != nil {
		log.Fatal(err)
	}
	for run, err := range lib.ReadText(ctx, "talk", citekit.Audio.Seconds(2, 3)) {
		fmt.Printf("%s %q %v\n", citekit.Address{Resource: "talk", Location: run.Location}, run.Text, err)
	}
	e, err := lib.ResolveFile(ctx, "talk.wav", citekit.Audio.Seconds(1.5, 4), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Address, e.MediaType, e.Size, "bytes")
	// Output:
	// audio://talk#t=1.5-4 "The tide turns at noon.\n" <nil>
	// audio://talk#t=1.5-4 audio/vnd.wave 20044 bytes
}

// silence returns a WAV of one channel, of 8,000 samples of 8 bits per second.
func silence(seconds int) []byte {
	samples := bytes.Repeat([]byte{128}, 8000*seconds)
	b := []byte("RIFF")
	b = binary.LittleEndian.AppendUint32(b, uint32(36+len(samples)))
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"...) // PCM, one channel
	b = binary.LittleEndian.AppendUint32(b, 8000)                // samples per second
	b = binary.LittleEndian.AppendUint32(b, 8000)                // bytes per second
	b = append(b, "\x01\x00\x08\x00data"...)                     // bytes and bits per sample
	b = binary.LittleEndian.AppendUint32(b, uint32(len(samples)))
	return append(b, samples...)
}
