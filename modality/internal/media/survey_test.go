package media

import (
	"bytes"
	"encoding/binary"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// TestSurvey compares the duration that the end of a Matroska file gives with
// that of all its packets.
func TestSurvey(t *testing.T) {
	sharedtest.NotShort(t)
	dir := t.TempDir()
	sound, picture := "aevalsrc='0.2*sin(2*PI*300*t)':s=48000:d=95.3", "testsrc=size=64x48:rate=25:duration=94.1"
	paths := map[string]string{}
	for i, file := range []struct{ name, args string }{
		{"rate.mkv", "-map 0 -map 1 -c:v libx264 -r 30000/1001 -c:a libmp3lame"},
		{"h264.mkv", "-map 0 -map 1 -c:v libx264 -bf 3 -c:a aac"},
		{"late.mkv", "-map 0 -map 1 -c:v libx264 -c:a libvorbis -output_ts_offset 3.3"},
		{"vp8.webm", "-map 0 -map 1 -c:v libvpx -deadline realtime -cpu-used 8 -c:a libopus"},
		{"short.mkv", "-map 0 -map 1 -c:v libx264 -c:a aac -af atrim=0:20"},
		{"live.mkv", "-map 0 -map 1 -c:v libx264 -c:a ac3 -f matroska -live 1"},
		{"opus.mka", "-map 0 -c:a libopus"},
		{"vorbis.mka", "-map 0 -c:a libvorbis"},
		{"pictures.mkv", "-map 1 -c:v mpeg4 -g 600"},
		{"flac.mka", "-map 0 -c:a flac"},
		{"aac.mka", "-map 0 -c:a aac -output_ts_offset 7"},
	} {
		if i%2 > 0 && !thorough() {
			continue
		}
		paths[file.name] = filepath.Join(dir, file.name)
		all := []string{"-nostdin", "-v", "error", "-f", "lavfi", "-i", sound, "-f", "lavfi", "-i", picture}
		ffmpegtest.Run(t, "ffmpeg", append(append(all, strings.Fields(file.args)...), paths[file.name])...)
	}
	merged := filepath.Join(dir, "merged.mkv")
	if said, err := exec.Command(sharedtest.Tool(t, "mkvmerge"), "-q", "-o", merged, paths["rate.mkv"]).CombinedOutput(); err != nil {
		t.Fatalf("mkvmerge: %v: %s", err, said)
	}
	paths["merged.mkv"] = merged
	for name, duration := range map[string]float64{"too long.mkv": 5e6, "endless.mkv": 1e30, "infinite.mkv": math.Inf(1), "negative.mkv": -7e4, "too short.mkv": 65_000} {
		paths[name] = filepath.Join(dir, name)
		lieAboutDuration(t, merged, paths[name], duration)
	}
	for name, path := range paths {
		modality := citekit.Video
		if filepath.Ext(name) == ".mka" {
			modality = citekit.Audio
		}
		src := openFile(t, path)
		whole, err := (&Engine{Modality: modality}).open(t.Context(), src)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := (&Engine{Modality: modality, measured: 1}).Measure(t.Context(), src)
		if want := whole.extent(); err != nil || got != want || math.Abs(got.Duration-94.7) > 1 && name != "late.mkv" && name != "short.mkv" {
			t.Errorf("%s: %+v, want %+v: %v", name, got, want, err)
		}
	}
}

// lieAboutDuration writes a Matroska file anew with another duration, in
// milliseconds, in its header.
func lieAboutDuration(t *testing.T, from, to string, duration float64) {
	t.Helper()
	b := sharedtest.Read(t, from)
	at := bytes.Index(b, []byte("\x44\x89\x84"))
	if at < 0 {
		t.Fatal("no duration of four bytes")
	}
	binary.BigEndian.PutUint32(b[at+3:], math.Float32bits(float32(duration)))
	write(t, filepath.Dir(to), filepath.Base(to), string(b))
}
