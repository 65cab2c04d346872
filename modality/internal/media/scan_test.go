package media

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// film makes a video of scenes of these lengths in seconds, with cuts between.
func film(t testing.TB, name string, lengths []float64, args ...string) string {
	t.Helper()
	colours := []string{"red", "blue", "white", "green", "black", "yellow", "cyan", "magenta"}
	var all []string
	graph := ""
	for i, length := range lengths {
		source := "testsrc2="
		if i%2 == 0 {
			source = "color=" + colours[i%len(colours)] + ":"
		}
		all = append(all, "-f", "lavfi", "-i", fmt.Sprintf("%ssize=160x120:rate=25:duration=%v", source, length))
		graph += fmt.Sprintf("[%d:v]setsar=1,format=yuv420p[v%d];", i, i)
	}
	for i := range lengths {
		graph += fmt.Sprintf("[v%d]", i)
	}
	all = append(all, "-filter_complex", graph+fmt.Sprintf("concat=n=%d:v=1", len(lengths)))
	return ffmpegtest.Make(t, name, append(all, args...)...)
}

func spansOf(nodes []*citekit.Node) (spans []citekit.Span) {
	for _, n := range nodes {
		spans = append(spans, n.Location.Time)
	}
	return spans
}

// TestScenes looks for known cuts in files whose frames are all examined, and in
// one file where only the key frames are.
func TestScenes(t *testing.T) {
	sharedtest.NotShort(t)
	lengths := []float64{4, 3.2, 2.6, 5, 4.4}
	want := []citekit.Span{{Start: 0, End: 4}, {Start: 4, End: 7.2}, {Start: 7.2, End: 9.8}, {Start: 9.8, End: 14.8}, {Start: 14.8, End: 19.2}}
	for _, name := range []string{"cuts.mp4", "cuts.mkv", "cuts.ts", "cuts.mov"} {
		path := film(t, name, lengths, "-c:v", "libx264", "-preset", "veryfast")
		var last float64
		var mu sync.Mutex
		e := &Engine{Modality: citekit.Video}
		s, err := e.Map(t.Context(), openFile(t, path), citekit.MapRequest{Modality: citekit.Video, Progress: func(done float64) {
			mu.Lock()
			defer mu.Unlock()
			if done < last || done > 1 {
				t.Errorf("progress %v after %v", done, last)
			}
			last = done
		}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, spansOf(s.Nodes), nearly); s.Method != "scenes" || diff != "" {
			t.Errorf("%s: %s (-want +got)\n%s", name, s.Method, diff)
		}
		if last < 0.5 {
			t.Errorf("%s: progress ended at %v", name, last)
		}
		for _, n := range s.Nodes {
			if n.Type != "scene" || n.Title != "" {
				t.Errorf("node %+v", n)
			}
		}
	}
}

// nearly compares times to the millisecond, as some containers store them.
var nearly = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 0.0011 })

