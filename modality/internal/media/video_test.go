package media

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// videoFiles are the files of the corpus that have a picture.
var videoFiles = []struct {
	name  string
	spans []citekit.Span
}{
	{"mkv-chapters.mkv", []citekit.Span{{Start: 0, End: 0.5}, {Start: 2.5, End: 3.5}, {Start: 4.9, End: 5.015}}},
	{"mkv-srt-track.mkv", []citekit.Span{{Start: 0.3, End: 0.7}}},
	{"mkv-ass-track.mkv", []citekit.Span{{Start: 0.3, End: 0.7}}},
	{"mkv-vtt-track.mkv", []citekit.Span{{Start: 0.3, End: 0.7}}},
	{"mkv-pgs-bitmap-subs.mkv", []citekit.Span{{Start: 0.005, End: 0.02}}}, // its frames are a millisecond apart
	{"vp9.webm", []citekit.Span{{Start: 0, End: 0.4}, {Start: 1.1, End: 2.2}}},
	{"vp9-vorbis.webm", []citekit.Span{{Start: 0.2, End: 0.8}}},
	{"mpeg4-mp3.avi", []citekit.Span{{Start: 0, End: 0.5}, {Start: 1.3, End: 2.9}, {Start: 3.5, End: 4.08}}},
	{"hevc.ts", []citekit.Span{{Start: 0, End: 0.4}, {Start: 0.35, End: 0.8}}},
	{"h264-fragmented-wrong-duration.mp4", []citekit.Span{{Start: 0.3, End: 0.7}}},
	{"h264-rotated.mp4", []citekit.Span{{Start: 0.3, End: 0.7}}},
	{"h264-edit-list.mp4", []citekit.Span{{Start: 0.1, End: 0.4}}},
	{"h264-first-pts-10s.mp4", []citekit.Span{{Start: 10.5, End: 11}}},
	{"hevc-bframes.mp4", []citekit.Span{{Start: 0.3, End: 0.7}}},
	{"av1-aac.mp4", []citekit.Span{{Start: 0.3, End: 0.7}}},
	{"tiny.mov", []citekit.Span{{Start: 0.3, End: 0.7}}},
}

// TestPicture compares the frames of clips with those that ffmpeg decodes of
// the whole source.
func TestPicture(t *testing.T) {
	for number, file := range sharedtest.Share(t, videoFiles, 4) {
		t.Run(file.name, func(t *testing.T) {
			path := sharedtest.Corpus(t, "media/"+file.name)
			whole, at := ffmpegtest.Frames(t, path), origin(t, path)
			e := &Engine{Modality: citekit.Video}
			src := openFile(t, path)
			extent, err := e.Measure(t.Context(), src)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", extent)
			for i, span := range file.spans {
				want := during(whole, at, span)
				got, x := clip(t, e, src, span, citekit.ModeExact)
				compareFrames(t, shown(ffmpegtest.Frames(t, got)), want, span, true)
				if x.Actual != nil {
					t.Errorf("%v: actual %v", span, x.Actual.Time)
				}
				if i > 0 && !thorough() {
					continue
				}
				if number%2 == 0 || thorough() { // the files share the modes
					compareStrict(t, e, src, span, want)
				}
				if number%2 == 0 && !thorough() {
					continue
				}
				copied, x := clip(t, e, src, span, citekit.ModeCopy)
				if x.Actual != nil {
					span = x.Actual.Time
				}
				compareFrames(t, shown(ffmpegtest.Frames(t, copied)), during(whole, at, span), span, true)
			}
		})
	}
}

// compareStrict compares a clip that may store no more than it shows.
func compareStrict(t *testing.T, e *Engine, src *citekit.Source, span citekit.Span, want []ffmpegtest.Frame) {
	t.Helper()
	strict, _ := clip(t, e, src, span, citekit.ModeStrict)
	compareFrames(t, ffmpegtest.Frames(t, strict), want, span, false)
	if stored := len(ffmpegtest.Frames(t, strict, "-ignore_editlist", "1")); stored != len(want) {
		t.Errorf("strict %v: stores %d frames, shows %d", span, stored, len(want))
	}
}

// shown leaves out the frames before 0. An edit list hides them, but ffmpeg
// 5.1 decodes those of AV1 all the same.
func shown(frames []ffmpegtest.Frame) []ffmpegtest.Frame {
	return slices.DeleteFunc(frames, func(f ffmpegtest.Frame) bool { return f.Time < -slack })
}

