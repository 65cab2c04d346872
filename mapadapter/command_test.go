package mapadapter_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/mapadapter"
)

func script(t *testing.T, body string) mapadapter.Command {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no shell scripts on Windows")
	}
	path := filepath.Join(t.TempDir(), "adapter")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o700); err != nil {
		t.Fatal(err)
	}
	return mapadapter.Command{Path: path}
}

func TestCommand(t *testing.T) {
	c := script(t, `message=$(cat)
case "$message" in *'"name":"in.txt"'*'"text":"Rain"'*'"source_path":"a.txt"'*) ;; *) echo "got $message" >&2; exit 3;; esac
echo '{"nodes": [{"title": "Rain", "location": {"lines": [1, 1]}}], "made_by": "'$1'"}'
`)
	c.Args = []string{"me"}
	m := adapt(t, c, input("in.txt", "Rain"), &mapadapter.Options{SourcePath: "a.txt", Open: opener(map[string]string{"a.txt": "Rain\n"})})
	compare(t, m, "rain |  | Rain | l1\n")
	if data := encoded(t, []*citekit.ResourceMap{m}); !strings.Contains(data, `"made_by": "me"`) || m.Type != citekit.Text {
		t.Errorf("type %s, map %s", m.Type, data)
	}
	binary := script(t, `case "$(cat)" in *'"base64":"/wA="'*) echo '[{"id": "a"}]';; esac`)
	adapt(t, binary, input("in.bin", "\xff\x00"), nil)
}

func TestCommandFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs: not with -short")
	}
	in := input("in.txt", "Rain")
	for name, test := range map[string]struct {
		command mapadapter.Command
		want    error
		says    string
	}{
		"missing":  {mapadapter.Command{Path: filepath.Join(t.TempDir(), "absent")}, errors.ErrUnsupported, "cannot be run"},
		"fails":    {script(t, "echo no such book >&2; exit 3\n"), citekit.ErrFormat, "exit status 3): no such book"},
		"silent":   {script(t, "exit 3\n"), citekit.ErrFormat, "no reason"},
		"prose":    {script(t, "echo Rain\n"), citekit.ErrFormat, "the output of the program"},
		"no nodes": {script(t, "echo '{}'\n"), citekit.ErrFormat, "the output of the program"},
		"endless":  {script(t, "exec cat /dev/zero\n"), citekit.ErrTooLarge, "64 MiB"},
	} {
		_, err := test.command.Adapt(t.Context(), in, nil)
		if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v, want one matching %v that says %q", name, err, test.want, test.says)
		}
	}
	leaves := script(t, "sleep 600 &\necho '[{\"id\": \"a\"}]'\n")
	if _, err := leaves.Adapt(t.Context(), in, nil); !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "another that it started") {
		t.Errorf("a program that leaves another: error %v", err)
	}
	slow := script(t, "sleep 600 &\nwait\n")
	slow.Timeout = 50 * time.Millisecond
	if _, err := slow.Adapt(t.Context(), in, nil); citekit.CodeOf(err) != message.CodeTimeout {
		t.Errorf("slow: error %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	slow.Timeout = 0
	if _, err := slow.Adapt(ctx, in, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled: error %v", err)
	}
}
