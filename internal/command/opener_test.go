package command

import (
	"slices"
	"strings"
	"testing"
)

// TestLinkOpener looks for the link in what opens it: on macOS it is in no argument.
func TestLinkOpener(t *testing.T) {
	const link = "http://127.0.0.1:1/view/text://notes%23lines=2?q=two+kettles#token=SECRET"
	for _, system := range []string{"linux", "windows", "darwin"} {
		name, args, input := linkOpener(system, link)
		if shown := slices.Contains(args, link); shown != (system != "darwin") || strings.Contains(name, "SECRET") {
			t.Errorf("%s: %s %q", system, name, args)
		}
		if want := map[string]string{"darwin": `open location "` + link + "\"\n"}[system]; input != want {
			t.Errorf("%s: the input is %q", system, input)
		}
	}
}
