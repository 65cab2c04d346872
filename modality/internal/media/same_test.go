package media

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// TestSameMaps maps all recordings of the corpus, and some that are much work for
// their size, and compares what it gets with an earlier run. CITEKIT_SAME names a
// folder: the first run writes recordings and maps there. Run it again on a machine
// that is held down:
//
//	export CITEKIT_SAME=$(mktemp -d)
//	go test -count=1 -run TestSameMaps ./modality/internal/media
//	go test -count=1 -run TestSameMaps -timeout 2h -exec "$PWD/.ci/stutter" ./modality/internal/media
func TestSameMaps(t *testing.T) {
	dir := os.Getenv("CITEKIT_SAME")
	if dir == "" {
		t.Skip("CITEKIT_SAME names no folder")
	}
	files, err := filepath.Glob(filepath.Join(sharedtest.Corpus(t, "media"), "*.*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	files = append(files, costly(t, dir)...)
	for _, path := range files {
		for _, modality := range []citekit.Modality{citekit.Video, citekit.Audio} {
			name := filepath.Base(path) + "." + string(modality)
			t.Run(name, func(t *testing.T) { sameMap(t, path, modality, filepath.Join(dir, name+".json")) })
		}
	}
}

// costly makes recordings whose decoding takes long for their size, unless an
// earlier run has.
func costly(t *testing.T, dir string) (paths []string) {
	for name, args := range map[string]string{
		"vp9.webm":   "-f lavfi -i testsrc2=s=1280x720:r=30:d=5 -f lavfi -i sine=d=5 -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus",
		"vp8.webm":   "-f lavfi -i testsrc2=s=1280x720:r=30:d=8 -f lavfi -i sine=d=8 -c:v libvpx -deadline realtime -cpu-used 8 -b:v 2M -c:a libvorbis",
		"speech.ogg": "-f lavfi -i sine=d=12:b=4 -c:a libopus -b:a 16k",
		"long.ogg":   "-f lavfi -i sine=d=900 -c:a libvorbis -q:a 0",
		"still.mkv":  "-f lavfi -i color=s=1920x1080:r=2:d=600 -c:v libx264 -preset ultrafast -g 1000",
	} {
		path := filepath.Join(dir, "costly-"+name)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			part := filepath.Join(dir, "part."+name)
			ffmpegtest.Run(t, "ffmpeg", append(append([]string{"-nostdin", "-v", "error", "-y"}, strings.Fields(args)...), part)...)
			if err := os.Rename(part, path); err != nil {
				t.Fatal(err)
			}
		}
		paths = append(paths, path)
	}
	return paths
}

// sameMap compares the map of a recording, or the error, with the one kept at a
// path, or keeps it there.
func sameMap(t *testing.T, path string, modality citekit.Modality, kept string) {
	e := &Engine{Modality: modality}
	draft, err := e.Map(t.Context(), openFile(t, path), citekit.MapRequest{Modality: modality})
	said := ""
	if err != nil {
		said = err.Error()
	}
	got, err := json.MarshalIndent(map[string]any{"draft": draft, "error": said}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(kept)
	if errors.Is(err, fs.ErrNotExist) {
		sharedtest.Write(t, kept, got)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("another map than before (-before +now)\n%s", diff)
	}
}
