//go:build unix

package child_test

import (
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
	"github.com/citekit/citekit/internal/test/sharedtest"
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
			p := child.Program{Path: "/bin/sh", Args: []string{"-c", test.script, started}, PipeDelay: 100 * time.Millisecond}
			if _, err := p.Run(ctx); !test.want(err) {
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
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return false
}

// TestCPU runs a program that never ends and one that does.
func TestCPU(t *testing.T) {
	run := func(script string, most time.Duration) (used time.Duration, over bool, err error) {
		p := child.Program{Path: "/bin/sh", Args: []string{"-c", script}, CPU: most, Memory: 1 << 40, Timeout: 3 * time.Minute}
		all, err := p.Run(t.Context())
		return all.CPU, errors.Is(err, child.ErrCPU), err
	}
	if used, over, err := run("exit 0", time.Minute); over || err != nil {
		t.Errorf("a short run: used %v, over %v, error %v", used, over, err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("what a program uses is told once it has ended")
	}
	const most = 200 * time.Millisecond
	if used, over, err := run("while :; do :; done", most); !over || err == nil || used < most {
		t.Errorf("an endless run: used %v, over %v, error %v", used, over, err)
	}
}

// TestYardstick runs a program that is done later than its limit, on a machine
// that its yardstick finds slow.
func TestYardstick(t *testing.T) {
	sharedtest.NotShort(t)
	measured := filepath.Join(t.TempDir(), "measured")
	p := child.Program{
		Path: "/bin/sh", Args: []string{"-c", "until [ -e " + measured + " ]; do sleep 0.05; done"},
		Timeout: 2 * time.Second, // twenty times that is enough to look again
	}
	p.Yardstick = &child.Yardstick{Args: []string{"-c", "touch " + measured}, Usual: 1}
	if _, err := p.Run(t.Context()); err != nil {
		t.Errorf("on a slow machine: %v", err)
	}
	p.Args, p.Timeout = []string{"-c", "sleep 600"}, 50*time.Millisecond
	p.Yardstick = &child.Yardstick{Args: []string{"-c", "exit 0"}, Usual: time.Hour}
	if _, err := p.Run(t.Context()); !errors.Is(err, child.ErrTimeout) {
		t.Errorf("on a usual machine: %v", err)
	}
}

// TestMemory runs a program that asks for more memory than it may have, and for
// less.
func TestMemory(t *testing.T) {
	sharedtest.NotShort(t)
	if runtime.GOOS != "linux" {
		t.Skip("memory is limited on Linux alone")
	}
	const asked = 128 << 20
	for most, fits := range map[int64]bool{asked / 2: false, asked * 2: true} {
		// It asks once it may be sure that the limit holds, for all even if it is stopped while it reads.
		p := child.Program{Path: "/bin/sh", Args: []string{"-c", "sleep 0.2; exec dd if=/dev/zero of=/dev/null count=1 iflag=fullblock bs=" + strconv.Itoa(asked)}, CPU: time.Minute, Memory: most}
		used, err := p.Run(t.Context())
		if (err == nil) != fits || fits && used.Memory < asked {
			t.Errorf("at most %d bytes: used %d, error %v", most, used.Memory, err)
		}
	}
	if have := child.MachineMemory(); have < 64<<20 {
		t.Errorf("the machine has %d bytes", have)
	}
}

// TestLimits checks which error reports which limit, and what is kept.
func TestLimits(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	shell := func(script string) child.Program {
		return child.Program{Path: "/bin/sh", Args: []string{"-c", script}, MaxOutput: 5}
	}
	slow := shell("sleep 300")
	slow.Timeout = 50 * time.Millisecond
	short := shell("echo 123456789 >&2; exit 3")
	short.MaxComplaint = 4
	for _, test := range []struct {
		name              string
		ctx               context.Context
		program           child.Program
		output, complaint string
		want              error
	}{
		{"all is well", t.Context(), shell("printf 12345; echo why >&2"), "12345", "why\n", nil},
		{"too much output", t.Context(), shell("printf 123456; exec sleep 300"), "12345", "", child.ErrOutput},
		{"out of time", t.Context(), slow, "", "", child.ErrTimeout},
		{"cancelled", cancelled, shell("printf 1"), "", "", context.Canceled},
		{"another holds the output", t.Context(), child.Program{Path: "/bin/sh", Args: []string{"-c", "sleep 300 &"}, PipeDelay: 50 * time.Millisecond}, "", "", exec.ErrWaitDelay},
		{"the end of a complaint", t.Context(), short, "", "789\n", new(exec.ExitError)},
	} {
		got, err := test.program.Run(test.ctx)
		var exit *exec.ExitError
		matches := errors.Is(err, test.want)
		if errors.As(test.want, &exit) {
			matches = errors.As(err, &exit)
		}
		if !matches || string(got.Output) != test.output || got.Complaint != test.complaint {
			t.Errorf("%s: output %q, complaint %q, error %v", test.name, got.Output, got.Complaint, err)
		}
	}
	var streamed strings.Builder
	p := child.Program{Path: "/bin/sh", Args: []string{"-c", "cat"}, Stdin: strings.NewReader("through"), Stdout: &streamed}
	if got, err := p.Run(t.Context()); err != nil || streamed.String() != "through" || got.Output != nil {
		t.Errorf("streamed %q, kept %q, error %v", streamed.String(), got.Output, err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("CITEKIT_TEST_NAMED", "yes")
	t.Setenv("CITEKIT_TEST_OTHER", "no")
	got := strings.Join(child.Environment([]string{"LC_ALL=C"}, "CITEKIT_TEST_NAMED"), "\n")
	if !strings.HasPrefix(got, "LC_ALL=C\nPATH=") || !strings.HasSuffix(got, "\nCITEKIT_TEST_NAMED=yes") || strings.Contains(got, "OTHER") {
		t.Errorf("the environment is %q", got)
	}
}

// TestVersionIsRemembered checks that a program is not started again for its version
// while its path, size and time are the same, also by another process.
func TestVersionIsRemembered(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir()) // where caches are on darwin
	real, err := child.Find("true")
	if err != nil {
		t.Skip(err)
	}
	program, err := os.ReadFile(real)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "program")
	write := func(content []byte, at time.Time) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(what, want string) {
		t.Helper()
		if got, err := child.Version(t.Context(), path, "--version"); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", what, got, err, want)
		}
	}
	made := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	write(program, made)
	version, err := child.Version(t.Context(), path, "--version")
	if err != nil || version == "" {
		t.Skipf("%s has no version: %v", real, err)
	}
	write(make([]byte, len(program)), made) // it cannot be started any more
	ask("again", version)
	child.ForgetVersions()
	ask("another process", version)
	write(make([]byte, len(program)), made.Add(time.Second))
	ask("another time", "")
	child.ForgetVersions()
	ask("another time, another process", "")
}

func TestVersion(t *testing.T) {
	for script, want := range map[string]string{
		"echo 'ffmpeg version 5.1.9-0+deb12u1 Copyright (c) 2000-2025'": "5.1.9-0+deb12u1",
		"echo 'tesseract 5.3.0'; echo ' leptonica-1.82.0'":              "5.3.0",
		"echo 'tesseract 3.04' >&2":                                     "3.04",
		"echo 'a program'; echo 7.1":                                    "",
		"printf 'x \\033[31m7.1\\033[m'":                                "",
		"exit 3":                                                        "",
		"while :; do echo 12345678; done":                               "",
	} {
		path := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n[ \"$1\" = --version ] || exit 9\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if got, err := child.Version(t.Context(), path, "--version"); got != want || err != nil {
			t.Errorf("%s: %q, want %q: %v", script, got, want, err)
		}
	}
	if got, err := child.Version(t.Context(), filepath.Join(t.TempDir(), "none"), "--version"); got != "" || err != nil {
		t.Errorf("of no program: %q, %v", got, err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := child.Version(done, "/bin/sh", "--version"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %q, %v", got, err)
	}
}
