//go:build unix

package child_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/child"
)

// TestRunLeavesNothing runs programs that start another, which writes its
// number to a file and would live for minutes.
func TestRunLeavesNothing(t *testing.T) {
	const starts = `sleep 300 & echo $! >"$0.new"; mv "$0.new" "$0"; `
	for _, test := range []struct {
		name, script string
		want         func(error) bool
	}{
		{"cancelled", starts + "wait", func(err error) bool { return err != nil }},
		{"ends before what holds its output", starts, func(err error) bool { return errors.Is(err, exec.ErrWaitDelay) }},
		{"fails", `sleep 300 >&- 2>&- & echo $! >"$0.new"; mv "$0.new" "$0"; exit 3`, func(err error) bool {
			var exit *exec.ExitError
			return errors.As(err, &exit) && exit.ExitCode() == 3
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			started := filepath.Join(t.TempDir(), "started")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.name == "cancelled" {
				go func() {
					eventually(func() bool { _, err := os.Stat(started); return err == nil })
					cancel()
				}()
			}
			cmd := exec.CommandContext(ctx, "/bin/sh", "-c", test.script, started)
			cmd.Stdout = new(bytes.Buffer)
			cmd.WaitDelay = 100 * time.Millisecond
			if err := child.Run(cmd); !test.want(err) {
				t.Errorf("error %v", err)
			}
			if pid := number(t, started); !eventually(func() bool { return !lives(pid) }) {
				t.Error("what the program started is still there")
			}
		})
	}
}

func number(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// lives reports whether a process is there and, where that can be told, has
// not ended.
func lives(pid int) bool {
	if stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	return syscall.Kill(pid, 0) == nil
}

// eventually waits for a condition.
func eventually(ok func() bool) bool {
	for range 1000 {
		if ok() {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// TestRunWithin runs a program that never ends and one that does.
func TestRunWithin(t *testing.T) {
	run := func(script string, most time.Duration) (used time.Duration, over bool, err error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", script)
		all, err := child.RunWithin(cmd, child.Limits{CPU: most, Memory: 1 << 40}, func() {
			over = true
			cancel()
		})
		return all.CPU, over, err
	}
	if used, over, err := run("exit 0", time.Minute); over || err != nil || used > time.Minute {
		t.Errorf("a short run: used %v, over %v, error %v", used, over, err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("what a program uses is told once it has ended")
	}
	const most = 200 * time.Millisecond
	if used, over, err := run("while :; do :; done", most); !over || err == nil || used < most || used > most+5*time.Second {
		t.Errorf("an endless run: used %v, over %v, error %v", used, over, err)
	}
}

// TestMemory runs a program that asks for more memory than it may have, and for
// less.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory is limited on Linux alone")
	}
	const asked = 128 << 20
	for most, fits := range map[int64]bool{asked / 2: false, asked * 2: true} {
		// It asks once it may be sure that the limit holds.
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "sleep 0.2; exec dd if=/dev/zero of=/dev/null count=1 bs="+strconv.Itoa(asked))
		used, err := child.RunWithin(cmd, child.Limits{CPU: time.Minute, Memory: most}, func() {})
		if (err == nil) != fits || fits && used.Memory < asked {
			t.Errorf("at most %d bytes: used %d, error %v", most, used.Memory, err)
		}
	}
	if have := child.MachineMemory(); have < 64<<20 {
		t.Errorf("the machine has %d bytes", have)
	}
}
