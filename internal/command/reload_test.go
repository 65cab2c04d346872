package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/citekit/citekit/server"
)

// TestReloadStaysATeam: a server that runs never loses the bounds of its tools, nor
// its settings because their file is gone.
func TestReloadStaysATeam(t *testing.T) {
	for _, variable := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(variable, t.TempDir())
	}
	t.Setenv("CITEKIT_CONFIG", "")
	name := filepath.Join(settingsDir(), "citekit.yaml")
	write := func(settings string) {
		t.Helper()
		must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		if err := os.WriteFile(name, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flags := &settingFlags{command: "serve", flags: new(pflag.FlagSet)}
	flags.register(flags.flags)
	write("transport: http\nlimits: {rate: 2}\n")
	before, err := flags.load()
	if err != nil || !before.Team() {
		t.Fatal(before, err)
	}
	r := &reloader{flags: flags, settings: before}
	for _, settings := range []string{"transport: stdio\n", "transport: http\n"} {
		write(settings)
		after, err := r.read()
		if err != nil {
			t.Fatal(err)
		}
		if got := time.Duration(after.Timeouts["search"]); got != server.Timeouts()["search"] || after.Log.Level != "info" {
			t.Errorf("%q: search may take %v, log level %s", settings, got, after.Log.Level)
		}
	}
	must(t, os.Remove(name))
	if after, err := r.read(); err == nil || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("without the file: %v, %v", after, err)
	}
}
