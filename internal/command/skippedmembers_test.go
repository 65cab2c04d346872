package command

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
)

// TestSkippedMembers has an archive with two members that have no node: one whose name
// leads outside, and one with a password.
func TestSkippedMembers(t *testing.T) {
	f := newFolder(t)
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for name, flags := range map[string]uint16{"good.txt": 0, "../out.txt": 0, "locked.txt": 1} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Flags: flags})
		if err == nil {
			_, err = f.Write([]byte("What is right.\n"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must(t, w.Close())
	f.write("a.zip", packed.String())
	if out := f.ran("ingest", "a.zip"); !strings.Contains(out, "a.zip: 2 members have no node; 'citekit structure a' says why under skipped") || strings.Contains(out, "damaged") {
		t.Errorf("ingest: %s", out)
	}
	if out := f.ran("ingest", "a.zip", "--force", "--json"); !strings.Contains(out, `"skipped_members": 2`) {
		t.Errorf("ingest as JSON: %s", out)
	}
	if out := f.ran("structure", "a"); !strings.Contains(out, "the member has a password; unpack the archive with its password") {
		t.Errorf("structure: %s", out)
	}
}
