package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// doctor reports a source that cannot be read also when the index still holds a
// resource whose map was removed.
func TestDoctorAfterRemoval(t *testing.T) {
	sharedtest.Tool(t, "tesseract") // which cannot read the image
	f := newFolder(t)
	for name, content := range map[string]string{"a.md": "# alpha\n", "b.md": "# beta\n", "c.md": "# gamma\n", "bomb.gif": "GIF89a\x01\x00\x01\x00\x00\x00\x00,"} {
		f.write(name, content)
	}
	do := f.ran
	do("ingest", ".")
	do("search", "alpha")
	const want = "the text of 1 source cannot be read, so no search finds it: bomb"
	if got := do("doctor"); !strings.Contains(got, want) {
		t.Fatalf("the image can be read: %s", got)
	}
	do("rm", "b")
	if got := do("doctor"); !strings.Contains(got, want) {
		t.Errorf("after b was removed: %s", got)
	}
	do("rm", "c")
	do("rm", "bomb")
	if got := do("doctor"); !strings.Contains(got, "of 1 resource,") || strings.Contains(got, "it holds") {
		t.Errorf("after bomb was removed: %s", got)
	}
}

// A key that was revoked before is not said to be revoked now.
func TestRevokeTwice(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "keys.json")
	do := func(args ...string) string { return ran(t, append(args, "--keys", keys)...) }
	id, _, _ := strings.Cut(strings.TrimPrefix(do("key", "new", "--workspace", "a"), "citekit_"), "_")
	if got := do("key", "revoke", id); !strings.Contains(got, "revoked "+id) {
		t.Error(got)
	}
	data, err := os.ReadFile(keys)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte(`"revoked": "2`))
	if at < 0 {
		t.Fatalf("%s", data)
	}
	copy(data[at+len(`"revoked": "`):], "2020")
	must(t, os.WriteFile(keys, data, 0o600))
	if got := do("key", "revoke", id); !strings.Contains(got, id+" was revoked before, at 2020-") {
		t.Error(got)
	}
}
