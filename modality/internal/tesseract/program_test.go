//go:build unix

package tesseract

import (
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
)

// otherProgram returns a program that a shell runs.
func otherProgram(t *testing.T, body string) *Command {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := FindProgram(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestOtherProgram runs programs that answer, fail, flood and hang.
func TestOtherProgram(t *testing.T) {
	t.Setenv("CITEKIT_SECRET", "seen")
	picture := encode(t, image.NewGray(image.Rect(0, 0, 100, 50)))
	page := filepath.Join(t.TempDir(), "path")
	good := otherProgram(t, "echo $1 >"+page+"\ntest -z \"$CITEKIT_SECRET\" -a -z \"$HOME\" -a -s page.png || exit 3\ncat <<'END'\n"+someALTO+"\nEND\n")
	blocks, err := good.Recognise(t.Context(), "", given(picture))
	if err != nil || len(blocks) != 1 || blocks[0].Text != "Rent & taxes" {
		t.Errorf("%+v, %v", blocks, err)
	}
	given1, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(strings.TrimSpace(string(given1))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the picture is left: %v", err)
	}
	for body, want := range map[string]error{
		"exit 1":                               citekit.ErrFormat,
		"echo what I think of it":              citekit.ErrFormat,
		"cat /dev/zero":                        citekit.ErrTooLarge,
		"yes '<alto><a>'":                      citekit.ErrTooLarge,
		"cat /dev/zero >&2":                    os.ErrDeadlineExceeded,
		"rm -rf \"$(dirname \"$1\")\"; exit 1": citekit.ErrFormat,
		"trap '' TERM INT HUP; while :; do sleep 1; done": os.ErrDeadlineExceeded,
		"sleep 1000":                  os.ErrDeadlineExceeded,
		"echo '<alto><Page'":          citekit.ErrFormat,
		"sleep 1000 & sleep 1000; :;": os.ErrDeadlineExceeded,
	} {
		c := otherProgram(t, body)
		if want == os.ErrDeadlineExceeded {
			c.Timeout = 200 * time.Millisecond
		}
		if _, err := c.Recognise(t.Context(), "", given(picture)); !errors.Is(err, want) || strings.Contains(err.Error(), os.TempDir()) {
			t.Errorf("%s: %v", body, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := good.Recognise(ctx, "", given(picture)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := FindProgram(filepath.Join(t.TempDir(), "none")); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("no program: %v", err)
	}
}
