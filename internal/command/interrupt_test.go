//go:build unix

package command

import (
	"bufio"
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

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// endless is a program that writes its process id to a file and never ends.
const endless = "#!/bin/sh\necho $$ >> '%s'\nexec /bin/sleep 1000\n"

// A signal ends the children of the program and leaves nothing behind.
func TestInterruptEndsChildren(t *testing.T) {
	dir := t.TempDir()
	programs, pids := filepath.Join(dir, "bin"), filepath.Join(dir, "pids")
	must(t, os.Mkdir(programs, 0o700))
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		must(t, os.WriteFile(filepath.Join(programs, name), fmt.Appendf(nil, endless, pids), 0o700))
	}
	matroska := "\x1a\x45\xdf\xa3\xa3\x42\x82\x88matroska" + strings.Repeat("\x00", 100)
	must(t, os.WriteFile(filepath.Join(dir, "talk.mkv"), []byte(matroska), 0o600))
	for _, args := range [][]string{
		{"resolve", "talk.mkv#t=1-2", "-o", "clip.mp4"},
		{"ingest", "talk.mkv"},
		{"ingest", "--json", "."},
		{"ingest", "--watch", "talk.mkv"},
	} {
		for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
			testInterrupt(t, dir, programs, pids, sig, args)
		}
	}
}

func testInterrupt(t *testing.T, dir, programs, pids string, sig os.Signal, args []string) {
	t.Helper()
	must(t, os.RemoveAll(pids))
	cmd := exec.Command("citekit", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	must(t, cmd.Start())
	child := waitForPID(t, pids)
	must(t, cmd.Process.Signal(sig))
	if cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted || stderr.String() != "citekit: interrupted\n" {
		t.Errorf("%v: %v, stderr %q", args, cmd.ProcessState, stderr.String())
	}
	if err := syscall.Kill(child, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", child, err)
		syscall.Kill(child, syscall.SIGKILL)
	}
	checkNoEvidence(t, dir)
}

// Once it has mapped what there is, a watch ends by an interruption with the
// code of one, and well if it is asked to terminate. So does a server.
func TestInterruptEndsWatch(t *testing.T) {
	sharedtest.NotShort(t)
	for sig, want := range map[os.Signal]int{os.Interrupt: exitInterrupted, syscall.SIGTERM: exitOK} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o600))
		cmd := exec.Command("citekit", "ingest", "--watch", dir, "--dir", dir)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		must(t, cmd.Start())
		lines := bufio.NewReader(stdout)
		if _, err := lines.ReadString('\n'); err != nil {
			t.Error(err)
		}
		// What comes now is mapped once the first run is over.
		must(t, os.WriteFile(filepath.Join(dir, "b.txt"), []byte("two\n"), 0o600))
		if l, err := lines.ReadString('\n'); err != nil || !strings.Contains(l, "b.txt") {
			t.Errorf("%q, %v", l, err)
		}
		must(t, cmd.Process.Signal(sig))
		if cmd.Wait(); cmd.ProcessState.ExitCode() != want || stderr.Len() > 0 {
			t.Errorf("%v: %v, stderr %q", sig, cmd.ProcessState, stderr.String())
		}
	}
}

// waitForPID returns the process id in a file once there is one.
func waitForPID(t *testing.T, name string) int {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(name)
		if pid, found := strings.CutSuffix(string(data), "\n"); err == nil && found {
			n, err := strconv.Atoi(pid)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
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
