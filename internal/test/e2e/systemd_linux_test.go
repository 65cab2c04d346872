package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

const unitFile = "../../../packaging/systemd/citekit.service"

// unitValues returns what a unit gives a setting, in order.
func unitValues(t *testing.T, file, setting string) (values []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), setting+"="); ok {
			values = append(values, value)
		}
	}
	return values
}

// TestSystemdUnit has systemd read the unit, with the program of the test in place
// of the installed one, and judge how much the service could do.
func TestSystemdUnit(t *testing.T) {
	analyze := sharedtest.Tool(t, "systemd-analyze")
	text, err := os.ReadFile(unitFile)
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), "citekit.service")
	writeFile(t, unit, []byte(strings.ReplaceAll(string(text), "/usr/local/bin/citekit", scratchBinary(t))))
	if out, err := exec.Command(analyze, "verify", "--man=no", unit).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	if out, err := exec.Command(analyze, "security", "--offline=true", "--threshold=15", "--no-pager", unit).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
	for setting, want := range map[string]string{
		"User": "citekit", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes",
		"ReadWritePaths": "/srv/citekit", "ExecReload": "/bin/kill -HUP $MAINPID", "CapabilityBoundingSet": "",
		"RestrictAddressFamilies": "AF_INET AF_INET6", "StateDirectory": "citekit", "MemoryMax": "4G",
	} {
		if got := unitValues(t, unitFile, setting); len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want %q", setting, got, want)
		}
	}
}

// TestSystemdSystemCalls traces a server that is asked for what starts other
// programs and compiles PDFium, and holds the system calls that it makes to those
// that the unit allows.
func TestSystemdSystemCalls(t *testing.T) {
	strace, analyze := sharedtest.Tool(t, "strace"), sharedtest.Tool(t, "systemd-analyze")
	allowed := make(map[string]bool)
	for _, filter := range unitValues(t, unitFile, "SystemCallFilter") {
		names, denied := strings.CutPrefix(filter, "~")
		for name := range strings.FieldsSeq(names) {
			for _, call := range expandFilter(t, analyze, name) {
				allowed[call] = !denied
			}
		}
	}
	base, log := t.TempDir(), filepath.Join(t.TempDir(), "trace")
	writeFile(t, filepath.Join(base, "guide.md"), []byte(installGuide))
	for name, file := range map[string]string{"a.pdf": "pdf/outline-and-page-labels.pdf", "b.mp4": "media/h264-aac-chapters.mp4"} {
		data, err := os.ReadFile(sharedtest.Made(t, file))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(base, name), data)
	}
	trace := []string{strace, "-f", "-qq", "-e", "signal=none", "-A", "-o", log, scratchBinary(t)}
	for _, args := range [][]string{
		{"ingest", base, "--dir", base},
		{"search", "install", "--dir", base},
		{"resolve", "doc://a#pages=1", "--dir", base},
		{"resolve", "video://b#t=0-1", "--mode", "copy", "--dir", base},
	} {
		output(t, trace[0], append(slices.Clone(trace[1:]), args...)...)
	}
	url, process := serveProcess(t, append(trace, "serve", "--dir", base, "--transport", "http", "--port", "0"))
	if response, err := http.Get(url); err == nil {
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	} else {
		t.Error(err)
	}
	// strace lets no signal through while it writes to a file.
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	traced := strings.Fields(string(children))
	if len(traced) != 1 {
		t.Fatalf("the processes traced: %q", traced)
	}
	output(t, "kill", "-TERM", traced[0])
	process.Wait()
	seen := callsIn(t, log)
	if len(seen) < 40 || !seen["execve"] || !seen["bind"] {
		t.Fatalf("only %d system calls were seen", len(seen))
	}
	for call := range seen {
		// What follows is newer than some lists of systemd, and done without there.
		if call == "syscall_0x1c4" { // as strace calls what it does not know
			call = "fchmodat2"
		}
		if !allowed[call] && call != "fchmodat2" {
			t.Errorf("the unit does not allow %s", call)
		}
	}
}

// expandFilter returns the system calls of a name that begins with @, or of one
// call.
func expandFilter(t *testing.T, analyze, name string) (calls []string) {
	t.Helper()
	if !strings.HasPrefix(name, "@") {
		return []string{name}
	}
	for line := range strings.Lines(string(output(t, analyze, "--no-pager", "syscall-filter", name))) {
		line = strings.TrimSpace(line)
		if line != "" && line != name && line[0] != '#' {
			calls = append(calls, expandFilter(t, analyze, line)...)
		}
	}
	return calls
}

// callsIn returns the names of the system calls in what strace wrote.
func callsIn(t *testing.T, log string) map[string]bool {
	t.Helper()
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	call := regexp.MustCompile(`^(?:\d+ +)?([a-z0-9_]+)\(`)
	seen := make(map[string]bool)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if m := call.FindSubmatch(lines.Bytes()); m != nil {
			seen[string(m[1])] = true
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return seen
}
