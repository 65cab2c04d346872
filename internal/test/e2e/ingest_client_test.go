package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
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
	video, err := os.ReadFile(sharedtest.Corpus(t, "media/h264-long-6min.mp4"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(base, "long.mp4"), video)
	client := exec.CommandContext(t.Context(), node, filepath.Join(clientDir, "ingest.mjs"), scratchBinary(t), base, outside)
	client.Env = append(os.Environ(), "CITEKIT_NODE_MODULES="+modules, "PATH="+slowFFmpeg(t)+":"+os.Getenv("PATH"))
	out, err := client.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	if n := strings.Count(string(out), "\nok "); n < 8 {
		t.Errorf("%d checks", n)
	}
	t.Logf("%s", out)
}

// slowFFmpeg returns a folder with an ffmpeg that first waits for a minute, so
// that what needs it takes long on any machine.
func slowFFmpeg(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nsleep 60\nexec '%s' \"$@\"\n", sharedtest.Tool(t, "ffmpeg"))
	if err := os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
