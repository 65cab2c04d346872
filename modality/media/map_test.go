package media_test

import (
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/modality/media"
	"github.com/citekit/citekit/modality/modalitytest"
)

// subtitled is a second of video with a subtitle from 0.2 to 0.6 s, and
// chapters.
func subtitled() []byte {
	text := func(s string, ticks uint32) mp4test.Sample {
		return mp4test.Sample{Data: append([]byte{0, byte(len(s))}, s...), Duration: ticks, Sync: true}
	}
	picture := mp4test.VideoTrack(10, 10, 16, 8)
	picture.Refs = map[string]uint32{"chap": 3}
	words := mp4test.Track{Handler: "sbtl", Codec: "tx3g", Entry: make([]byte, 38), Timescale: 1000, Language: "deu",
		Samples: []mp4test.Sample{text("", 200), text("Guten Tag.", 400), text("", 400)}}
	chapters := mp4test.Track{Handler: "text", Codec: "text", Entry: make([]byte, 51), Timescale: 1000,
		Samples: []mp4test.Sample{text("Anfang", 700), text("Ende", 300)}}
	return mp4test.Movie{Brand: "qt  ", Tracks: []mp4test.Track{picture, words, chapters}}.Bytes()
}

func TestConformanceText(t *testing.T) {
	t.Setenv("PATH", "") // none of this needs ffmpeg
	modalitytest.Test(t, &media.Resolver{}, modalitytest.Fixture{
		Name:   "words.mov",
		Source: subtitled(),
		Good: []modalitytest.Case{
			{Name: "with words", Location: at(0.3, 0.5), WantText: "Guten Tag.\n"},
			{Name: "whole", Location: citekit.Location{Modality: citekit.Video}, WantText: "Guten Tag.\n"},
		},
		OutOfRange: outside,
		Foreign:    foreign,
		Garbage:    garbage,
	})
}

// TestMap maps a video without ffmpeg, and names its nodes.
func TestMap(t *testing.T) {
	t.Setenv("PATH", "")
	r := &media.Resolver{}
	s, err := r.Map(t.Context(), source(subtitled()), citekit.MapRequest{Modality: citekit.Video})
	if err != nil {
		t.Fatal(err)
	}
	ingest.NameNodes(s.Nodes)
	if len(s.Nodes) != 2 || len(s.Nodes[0].Children) != 1 {
		t.Fatalf("%+v", s.Nodes)
	}
	for i, want := range []struct {
		node *citekit.Node
		id   string
		loc  citekit.Location
	}{
		{s.Nodes[0], "anfang", at(0, 0.7)},
		{s.Nodes[0].Children[0], "anfang.guten-tag", at(0.2, 0.6)},
		{s.Nodes[1], "ende", at(0.7, 1)},
	} {
		if want.node.ID != want.id || !want.node.Location.Equal(want.loc) {
			t.Errorf("node %d: %s at %v, want %s at %v", i, want.node.ID, want.node.Location.Time, want.id, want.loc.Time)
		}
	}
	if s.Method != "chapters" || s.Metadata["language"] != "deu" {
		t.Errorf("%+v", s)
	}
}
