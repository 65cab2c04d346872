package mp4_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
	"github.com/citekit/citekit/modality/internal/media/mp4"
)

// unlisted returns a file in which all samples are listed as sync samples: the table of
// those is not found.
func unlisted(t *testing.T, file []byte) []byte {
	t.Helper()
	if n := bytes.Count(file, []byte("stss")); n != 1 {
		t.Fatalf("%d tables", n)
	}
	return bytes.Replace(file, []byte("stss"), []byte("free"), 1)
}

// listed returns a file whose last sync sample, as listed, is another one.
func listed(t *testing.T, file []byte, sample uint32) []byte {
	t.Helper()
	file = bytes.Clone(file)
	at := bytes.Index(file, []byte("stss"))
	n := binary.BigEndian.Uint32(file[at+8:])
	if n < 2 {
		t.Fatalf("%d sync samples", n)
	}
	binary.BigEndian.PutUint32(file[at+12+4*int(n-1):], sample)
	return file
}

// TestBegin cuts movies whose clips show other pictures than the movie if they
// begin where the table of sync samples says, or without what the encoder said
// in the first sample.
func TestBegin(t *testing.T) {
	const moving = "testsrc2=s=96x64:r=10:d=4"
	x264 := func(pixels, params string) []string {
		return []string{"-c:v", "libx264", "-pix_fmt", pixels, "-preset", "veryfast", "-threads", "1", "-x264-params", params}
	}
	same := func(_ *testing.T, file []byte) []byte { return file }
	for _, test := range []struct {
		name   string
		args   []string
		change func(*testing.T, []byte) []byte
	}{
		{"the encoder's version", x264("yuv444p", "keyint=15:scenecut=0:8x8dct=0"), func(t *testing.T, file []byte) []byte {
			core := []byte("x264 - core ")
			at := bytes.Index(file, core)
			if at < 0 {
				t.Fatal("the encoder does not say its version")
			}
			copy(file[at+len(core):], "142")
			return file
		}},
		{"rows refreshed by and by", x264("yuv420p", "keyint=15:intra-refresh=1:bframes=0"), same},
		{"every H.264 sample is called a sync sample", x264("yuv420p", "keyint=15:scenecut=0"), unlisted},
		{"an H.264 sample is wrongly called a sync sample", x264("yuv420p", "keyint=15:scenecut=0"), func(t *testing.T, file []byte) []byte {
			return listed(t, file, 24)
		}},
		{"every HEVC sample is called a sync sample", []string{"-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:keyint=15:scenecut=0"}, unlisted},
		{"every VP9 sample is called a sync sample", []string{"-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "15"}, unlisted},
		{"every MPEG-4 sample is called a sync sample", []string{"-c:v", "mpeg4", "-g", "15", "-bf", "2"}, unlisted},
		{"every MPEG-2 sample is called a sync sample", []string{"-c:v", "mpeg2video", "-r", "25", "-g", "15", "-bf", "2"}, unlisted},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := ffmpegtest.Make(t, "film.mp4", append([]string{"-f", "lavfi", "-i", moving}, test.args...)...)
			clipName := filepath.Join(t.TempDir(), "clip.mp4")
			file := sharedtest.Read(t, name)
			file = test.change(t, file)
			sharedtest.Write(t, name, file)
			var want []string
			whole := ffmpegtest.Frames(t, name)
			for _, mode := range []mp4.Mode{mp4.Exact, mp4.Copy} {
				clip, err := open(t, file).Reading(bytes.NewReader(file)).Cut(2.5, 3.5, mode)
				if err != nil {
					t.Fatal(err)
				}
				b, err := io.ReadAll(clip.NewReader(bytes.NewReader(file)))
				if err != nil || int64(len(b)) != clip.Size() {
					t.Fatalf("%d of %d bytes: %v", len(b), clip.Size(), err)
				}
				m := open(t, file)
				if with, ok := m.WithNotes(m.Notes(bytes.NewReader(file))); ok != m.NeedsNotes() || ok && clipOf(t, with, bytes.NewReader(file), 2.5, 3.5, mode) != string(b) {
					t.Errorf("mode %d: the clip is another with notes", mode)
				}
				sharedtest.Write(t, clipName, b)
				want = want[:0]
				for _, f := range whole {
					if f.Time > clip.Start()-1e-3 && f.Time < 3.5-1e-3 {
						want = append(want, f.Hash)
					}
				}
				var got []string
				for _, f := range ffmpegtest.Frames(t, clipName) {
					got = append(got, f.Hash)
				}
				if !slices.Equal(got, want) || len(got) < 10 {
					t.Errorf("mode %d: %d pictures are not the %d of the movie", mode, len(got), len(want))
				}
				if note := "x264 - core 142"; bytes.Contains(file, []byte(note)) != bytes.Contains(b, []byte(note)) {
					t.Errorf("mode %d: the clip lacks the note %q", mode, note)
				}
			}
		})
	}
}
