package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// servingPage returns docs/serving.md, and the commands for a shell in a section.
func servingPage(t *testing.T, section string) (page string, commands []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "serving.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(string(text), "\n## "+section+"\n")
	if !ok {
		t.Fatalf("no section %s", section)
	}
	part, _, _ = strings.Cut(part, "\n## ")
	for _, found := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(part, -1) {
		commands = append(commands, found[1])
	}
	return string(text), commands
}

// TestServingPage follows the page in an empty folder, as an operator would, on
// another port: a server with TLS and two keys answers one that is allowed, and
// refuses the others.
func TestServingPage(t *testing.T) {
	bash := sharedtest.Tool(t, "bash")
	sharedtest.Tool(t, "openssl")
	sharedtest.Tool(t, "curl")
	_, commands := servingPage(t, "Try it, in ten minutes")
	if len(commands) != 7 {
		t.Fatalf("%d groups of commands", len(commands))
	}
	const mark = "== group"
	script := "set -eu\ntrap 'kill ${server:-} 2>/dev/null || true' EXIT\n"
	for _, command := range commands {
		script += "echo '" + mark + "'\n" + command
	}
	port := freePort(t)
	run := exec.CommandContext(t.Context(), bash, "-c", strings.ReplaceAll(script, "8808", port))
	run.Dir = t.TempDir()
	run.Env = append(os.Environ(), "PATH="+filepath.Dir(scratchBinary(t))+string(os.PathListSeparator)+os.Getenv("PATH"), "XDG_CONFIG_HOME="+t.TempDir())
	run.WaitDelay = time.Minute
	var diagnostics strings.Builder
	run.Stderr = &diagnostics
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, diagnostics.String())
	}
	groups := strings.Split(string(out), mark+"\n")[1:]
	for _, want := range []struct {
		group int
		text  string
		times int
	}{
		{0, "1 mapped", 2},
		{3, "active", 2},
		{4, `{"ready":true}`, 1},
		{5, `"address":"text://moon#lines=1-3"`, 1},
		{5, `"results":[]`, 1},
		{5, `"message":"unknown tool \"resolve\"`, 1},
		{5, "the token is not valid", 1},
		{6, "revoked ", 1},
		{6, "the token is not valid", 1},
	} {
		if got := strings.Count(groups[want.group], want.text); got != want.times {
			t.Errorf("group %d has %q %d times, not %d:\n%s", want.group, want.text, got, want.times, groups[want.group])
		}
	}
	log, err := os.ReadFile(filepath.Join(run.Dir, "citekit.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"moon landing", "Apollo", "citekit_"} {
		if strings.Contains(string(log), secret) {
			t.Errorf("the log has %q:\n%s", secret, log)
		}
	}
}

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// TestServingPageNames checks that what the page names is there: files of the
// repository, settings, commands and flags.
func TestServingPageNames(t *testing.T) {
	page, _ := servingPage(t, "Install")
	for _, name := range regexp.MustCompile(`\bpackaging/[a-zA-Z0-9./-]*[a-zA-Z0-9]`).FindAllString(page, -1) {
		if _, err := os.Stat(filepath.Join("..", "..", "..", filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	bin := scratchBinary(t)
	schema := string(output(t, bin, "config", "--schema"))
	settings := regexp.MustCompile("`(?:limits|tls|log|audit|metrics|traces|oauth)\\.([a-z_]+)`").FindAllStringSubmatch(page, -1)
	for _, setting := range settings {
		if !strings.Contains(schema, `"`+setting[1]+`"`) {
			t.Errorf("no setting %s", setting[0])
		}
	}
	if len(settings) < 10 {
		t.Errorf("only %d settings were found", len(settings))
	}
	for _, flag := range regexp.MustCompile("`citekit ([a-z]+)[^`]*?(--[a-z-]+)").FindAllStringSubmatch(page, -1) {
		if help := string(output(t, bin, "help", flag[1])); !strings.Contains(help, flag[2]) {
			t.Errorf("citekit %s has no flag %s", flag[1], flag[2])
		}
	}
	known := string(output(t, bin, "help"))
	for _, command := range regexp.MustCompile("`citekit ([a-z]+)").FindAllStringSubmatch(page, -1) {
		if !strings.Contains(known, " "+command[1]+" ") {
			t.Errorf("no command citekit %s", command[1])
		}
	}
}
