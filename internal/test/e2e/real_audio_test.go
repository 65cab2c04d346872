package e2e

import (
	stdbinary "encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A sound is the first sound track of a file as ffmpeg decodes it, mixed to
// one channel. Sample k is heard at k/rate.
type sound struct {
	rate    int
	samples []float64 // -1 to 1
}

func (s sound) seconds() float64 { return float64(len(s.samples)) / float64(s.rate) }

// decode decodes the sound of a file from a stored time on, with silence where
// there is none. A file without sound gives the zero sound.
func decode(t *testing.T, path string, origin float64) sound {
	t.Helper()
	var probe struct {
		Streams []struct {
			Rate string `json:"sample_rate"`
		}
	}
	out := output(t, "ffprobe", "-v", "fatal", "-select_streams", "a:0", "-show_entries", "stream=sample_rate", "-of", "json", path)
	if err := json.Unmarshal(out, &probe); err != nil || len(probe.Streams) == 0 {
		return sound{}
	}
	rate, err := strconv.Atoi(probe.Streams[0].Rate)
	if err != nil {
		t.Fatal(err)
	}
	fill := fmt.Sprintf("aresample=async=1:min_hard_comp=0.01:first_pts=%d", int(math.Round(origin*float64(rate))))
	raw := output(t, "ffmpeg", "-nostdin", "-v", "fatal", "-copyts", "-i", path, "-map", "0:a:0",
		"-af", fill, "-ac", "1", "-f", "f32le", "-")
	s := sound{rate: rate, samples: make([]float64, len(raw)/4)}
	for i := range s.samples {
		s.samples[i] = float64(math.Float32frombits(stdbinary.LittleEndian.Uint32(raw[4*i:])))
	}
	return s
}

// first returns the number of the first sample at or after a time.
func (s sound) first(seconds float64) int {
	return int(math.Ceil(seconds*float64(s.rate) - 1e-6))
}

// span returns the samples k with start ≤ k/rate < end.
func (s sound) span(span citekit.Span) []float64 {
	end := len(s.samples)
	if span.End != 0 {
		end = min(end, s.first(span.End))
	}
	return s.samples[min(s.first(span.Start), end):end]
}

// likeness returns the normalized correlation of two stretches of sound, of
// which the second begins shift samples later: 1 if they are the same.
func likeness(a, b []float64, shift int) float64 {
	if shift >= 0 {
		a = a[min(shift, len(a)):]
	} else {
		b = b[min(-shift, len(b)):]
	}
	var ab, aa, bb float64
	for i := range min(len(a), len(b)) {
		ab += a[i] * b[i]
		aa += a[i] * a[i]
		bb += b[i] * b[i]
	}
	if aa == 0 && bb == 0 {
		return 1 // silence
	}
	return ab / math.Sqrt(aa*bb+1e-30)
}

// compareSound checks that clip is the part of source at span: as long, and
// most alike without a shift. ffmpeg plays the last packet of a clip to its
// end even where the edit list ends before.
func compareSound(t *testing.T, a answer, source, clip sound, span citekit.Span) {
	t.Helper()
	const packet = 2048 // samples, at most
	if clip.rate != source.rate {
		t.Errorf("%v has %d samples a second, not %d", a, clip.rate, source.rate)
		return
	}
	want := source.span(span)
	if surplus := len(clip.samples) - len(want); surplus < -source.rate/500 || surplus > packet {
		t.Errorf("%v has %d samples of sound, not %d (actual %s)", a, len(clip.samples), len(want), a.actual())
	}
	best, shift := likeness(want, clip.samples, 0), 0
	for d := range source.rate / 50 {
		for _, k := range []int{d, -d} {
			if l := likeness(want, clip.samples, k); l > best+1e-6 {
				best, shift = l, k
			}
		}
		if best > 0.999 {
			break
		}
	}
	late := float64(shift) / float64(source.rate)
	if best < 0.98 || math.Abs(late) > 0.001 {
		t.Errorf("%v: the sound is %.3f alike, %.1f ms off", a, best, late*1000)
	}
}

// TestRealRecordings compares parts of recordings with their sources: exactly
// where the format loses nothing, else by how they sound.
func TestRealRecordings(t *testing.T) {
	sharedtest.Tool(t, "ffmpeg")
	c := cite(t, sharedtest.Corpus(t, "media"))
	length := map[string]float64{
		"id3-chapters-cover.mp3": 2.69, "chapters.mp3": 1.9, "vbr-xing.mp3": 2.7, "vbr-no-toc.mp3": 2.7, "vbr-vbri.mp3": 2.7,
		"bear.flac": 2.74, "flac-cover.flac": 2.74, "bear.opus": 2.7, "bear-vorbis.ogg": 2.7, "pcm16.wav": 1, "float32.wav": 1,
		"rf64.wav": 0.34, "wav-cue-chapter.wav": 3.4, "adts.aac": 3.2, "mp4-audio-only-15s.mp4": 15,
		"h264-aac-chapters.mp4": 1, "mkv-chapters.mkv": 5, "vp9-vorbis.webm": 1, "mpeg4-mp3.avi": 4,
	}
	for _, name := range sharedtest.Share(t, slices.Sorted(maps.Keys(length)), 4) {
		c.add("audio", name, spans(length[name], usually(0, 2))...)
	}
	sources := make(map[string]sound)
	for _, a := range c.evidence() {
		if sources[a.path].rate == 0 {
			sources[a.path] = decode(t, a.path, origin(t, a.path))
		}
		clip := decode(t, a.OutputPath, 0)
		switch {
		case strings.HasSuffix(a.path, ".wav"), strings.HasSuffix(a.path, ".flac"):
			compareSamples(t, a, sources[a.path].span(a.wanted(t).Time), clip.samples, 0)
		case strings.HasSuffix(a.path, ".ogg"): // Vorbis decodes to fractions, which FLAC rounds
			compareSamples(t, a, sources[a.path].span(a.wanted(t).Time), clip.samples, 1.0/(1<<15))
		default:
			compareSound(t, a, sources[a.path], clip, a.wanted(t).Time)
		}
	}
}

func compareSamples(t *testing.T, a answer, want, got []float64, rounding float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%v has %d samples, not %d", a, len(got), len(want))
		return
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > rounding {
			t.Errorf("%v: sample %d of %d is %v, not %v", a, i, len(want), got[i], want[i])
			return
		}
	}
}
