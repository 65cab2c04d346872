package workspace_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

// Backups of citekit and files of keys are no sources, whatever they are called.
func TestSecretFilesAreNoSources(t *testing.T) {
	archive := func(first string) string {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := errors.Join(w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: first, Size: 2, Format: tar.FormatPAX}), func() error { _, err := w.Write([]byte("{}")); return err }(), w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	packed := func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		w.Close()
		return b.String()
	}
	hash := strings.Repeat("a0", 32)
	dir := t.TempDir()
	d := open(t, dir, nil)
	for name, test := range map[string]struct {
		content string
		secret  bool
	}{
		"backup.bin":   {packed(archive("citekit-backup.json")), true},
		"unpacked.txt": {archive("citekit-backup.json"), true},
		"other.tar.gz": {packed(archive("keys.json")), false},
		"other.tar":    {archive("citekit-backup.json.txt"), false},
		"keys.txt":     {`{"version": 1, "keys": [{"id": "abcdefghij", "workspaces": ["a"], "sha256": "` + hash + `"}]}`, true},
		"turned.md":    {"\n {\"keys\": [{\"sha256\": \"" + hash + "\", \"id\": \"abcdefghij\"}, {}", true},
		"revoked":      {`{"version": 1, "keys": [{"id": "abcdefghij", "revoked": "2026-01-02T03:04:05Z"}]}`, true},
		"none.json":    {`{"version": 1, "keys": []}`, false},
		"others.json":  {`{"keys": [{"id": "abcdefghij", "name": "piano"}]}`, false},
		"numbers.json": {`{"keys": [1, 2]}`, false},
		"cut.json":     {`{"keys": [{"id": "abcdefghij", "sha2`, false},
		"cut.gz":       {packed(archive("citekit-backup.json"))[:20], false},
		"prose.txt":    {"citekit-backup.json is the first file", false},
		"tiny":         {"{", false},
	} {
		writeFile(t, filepath.Join(dir, name), test.content)
		src, err := d.OpenSource(t.Context(), name)
		if err == nil {
			src.Close()
		}
		var refused interface{ Secret() bool }
		secret := errors.As(err, &refused) && refused.Secret()
		if secret != test.secret || secret != (citekit.CodeOf(err) == message.CodeForbidden) || !secret && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
