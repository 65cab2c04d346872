package media

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// luma decodes the pictures of a span of a file from its very start: the
// brightness of each pixel.
func luma(t *testing.T, path string, span citekit.Span, size int) (pictures [][]byte) {
	t.Helper()
	raw := ffmpegtest.Run(t, "ffmpeg", "-nostdin", "-v", "fatal", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough",
		"-vf", "trim="+seconds(span.Start-1e-3)+":"+seconds(span.End-1e-3), "-f", "rawvideo", "-pix_fmt", "gray", "-")
	return slices.Collect(slices.Chunk(raw, size))
}

// difference returns the mean difference of pixels.
func difference(a, b []byte) float64 {
	sum := 0
	for i := range a {
		sum += max(int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return float64(sum) / float64(len(a))
}

// TestUnfaithfulCopy cuts films in which the pictures after one that needs no
// other are made of those before it. A copy from there on would show others, so
// the clip is encoded anew, and says so.
func TestUnfaithfulCopy(t *testing.T) {
	const width, height = 96, 64
	dir := t.TempDir()
	path := filepath.Join(dir, "film.mp4")
	ffmpegtest.Run(t, "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=10:d=1.6", "-f", "lavfi", "-i", "mandelbrot=s=96x64:r=10,trim=duration=0.3",
		"-filter_complex", "[0:v]split[a][c];[a]setsar=1,format=yuv420p[a];[1:v]setsar=1,format=yuv420p[b];[c]setsar=1,format=yuv420p[c];[a][b][c]concat=n=3:v=1",
		"-c:v", "libx264", "-preset", "veryslow", "-threads", "1", "-x264-params", "keyint=250:min-keyint=250:scenecut=100:ref=16:bframes=0:crf=32", path)
	data := sharedtest.Read(t, path)
	if !bytes.Contains(data, []byte("stss")) {
		t.Fatal("no table of sync samples")
	}
	data = bytes.Replace(data, []byte("stss"), []byte("free"), 1) // so all are listed as sync samples
	sharedtest.Write(t, path, data)
	span := citekit.Span{Start: 2.2, End: 3.2}
	want := luma(t, path, span, width*height)
	e := &Engine{Modality: citekit.Video}
	for _, mode := range []citekit.Mode{citekit.ModeExact, citekit.ModeStrict, citekit.ModeCopy} {
		made, x := clip(t, e, openFile(t, path), span, mode)
		if says := slices.Equal(x.Changes, []string{changeEncoded}); says != (mode != citekit.ModeStrict) || x.Actual != nil {
			t.Errorf("%s: changes %q, actual %v", mode, x.Changes, x.Actual)
		}
		got := luma(t, made, citekit.Span{End: 60}, width*height)
		if len(got) != len(want) || len(got) == 0 {
			t.Errorf("%s: %d pictures, want %d", mode, len(got), len(want))
			continue
		}
		for i := range got {
			if d := difference(got[i], want[i]); d > 2 {
				t.Errorf("%s: picture %d differs by %.1f", mode, i, d)
			}
		}
	}
	// Without ffmpeg nothing is compared.
	without := &Engine{Modality: citekit.Video}
	without.Tools.FFmpeg, without.Tools.FFprobe = "/missing", "/missing"
	if _, x := clip(t, without, openFile(t, path), span, citekit.ModeExact); len(x.Changes) > 0 {
		t.Errorf("without ffmpeg: changes %q", x.Changes)
	}
}
