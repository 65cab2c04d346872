package media

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
	"github.com/citekit/citekit/preview"
)

// shaded makes a video whose frames tell the time: 8 levels of grey a second.
func shaded(t *testing.T, name string, length, group int, args ...string) string {
	t.Helper()
	all := []string{"-f", "lavfi",
		"-i", fmt.Sprintf("color=c=black:s=96x64:r=10:d=%d,geq=lum='16+8*T':cb=128:cr=128", length),
		"-c:v", "mpeg4", "-q:v", "1", "-g", fmt.Sprint(group), "-sc_threshold", "1000000000"}
	return ffmpegtest.Make(t, name, append(append(all, args...), "-fflags", "+bitexact")...)
}

// TestSheetTimes checks that each frame is the one of its time, that times are
// in the span, and how many there are: where there are key frames, where there
// are none, and in containers that count from another number.
func TestSheetTimes(t *testing.T) {
	sharedtest.NotShort(t)
	made := make(map[string]string)
	for _, tt := range []struct {
		name  string
		group int
		span  citekit.Span
		least int
	}{
		{"a.mp4", 10, citekit.Span{End: 24}, 12},
		{"a.mp4", 10, citekit.Span{Start: 3.25, End: 20}, 10},
		{"a.mp4", 600, citekit.Span{Start: 4, End: 16}, 12},
		{"a.mp4", 10, citekit.Span{Start: 4, End: 4.5}, 5},
		{"a.mp4", 10, citekit.Span{Start: 4, End: 4.1}, 1},
		{"a.mkv", 10, citekit.Span{Start: 5, End: 24}, 12},
		{"a.ts", 10, citekit.Span{Start: 5, End: 24}, 10},
	} {
		kind := fmt.Sprint(tt.name, " ", tt.group)
		if made[kind] == "" {
			made[kind] = shaded(t, tt.name, 24, tt.group)
		}
		t.Run(fmt.Sprint(kind, " ", tt.span), func(t *testing.T) {
			src := openFile(t, made[kind])
			e := &Engine{Modality: citekit.Video}
			m, err := e.open(t.Context(), src)
			if err != nil {
				t.Fatal(err)
			}
			f := frameFinder{engine: e, medium: m, src: src, span: tt.span, count: frameCount(m, tt.span)}
			f.size.X, f.size.Y = 48, 32
			frames, err := f.find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(frames) < tt.least || len(frames) > 12 {
				t.Errorf("%d frames, want at least %d", len(frames), tt.least)
			}
			for i, frame := range frames {
				if frame.Time < tt.span.Start || frame.Time >= tt.span.End || i > 0 && frame.Time <= frames[i-1].Time {
					t.Errorf("a frame at %v", frame.Time)
				}
				grey := frame.Image.RGBAAt(24, 16).G
				want := 8 * frame.Time * 255 / 219
				if math.Abs(float64(grey)-want) > 4 {
					t.Errorf("the frame of %v has the grey %d, want %.0f", frame.Time, grey, want)
				}
			}
		})
	}
}

// TestPreviewWithoutFFmpeg checks that the error says what is missing.
func TestPreviewWithoutFFmpeg(t *testing.T) {
	none := filepath.Join(t.TempDir(), "ffmpeg")
	e := &Engine{Modality: citekit.Video, Tools: ffmpeg.Tools{FFmpeg: none, FFprobe: none}}
	src := source("a.mp4", mp4test.Video(20, 10, 64, 48))
	_, err := e.Preview(t.Context(), src, citekit.Location{Modality: citekit.Video}, preview.Options{})
	var missing *ffmpeg.MissingError
	if !errors.Is(err, errors.ErrUnsupported) || !errors.As(err, &missing) {
		t.Errorf("of a video: %v", err)
	}
}

// TestSheetOfNothing has a span in which no frame begins.
func TestSheetOfNothing(t *testing.T) {
	src := openFile(t, shaded(t, "a.mp4", 2, 10))
	e := &Engine{Modality: citekit.Video}
	_, err := e.Preview(t.Context(), src, citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: 1.01, End: 1.02}}, preview.Options{})
	if !errors.Is(err, citekit.ErrRange) {
		t.Errorf("where no frame begins: %v", err)
	}
}
