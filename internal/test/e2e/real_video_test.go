package e2e

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A frame is a picture as ffmpeg decodes it: its time in seconds as stored,
// and the MD5 of its pixels.
type frame struct {
	time float64
	hash string
}

// framemd5 decodes the first video track of a file, or what options before the
// input select of it. Large pictures are reduced first.
func framemd5(t *testing.T, path string, before ...string) []frame {
	t.Helper()
	const reduce = "scale=w='min(iw,480)':h='min(ih,270)':flags=neighbor"
	args := append(append([]string{"-nostdin", "-v", "fatal", "-copyts"}, before...), "-i", path, "-map", "0:v:0",
		"-fps_mode", "passthrough", "-enc_time_base", "-1", "-vf", reduce, "-f", "framemd5", "-")
	lines := string(output(t, "ffmpeg", args...))
	tick := math.NaN()
	var frames []frame
	for line := range strings.Lines(lines) {
		if base, ok := strings.CutPrefix(line, "#tb 0: "); ok {
			tick = rational(t, strings.TrimSpace(base))
			continue
		}
		fields := strings.Split(line, ",")
		if strings.HasPrefix(line, "#") || len(fields) != 6 {
			continue
		}
		pts, err := strconv.Atoi(strings.TrimSpace(fields[2]))
		if err != nil {
			t.Fatal(err)
		}
		// One division keeps times such as 30/30 exact.
		frames = append(frames, frame{float64(pts) / (1 / tick), strings.TrimSpace(fields[5])})
	}
	return frames
}

