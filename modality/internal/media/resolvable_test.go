package media

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// checkResolvable maps a source and resolves all nodes of the map. A source that
// cannot be mapped has an error with a kind.
func checkResolvable(t *testing.T, e *Engine, name string, src *citekit.Source) (nodes int) {
	t.Helper()
	s, err := e.Map(t.Context(), src, citekit.MapRequest{Modality: e.Modality})
	if err != nil {
		if citekit.CodeOf(err) == message.CodeInternal {
			t.Errorf("%s: error without a kind: %v", name, err)
		}
		t.Logf("%s: %v", name, err)
		return 0
	}
	if len(s.Nodes) == 0 {
		t.Errorf("%s: a map without nodes", name)
	}
	return resolveNodes(t, e, name, src, s.Nodes)
}

func resolveNodes(t *testing.T, e *Engine, name string, src *citekit.Source, nodes []*citekit.Node) (count int) {
	t.Helper()
	for _, n := range nodes {
		x, err := e.Resolve(t.Context(), src, citekit.Request{Location: n.Location})
		if err != nil {
			t.Errorf("%s: node %v: %v", name, n.Location.Time, err)
			continue
		}
		if size, err := io.Copy(io.Discard, x.Body); err != nil || size == 0 {
			t.Errorf("%s: node %v: %d bytes, %v", name, n.Location.Time, size, err)
		}
		x.Body.Close()
		count += 1 + resolveNodes(t, e, name, src, n.Children)
	}
	return count
}

// TestTruncated maps files of every format that were cut short: each is refused
// with a reason, or all nodes of its map can be resolved.
func TestTruncated(t *testing.T) {
	sharedtest.NotShort(t)
	dir := t.TempDir()
	chapters := write(t, dir, "chapters.txt", ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=2\ntitle=a\n[CHAPTER]\nTIMEBASE=1/1\nSTART=2\nEND=5\ntitle=b\n[CHAPTER]\nTIMEBASE=1/1\nSTART=5\nEND=8\ntitle=c\n")
	cues := write(t, dir, "cues.srt", "1\n00:00:00,500 --> 00:00:03,000\nOne.\n\n2\n00:00:06,000 --> 00:00:07,000\nTwo.\n")
	picture := []string{"-f", "lavfi", "-i", "testsrc=s=128x96:r=10:d=8"}
	sound := []string{"-f", "lavfi", "-i", "anoisesrc=d=8:r=32000:a=0.3:seed=1"}
	both := append(append(picture, sound...), "-i", chapters, "-map_metadata", "2", "-g", "10")
	alone := append(sound, "-i", chapters, "-map_metadata", "1")
	cuts := []int{10, 50, 90, 100} // percent that is left
	for i, f := range []struct {
		name     string
		modality citekit.Modality
		args     []string
	}{
		{"media-first.mp4", citekit.Video, append(both, "-c:v", "libx264", "-c:a", "aac")},
		{"movie-first.mp4", citekit.Video, append(both, "-c:v", "libx264", "-c:a", "aac", "-movflags", "faststart")},
		{"fragments.mp4", citekit.Video, append(both, "-c:v", "libx264", "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov")},
		{"pcm.mov", citekit.Video, append(both, "-c:v", "mjpeg", "-c:a", "pcm_s16le", "-movflags", "faststart")},
		{"book.m4b", citekit.Audio, append(alone, "-c:a", "aac", "-movflags", "faststart", "-f", "mp4")},
		{"sound.wav", citekit.Audio, sound},
		{"film.mkv", citekit.Video, append(append(append([]string{}, picture...), sound...), "-i", cues, "-map", "0", "-map", "1", "-map", "2", "-c:v", "libx264", "-c:a", "ac3", "-g", "10")},
		{"film.webm", citekit.Video, append(both, "-c:v", "libvpx", "-c:a", "libopus", "-ar", "48000")},
		{"film.ts", citekit.Video, append(both, "-c:v", "libx264", "-c:a", "aac")},
		{"film.avi", citekit.Video, append(both, "-c:v", "mpeg4", "-c:a", "mp3")},
		{"sound.mp3", citekit.Audio, alone},
		{"sound.flac", citekit.Audio, sound},
		{"sound.ogg", citekit.Audio, append(sound, "-c:a", "libvorbis")},
		{"sound.opus", citekit.Audio, append(sound, "-c:a", "libopus", "-ar", "48000")},
		{"sound.aac", citekit.Audio, sound},
	} {
		if i%3 > 0 && !thorough() {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			path := filepath.Join(dir, f.name)
			ffmpegtest.Run(t, "ffmpeg", append(append([]string{"-v", "error"}, f.args...), path)...)
			data := sharedtest.Read(t, path)
			e := &Engine{Modality: f.modality, ScanTime: -1}
			some := cuts
			if !thorough() {
				some = cuts[i/3%len(cuts):][:1] // the formats share the cuts
			}
			for _, percent := range some {
				if n := checkResolvable(t, e, f.name, source(f.name, data[:len(data)*percent/100])); n == 0 && percent == 100 {
					t.Error("the whole file has no node")
				}
			}
		})
	}
}

