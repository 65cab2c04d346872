package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A backup goes to no place that callers may read, and what got there anyway is
// neither mapped nor given to anybody.
func TestSecretFilesInWorkspace(t *testing.T) {
	outer := t.TempDir()
	dir, root, keys := filepath.Join(outer, "legal"), filepath.Join(outer, "root"), filepath.Join(outer, "keys.json")
	for _, folder := range []string{dir, root, filepath.Join(dir, "below")} {
		must(t, os.Mkdir(folder, 0o700))
	}
	do := func(want int, says string, args ...string) {
		t.Helper()
		var out, complaint bytes.Buffer
		code := run(t.Context(), append(args, "--dir", dir), nil, &out, &complaint)
		if all := out.String() + complaint.String(); code != want || !strings.Contains(all, says) {
			t.Errorf("%v: exit code %d: %s", args, code, all)
		}
	}
	lease := filepath.Join(dir, "lease.md")
	must(t, os.WriteFile(lease, []byte("# Lease\n"), 0o600))
	do(exitOK, "", "key", "new", "--keys", keys, "--workspace", "legal")
	do(exitOK, "mapped lease.md", "ingest", ".")
	archive := filepath.Join(outer, "b.tar.gz")
	for _, inside := range []string{filepath.Join(dir, "b.tar.gz"), filepath.Join(dir, "below", "b.tar.gz"), filepath.Join(root, "b.tar.gz")} {
		do(exitFailure, "such as '", "backup", "--keys", keys, "--root", root, inside)
		if _, err := os.Lstat(inside); err == nil {
			t.Errorf("%s was made", inside)
		}
	}
	do(exitOK, "saved 1 map", "backup", "--keys", keys, archive)
	for from, to := range map[string]string{archive: "notes.bin", keys: "people.txt"} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		must(t, os.WriteFile(filepath.Join(dir, to), data, 0o600))
		if to == "people.txt" { // the source of a map that was made before
			must(t, os.WriteFile(lease, data, 0o600))
		}
	}
	do(exitOK, "3 files are not mapped, as backups and files of keys hold secrets: lease.md, notes.bin, people.txt", "ingest", ".")
	do(exitFailure, "file of the keys of callers", "ingest", filepath.Join(dir, "people.txt"))
	for _, address := range []string{"text://lease", "text://lease#lines=1-2"} {
		do(exitFailure, "file of the keys of callers", "resolve", address)
	}
	do(exitFailure, "file of the keys of callers", "read", "lease")
}
