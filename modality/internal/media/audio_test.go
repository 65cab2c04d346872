package media

import (
	"bytes"
	"math"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// soundFiles are the files of the corpus that have sound.
var soundFiles = []struct {
	name   string
	coarse bool     // times are stored in milliseconds
	force  []string // tells the oracle the format, where it would guess wrong
}{
	{name: "pcm16.wav"}, {name: "float32.wav"}, {name: "rf64.wav"}, {name: "wav-cue-chapter.wav"},
	{name: "bear.flac"}, {name: "flac-cover.flac"}, {name: "bear-vorbis.ogg"}, {name: "bear.opus"},
	{name: "vbr-xing.mp3"}, {name: "vbr-no-toc.mp3"}, {name: "vbr-vbri.mp3"}, {name: "id3-chapters-cover.mp3"}, {name: "chapters.mp3"},
	{name: "garbage-prefix.mp3", force: []string{"-f", "mp3", "-skip_initial_bytes", "200000"}},
	{name: "adts.aac"}, {name: "aac.m4a", force: []string{"-flags2", "+skip_manual"}}, // tags about gaps move nothing
	{name: "mp4-audio-only-15s.mp4"}, {name: "pcm-variable.mp4"},
	{name: "mkv-srt-track.mkv", coarse: true}, {name: "mkv-chapters.mkv", coarse: true}, {name: "vp9-vorbis.webm", coarse: true}, {name: "mpeg4-mp3.avi"},
	{name: "h264-aac-chapters.mp4"}, {name: "h264-fragmented-wrong-duration.mp4"}, {name: "av1-aac.mp4"},
}

// TestSound cuts recordings and looks for the samples of the clip in those of
// the whole, both as ffmpeg decodes them.
func TestSound(t *testing.T) {
	sharedtest.NotShort(t)
	for i, file := range sharedtest.Share(t, soundFiles, 4) {
		t.Run(file.name, func(t *testing.T) {
			path := sharedtest.Corpus(t, "media/"+file.name)
			whole := decodeSound(t, path, origin(t, path, file.force...), file.force...)
			e := &Engine{Modality: citekit.Audio}
			src := openFile(t, path)
			extent, err := e.Measure(t.Context(), src)
			if err != nil {
				t.Fatal(err)
			}
			if decoded := float64(whole.frames()) / float64(whole.rate); math.Abs(extent.Duration-decoded) > 0.03 {
				t.Errorf("measured %v s; decoded %v s", extent.Duration, decoded)
			}
			middle := citekit.Span{Start: 0.11, End: 0.3}
			spans := []citekit.Span{middle, {Start: round(extent.Duration - 0.2), End: extent.Duration}, {Start: 0, End: 0.2}}
			if !thorough() {
				spans = spans[i%2 : i%2+1] // the files share the spans
			}
			for _, span := range spans {
				compareSound(t, e, src, whole, span, citekit.ModeExact, file.coarse)
			}
			compareSound(t, e, src, whole, middle, citekit.ModeStrict, file.coarse)
		})
	}
}

// Where a clip holds packets, ffmpeg plays the last of them to its end.
const longestPacket = 2048

func compareSound(t *testing.T, e *Engine, src *citekit.Source, whole sound, span citekit.Span, mode citekit.Mode, coarse bool) {
	t.Helper()
	path, x := clip(t, e, src, span, mode)
	got := decodeSound(t, path, 0)
	first := int(math.Ceil(span.Start*float64(whole.rate) - 1e-3))
	want := min(int(math.Ceil(span.End*float64(whole.rate)-1e-3)), whole.frames()) - first
	near, over := 1, longestPacket // as much as times round
	if coarse {
		near = whole.rate / 1000
	}
	if x.Ext != formatM4A.Ext {
		over = 2 * near
	}
	differs := 6 + got.loudness()/10 // decoders of AAC make noise up
	place, distance := whole.place(got, first, 2*near)
	t.Logf("%s %v: %s, %+d samples long, begins %+d samples off, distance %.2f", mode, span, x.Ext, got.frames()-want, place-first, distance)
	if place < first-near || place > first+near || distance > differs {
		t.Errorf("%s %v: begins %+d samples off, where it differs by %.2f", mode, span, place-first, distance)
	}
	if long := got.frames() - want; long < -2*near || long > over {
		t.Errorf("%s %v: %d samples, want %d", mode, span, got.frames(), want)
	}
}

// TestVorbis cuts at places where blocks change in length. A clip must hold
// exactly the samples of the whole, as ffmpeg decodes them one after the other.
func TestVorbis(t *testing.T) {
	sharedtest.NotShort(t)
	path := sharedtest.Corpus(t, "media/bear-vorbis.ogg")
	const channels, rate = 2, 48000
	decoded := func(path string) []byte {
		return ffmpegtest.Run(t, "ffmpeg", "-nostdin", "-v", "fatal", "-i", path, "-af", "asetpts=N", "-f", "s16le", "-")
	}
	whole := decoded(path)
	e, src := &Engine{Modality: citekit.Audio}, openFile(t, path)
	for _, span := range []citekit.Span{{Start: 0.05, End: 1.4}, {Start: 1.62}, {Start: 0.0835, End: 0.0839}, {Start: 2.7}} {
		got, _ := clip(t, e, src, span, citekit.ModeExact)
		first, end := int(math.Ceil(span.Start*rate-1e-3)), int(math.Ceil(span.End*rate-1e-3))
		if span.End == 0 {
			end = len(whole) / channels / 2
		}
		if samples := decoded(got); !bytes.Equal(samples, whole[2*channels*first:2*channels*end]) {
			t.Errorf("%v: %d samples, want [%d, %d)", span, len(samples)/channels/2, first, end)
		}
	}
}
