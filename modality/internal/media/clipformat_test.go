package media

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// TestClipFormat checks that a clip in another format than its source says so.
func TestClipFormat(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{
		"film.mkv": "video/mp4 instead of video/x-matroska", "tone.mp3": "audio/mp4 instead of audio/mpeg",
		"film.mp4": "", "tone.flac": "", "tone.m4a": "",
	} {
		path := filepath.Join(dir, name)
		input, e := "sine=d=1.5", &Engine{Modality: citekit.Audio}
		if strings.HasPrefix(name, "film") {
			input, e = "testsrc2=s=64x48:r=10:d=1.5", &Engine{Modality: citekit.Video}
		}
		ffmpegtest.Run(t, "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", input, path)
		_, x := clip(t, e, openFile(t, path), citekit.Span{Start: .5, End: 1}, citekit.ModeExact)
		got := strings.TrimPrefix(strings.Join(x.Changes, "; "), "stored as ")
		if got != want || want != "" && !strings.HasPrefix(want, x.MediaType) {
			t.Errorf("a clip of %s is %s: %q, want %q", name, x.MediaType, x.Changes, want)
		}
	}
}
