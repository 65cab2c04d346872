package mp4_test

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
	"github.com/citekit/citekit/modality/internal/media/mp4"
)

var cuts = flag.Int("cuts", 2, "random cuts of each file to compare with ffmpeg's decoding")

// soundRate is the rate at which sound is compared.
const soundRate = 48000

// decodeSound returns the sound of a file from its time 0 on, in one channel
// at soundRate, silence where there is none.
func decodeSound(t *testing.T, name string) []float64 {
	t.Helper()
	out := ffmpegtest.Run(t, "ffmpeg", "-nostdin", "-v", "fatal", "-copyts", "-t", strconv.Itoa(longest), "-i", name, "-map", "0:a:0", "-ac", "1",
		"-af", fmt.Sprintf("aresample=%d:async=1:first_pts=0:min_hard_comp=0.02", soundRate), "-ar", strconv.Itoa(soundRate), "-f", "s16le", "-")
	sound := make([]float64, len(out)/2)
	for i := range sound {
		sound[i] = float64(int16(binary.LittleEndian.Uint16(out[2*i:])))
	}
	return sound
}

// offsetOf returns by how many samples, at most within, part must be moved to
// match whole from at on, and the mean difference then.
func offsetOf(part, whole []float64, at, within int) (offset int, difference float64) {
	n := min(len(part), soundRate/2)
	difference = math.Inf(1)
	for lag := -within; lag <= within; lag++ {
		sum, count := 0.0, 0
		for i := 0; i < n; i += 3 {
			if k := at + lag + i; k >= 0 && k < len(whole) {
				sum += math.Abs(part[i] - whole[k])
				count++
			}
		}
		if count > n/12 && sum/float64(count) < difference {
			offset, difference = lag, sum/float64(count)
		}
	}
	return offset, difference
}

// loudness returns the mean amplitude.
func loudness(s []float64) (sum float64) {
	for _, v := range s {
		sum += math.Abs(v)
	}
	return sum / float64(max(1, len(s)))
}

func openFile(t testing.TB, name string) (*os.File, *mp4.Movie, error) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	m, err := mp4.Open(f, info.Size())
	return f, m, err
}

