package config

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const exampleFile = "../../../../packaging/citekit.yaml"

// The example loads as it is, and with every setting that it has in comments. It
// leaves out none.
func TestExampleFile(t *testing.T) {
	if got := faultsOf(t, Sources{File: exampleFile}, ""); got != "" {
		t.Error(got)
	}
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	setting := regexp.MustCompile(`^(\s*)# ?(\s*[a-z_A-Z]+:( .*)?)$`)
	var all strings.Builder
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if parts := setting.FindStringSubmatch(line); parts != nil {
			line = parts[1] + parts[2]
		}
		all.WriteString(line + "\n")
	}
	s, err := Load(Sources{File: write(t, all.String())})
	if err != nil {
		t.Fatalf("%v\n%s", err, all.String())
	}
	for _, p := range everySetting() {
		if _, ok := s.origins[p]; !ok && p.String() != "mapper.config" {
			t.Errorf("the example has no %s", p)
		}
	}
}
