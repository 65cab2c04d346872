package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

func TestRunInterrupted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "notes.txt")
	must(t, os.WriteFile(file, []byte("one\ntwo\n"), 0o600))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"resolve", file + "#lines=2"},
		{"resolve", file + "#lines=2&v=00000000"},
		{"resolve", file, "--output", filepath.Join(dir, "copy.txt")},
		{"check-map", "--all"},
		{"list", "--long"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(ctx, append([]string{"--dir", dir}, args...), strings.NewReader(""), &stdout, &stderr)
		if code == exitInterrupted && stderr.String() == "citekit: interrupted\n" {
			continue
		}
		if code != exitOK || strings.Contains(strings.Join(args, " "), "resolve") {
			t.Errorf("%v: exit code %d, stderr %q", args, code, stderr.String())
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "copy.txt" || strings.HasSuffix(e.Name(), ".tmp") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

// A brokenWriter is a standard output that cannot be written to.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestRunCannotWrite(t *testing.T) {
	var stderr bytes.Buffer
	code := run(context.Background(), []string{"version"}, nil, brokenWriter{}, &stderr)
	if code != exitFailure || stderr.String() != "citekit: no space left on device\n" {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
`

// startServer starts "citekit serve" in a directory of its own and waits for
// the answer to its first request.
func startServer(t *testing.T) (cmd *exec.Cmd, stdin io.WriteCloser, stdout io.ReadCloser, stderr *bytes.Buffer) {
	t.Helper()
	cmd = exec.Command("citekit", "serve", "--dir", t.TempDir())
	stderr = new(bytes.Buffer)
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if stdout, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	if _, err := io.WriteString(stdin, initialize); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.Contains(line, "serverInfo") {
		t.Fatalf("first answer %q, %v", line, err)
	}
	return cmd, stdin, stdout, stderr
}

func TestServeEndsWithSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals between processes on Windows")
	}
	for sig, want := range map[os.Signal]int{os.Interrupt: exitInterrupted, syscall.SIGTERM: exitOK} {
		cmd, _, _, stderr := startServer(t)
		must(t, cmd.Process.Signal(sig))
		if cmd.Wait(); cmd.ProcessState.ExitCode() != want || stderr.Len() > 0 {
			t.Errorf("%v: %v, stderr %q", sig, cmd.ProcessState, stderr)
		}
	}
}

// A client that closed its end without closing ours must not leave a server
// behind.
func TestServeEndsWithClosedOutput(t *testing.T) {
	cmd, stdin, stdout, _ := startServer(t)
	must(t, stdout.Close())
	for i := 0; i < 100; i++ { // until the pipe breaks
		if _, err := io.WriteString(stdin, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n"); err != nil {
			break
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Error("ended as if nothing had happened")
	}
}

func TestClosest(t *testing.T) {
	names := []string{"resolve", "inspect", "list", "structure", "check-map", "serve", "version"}
	for typed, want := range map[string]string{
		"reslove": "resolve", "Resolve": "resolve", "resolv": "resolve", "struct": "structure", "checkmap": "check-map",
		"ls": "", "lst": "list", "sevre": "serve", "": "", "x": "", "zzzzzzz": "", strings.Repeat("resolve", 100): "",
	} {
		if got := closest(typed, names); got != want {
			t.Errorf("closest(%q) = %q, want %q", typed, got, want)
		}
	}
}

func TestFlagsAnywhere(t *testing.T) {
	for _, test := range []struct {
		args       []string
		positional string
		output     string
		fails      bool
	}{
		{args: []string{"a", "-o", "x", "b"}, positional: "a b", output: "x"},
		{args: []string{"--output=x", "a"}, positional: "a", output: "x"},
		{args: []string{"-o=x=y", "a"}, positional: "a", output: "x=y"},
		{args: []string{"a", "-o", "-", "-"}, positional: "a -", output: "-"},
		{args: []string{"-o", "--", "a"}, positional: "a", output: "--"},
		{args: []string{"a", "--", "-o", "--", "b"}, positional: "a -o -- b"},
		{args: []string{"-output", "x", "a", "--o=y"}, positional: "a", output: "y"},
		{args: []string{"-o", "-output", "a"}, positional: "a", output: "-output"},
		{args: []string{"a", "-o"}, fails: true},
		{args: []string{"a", "-ox"}, fails: true},
		{args: []string{"a", "-o", ""}, fails: true},
		{args: []string{"a", "--output="}, fails: true},
		{args: []string{"a", "---o", "x"}, fails: true},
		{args: []string{"a", "--=x"}, fails: true},
	} {
		c, err := parsed(test.args)
		if (err != nil) != test.fails {
			t.Errorf("%q: error %v", test.args, err)
		}
		if err != nil {
			continue
		}
		positional, output := strings.Join(c.Flags().Args(), " "), c.Flag("output").Value.String()
		if positional != test.positional || output != test.output {
			t.Errorf("%q: arguments %q, output %q", test.args, positional, output)
		}
	}
}

// parsed returns the command resolve with its arguments set. If they ask for help or the
// version, it has none.
func parsed(args []string) (*cobra.Command, error) {
	s := new(session)
	root := s.root()
	args, err := s.checkArgs(root, append([]string{"resolve"}, args...))
	if err != nil {
		return nil, err
	}
	c, args, err := root.Traverse(args)
	if err != nil {
		return nil, err
	}
	return c, c.ParseFlags(args)
}
