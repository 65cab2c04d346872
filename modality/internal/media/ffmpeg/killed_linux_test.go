package ffmpeg

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestKilled kills a process that runs ffmpeg: ffmpeg must end too, and the
// next process must remove what was left behind, and nothing else.
func TestKilled(t *testing.T) {
	if os.Getenv("CITEKIT_TEST_VICTIM") != "" {
		convertForever(t)
		return
	}
	sharedtest.Tool(t, "ffmpeg")
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	victim := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	victim.Env = append(os.Environ(), "CITEKIT_TEST_VICTIM=1")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	running := func() bool { return len(runningIn(temp)) > 0 }
	if !eventually(running) {
		t.Error("ffmpeg did not start")
	}
	victim.Process.Kill()
	victim.Wait()
	if !eventually(func() bool { return !running() }) {
		t.Errorf("still running: %v", runningIn(temp))
	}

	var tools Tools
	used, err := tools.newScratch()
	if err != nil {
		t.Fatal(err)
	}
	defer used.Remove()
	if err := os.Mkdir(filepath.Join(temp, scratchPrefix+"unlocked"), 0o700); err != nil {
		t.Fatal(err)
	}
	var other Tools
	again, err := other.newScratch()
	if err != nil {
		t.Fatal(err)
	}
	defer again.Remove()
	left, _ := filepath.Glob(filepath.Join(temp, scratchPrefix+"*"))
	if len(left) != 3 {
		t.Errorf("directories %v, want the two in use and the one without a lock", left)
	}
}

func convertForever(t *testing.T) {
	var tools Tools
	in := openCorpus(t, &tools, "vp9.webm", "matroska")
	_, err := tools.Convert(t.Context(), in, Conversion{Input: Options{"stream_loop": "-1"}, Streams: []int{0}, Muxer: "null"})
	t.Fatalf("the conversion ended: %v", err)
}

// eventually waits for a condition.
func eventually(ok func() bool) bool {
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return false
}