func source(name string, data []byte) *citekit.Source {
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: name, Size: int64(len(data))})
}

// TestCutShort checks that the map of a movie that was cut short says so.
func TestCutShort(t *testing.T) {
	data := mp4test.Movie{MediaLast: true, Tracks: []mp4test.Track{mp4test.VideoTrack(100, 25, 16, 16)}}.Bytes()
	e := &Engine{Modality: citekit.Video, ScanTime: -1}
	for size, want := range map[int]bool{len(data): false, len(data) * 3 / 4: true} {
		s, err := e.Map(t.Context(), source("film.mp4", data[:size]), citekit.MapRequest{Modality: citekit.Video})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Equal(asList(s.Metadata["incomplete"]), []any{"source"}); got != want {
			t.Errorf("%d of %d bytes: metadata %v", size, len(data), s.Metadata)
		}
	}
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// TestCorpusResolvable resolves all nodes of all recordings of the corpus.
func TestCorpusResolvable(t *testing.T) {
	sharedtest.NotShort(t)
	files, err := filepath.Glob(filepath.Join(sharedtest.Corpus(t, "media"), "*.*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range sharedtest.Share(t, files, 8) {
		for _, modality := range []citekit.Modality{citekit.Video, citekit.Audio} {
			e := &Engine{Modality: modality, ScanTime: -1}
			if n := checkResolvable(t, e, filepath.Base(path), openFile(t, path)); n > 0 {
				break
			}
		}
	}
}

// TestUndecodable resolves a video whose frames are none, in a container that we
// cut and in one that we do not.
func TestUndecodable(t *testing.T) {
	sharedtest.NotShort(t)
	dir := t.TempDir()
	for _, name := range []string{"film.webm", "film.mp4"} {
		path := filepath.Join(dir, name)
		ffmpegtest.Run(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x48:r=10:d=2", "-c:v", "libvpx-vp9", "-g", "5", path)
		packets := string(ffmpegtest.Run(t, "ffprobe", "-v", "error", "-show_entries", "packet=pos,size", "-of", "csv=p=0", path))
		data := sharedtest.Read(t, path)
		for line := range strings.Lines(packets) {
			size, at, _ := strings.Cut(strings.TrimSpace(line), ",")
			spoil(t, data, size, at)
		}
		e := &Engine{Modality: citekit.Video, ScanTime: -1}
		for _, mode := range []citekit.Mode{citekit.ModeExact, citekit.ModeCopy, citekit.ModeStrict} {
			x, err := e.Resolve(t.Context(), source(name, data), citekit.Request{Location: citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: 0.5, End: 1}}, Mode: mode})
			if !errors.Is(err, citekit.ErrFormat) {
				t.Errorf("%s in mode %s: %v, error %v", name, mode, x, err)
			}
		}
		if s, err := e.Map(t.Context(), source(name, data), citekit.MapRequest{Modality: citekit.Video}); !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%s: mapped as %+v, error %v", name, s, err)
		}
	}
}

// spoil overwrites a packet of size bytes in data, after the first bytes in which
// it is looked for.
func spoil(t *testing.T, data []byte, size, at string) {
	t.Helper()
	var n, off int
	for _, v := range []struct {
		text string
		to   *int
	}{{size, &n}, {at, &off}} {
		for _, c := range v.text {
			*v.to = *v.to*10 + int(c-'0')
		}
	}
	for i := off + 12; i < min(off+n, len(data)); i++ {
		data[i] = 0x11
	}
	for i := off; i < off+12 && data[off] != 0xa3 && data[off] != 0xa0; i++ { // not the head of a block
		data[i] = 0x11
	}
}
