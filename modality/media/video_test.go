package media_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
	"github.com/citekit/citekit/modality/media"
	"github.com/citekit/citekit/modality/modalitytest"
)

func at(start, end float64) citekit.Location {
	return citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: start, End: end}}
}

// outside are locations beyond the end of a second of media.
var outside = []citekit.Location{at(1, 2), at(0.5, 1.2), at(7, 0), at(1e9, 2e9)}

var foreign = citekit.Location{Modality: citekit.Audio, Time: citekit.Span{Start: 0, End: 0.1}}

// garbage are things that are no media.
var garbage = [][]byte{
	[]byte("#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:9/x.ts\n"), []byte("ffconcat version 1.0\nfile x.mp4\n"),
	[]byte("v=0\no=- 0 0 IN IP4 127.0.0.1\n"), []byte("\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska"),
	[]byte("\x00\x00\x00\x08moov"), bytes.Repeat([]byte{0x47, 0x40, 0, 0x10}, 47*6), []byte("fLaC\x00\x00\x00\x22"),
}

func TestConformanceQuickTime(t *testing.T) {
	t.Setenv("PATH", "") // none of this needs ffmpeg
	modalitytest.Test(t, &media.Resolver{}, modalitytest.Fixture{
		Name:   "count.mov",
		Source: mp4test.Video(10, 10, 16, 8),
		Good: []modalitytest.Case{
			{Name: "middle", Location: at(0.3, 0.5), Check: func(t testing.TB, got []byte, _ *citekit.Content) {
				for n := range 10 {
					in := bytes.Contains(got, mp4test.Frame(n, 16, 8))
					if want := n == 3 || n == 4; in != want {
						t.Errorf("frame %d is in the clip: %v, want %v", n, in, want)
					}
				}
			}},
			{Name: "to the end", Location: at(0.85, 0)},
			{Name: "copy", Location: at(0.32, 0.5), Mode: citekit.ModeCopy},
		},
		OutOfRange: outside,
		Foreign:    foreign,
		Extent:     citekit.Extent{Modality: citekit.Video, Duration: 1, Width: 16, Height: 8, MediaType: "video/quicktime"},
		Garbage:    garbage,
	})
}

// generate runs ffmpeg on a second of a test picture.
func generate(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	all := append([]string{"-f", "lavfi", "-i", "testsrc=size=32x32:rate=10:duration=1"}, args...)
	return sharedtest.Read(t, ffmpegtest.Make(t, name, append(all, "-fflags", "+bitexact")...))
}

func TestConformanceMatroska(t *testing.T) {
	modalitytest.Test(t, &media.Resolver{Options: media.Options{MaxChildren: 1}}, modalitytest.Fixture{
		Name:   "clock.mkv",
		Source: generate(t, "clock.mkv", "-c:v", "libx264", "-bf", "2"),
		Good: []modalitytest.Case{{Name: "middle", Location: at(0.3, 0.5), Check: func(t testing.TB, got []byte, x *citekit.Content) {
			if len(got) < 100 || string(got[4:8]) != "ftyp" || x.MediaType != "video/mp4" {
				t.Errorf("%d bytes of %s that are no MP4 file", len(got), x.MediaType)
			}
		}}},
		OutOfRange: outside[:2],
		Foreign:    foreign,
		Extent:     citekit.Extent{Modality: citekit.Video, Duration: 1, Width: 32, Height: 32, MediaType: "video/x-matroska"},
		Garbage:    garbage,
		Slow:       true,
	})
}

func source(data []byte) *citekit.Source {
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "x.mp4", Size: int64(len(data))})
}

func TestMissingFFmpeg(t *testing.T) {
	mkv := generate(t, "clock.mkv", "-c:v", "mpeg4")
	t.Setenv("PATH", "")
	r := &media.Resolver{}
	_, err := r.Resolve(t.Context(), source(mkv), citekit.Request{Location: at(0.3, 0.5)})
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "winget install ffmpeg") {
		t.Errorf("Matroska: error %v", err)
	}
	mov := mp4test.Video(10, 10, 16, 8)
	_, err = r.Resolve(t.Context(), source(mov), citekit.Request{Location: at(0.3, 0.5), Mode: citekit.ModeStrict})
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "brew install ffmpeg") {
		t.Errorf("QuickTime, strict: error %v", err)
	}
	x, err := r.Resolve(t.Context(), source(mov), citekit.Request{Location: at(0.3, 0.5)})
	if err != nil {
		t.Fatalf("QuickTime: error %v", err)
	}
	x.Body.Close()
}

// TestSoundOnly asks for the video of files that have only sound, or a cover.
func TestSoundOnly(t *testing.T) {
	cover := generate(t, "cover.mp4", "-f", "lavfi", "-i", "sine=duration=1", "-map", "1", "-map", "0", "-frames:v", "1",
		"-c:a", "aac", "-c:v", "png", "-disposition:v:0", "attached_pic")
	sound := generate(t, "sound.mkv", "-f", "lavfi", "-i", "sine=duration=1", "-map", "1", "-c:a", "aac")
	r := &media.Resolver{}
	for name, data := range map[string][]byte{"QuickTime sound": mp4test.PCM(1, 8000, 1), "MP4 with a cover": cover, "Matroska sound": sound} {
		_, err := r.Resolve(t.Context(), source(data), citekit.Request{Location: at(0.3, 0.5)})
		if !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "no video") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestSubtitles checks that text subtitles that are on when a range begins, or
// begin in it, are in the clip.
func TestSubtitles(t *testing.T) {
	srt := filepath.Join(t.TempDir(), "x.srt")
	text := "1\n00:00:00,100 --> 00:00:00,500\nearly\n\n2\n00:00:00,600 --> 00:00:00,700\ninside\n\n3\n00:00:00,900 --> 00:00:00,950\nlate\n"
	sharedtest.Write(t, srt, []byte(text))
	mkv := generate(t, "clock.mkv", "-i", srt, "-map", "0", "-map", "1", "-c:v", "libx264", "-c:s", "srt")
	for _, mode := range []citekit.Mode{citekit.ModeExact, citekit.ModeStrict} {
		x, err := (&media.Resolver{}).Resolve(t.Context(), source(mkv), citekit.Request{Location: at(0.4, 0.8), Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "clip.mp4")
		var clip bytes.Buffer
		if _, err := clip.ReadFrom(x.Body); err != nil {
			t.Fatal(err)
		}
		x.Body.Close()
		sharedtest.Write(t, path, clip.Bytes())
		got := ffmpegtest.Run(t, "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:s:0", "-f", "srt", "-")
		want := "1\n00:00:00,000 --> 00:00:00,100\nearly\n\n2\n00:00:00,200 --> 00:00:00,300\ninside\n\n"
		if string(got) != want {
			t.Errorf("%s: subtitles %q, want %q", mode, got, want)
		}
	}
}
