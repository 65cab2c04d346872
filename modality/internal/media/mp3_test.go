package media

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// TestMP3Packets compares what our own reader tells of MP3 files with what ffprobe
// does: all that is in the corpus, and files with a cover, with junk and of parts.
func TestMP3Packets(t *testing.T) {
	sharedtest.NotShort(t)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(sharedtest.Corpus(t, "media/vbr-xing.mp3")), "*.mp3"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	dir := t.TempDir()
	var parts []byte
	for name, args := range map[string]string{
		"cover.mp3":  "-i aevalsrc=sin(t):d=3:s=44100 -f lavfi -i color=s=16x16:d=0.1 -map 0 -map 1 -frames:v 1 -c:v mjpeg -disposition:v attached_pic",
		"low.mp3":    "-i anoisesrc=d=3:seed=1 -ar 22050 -ac 1",
		"stereo.mp3": "-i anoisesrc=d=3:seed=1 -ar 48000 -ac 2 -q:a 3",
	} {
		path := filepath.Join(dir, name)
		ffmpegtest.Run(t, "ffmpeg", append(append([]string{"-v", "error", "-f", "lavfi"}, strings.Fields(args)...), path)...)
		data := sharedtest.Read(t, path)
		parts = append(parts, data...)
		files = append(files, path)
	}
	junk := strings.Repeat("junk ", 2000)
	files = append(files, write(t, dir, "parts.mp3", string(parts)), write(t, dir, "junk.mp3", junk+string(parts)),
		write(t, dir, "tail.mp3", string(parts)+junk), write(t, dir, "short.mp3", string(parts[:len(parts)-99])))
	own := 0
	for _, path := range files {
		e := &Engine{Modality: citekit.Audio}
		m, err := e.open(t.Context(), openFile(t, path))
		if err != nil {
			t.Logf("%s: %v", filepath.Base(path), err)
			continue
		}
		f := m.(*foreign)
		if f.isMP3() {
			own++
		}
		got := f.tracks[0]
		in, err := e.Tools.Open(t.Context(), openFile(t, path), "mp3", f.format.junk)
		if err != nil {
			t.Fatal(err)
		}
		want := track{Stream: got.Stream, first: math.Inf(1), end: math.Inf(-1)}
		err = e.Tools.Packets(t.Context(), in, 0, func(p ffmpeg.Packet) {
			if p.Stream == want.Index {
				want.play(p, f.origin)
			}
		})
		in.Close()
		if err != nil || got != want {
			t.Errorf("%s: %+v, want %+v: %v", filepath.Base(path), got, want, err)
		}
	}
	if own < 8 {
		t.Errorf("%d files are read by our own reader", own)
	}
}
