//go:build unix

package child_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
