package media

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

// randomCues returns cues that overlap, each with words of its own, on one line
// or two. One is on for nearly all of the time.
func randomCues(random *rand.Rand, n int, duration float64) []subtitle.Cue {
	cues := []subtitle.Cue{{Start: 0.5, End: duration - 0.5, Text: "always on"}}
	for i := range n {
		start := float64(random.IntN(int(duration*100)-200)) / 100
		text := fmt.Sprintf("cue %d", i)
		if i%3 == 0 {
			text += fmt.Sprintf("\nsecond line %d", i)
		}
		cues = append(cues, subtitle.Cue{Start: start, End: start + float64(1+random.IntN(900))/100, Text: text})
	}
	slices.SortStableFunc(cues, func(a, b subtitle.Cue) int { return int(100*a.Start) - int(100*b.Start) })
	return cues
}

// cueFile writes cues as SubRip, WebVTT or ASS, by the extension.
func cueFile(t *testing.T, dir, name string, cues []subtitle.Cue) string {
	t.Helper()
	var b strings.Builder
	clock := func(v float64, point string, digits int) string {
		ms := int64(v*1000 + 0.5)
		text := fmt.Sprintf("%02d:%02d:%02d%s%03d", ms/3600000, ms/60000%60, ms/1000%60, point, ms%1000)
		return text[:len(text)-3+digits]
	}
	switch filepath.Ext(name) {
	case ".vtt":
		b.WriteString("WEBVTT\n\n")
	case ".ass":
		b.WriteString("[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n")
	}
	for i, c := range cues {
		switch filepath.Ext(name) {
		case ".ass":
			fmt.Fprintf(&b, "Dialogue: 0,%s,%s,Default,,0,0,0,,{\\i1}%s{\\i0}\n", clock(c.Start, ".", 2)[1:], clock(c.End, ".", 2)[1:], strings.ReplaceAll(c.Text, "\n", "\\N"))
		case ".vtt":
			fmt.Fprintf(&b, "%s --> %s\n<i>%s</i>\n\n", clock(c.Start, ".", 3), clock(c.End, ".", 3), c.Text)
		default:
			fmt.Fprintf(&b, "%d\n%s --> %s\n<i>%s</i>\n\n", i+1, clock(c.Start, ",", 3), clock(c.End, ",", 3), c.Text)
		}
	}
	return write(t, dir, name, b.String())
}

// shownAt returns the lines that are on at a time, sorted.
func shownAt(cues []subtitle.Cue, at float64) []string {
	var lines []string
	for _, c := range cues {
		if c.Start <= at && at < c.End {
			lines = append(lines, strings.Split(c.Text, "\n")...)
		}
	}
	slices.Sort(lines)
	return lines
}

// readCues has ffmpeg read the subtitles of a clip.
func readCues(t *testing.T, path string) (cues []subtitle.Cue) {
	t.Helper()
	said := strings.ReplaceAll(string(ffmpegtest.Run(t, "ffmpeg", "-v", "error", "-i", path, "-map", "0:s:0", "-f", "webvtt", "-")), "\r", "")
	for _, block := range strings.Split(said, "\n\n")[1:] {
		if times, text, ok := strings.Cut(strings.TrimSpace(block), "\n"); ok {
			parsed, err := subtitle.Parse("x.vtt", []byte("WEBVTT\n\n"+times+"\nx\n"))
			if err != nil {
				t.Fatalf("%q: %v", block, err)
			}
			cues = append(cues, subtitle.Cue{Start: parsed[0].Start, End: parsed[0].End, Text: subtitle.VTT.Words(text)})
		}
	}
	return cues
}

// TestOverlappingCues cuts videos with random subtitles that overlap: at any
// time a clip shows those that its source shows.
func TestOverlappingCues(t *testing.T) {
	sharedtest.NotShort(t)
	const duration = 80.0
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(7, 7))
	for _, kind := range []struct{ name, text, codec, subtitles string }{
		{"srt.mkv", "a.srt", "libx264", "srt"},
		{"ass.mkv", "a.ass", "libx264", "ass"},
		{"vtt.webm", "a.vtt", "libvpx", "webvtt"},
		{"text.mp4", "a.srt", "libx264", "mov_text"},
	} {
		cues := randomCues(random, 60, duration)
		if kind.subtitles == "mov_text" { // which cannot overlap
			for i := range cues[:len(cues)-1] {
				cues[i].End = min(cues[i].End, cues[i+1].Start)
			}
			cues = slices.DeleteFunc(cues, func(c subtitle.Cue) bool { return c.End <= c.Start })
		}
		path := filepath.Join(dir, kind.name)
		args := []string{"-v", "error", "-f", "lavfi", "-i", fmt.Sprintf("testsrc=s=64x48:r=5:d=%g", duration), "-i", cueFile(t, dir, kind.text, cues),
			"-map", "0", "-map", "1", "-c:v", kind.codec, "-g", "100", "-c:s", kind.subtitles}
		ffmpegtest.Run(t, "ffmpeg", append(args, path)...)
		e := &Engine{Modality: citekit.Video}
		rounds := 3
		if thorough() {
			rounds = 30
		}
		for i := range rounds {
			mode := []citekit.Mode{citekit.ModeExact, citekit.ModeCopy, citekit.ModeStrict}[i%3]
			start := float64(random.IntN(int(duration-12)*10))/10 + 0.1
			span := citekit.Span{Start: start, End: start + 1 + float64(random.IntN(10))}
			compareCues(t, e, path, cues, span, mode)
		}
		checkText(t, e, path, cues)
	}
}

// compareCues cuts a span and compares what it shows with cues.
func compareCues(t *testing.T, e *Engine, path string, cues []subtitle.Cue, span citekit.Span, mode citekit.Mode) {
	t.Helper()
	x, err := e.Resolve(t.Context(), openFile(t, path), citekit.Request{Location: citekit.Location{Modality: citekit.Video, Time: span}, Mode: mode})
	if err != nil {
		t.Fatalf("%s: %v in mode %s: %v", filepath.Base(path), span, mode, err)
	}
	defer x.Body.Close()
	data, err := io.ReadAll(x.Body)
	if err != nil {
		t.Fatal(err)
	}
	clip := filepath.Join(t.TempDir(), "clip"+x.Ext)
	sharedtest.Write(t, clip, data)
	holds := span
	if x.Actual != nil {
		holds = x.Actual.Time
	}
	got := readCues(t, clip)
	for at := holds.Start + 0.0025; at < holds.End-0.01; at += 0.005 { // cues begin and end at hundredths
		if diff := cmp.Diff(shownAt(cues, at), shownAt(got, at-holds.Start)); diff != "" {
			t.Errorf("%s: %v in mode %s, at %.4f: (-source +clip)\n%s", filepath.Base(path), span, mode, at, diff)
			return
		}
	}
}

// checkText compares what ReadText yields with cues.
func checkText(t *testing.T, e *Engine, path string, cues []subtitle.Cue) {
	t.Helper()
	var got, want []string
	for r, err := range e.ReadText(t.Context(), openFile(t, path), citekit.Location{Modality: citekit.Video}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.TrimSpace(r.Text))
	}
	for _, c := range cues {
		want = append(want, strings.ReplaceAll(c.Text, "\n", " "))
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
		t.Errorf("%s: ReadText (-cues +text)\n%s", filepath.Base(path), diff)
	}
}
