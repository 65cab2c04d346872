package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/sharedtest"
)

const guide = `# Guide

How to begin.

## Install

One step.

### From source

Another step.

## Use

The rest.
`

// TestIngestTypeScriptClient has the SDK for TypeScript make maps through the
// server, follow and end what takes long, and try to get out of the base
// directory.
func TestIngestTypeScriptClient(t *testing.T) {
	modules, node := sharedtest.NodeModules(t), sharedtest.Tool(t, "node")
	dir := t.TempDir()
	base, outside := filepath.Join(dir, "base"), filepath.Join(dir, "outside")
	for i := range 400 {
		writeFile(t, filepath.Join(base, "notes", fmt.Sprintf("n%d.md", i)), fmt.Appendf(nil, "# Note %d\n\nText %d.\n", i, i))
	}
	writeFile(t, filepath.Join(base, "guide.md"), []byte(guide))
	writeFile(t, filepath.Join(outside, "secret.md"), append([]byte("# "), canary...))
	for name, target := range map[string]string{"link.md": filepath.Join(outside, "secret.md"), "linked": outside} {
		if err := os.Symlink(target, filepath.Join(base, name)); err != nil {
			t.Skip("no symbolic links:", err)
		}
	}
	longVideo(t, filepath.Join(base, "long.mp4"))
	client := exec.CommandContext(t.Context(), node, filepath.Join(clientDir, "ingest.mjs"), scratchBinary(t), base, outside)
	client.Env = append(os.Environ(), "CITEKIT_NODE_MODULES="+modules)
	out, err := client.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	if n := strings.Count(string(out), "\nok "); n < 8 {
		t.Errorf("%d checks", n)
	}
	t.Logf("%s", out)
}

// longVideo makes a video of four hours, which takes many seconds to map.
func longVideo(t *testing.T, path string) {
	t.Helper()
	ffmpeg := sharedtest.Tool(t, "ffmpeg")
	source := sharedtest.Corpus(t, "media/h264-long-6min.mp4")
	cmd := exec.CommandContext(t.Context(), ffmpeg, "-v", "error", "-stream_loop", "39", "-i", source, "-c", "copy", path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
}
