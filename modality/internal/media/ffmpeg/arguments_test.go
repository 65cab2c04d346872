package ffmpeg

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	ff "github.com/u2takey/ffmpeg-go"
)

// TestArguments compares the command lines built here with those of
// ffmpeg-go.
func TestArguments(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, other := &Input{file: f, demuxer: "mov"}, &Input{file: f} // the format of the other is not known
	for name, c := range map[string]Conversion{
		"one stream": {Muxer: "mp4", Streams: []int{0}},
		"seek":       {Muxer: "mp4", Streams: []int{0, 2}, Input: Options{"ss": "1.5"}, Output: Options{"t": "2", "c": "copy"}},
		"no value":   {Muxer: "wav", Streams: []int{1}, Output: Options{"vn": ""}},
		"overrides":  {Muxer: "mp4", Streams: []int{0}, Output: Options{"map_metadata": "0"}},
		"beside":     {Muxer: "matroska", Streams: []int{0}, Beside: []*Input{other}},
	} {
		got, err := c.args(in, "file:out", 1000)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := append(append(slices.Clone(always), "-y", "-max_alloc", maxAlloc), reference(c, in)...)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%q\nffmpeg-go builds\n%q", name, got, want)
		}
	}
	if _, err := (Conversion{Muxer: "mp4"}).args(in, "file:out", 1000); err == nil {
		t.Error("a conversion without streams has a command line")
	}
}

// reference returns the arguments that ffmpeg-go builds for a conversion.
func reference(c Conversion, in *Input) []string {
	keywords := func(sets ...Options) ff.KwArgs {
		k := ff.KwArgs{}
		for _, set := range sets {
			for name, value := range set {
				if name == "f" {
					name = "format"
				}
				k[name] = value
			}
		}
		return k
	}
	source := ff.Input(url(in.file, 0), keywords(in.options(), c.Input))
	var streams []*ff.Stream
	for _, index := range c.Streams {
		streams = append(streams, source.Get(strconv.Itoa(index)))
	}
	for i, other := range c.Beside {
		streams = append(streams, ff.Input(url(other.file, i+1), keywords(other.options())).Get("0"))
	}
	return ff.Output(streams, "file:out", keywords(Options{
		"f": c.Muxer, "fs": "1000",
		"fflags": "+bitexact", "flags:v": "+bitexact", "flags:a": "+bitexact",
		"map_metadata": "-1", "map_chapters": "-1",
	}, c.Output)).GetArgs()
}