// writeClip writes a clip and checks its size.
func writeClip(t testing.TB, c *mp4.Clip, source io.ReaderAt, name string) {
	t.Helper()
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	n, err := io.Copy(out, c.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	if n != c.Size() {
		t.Fatalf("clip of %d bytes declared %d", n, c.Size())
	}
}

// longest bounds how much of a source is decoded, in seconds.
const longest = 12

// compareCuts compares random cuts of a file with ffmpeg's decoding of it.
// The sound may be off by slack samples.
func compareCuts(t *testing.T, name string, n, slack int) {
	f, m, err := openFile(t, name)
	if err != nil {
		t.Fatal(err)
	}
	var frames []ffmpegtest.Frame
	var sound []float64
	if has(m.Tracks(), mp4.Video) {
		frames = ffmpegtest.Frames(t, name, "-t", strconv.Itoa(longest))
	}
	if has(m.Tracks(), mp4.Audio) {
		sound = decodeSound(t, name)
	}
	random := rand.New(rand.NewPCG(1, 2))
	duration := min(m.Duration(), longest)
	clip := filepath.Join(t.TempDir(), "clip"+filepath.Ext(name))
	exact := 0
	for range n {
		start := random.Float64() * duration * 0.95
		end := start + 0.05 + random.Float64()*min(8, duration-start)
		if random.IntN(4) == 0 {
			start = math.Round(start*10) / 10
			end = max(start+0.1, math.Round(end*10)/10)
		}
		if len(frames) > 0 && random.IntN(4) == 0 { // as tools print times
			start = math.Round(frames[random.IntN(len(frames))].Time*1e6) / 1e6
			start = max(0, start)
			end = start + 0.2 + random.Float64()*2
		}
		if end = min(end, longest-1); start >= m.Duration() || start >= end {
			exact++
			continue
		}
		c, err := m.Cut(start, end, mp4.Exact)
		want := ffmpegtest.During(frames, 0, start, end)
		if errors.Is(err, mp4.ErrEmpty) && len(want) == 0 {
			exact++
			continue
		}
		if err != nil {
			t.Errorf("[%g, %g): %v", start, end, err)
			continue
		}
		writeClip(t, c, f, clip)
		var got []ffmpegtest.Frame
		if has(c.Tracks(), mp4.Video) {
			got = ffmpegtest.Frames(t, clip)
			if c.Tracks()[0].Codec == "av01" { // older ffmpeg gives AV1 frames hidden before or after an edit
				got = ffmpegtest.During(got, 0, 0, end-start)
			}
		}
		if diff := diffFrames(want, got, start); diff != "" {
			t.Errorf("[%g, %g): %s", start, end, diff)
			continue
		}
		if has(c.Tracks(), mp4.Audio) && !sameSound(t, sound, decodeSound(t, clip), start, c.End(), slack) {
			continue
		}
		exact++
	}
	t.Logf("%s: %d of %d cuts exact", filepath.Base(name), exact, n)
}

func has(tracks []mp4.Track, kind mp4.Kind) bool {
	return slices.ContainsFunc(tracks, func(x mp4.Track) bool { return x.Kind == kind })
}

// diffFrames says how the frames of a clip differ from those wanted.
func diffFrames(want, got []ffmpegtest.Frame, start float64) string {
	sums := func(frames []ffmpegtest.Frame) (s []string) {
		for _, x := range frames {
			s = append(s, fmt.Sprintf("%.4f %.6s", x.Time, x.Hash))
		}
		return s
	}
	if len(want) != len(got) {
		return fmt.Sprintf("%d frames, want %d\n got %v\nwant %v", len(got), len(want), sums(got), sums(want))
	}
	for i := range want {
		if want[i].Hash != got[i].Hash {
			return fmt.Sprintf("frame %d of %d differs", i, len(want))
		}
		if math.Abs(want[i].Time-start-got[i].Time) > 1e-3 {
			return fmt.Sprintf("frame %d shows at %.4f, want %.4f", i, got[i].Time, want[i].Time-start)
		}
	}
	return ""
}

// sameSound compares the sound of a clip with the same range of its source.
func sameSound(t *testing.T, whole, part []float64, start, end float64, slack int) bool {
	t.Helper()
	at := int(math.Round(start * soundRate))
	want := min(len(whole), int(math.Round(end*soundRate))) - at
	if want < soundRate/20 {
		return true
	}
	if len(part) < want-slack-soundRate/500 || len(part) > want+soundRate/8 {
		t.Errorf("[%g, %g): sound of %d samples, want %d", start, end, len(part), want)
		return false
	}
	part = part[:min(want, len(part))]
	volume := loudness(whole[at : at+want])
	if volume < 50 {
		return true
	}
	allowed := volume/10 + 20
	if slack > 48 {
		allowed = volume
	}
	if offset, difference := offsetOf(part, whole, at, 3*slack); max(offset, -offset) > slack || difference > allowed {
		t.Errorf("[%g, %g): sound is off by %d samples, difference %.1f of %.1f", start, end, offset, difference, volume)
		return false
	}
	return true
}

func TestCorpusCuts(t *testing.T) {
	sharedtest.NotShort(t)
	dir := sharedtest.Corpus(t, "media")
	for _, pattern := range []string{"*.mp4", "*.mov", "*.m4a"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			t.Run(filepath.Base(name), func(t *testing.T) {
				switch filepath.Base(name) {
				case "missing-stsd.mp4":
					if _, _, err := openFile(t, name); !errors.Is(err, mp4.ErrDamaged) {
						t.Errorf("Open: %v", err)
					}
				case "h264-fragmented-wrong-duration.mp4":
					if _, _, err := openFile(t, name); !errors.Is(err, mp4.ErrFragmented) {
						t.Errorf("Open: %v", err)
					}
				case "h264-edit-list.mp4":
					// Its sound has gaps of 9 ms, which the decoder
					// closes sooner or later.
					compareCuts(t, name, *cuts, 448)
				default:
					compareCuts(t, name, *cuts, 48)
				}
			})
		}
	}
}

