package config

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the published schema")

// TestConfigPublished checks that the published schema of settings is the one that
// the types give; -update writes it.
func TestConfigPublished(t *testing.T) {
	const published = "../../../../schema/config.schema.json"
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(published, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date; run go test ./internal/command/internal/config -update (-want +got):\n%s", published, diff)
	}
}
