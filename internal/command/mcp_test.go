package command

import (
	"slices"
	"testing"
)

// TestRunner has the programs that npx and uvx put into their caches, and others.
func TestRunner(t *testing.T) {
	if _, args := runner("/home/u/.npm/_npx/a/node_modules/citekit"); !slices.Contains(args, "--prefer-offline") {
		t.Errorf("npx %q asks the registry each time, or waits for it", args)
	}
	for program, want := range map[string]string{
		"/home/u/.npm/_npx/dc95b8595fc16c5c/node_modules/@citekit/cli-linux-x64/bin/citekit": "npx",
		"/home/u/.cache/uv/archive-v0/Xa3/bin/citekit":                                       "uvx",
		"/usr/lib/node_modules/@citekit/cli-linux-x64/bin/citekit":                           "",
		"/home/u/go/bin/citekit":                            "",
		"/home/u/.local/share/uv/tools/citekit/bin/citekit": "",
	} {
		if command, args := runner(program); command != want || (len(args) > 0) != (want != "") {
			t.Errorf("%s is run by %q %q, want %q", program, command, args, want)
		}
	}
}