// encodings are what ffmpeg makes test files with: name, then options.
var encodings = []struct {
	name    string
	options string
}{
	{"h264-bframes.mp4", "-c:v libx264 -preset veryfast -bf 3 -g 40 -c:a aac"},
	{"h264-opengop.mp4", "-c:v libx264 -preset veryfast -bf 3 -g 30 -x264-params open-gop=1:b-pyramid=normal -c:a aac -ar 44100"},
	{"h264-ntsc.mov", "-r 30000/1001 -c:v libx264 -preset veryfast -bf 2 -g 60 -c:a pcm_s16le"},
	{"h264-negative-offsets.mp4", "-c:v libx264 -preset veryfast -bf 3 -g 25 -movflags +negative_cts_offsets -c:a aac"},
	{"h264-no-edits.mp4", "-c:v libx264 -preset veryfast -bf 2 -g 25 -use_editlist 0 -c:a aac"},
	{"h264-1fps-ticks.mp4", "-c:v libx264 -preset veryfast -bf 2 -g 50 -video_track_timescale 25 -c:a libopus"},
	{"h264-uneven.mp4", "-vf setpts=PTS+0.3/TB*sin(N/7)*0.1 -fps_mode vfr -c:v libx264 -preset veryfast -bf 3 -g 30 -c:a aac"},
	{"hevc.mp4", "-c:v libx265 -preset ultrafast -x265-params log-level=none:open-gop=1:keyint=30:bframes=4 -tag:v hvc1 -c:a libmp3lame"},
	{"vp9.mp4", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 30 -c:a flac"},
	{"mpeg4.mp4", "-c:v mpeg4 -bf 2 -g 25 -q:v 5 -c:a ac3"},
	{"mjpeg.mov", "-c:v mjpeg -q:v 8 -c:a pcm_s24be"},
	{"sound.m4a", "-vn -c:a aac -b:a 64k"},
	{"lossless.m4a", "-vn -c:a alac"},
}

// encode makes a file of ten seconds.
func encode(t *testing.T, name, options string) string {
	t.Helper()
	args := []string{"-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=10",
		"-f", "lavfi", "-i", "aevalsrc=0.3*sin(2*PI*t*(220+40*t))+0.1*random(0):s=48000:d=10", "-bitexact", "-threads", "1"}
	return ffmpegtest.Make(t, name, append(append(args, strings.Fields(options)...), "-strict", "-2")...)
}

func TestEncodedCuts(t *testing.T) {
	sharedtest.NotShort(t)
	for _, e := range encodings {
		t.Run(e.name, func(t *testing.T) {
			compareCuts(t, encode(t, e.name, e.options), *cuts, 48)
		})
	}
}

func TestCopyMode(t *testing.T) {
	name := encode(t, "opengop.mp4", "-c:v libx264 -preset veryfast -bf 3 -g 30 -x264-params open-gop=1 -c:a aac")
	f, m, err := openFile(t, name)
	if err != nil {
		t.Fatal(err)
	}
	frames, sound := ffmpegtest.Frames(t, name, "-t", strconv.Itoa(longest)), decodeSound(t, name)
	clip := filepath.Join(t.TempDir(), "clip.mp4")
	for _, r := range [][2]float64{{0, 1}, {2.5, 4.1}, {3.59, 3.7}, {7.77, 9.9}} {
		c, err := m.Cut(r[0], r[1], mp4.Copy)
		if err != nil {
			t.Fatal(err)
		}
		if sync, ok := m.SyncBefore(r[0]); !ok || sync != c.Start() || sync > r[0] || sync < r[0]-1.2 {
			t.Errorf("[%g, %g) begins at %g", r[0], r[1], c.Start())
		}
		writeClip(t, c, f, clip)
		if diff := diffFrames(ffmpegtest.During(frames, 0, c.Start(), r[1]), ffmpegtest.Frames(t, clip), c.Start()); diff != "" {
			t.Errorf("[%g, %g): %s", r[0], r[1], diff)
		}
		sameSound(t, sound, decodeSound(t, clip), c.Start(), c.End(), 48)
	}
}

func TestSubtitlesShow(t *testing.T) {
	srt := filepath.Join(t.TempDir(), "cues.srt")
	cues := "1\n00:00:01,000 --> 00:00:03,000\nfirst\n\n2\n00:00:04,000 --> 00:00:07,500\nsecond\n\n3\n00:00:08,000 --> 00:00:09,000\nthird\n"
	sharedtest.Write(t, srt, []byte(cues))
	name := encode(t, "subtitled.mp4", "-i "+srt+" -map 0 -map 1 -map 2 -c:v mpeg4 -c:a aac -c:s mov_text")
	f, m, err := openFile(t, name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Cut(2, 5.5, mp4.Exact)
	if err != nil {
		t.Fatal(err)
	}
	clip := filepath.Join(t.TempDir(), "clip.mp4")
	writeClip(t, c, f, clip)
	got := string(ffmpegtest.Run(t, "ffmpeg", "-nostdin", "-v", "error", "-i", clip, "-map", "0:s:0", "-f", "srt", "-"))
	want := "1\n00:00:00,000 --> 00:00:01,000\nfirst\n\n2\n00:00:02,000 --> 00:00:03,500\nsecond\n\n"
	if got != want {
		t.Errorf("subtitles\n%s\nwant\n%s", got, want)
	}
}
