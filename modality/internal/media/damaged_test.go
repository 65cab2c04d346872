package media

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestDamagedMaps maps files that are cut short or have wrong bytes: a map that
// lies within what can be resolved, or a clear error.
func TestDamagedMaps(t *testing.T) {
	files := []string{"h264-aac-chapters.mp4", "h264-nero-chapters.mp4", "wav-cue-chapter.wav"}
	flips := 150
	if thorough() {
		flips = 16 // as each may run ffmpeg several times
		files = append(files, "mkv-chapters.mkv", "mkv-srt-track.mkv", "id3-chapters-cover.mp3", "bear.opus", "bear.flac")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range files {
		data := sharedtest.Read(t, sharedtest.Corpus(t, "media/"+name))
		modality := citekit.Audio
		if ext := filepath.Ext(name); ext == ".mp4" || ext == ".mkv" {
			modality = citekit.Video
		}
		for i := range flips {
			bad := bytes.Clone(data)
			if i%3 == 0 {
				bad = bad[:random.IntN(len(bad))]
			}
			for range 1 + i%8 {
				if n := min(len(bad), 8000); n > 0 {
					bad[random.IntN(n)] ^= byte(1 << random.IntN(8))
					bad[len(bad)-1-random.IntN(n)] ^= byte(1 << random.IntN(8))
				}
			}
			mapDamaged(t, name, modality, bad)
		}
	}
}

func mapDamaged(t *testing.T, name string, modality citekit.Modality, data []byte) {
	t.Helper()
	e := &Engine{Modality: modality, ScanTime: -1}
	e.Tools.FFmpeg, e.Tools.FFprobe = "/missing", "/missing" // what it can be made to do is tested elsewhere
	if thorough() {
		e.Tools.FFmpeg, e.Tools.FFprobe = "", ""
	}
	src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: name, Size: int64(len(data))})
	s, err := e.Map(t.Context(), src, citekit.MapRequest{Modality: modality})
	if err != nil {
		if citekit.CodeOf(err) == message.CodeInternal {
			t.Errorf("%s: error without a kind: %v", name, err)
		}
		return
	}
	extent, err := e.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Nodes) == 0 {
		t.Errorf("%s: no nodes", name)
	}
	checkNodes(t, extent, s.Nodes)
}
