package citation_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
)

// TestKeysDiffer has ids whose letters are lost in keys: two entries with one key
// would be one entry for BibTeX and for CSL.
func TestKeysDiffer(t *testing.T) {
	seen := make(map[string]string)
	for _, written := range []string{"doc://中文#part=1", "doc://日本#part=1", "doc://日本#part=2", "doc://größen#part=1", "doc://grüßen#part=1", "doc://book#part=1",
		"doc://" + strings.Repeat("long-", 30) + "a#part=1", "doc://" + strings.Repeat("long-", 30) + "b#part=1"} {
		a, err := citekit.ParseAddress(written)
		if err != nil {
			t.Fatal(err)
		}
		key := (&citation.Citation{Address: a}).Key()
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s both have the key %s", written, other, key)
		}
		seen[key] = written
		if !regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,79}$`).MatchString(key) {
			t.Errorf("%s: the key %q", written, key)
		}
	}
	if _, ok := seen["book-part-1"]; !ok {
		t.Errorf("an id of ASCII has another key: %v", seen)
	}
}
