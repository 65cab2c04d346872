package child

import (
	"errors"
	"io"
	"os/exec"
	"testing"
)

// TestRunning counts a program while it runs, which ends with its input.
func TestRunning(t *testing.T) {
	path, err := exec.LookPath("cat")
	if err != nil {
		t.Skip("no cat")
	}
	before := Running()
	in, feed := io.Pipe()
	out, heard := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := Program{Path: path, Stdin: in, Stdout: heard}.Run(t.Context())
		done <- err
	}()
	if _, err := feed.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if n := Running(); n != before+1 {
		t.Errorf("%d programs run, want %d", n, before+1)
	}
	if err := errors.Join(feed.Close(), <-done); err != nil {
		t.Fatal(err)
	}
	if n := Running(); n != before {
		t.Errorf("%d programs run after all ended, want %d", n, before)
	}
}