func rational(t *testing.T, s string) float64 {
	t.Helper()
	num, den, _ := strings.Cut(s, "/")
	n, err := strconv.ParseFloat(num, 64)
	if err != nil {
		t.Fatal(err)
	}
	d, err := strconv.ParseFloat(den, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n / d
}

// origin returns the stored time at which a player starts: 0 in MP4 and
// QuickTime, whose edit lists say it, and elsewhere the first time stamp that
// is not before 0, as those of the delay of an encoder are.
func origin(t *testing.T, path string) float64 {
	t.Helper()
	switch filepath.Ext(path) {
	case ".mp4", ".mov", ".m4a":
		return 0
	}
	var probe struct {
		Format struct {
			Start string `json:"start_time"`
		}
	}
	out := output(t, "ffprobe", "-v", "error", "-show_entries", "format=start_time", "-of", "json", path)
	if err := json.Unmarshal(out, &probe); err != nil {
		t.Fatal(err)
	}
	start, err := strconv.ParseFloat(probe.Format.Start, 64)
	if err != nil {
		return 0 // none is stored
	}
	return max(start, 0)
}

// spans returns ranges of time in a recording of some seconds.
func spans(seconds float64, random int) []location {
	r := rand.New(rand.NewPCG(uint64(seconds*1000), 2))
	milli := func(t float64) float64 { return math.Round(t*1000) / 1000 }
	locations := []location{
		{"start": 0, "end": milli(seconds / 3)},
		{"start": milli(seconds / 3), "end": milli(seconds / 2)},
		{"start": milli(seconds * 0.6)},
	}
	for range random {
		length := min(seconds/2, 0.2+r.Float64()*3)
		start := r.Float64() * (seconds - length)
		locations = append(locations, location{"start": milli(start), "end": milli(start + length)})
	}
	return locations
}

// TestRealVideos compares the frames of clips with those of their sources.
func TestRealVideos(t *testing.T) {
	sharedtest.Tool(t, "ffmpeg")
	c := cite(t, sharedtest.Corpus(t, "media"))
	length := map[string]float64{
		"mkv-chapters.mkv": 5, "vp9-vorbis.webm": 0.99, "hevc.ts": 1, "mpeg4-mp3.avi": 4.08, "vp9.webm": 2.7,
		"h264-edit-list.mp4": 0.53, "hevc-bframes.mp4": 1, "h264-rotated.mp4": 1, "av1-aac.mp4": 1, "tiny.mov": 1.5,
		"h264-fragmented-wrong-duration.mp4": 1.06, "h264-aac-chapters.mp4": 1, "mkv-srt-track.mkv": 0.96, "mkv-ass-track.mkv": 1,
	}
	for _, name := range sharedtest.Share(t, slices.Sorted(maps.Keys(length)), 4) {
		c.add("video", name, spans(length[name], usually(0, 1))...)
	}
	c.add("video", "h264-first-pts-10s.mp4", location{"start": 10, "end": 10.5}, location{"start": 9, "end": 11.21}, location{"start": 12.345, "end": 13.9})
	compareClips(t, c.evidence())
}

// TestRealLongVideo does so for six minutes in full HD. Of the source only what
// is near a span is decoded, unless CITEKIT_LONG is set.
func TestRealLongVideo(t *testing.T) {
	sharedtest.Tool(t, "ffmpeg")
	c := cite(t, sharedtest.Corpus(t, "media"))
	c.add("video", "h264-long-6min.mp4", location{"start": 0, "end": 1}, location{"start": 10, "end": 20},
		location{"start": 100.01, "end": 103.5}, location{"start": 250.7, "end": 251}, location{"start": 358.3})
	answers := c.evidence()
	if os.Getenv("CITEKIT_LONG") != "" {
		compareClips(t, answers)
		return
	}
	for _, a := range answers {
		compareFrames(t, a, framemd5(t, a.path, near(a.wanted(t).Time)...))
	}
	path := sharedtest.Corpus(t, "media/h264-long-6min.mp4")
	whole := decode(t, path, origin(t, path))
	for _, a := range answers {
		compareTrack(t, a, whole)
	}
}

// near are the options that make ffmpeg decode from a second before a span to
// a second after it.
func near(span citekit.Span) []string {
	from := max(0, span.Start-1)
	options := []string{"-ss", strconv.FormatFloat(from, 'f', 6, 64)}
	if span.End != 0 {
		options = append(options, "-t", strconv.FormatFloat(span.End+1-from, 'f', 6, 64))
	}
	return options
}

func compareClips(t *testing.T, answers []answer) {
	t.Helper()
	sources := make(map[string][]frame)
	sounds := make(map[string]sound)
	for _, a := range answers {
		if sources[a.path] == nil {
			sources[a.path] = framemd5(t, a.path)
			sounds[a.path] = decode(t, a.path, origin(t, a.path))
		}
		compareFrames(t, a, sources[a.path])
		compareTrack(t, a, sounds[a.path])
	}
}

// compareFrames checks that a clip shows the frames with start ≤ t < end and
// no other, each at its time.
func compareFrames(t *testing.T, a answer, source []frame) {
	t.Helper()
	zero, span := origin(t, a.path), a.wanted(t).Time
	const doubt = 1e-5 // around a bound, where the stored time is rounded
	var want []frame
	for _, f := range source {
		at := f.time - zero
		if math.Abs(at-span.Start) < doubt {
			at = span.Start
		}
		if at >= span.Start && (span.End == 0 || at < span.End-doubt) {
			want = append(want, frame{at - span.Start, f.hash})
		}
	}
	got := framemd5(t, a.OutputPath)
	if strings.HasPrefix(filepath.Base(a.path), "av1") {
		// ffmpeg's decoder of AV1 gives the frames that the edit list hides,
		// at times before 0.
		got = slices.DeleteFunc(got, func(f frame) bool { return f.time < -doubt })
	}
	if len(got) != len(want) || len(got) == 0 {
		t.Errorf("%v has %d frames, not %d (actual %s)", a, len(got), len(want), a.actual())
		return
	}
	for i := range want {
		if got[i].hash != want[i].hash {
			t.Errorf("%v: frame %d of %d is another picture", a, i, len(want))
			return
		}
		if math.Abs(got[i].time-want[i].time) > 0.0015 {
			t.Errorf("%v: frame %d is shown at %.4f, not %.4f", a, i, got[i].time, want[i].time)
			return
		}
	}
}

func (a answer) actual() string {
	if a.Actual == nil {
		return "as asked for"
	}
	return string(*a.Actual)
}

// compareTrack checks that the sound of a clip is that of its source, in step
// with the frames.
func compareTrack(t *testing.T, a answer, source sound) {
	t.Helper()
	if source.rate == 0 {
		return
	}
	clip := decode(t, a.OutputPath, 0)
	span := a.wanted(t).Time
	if span.Start >= source.seconds() {
		return // the sound ends before the picture
	}
	if filepath.Base(a.path) == "h264-edit-list.mp4" {
		return // its packets of 21.3 ms stand 20 ms apart
	}
	compareSound(t, a, source, clip, span)
}