// compareFrames compares pictures and times. Times are off by as much as
// those of the source are rounded.
func compareFrames(t *testing.T, got, want []ffmpegtest.Frame, span citekit.Span, same bool) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%v: %d frames, want %d", span, len(got), len(want))
		return
	}
	for i := range want {
		if same && got[i].Hash != want[i].Hash {
			t.Errorf("%v: frame %d of %d is another picture", span, i, len(want))
			return
		}
		if off := got[i].Time - (want[i].Time - span.Start); math.Abs(off) > 0.0011 {
			t.Errorf("%v: frame %d is shown %.4f s off", span, i, off)
			return
		}
	}
}

// TestRotation checks that clips are displayed turned and mirrored as the
// source is.
func TestRotation(t *testing.T) {
	path := sharedtest.Corpus(t, "media/h264-rotated.mp4")
	matrix := func(path string) string {
		return string(ffmpegtest.Run(t, "ffprobe", "-v", "fatal", "-select_streams", "v:0", "-show_entries", "stream_side_data=displaymatrix", "-of", "csv=p=0", path))
	}
	fragmented := ffmpegtest.Make(t, "fragmented.mp4", "-i", path, "-c", "copy", "-movflags", "frag_keyframe+empty_moov")
	for _, path := range []string{path, fragmented} {
		want := matrix(path)
		for _, mode := range []citekit.Mode{citekit.ModeExact, citekit.ModeCopy, citekit.ModeStrict} {
			got, _ := clip(t, &Engine{Modality: citekit.Video}, openFile(t, path), citekit.Span{Start: 0.3, End: 0.7}, mode)
			if m := matrix(got); m != want || len(want) < 20 {
				t.Errorf("%s %s: display matrix %q, want %q", filepath.Base(path), mode, m, want)
			}
		}
	}
}

// TestReproducible makes the clips whose bytes come from an encoder again.
func TestReproducible(t *testing.T) {
	sharedtest.NotShort(t)
	path := sharedtest.Corpus(t, "media/vp9-vorbis.webm")
	for _, mode := range []citekit.Mode{citekit.ModeExact, citekit.ModeCopy, citekit.ModeStrict} {
		var first []byte
		for range 2 {
			got, _ := clip(t, &Engine{Modality: citekit.Video}, openFile(t, path), citekit.Span{Start: 0.2, End: 0.8}, mode)
			data := sharedtest.Read(t, got)
			if first != nil && !bytes.Equal(data, first) {
				t.Errorf("%s: %d bytes that differ from the %d before", mode, len(data), len(first))
			}
			first = data
		}
	}
}

// TestEmptySpans asks for spans that hold nothing: the error says where
// something is, in decimals as addresses have them.
func TestEmptySpans(t *testing.T) {
	for _, c := range []struct {
		name     string
		modality citekit.Modality
		span     citekit.Span
		want     string
	}{
		{"h264-edit-list.mp4", citekit.Video, citekit.Span{Start: 1e-7, End: 2e-7}, "t=0.0000001-0.0000002 holds no frame; pictures run "},
		{"tiny.mov", citekit.Video, citekit.Span{Start: 0.301, End: 0.302}, "t=0.301-0.302 holds no frame; pictures run 0-"},
		{"vp9.webm", citekit.Video, citekit.Span{Start: 0.301, End: 0.302}, "t=0.301-0.302 holds no frame; pictures run 0-2.7"},
		{"pcm16.wav", citekit.Audio, citekit.Span{Start: 0.100001, End: 0.100002}, "t=0.100001-0.100002 holds no sound; sound runs 0-1"},
	} {
		e := &Engine{Modality: c.modality}
		src := openFile(t, sharedtest.Corpus(t, "media/"+c.name))
		_, err := e.Resolve(t.Context(), src, citekit.Request{Location: citekit.Location{Modality: c.modality, Time: c.span}})
		if !errors.Is(err, citekit.ErrRange) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that begins %q", c.name, err, c.want)
		}
	}
}

// TestWholeType asks for all of an MP4 file that has only sound.
func TestWholeType(t *testing.T) {
	for name, want := range map[string]string{"mp4-audio-only-15s.mp4": "audio/mp4", "h264-aac-chapters.mp4": "video/mp4"} {
		e := &Engine{Modality: citekit.Audio}
		x, err := e.Resolve(t.Context(), openFile(t, sharedtest.Corpus(t, "media/"+name)), citekit.Request{Location: citekit.Location{Modality: citekit.Audio}})
		if err != nil || x.MediaType != want {
			t.Errorf("%s: %+v, %v; want type %s", name, x, err, want)
		}
	}
}
