package media

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// The oracle is ffmpeg itself, told to decode all of a file: what a clip
// decodes to is looked for in that.

// thorough reports whether tests may take minutes.
func thorough() bool { return os.Getenv("CITEKIT_LONG") != "" }

// openFile returns a file as a source.
func openFile(t testing.TB, path string) *citekit.Source {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return citekit.NewSource(f, citekit.SourceInfo{Name: filepath.Base(path), Size: info.Size(), Identity: path})
}

// clip resolves a span and returns the path of the evidence.
func clip(t testing.TB, e *Engine, src *citekit.Source, span citekit.Span, mode citekit.Mode) (string, *citekit.Content) {
	t.Helper()
	loc := citekit.Location{Modality: e.Modality, Time: span}
	x, err := e.Resolve(t.Context(), src, citekit.Request{Location: loc, Mode: mode})
	if err != nil {
		t.Fatalf("%s t=%v %s: %v", src.Name(), span, mode, err)
	}
	data, err := io.ReadAll(x.Body)
	if err != nil || int64(len(data)) != x.Size {
		t.Fatalf("%s t=%v: %d bytes, Size %d, %v", src.Name(), span, len(data), x.Size, err)
	}
	if err := x.Body.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "clip"+x.Ext)
	sharedtest.Write(t, path, data)
	return path, x
}

// sound is the first sound track of a file, decoded.
type sound struct {
	rate, channels int
	samples        []int16 // interleaved
}

func (s sound) frames() int { return len(s.samples) / s.channels }

// decodeSound decodes from a container time in seconds on, with silence where
// there is no sound yet, so that sample k is what is heard k/rate later.
func decodeSound(t testing.TB, path string, origin float64, before ...string) sound {
	t.Helper()
	first := "0"
	if origin != 0 {
		args := append(append([]string{"-v", "fatal"}, before...), "-select_streams", "a:0", "-show_entries", "stream=sample_rate", "-of", "csv=p=0", path)
		line, _, _ := strings.Cut(string(ffmpegtest.Run(t, "ffprobe", args...)), "\n") // others are of programs
		rate, err := strconv.Atoi(strings.Trim(line, ","))
		if err != nil {
			t.Fatal(err)
		}
		first = strconv.Itoa(int(math.Round(origin * float64(rate))))
	}
	args := append(append([]string{"-nostdin", "-v", "fatal"}, before...), "-copyts", "-i", path, "-map", "0:a:0",
		"-af", "aresample=async=1:min_hard_comp=0.02:first_pts="+first, "-c:a", "pcm_s16le", "-f", "wav", "-")
	head, raw, ok := bytes.Cut(ffmpegtest.Run(t, "ffmpeg", args...), []byte("data"))
	if !ok || len(head) < 36 || len(raw) < 4 {
		t.Fatalf("no sound in %s", filepath.Base(path))
	}
	raw = raw[4:] // a length that is not known
	s := sound{
		rate:     int(binary.LittleEndian.Uint32(head[24:])),
		channels: int(binary.LittleEndian.Uint16(head[22:])),
		samples:  make([]int16, len(raw)/2),
	}
	for i := range s.samples {
		s.samples[i] = int16(binary.LittleEndian.Uint16(raw[2*i:]))
	}
	return s
}

// distance returns the mean absolute difference between a clip and the samples
// of s from a place on.
func (s sound) distance(clip sound, at int) float64 {
	n := min(clip.frames(), s.frames()-at)
	if at < 0 || n <= 0 {
		return math.Inf(1)
	}
	sum := 0.0
	whole, part := s.samples[at*s.channels:(at+n)*s.channels], clip.samples[:n*s.channels]
	for i, v := range part {
		sum += math.Abs(float64(v) - float64(whole[i]))
	}
	return sum / float64(len(part))
}

// loudness returns the mean absolute sample.
func (s sound) loudness() float64 {
	sum := 0.0
	for _, v := range s.samples {
		sum += math.Abs(float64(v))
	}
	return sum / float64(max(len(s.samples), 1))
}

// place returns where in s a clip is found: the place nearest to near that
// fits best.
func (s sound) place(clip sound, near, within int) (at int, distance float64) {
	at, distance = near, s.distance(clip, near)
	for d := 1; d <= within && distance > 0; d++ {
		for _, k := range []int{near - d, near + d} {
			if x := s.distance(clip, k); x < distance {
				at, distance = k, x
			}
		}
	}
	return at, distance
}

// origin returns the container time of t=0 by the rule of this package, as
// ffprobe tells it.
func origin(t testing.TB, path string, before ...string) float64 {
	t.Helper()
	args := append([]string{"-v", "fatal", "-show_entries", "format=start_time,format_name", "-of", "csv=p=0"}, before...)
	out := ffmpegtest.Run(t, "ffprobe", append(args, path)...)
	name, start, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(string(out)), `"`, ""), ",")
	i := strings.LastIndex(start, ",")
	v, err := strconv.ParseFloat(start[i+1:], 64)
	if err != nil || name == "mov" {
		return 0
	}
	return max(v, 0)
}

// during returns the frames in a span, of times counted from origin.
func during(frames []ffmpegtest.Frame, origin float64, span citekit.Span) []ffmpegtest.Frame {
	return ffmpegtest.During(frames, origin, span.Start, span.End)
}
