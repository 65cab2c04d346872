package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0") // else each run of the command takes a second more
	testscript.Main(m, map[string]func(){"citekit": func() { Main(Options{}) }})
}

// controls matches what must never reach a terminal.
const controls = "[\x01-\x08\x0b-\x1f\x7f\u0080-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]"

// shortScripts are the scripts that -short runs: those of the main commands.
var shortScripts = []string{"cite", "help", "ingest", "messages", "output", "resolve", "search", "stale", "structure", "usage", "verify"}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		files = nil
		for _, name := range shortScripts {
			files = append(files, filepath.Join("testdata", "script", name+".txtar"))
		}
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(env *testscript.Env) error {
			env.Setenv("CONTROLS", controls)
			env.Setenv("GORACE", os.Getenv("GORACE"))
			for _, place := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} { // by system
				env.Setenv(place, filepath.Join(env.WorkDir, ".tmp", "settings"))
			}
			env.Setenv("ESCAPING_NAME", "a\x1b[31m\u202eb\nc.txt")
			return nil
		},
		RequireExplicitExec: true,
	})
}

// run runs the program without stores.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return Options{}.run(ctx, args, stdin, stdout, stderr)
}
