package media

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// BenchmarkMatroska cuts a minute out of six minutes of 1080p, exactly, beside
// ffmpeg that copies from the key frame before.
func BenchmarkMatroska(b *testing.B) {
	mkv := filepath.Join(b.TempDir(), "long.mkv")
	output(b, "ffmpeg", "-nostdin", "-v", "error", "-i", sharedtest.Corpus(b, "media/h264-long-6min.mp4"), "-c", "copy", mkv)
	b.Run("ffmpeg copy", func(b *testing.B) {
		for b.Loop() {
			output(b, "ffmpeg", "-nostdin", "-v", "error", "-y", "-ss", "200", "-i", mkv, "-t", "60", "-c", "copy", filepath.Join(b.TempDir(), "x.mp4"))
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			resolveMinute(b, &Engine{Modality: citekit.Video}, mkv)
		}
	})
	b.Run("warm", func(b *testing.B) {
		e := &Engine{Modality: citekit.Video}
		for b.Loop() {
			resolveMinute(b, e, mkv)
		}
	})
}

func resolveMinute(b *testing.B, e *Engine, path string) {
	b.Helper()
	src := openFile(b, path)
	x, err := e.Resolve(b.Context(), src, citekit.Request{Location: citekit.Location{Modality: e.Modality, Time: citekit.Span{Start: 200, End: 260}}})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, x.Body); err != nil {
		b.Fatal(err)
	}
	x.Body.Close()
}
