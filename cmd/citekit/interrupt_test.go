//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endless is a program that writes its process id to a file and never ends.
const endless = "#!/bin/sh\necho $$ >> '%s'\nexec /bin/sleep 1000\n"

// A signal ends the children of the program and leaves nothing behind.
func TestInterruptEndsChildren(t *testing.T) {
	dir := t.TempDir()
	programs, pids := filepath.Join(dir, "bin"), filepath.Join(dir, "pids")
	if err := os.Mkdir(programs, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		if err := os.WriteFile(filepath.Join(programs, name), fmt.Appendf(nil, endless, pids), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	matroska := "\x1a\x45\xdf\xa3\xa3\x42\x82\x88matroska" + strings.Repeat("\x00", 100)
	if err := os.WriteFile(filepath.Join(dir, "talk.mkv"), []byte(matroska), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("citekit", "resolve", "talk.mkv#t=1-2", "-o", "clip.mp4")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child := waitForPID(t, pids)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if cmd.Wait(); cmd.ProcessState.ExitCode() != exitFailure || stderr.String() != "citekit: interrupted\n" {
		t.Errorf("%v, stderr %q", cmd.ProcessState, stderr.String())
	}
	if err := syscall.Kill(child, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", child, err)
		syscall.Kill(child, syscall.SIGKILL)
	}
	checkNoEvidence(t, dir)
}

// waitForPID returns the process id in a file once there is one.
func waitForPID(t *testing.T, name string) int {
	t.Helper()
	for range 1000 {
		data, err := os.ReadFile(name)
		if pid, found := strings.CutSuffix(string(data), "\n"); err == nil && found {
			n, err := strconv.Atoi(pid)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no program was started")
	return 0
}

// checkNoEvidence checks that no evidence and no part of one was left.
func checkNoEvidence(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "clip.mp4")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("clip.mp4: %v", err)
	}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (path.Ext(name) == ".mp4" || path.Base(path.Dir(name)) == "tmp") {
			t.Errorf("%s was left behind", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
