//go:build unix

package workspace_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/citekit/citekit/workspace"
)

func init() { roles["crowded"] = pinCrowded }

// mostFree is how many descriptors a crowded process has left at most.
const mostFree = 12

// pinCrowded records pins while hardly any file can be opened: each in a new
// workspace, with more and more descriptors left.
func pinCrowded(ctx context.Context, dir string, out io.Writer) error {
	limit := syscall.Rlimit{Cur: 64, Max: 64}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	for free := range mostFree {
		ws, err := workspace.Open(dir, nil)
		if err != nil {
			return err
		}
		name := fmt.Sprint("n", free)
		held := holdAllBut(free)
		v, err := pin(ctx, ws, name, "guard", "first")
		for _, f := range held {
			f.Close()
		}
		if err == nil {
			fmt.Fprintln(out, "ACK", name, v)
		}
		// What the workspace learnt while it was crowded must not stay.
		if v, err = pin(ctx, ws, name, "guard", "second"); err != nil {
			return err
		}
		fmt.Fprintln(out, "ACK", name, v)
		if err := ws.Close(); err != nil {
			return err
		}
	}
	return nil
}

// holdAllBut opens files until only some descriptors are left.
func holdAllBut(free int) (held []*os.File) {
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		held = append(held, f)
	}
	for _, f := range held[len(held)-free:] {
		f.Close()
	}
	return held[:len(held)-free]
}

// TestCrowdedPins checks that a pin which was recorded while files could
// hardly be opened counts for another process, and that one which counts is
// not recorded anew.
func TestCrowdedPins(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process: not with -short")
	}
	dir := t.TempDir()
	cmd := process(t, "crowded", dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	acked := make(map[string]string)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		name, version, ok := strings.Cut(strings.TrimPrefix(lines.Text(), "ACK "), " ")
		if !ok || !strings.HasPrefix(lines.Text(), "ACK ") {
			t.Errorf("the crowded process says %q", lines.Text())
			continue
		}
		if first := acked[name]; first != "" && first != version {
			t.Errorf("%s was %s, and then %s", name, first, version)
		}
		acked[name] = version
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if len(acked) != mostFree {
		t.Errorf("%d pins, want %d", len(acked), mostFree)
	}
	ws := open(t, dir, nil)
	for name, version := range acked {
		if v, err := pin(t.Context(), ws, name, "guard", "third"); err != nil || v != version {
			t.Errorf("%s is %s, %v; it was acknowledged as %s", name, v, err, version)
		}
	}
}
