package media

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// generate makes a file with ffmpeg: half a minute of a clock with noise.
func generate(t *testing.T, name string, args ...string) string {
	t.Helper()
	all := []string{"-f", "lavfi", "-i", "testsrc=size=64x48:rate=24:duration=36",
		"-f", "lavfi", "-i", "aevalsrc='0.4*sin(2*PI*(300+40*t)*t)+0.1*random(0)':s=44100:d=36"}
	return ffmpegtest.Make(t, name, append(append(all, args...), "-fflags", "+bitexact")...)
}

// long are containers in which ffmpeg has to seek, each with its own ways.
var long = []struct {
	name  string
	args  string
	same  bool // frames are those of the source, not encoded again
	sound bool // sound is to the sample, or the millisecond in Matroska
}{
	{"open-gop.mkv", "-c:v libx264 -preset veryfast -g 100 -bf 3 -x264-params open-gop=1 -c:a libmp3lame", true, true},
	{"vp9.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 120 -c:a libopus", true, true},
	{"h264.ts", "-c:v libx264 -preset veryfast -g 150 -bf 2 -c:a aac", true, true},
	{"mpeg2.ts", "-c:v mpeg2video -g 60 -bf 2 -q:v 4 -c:a mp2", true, true},
	{"mpeg4.avi", "-c:v mpeg4 -g 100 -q:v 4 -c:a libmp3lame", true, true},
	{"mjpeg-pcm.avi", "-c:v mjpeg -pix_fmt yuvj420p -q:v 4 -c:a pcm_s16le", true, true},
	{"vp8-vorbis.webm", "-c:v libvpx -deadline realtime -cpu-used 8 -g 120 -b:v 1M -c:a libvorbis", false, true},
	{"theora.ogv", "-c:v libtheora -g 60 -q:v 7 -c:a libvorbis", false, false},
	{"fragments.mp4", "-c:v libx264 -preset veryfast -g 100 -bf 2 -c:a aac -movflags frag_keyframe+empty_moov", true, true},
}

func TestSeek(t *testing.T) {
	sharedtest.NotShort(t)
	for i, file := range long {
		if i%4 > 0 && !thorough() {
			continue
		}
		t.Run(file.name, func(t *testing.T) {
			path := generate(t, file.name, strings.Fields(file.args)...)
			frames, at := ffmpegtest.Frames(t, path), origin(t, path)
			whole := decodeSound(t, path, at)
			large := &Engine{Modality: citekit.Video, measured: 1}
			video, audio := &Engine{Modality: citekit.Video}, &Engine{Modality: citekit.Audio}
			src := openFile(t, path)
			spans := []citekit.Span{{Start: 29.3, End: 31.1}}
			if thorough() {
				spans = append(spans, citekit.Span{Start: 13, End: 13.5})
			}
			for _, span := range spans {
				got, x := clip(t, video, src, span, citekit.ModeExact)
				want := during(frames, at, span)
				compareFrames(t, shown(ffmpegtest.Frames(t, got)), want, span, file.same)
				got, _ = clip(t, large, src, span, citekit.ModeExact)
				compareFrames(t, shown(ffmpegtest.Frames(t, got)), want, span, file.same)
				t.Logf("%v: %s of %d bytes, %d frames", span, x.Ext, x.Size, len(want))
				if file.sound {
					compareSound(t, audio, src, whole, span, citekit.ModeExact, file.name != "mpeg4.avi")
				}
				copied, x := clip(t, video, src, span, citekit.ModeCopy)
				if x.Actual != nil {
					span = x.Actual.Time
				}
				compareFrames(t, shown(ffmpegtest.Frames(t, copied)), during(frames, at, span), span, true)
			}
		})
	}
}

// TestMeasureEnd measures files as if they were too large to be read whole:
// one whose header is right, and one whose header promises much more.
func TestMeasureEnd(t *testing.T) {
	sharedtest.NotShort(t)
	path := generate(t, "end.mkv", "-c:v", "mpeg4", "-t", "3", "-g", "24")
	long := ffmpegtest.Make(t, "long.mkv", "-stream_loop", "29", "-i", path, "-c", "copy")
	data := sharedtest.Read(t, long)
	whole, err := (&Engine{Modality: citekit.Video}).Measure(t.Context(), openFile(t, long))
	if err != nil || whole.Duration < 85 {
		t.Fatalf("%v s, %v", whole.Duration, err)
	}
	cut := filepath.Join(t.TempDir(), "cut.mkv")
	sharedtest.Write(t, cut, data[:len(data)/3])
	small, err := (&Engine{Modality: citekit.Video}).Measure(t.Context(), openFile(t, cut))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]citekit.Extent{long: whole, cut: small} {
		e := &Engine{Modality: citekit.Video, measured: 1}
		got, err := e.Measure(t.Context(), openFile(t, path))
		if err != nil || got != want {
			t.Errorf("by its end: %+v, %v; by all of it: %+v", got, err, want)
		}
		span := citekit.Span{Start: 20, End: 20.5}
		clipped, _ := clip(t, e, openFile(t, path), span, citekit.ModeExact)
		compareFrames(t, shown(ffmpegtest.Frames(t, clipped)), during(ffmpegtest.Frames(t, path), origin(t, path), span), span, true)
	}
}