// TestLateScenes has pictures that begin late.
func TestLateScenes(t *testing.T) {
	early := film(t, "cuts.mp4", []float64{4, 3.2, 2.6}, "-c:v", "libx264", "-preset", "veryfast")
	path := ffmpegtest.Make(t, "late.mp4", "-itsoffset", "10", "-i", early, "-c", "copy")
	s := mapFile(t, &Engine{Modality: citekit.Video}, path)
	want := []citekit.Span{{Start: 10, End: 14}, {Start: 14, End: 17.2}, {Start: 17.2, End: 19.8}}
	if diff := cmp.Diff(want, spansOf(s.Nodes), nearly); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestSlides shows still pages that differ in little, and then moving pictures
// without a cut.
func TestSlides(t *testing.T) {
	sharedtest.NotShort(t)
	dir := t.TempDir()
	slides, moving := filepath.Join(dir, "slides.mp4"), filepath.Join(dir, "moving.mp4")
	ffmpegtest.Run(t, "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=white:size=320x240:rate=10:duration=12",
		"-vf", "drawbox=20:20:200:30:black:fill:enable='lt(t,4)',drawbox=20:80:240:60:navy:fill:enable='between(t,4,8.55)',drawbox=20:20:100:200:gray:fill:enable='gte(t,8.6)'",
		"-c:v", "libx264", "-preset", "veryfast", slides)
	s := mapFile(t, &Engine{Modality: citekit.Video}, slides)
	want := []citekit.Span{{Start: 0, End: 4}, {Start: 4, End: 8.6}, {Start: 8.6, End: 12}}
	if diff := cmp.Diff(want, spansOf(s.Nodes), nearly); diff != "" {
		t.Errorf("slides: (-want +got)\n%s", diff)
	}
	for _, graph := range []string{"testsrc2=size=320x240:rate=25:duration=10", "mandelbrot=size=320x240:rate=25:end_scale=0.01,trim=duration=8", "life=size=160x120:rate=25:ratio=0.3:seed=1,trim=duration=6"} {
		ffmpegtest.Run(t, "ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", graph, "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", moving)
		if s := mapFile(t, &Engine{Modality: citekit.Video}, moving); s.Method != "even" {
			t.Errorf("%s: %v", graph, spansOf(s.Nodes))
		}
	}
}

// TestNarrowScenes has pictures that would be enormous if they were made as wide
// as others.
func TestNarrowScenes(t *testing.T) {
	sharedtest.NotShort(t)
	cuts := film(t, "cuts.mov", []float64{4, 3}, "-c:v", "libx264", "-preset", "veryfast")
	path := ffmpegtest.Make(t, "narrow.mkv", "-i", cuts, "-vf", "fps=5,scale=2:8000", "-c:v", "ffv1")
	s := mapFile(t, &Engine{Modality: citekit.Video}, path)
	if diff := cmp.Diff([]citekit.Span{{Start: 0, End: 4}, {Start: 4, End: 7}}, spansOf(s.Nodes), nearly); diff != "" {
		t.Errorf("%v (-want +got)\n%s", s.Metadata, diff)
	}
}

func TestScenesOfKeyFrames(t *testing.T) {
	path := film(t, "cuts.mp4", []float64{4, 3.2, 2.6, 5, 4.4}, "-c:v", "libx264", "-preset", "veryfast", "-force_key_frames", "4,7.2,9.8,14.8")
	e := &Engine{Modality: citekit.Video}
	src := openFile(t, path)
	m, err := e.open(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	large := enlarged{m}
	spans, err := e.findScenes(t.Context(), src, large, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	want := []citekit.Span{{Start: 0, End: 4}, {Start: 4, End: 7.2}, {Start: 7.2, End: 9.8}, {Start: 9.8, End: 14.8}, {Start: 14.8, End: 19.2}}
	if diff := cmp.Diff(want, spans, nearly); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// enlarged is a medium that says it is much larger.
type enlarged struct{ medium }

func (m enlarged) extent() citekit.Extent {
	x := m.medium.extent()
	x.Width, x.Height = 100*x.Width, 100*x.Height
	return x
}

// tones makes a recording of a tone that is silent in the gaps.
func tones(t testing.TB, name string, length float64, gaps []citekit.Span, args ...string) string {
	t.Helper()
	volume := "0.5"
	for _, g := range gaps {
		volume += fmt.Sprintf("*(1-between(t,%v,%v-1/96000))", g.Start, g.End)
	}
	all := []string{"-f", "lavfi", "-i", fmt.Sprintf("aevalsrc='(%s)*cos(2*PI*440*t)':s=48000:d=%v", volume, length)}
	return ffmpegtest.Make(t, name, append(all, args...)...)
}

func TestSilences(t *testing.T) {
	sharedtest.NotShort(t)
	gaps := []citekit.Span{{Start: 5, End: 6.5}, {Start: 9, End: 9.2}, {Start: 12.25, End: 14}}
	want := []citekit.Span{{Start: 0, End: 5}, {Start: 6.5, End: 12.25}, {Start: 14, End: 20}}
	const padding = 0.05 // at the end
	for name, file := range map[string]struct {
		args []string
		off  float64
	}{
		"tone.wav":   {off: 2e-3},
		"tone24.wav": {[]string{"-c:a", "pcm_s24le"}, 2e-3},
		"float.wav":  {[]string{"-c:a", "pcm_f32le"}, 2e-3},
		"law.wav":    {[]string{"-c:a", "pcm_mulaw"}, 2e-3},
		"tone.flac":  {off: 2e-3},
		"tone.mp3":   {off: 0.03}, // codecs smear
		"tone.m4a":   {off: 0.03},
		"tone.ogg":   {[]string{"-c:a", "libvorbis"}, 0.03},
		"tone.opus":  {[]string{"-c:a", "libopus"}, 0.03},
		"tone.mka":   {[]string{"-c:a", "aac"}, 0.03},
	} {
		path := tones(t, name, 20, gaps, file.args...)
		s := mapFile(t, &Engine{Modality: citekit.Audio}, path)
		if last := &s.Nodes[len(s.Nodes)-1].Location.Time; last.End > 20 && last.End < 20+padding {
			last.End = 20
		}
		close := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < file.off })
		if diff := cmp.Diff(want, spansOf(s.Nodes), close); s.Method != "silences" || diff != "" {
			t.Errorf("%s: %s (-want +got)\n%s", name, s.Method, diff)
		}
	}
}

func TestEvenSpans(t *testing.T) {
	for duration, want := range map[float64][]citekit.Span{
		5:     {{End: 5}},
		60:    {{End: 60}},
		70:    {{End: 70}},
		90:    {{End: 60}, {Start: 60, End: 90}},
		130.5: {{End: 60}, {Start: 60, End: 130.5}},
		700:   {{End: 300}, {Start: 300, End: 600}, {Start: 600, End: 700}},
	} {
		if diff := cmp.Diff(want, evenSpans(duration)); diff != "" {
			t.Errorf("%v s: (-want +got)\n%s", duration, diff)
		}
	}
	if n := len(evenSpans(1e9)); n > about.MaxMappedNodes {
		t.Errorf("%d parts", n)
	}
}

// TestScanTime gives a scan no time, as a caller may, and has no ffmpeg.
func TestScanTime(t *testing.T) {
	path := film(t, "cuts.mov", []float64{4, 3}, "-c:v", "libx264", "-preset", "veryfast")
	for look, why := range map[time.Duration]any{time.Nanosecond: "out of time", -1: "turned off"} {
		s := mapFile(t, &Engine{Modality: citekit.Video, ScanTime: look}, path)
		if s.Method != "even" || len(s.Nodes) != 1 || s.Nodes[0].Type != "part" || s.Metadata["unscanned"] != why {
			t.Errorf("%v: %s, %d nodes, %v", look, s.Method, len(s.Nodes), s.Metadata)
		}
	}
	if s := mapFile(t, &Engine{Modality: citekit.Audio}, tones(t, "tone.wav", 3, nil)); s.Method != "even" || s.Metadata["unscanned"] != nil {
		t.Errorf("without silences: %s, %v", s.Method, s.Metadata)
	}
	e := &Engine{Modality: citekit.Video}
	e.Tools.FFmpeg, e.Tools.FFprobe = "/missing", "/missing"
	if s := mapFile(t, e, path); s.Method != "even" || s.Metadata["unscanned"] != "no ffmpeg" {
		t.Errorf("without ffmpeg: %s, %v", s.Method, s.Metadata)
	}
}

// TestCancelledScan ends the context while frames are looked at.
func TestCancelledScan(t *testing.T) {
	sharedtest.NotShort(t)
	path := sharedtest.Corpus(t, "media/h264-long-6min.mp4")
	for _, modality := range []citekit.Modality{citekit.Video, citekit.Audio} {
		ctx, cancel := context.WithCancel(t.Context())
		e := &Engine{Modality: modality}
		_, err := e.Map(ctx, openFile(t, path), citekit.MapRequest{Modality: modality, Progress: func(float64) { cancel() }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", modality, err)
		}
		cancel()
	}
}
