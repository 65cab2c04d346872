//go:build unix

package command

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// A server over HTTP tells its address and ends well when it is asked to.
func TestServeHTTPEnds(t *testing.T) {
	for sig, want := range map[os.Signal]int{os.Interrupt: exitInterrupted, syscall.SIGTERM: exitOK} {
		cmd := exec.Command("citekit", "serve", "--transport", "http", "--host", "localhost", "--port", "0", "--sse", "--dir", t.TempDir())
		var stdout strings.Builder
		cmd.Stdout = &stdout
		pipe, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		must(t, cmd.Start())
		stderr := bufio.NewReader(pipe)
		line, err := stderr.ReadString('\n')
		url, found := strings.CutPrefix(strings.TrimSpace(line), "citekit: serving MCP at ")
		if err != nil || !found || !strings.HasPrefix(url, "http://127.0.0.1:") {
			t.Errorf("%q, %v", line, err)
		}
		// A stream that is open does not hold it.
		stream, err := http.Get(strings.TrimSuffix(url, "/mcp") + "/sse")
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Body.Close()
		if line, err := bufio.NewReader(stream.Body).ReadString('\n'); err != nil || line != "event: endpoint\n" {
			t.Errorf("%q, %v", line, err)
		}
		must(t, cmd.Process.Signal(sig))
		rest, err := io.ReadAll(stderr)
		if err != nil {
			t.Error(err)
		}
		if cmd.Wait(); cmd.ProcessState.ExitCode() != want || len(rest) > 0 || stdout.Len() > 0 {
			t.Errorf("%v: %v, stderr %q, stdout %q", sig, cmd.ProcessState, rest, stdout.String())
		}
	}
}
