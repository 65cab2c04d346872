package llm_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/mapper/llm"
)

func TestCommandCancelKillsWhatWasStarted(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if pid, err := os.ReadFile(started); err == nil && strings.HasSuffix(string(pid), "\n") {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := runCommand(t, ctx, "child", llm.CommandOptions{Env: []string{"CITEKIT_TEST_STARTED=" + started}}, commandSource("one\n"))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	pid, err := os.ReadFile(started)
	if err != nil {
		t.Fatal(err)
	}
	// It would live for an hour.
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if !lives(strings.TrimSpace(string(pid))) {
			return
		}
	}
	t.Error("what the program started is still there")
}

// lives reports whether a process is there and has not ended.
func lives(pid string) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}
