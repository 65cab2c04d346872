package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// Where maps and notes belong to root, the commands of another user name the
// file, its owner and the remedy.
func TestFilesOfRoot(t *testing.T) {
	sharedtest.NotShort(t)
	m := shareFolder(t, "0600", 64_013)[0]
	m.group, m.key = 0, filepath.Join(m.home, "evidence.key")
	must(t, os.Chown(m.dir, int(m.uid), int(m.gid)))
	if err := os.Chown(filepath.Join(m.dir, "poem.txt"), int(m.uid), int(m.gid)); err != nil {
		t.Fatal(err)
	}
	m.must("ingest", ".")
	m.must("search", "roses")
	maps := filepath.Join(m.dir, ".resource_maps", "poem.json")
	notes := filepath.Join(m.dir, ".citekit_output", ".meta", "notes", "ingest.log")
	must(t, errors.Join(os.Chown(maps, 0, 0), os.Chmod(maps, 0o600)))
	archive := filepath.Join(m.home, "b.tar.gz")
	check := func(file string, args ...string) {
		t.Helper()
		out, complaint, _ := m.run(args...)
		if all := out + complaint; !strings.Contains(all, "'"+file+"' belongs to root: ") || !strings.Contains(all, "chown 64013") || strings.Contains(all, "not maps") {
			t.Errorf("%v: %s%s", args, out, complaint)
		}
	}
	check(maps, "backup", archive)
	check(maps, "doctor")
	check(maps, "search", "roses")
	must(t, errors.Join(os.Chown(notes, 0, 0), os.Chmod(notes, 0o600)))
	check(notes, "ingest", ".")
	check(notes, "ingest", "--json", ".")
	check(notes, "doctor")
	must(t, os.Remove(notes))
	check(maps, "ingest", ".")
	check(maps, "ingest", "--json", ".")
	if ids, err := os.ReadDir(filepath.Dir(maps)); err != nil || len(ids) > 2 { // the map and the lock
		t.Errorf("%v, %v", ids, err)
	}
}
