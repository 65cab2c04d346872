package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
)

// Errors of files of citekit that are closed to this user say which file it is,
// but not in their text.
func TestDeniedNamesPath(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	d := open(t, dir, nil)
	if err := d.WriteMap(ctx, "lease", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.WriteNoteIf(ctx, ledger.Kind, "a", []byte("x"), citekit.Stamp{}); err != nil {
		t.Fatal(err)
	}
	lease, notes := filepath.Join(dir, mapsDir, "lease.json"), filepath.Join(dir, ".citekit_output", ".meta", "notes", ledger.Kind+".log")
	if err := errors.Join(os.Chmod(lease, 0), os.Chmod(notes, 0)); err != nil {
		t.Fatal(err)
	}
	for path := dir; path != filepath.Dir(os.TempDir()) && len(path) > 1; path = filepath.Dir(path) {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o055 != 0o055 {
			os.Chmod(path, info.Mode().Perm()|0o055)
		}
	}
	for _, own := range []string{filepath.Dir(lease), filepath.Dir(notes), filepath.Dir(filepath.Dir(notes)), filepath.Join(dir, ".citekit_output")} {
		os.Chmod(own, 0o755)
	}
	fresh := open(t, dir, nil)
	asNobody(t, func() {
		_, _, mapErr := fresh.ReadMap(ctx, "lease", 100)
		var noteErr error
		for _, err := range fresh.Notes(ctx, ledger.Kind) {
			noteErr = err
		}
		for want, err := range map[string]error{lease: mapErr, notes: noteErr} {
			var denied interface{ Denied() string }
			if !errors.As(err, &denied) || denied.Denied() != want || strings.Contains(err.Error(), dir) {
				t.Errorf("%v; want one that names %s", err, want)
			}
		}
		if !errors.Is(mapErr, fs.ErrPermission) {
			t.Errorf("the map: %v", mapErr)
		}
	})
}

// What root makes in the folders of another user belongs to that user.
func TestRootLeavesFilesToOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	ctx, dir := t.Context(), t.TempDir()
	const user, group = 64_011, 64_012
	for _, own := range []string{mapsDir, ".citekit_output"} {
		path := filepath.Join(dir, own)
		if err := errors.Join(os.Mkdir(path, 0o700), os.Chown(path, user, group)); err != nil {
			t.Fatal(err)
		}
	}
	d := open(t, dir, nil)
	if err := d.WriteMap(ctx, "lease", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.WriteNoteIf(ctx, ledger.Kind, "a", []byte("x"), citekit.Stamp{}); err != nil {
		t.Fatal(err)
	}
	release, err := d.LockIngest(ctx)
	if err != nil {
		t.Fatal(err)
	}
	release()
	store(t, d, key, "e.txt", "evidence")
	files := 0
	for _, own := range []string{mapsDir, ".citekit_output"} {
		err := filepath.WalkDir(filepath.Join(dir, own), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			files++
			if st := info.Sys().(*syscall.Stat_t); st.Uid != user || st.Gid != group {
				t.Errorf("%s belongs to %d:%d", path, st.Uid, st.Gid)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 10 {
		t.Errorf("only %d files", files)
	}
}
