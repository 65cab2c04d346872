package schema_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/cmd/citekit/internal/config"
)

// TestConfigPublished checks that the published schema of settings is the one that
// the types give; -update writes it.
func TestConfigPublished(t *testing.T) {
	const published = "config.schema.json"
	want, err := config.Schema()
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
		t.Errorf("%s is out of date; run go test ./schema -update (-want +got):\n%s", published, diff)
	}
}
