package ffmpeg

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestArguments checks whole command lines: what restricts the reading of each input
// comes before it, and what an output has comes after the streams.
func TestArguments(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, other := &Input{file: f, demuxer: "mov"}, &Input{file: f, demuxer: "srt", skip: 7}
	const (
		head    = "-nostdin -hide_banner -v error -y -max_alloc 268435456 "
		reading = "-analyzeduration 20000000 "
		limits  = "-max_pixels 67108864 -probesize 20000000 -protocol_whitelist file "
		exact   = "-fflags +bitexact -flags:a +bitexact -flags:v +bitexact -fs 1000 -map_chapters -1 "
	)
	source := "-f mov " + reading + "-format_whitelist mov " + limits
	for name, test := range map[string]struct {
		Conversion
		want string
	}{
		"one stream": {Conversion{Muxer: "mp4", Streams: []int{0}},
			source + "-i IN -map 0:0 -f mp4 " + exact + "-map_metadata -1"},
		"seek": {Conversion{Muxer: "mp4", Streams: []int{0, 2}, Input: Options{"ss": "1.5"}, Output: Options{"t": "2", "c": "copy"}},
			source + "-ss 1.5 -i IN -map 0:0 -map 0:2 -f mp4 -c copy " + exact + "-map_metadata -1 -t 2"},
		"no value": {Conversion{Muxer: "wav", Streams: []int{1}, Output: Options{"vn": ""}},
			source + "-i IN -map 0:1 -f wav " + exact + "-map_metadata -1 -vn"},
		"overrides": {Conversion{Muxer: "mp4", Streams: []int{0}, Output: Options{"map_metadata": "0"}},
			source + "-i IN -map 0:0 -f mp4 " + exact + "-map_metadata 0"},
		"beside": {Conversion{Muxer: "matroska", Streams: []int{0}, Beside: []*Input{other}},
			source + "-i IN -f srt " + reading + "-format_whitelist srt " + limits + "-skip_initial_bytes 7 -i BESIDE -map 0:0 -map 1:0 -f matroska " + exact + "-map_metadata -1"},
	} {
		got, err := test.args(in, "file:out", 1000)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := strings.Fields(head + test.want + " file:out")
		for name, path := range map[string]string{"IN": url(f, 0), "BESIDE": url(f, 1)} {
			if i := slices.Index(want, name); i >= 0 {
				want[i] = path
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%q, want\n%q", name, got, want)
		}
	}
	if _, err := (Conversion{Muxer: "mp4"}).args(in, "file:out", 1000); err == nil {
		t.Error("a conversion without streams has a command line")
	}
}
