package command

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const goodHead = `{"citekit_backup":1,"created":"2026-01-02T03:04:05Z"}`

// archiveOf returns an archive of files, whose names and contents alternate.
func archiveOf(t testing.TB, heads ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	w := tar.NewWriter(zip)
	for _, head := range heads {
		content := head.Linkname
		if head.Typeflag == 0 {
			head.Typeflag, head.Linkname, head.Size = tar.TypeReg, "", int64(len(content))
		}
		must(t, w.WriteHeader(head))
		if head.Typeflag == tar.TypeReg {
			if _, err := w.Write([]byte(content)); err != nil {
				t.Fatal(err)
			}
		}
	}
	must(t, errors.Join(w.Close(), zip.Close()))
	return b.Bytes()
}

// Archives that backup did not write are refused before anything is written.
func TestRestoreHostile(t *testing.T) {
	head := func() *tar.Header { return &tar.Header{Name: backupHead, Linkname: goodHead} }
	whole := archiveOf(t, head(), &tar.Header{Name: "maps/a.json", Linkname: "{}"})
	for name, data := range map[string][]byte{
		"nothing":          {},
		"no archive":       []byte("hello"),
		"no header":        archiveOf(t, &tar.Header{Name: "maps/a.json", Linkname: "{}"}),
		"empty":            archiveOf(t),
		"other version":    archiveOf(t, &tar.Header{Name: backupHead, Linkname: `{"citekit_backup":9}`}),
		"up":               archiveOf(t, head(), &tar.Header{Name: "maps/../../evil.json", Linkname: "{}"}),
		"escaped up":       archiveOf(t, head(), &tar.Header{Name: "maps/..%2Fevil.json", Linkname: "{}"}),
		"absolute":         archiveOf(t, head(), &tar.Header{Name: "/etc/evil", Linkname: "{}"}),
		"another file":     archiveOf(t, head(), &tar.Header{Name: "evil.txt", Linkname: "{}"}),
		"symbolic link":    archiveOf(t, head(), &tar.Header{Name: "maps/a.json", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}),
		"hard link":        archiveOf(t, head(), &tar.Header{Name: "maps/a.json", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}),
		"directory":        archiveOf(t, head(), &tar.Header{Name: "maps/", Typeflag: tar.TypeDir}),
		"device":           archiveOf(t, head(), &tar.Header{Name: "maps/a.json", Typeflag: tar.TypeChar}),
		"pipe":             archiveOf(t, head(), &tar.Header{Name: "pins.json", Typeflag: tar.TypeFifo}),
		"twice":            archiveOf(t, head(), &tar.Header{Name: "maps/a.json", Linkname: "{}"}, &tar.Header{Name: "maps/a.json", Linkname: "[]"}),
		"no pins":          archiveOf(t, head(), &tar.Header{Name: backupPins, Linkname: "{}"}),
		"no key":           archiveOf(t, head(), &tar.Header{Name: backupSeal, Linkname: "short"}),
		"no such map":      archiveOf(t, head(), &tar.Header{Name: "transcripts/a.json", Linkname: "{}"}),
		"no transcript":    archiveOf(t, head(), &tar.Header{Name: "maps/a.json", Linkname: "{}"}, &tar.Header{Name: "transcripts/a.json", Linkname: "{}"}),
		"no such text":     archiveOf(t, head(), &tar.Header{Name: "texts/0/0/a", Linkname: "x"}),
		"text up":          archiveOf(t, head(), &tar.Header{Name: textName("..%2Fevil"), Linkname: "x"}),
		"good, then wrong": archiveOf(t, head(), &tar.Header{Name: "maps/a.json", Linkname: "{}"}, &tar.Header{Name: "x", Linkname: "{}"}),
		"cut":              whole[:len(whole)-12],
		"damaged checksum": append(bytes.Clone(whole[:len(whole)-8]), 1, 2, 3, 4, 5, 6, 7, 8),
	} {
		dir := t.TempDir()
		file, base := filepath.Join(dir, "b.tar.gz"), filepath.Join(dir, "base")
		must(t, errors.Join(os.WriteFile(file, data, 0o600), os.Mkdir(base, 0o700)))
		var out, complaint bytes.Buffer
		code := run(t.Context(), []string{"restore", file, "--dir", base, "--force"}, nil, &out, &complaint)
		if left, err := os.ReadDir(base); code != exitFailure || err != nil || len(left) > 0 || !bytes.Contains(complaint.Bytes(), []byte(errNoBackup.Error())) {
			t.Errorf("%s: exit code %d, left %v, %v: %s", name, code, left, err, &complaint)
		}
	}
}

// textName returns the name of a text in an archive.
func textName(escaped string) string {
	return backupTexts + strings.Repeat("0a", 32) + "/" + strings.Repeat("1b", 32) + "/" + escaped
}

func FuzzReadBackup(f *testing.F) {
	f.Add(archiveOf(f, &tar.Header{Name: backupHead, Linkname: goodHead}, &tar.Header{Name: textName("a%2Fb"), Linkname: "text"}))
	f.Add(archiveOf(f, &tar.Header{Name: backupHead, Linkname: goodHead}, &tar.Header{Name: "maps/a%2Fb.json", Linkname: "{}"}))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first := true
		_ = readBackup(context.Background(), bytes.NewReader(data), func(file savedFile) error {
			name := file.name
			if first && name != backupHead {
				t.Errorf("%q comes first", name)
			}
			first = false
			if id, ok := savedMap(name, backupMaps); ok && id == "" {
				t.Errorf("a map without an id: %q", name)
			}
			return nil
		})
	})
}
