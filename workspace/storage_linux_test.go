package workspace_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

// asNobody runs f without the rights of root over files.
func asNobody(t testing.TB, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, err := unix.SetfsuidRetUid(65534); err != nil {
		t.Skip(err)
	}
	defer unix.SetfsuidRetUid(0)
	f()
}

// Where the directories of citekit are closed, errors say that they are at
// fault; where the source is, that the source is.
func TestClosedDirectories(t *testing.T) {
	ctx := context.Background()
	for name, mode := range map[string]fs.FileMode{"none": 0, "unwritable": 0o555, "unreadable": 0o600} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "secret.txt"), "secret")
		os.Chmod(filepath.Join(dir, "secret.txt"), 0)
		out, maps := filepath.Join(dir, ".citekit_output"), filepath.Join(dir, mapsDir)
		if mode != 0 {
			for _, own := range []string{out, maps} {
				os.Mkdir(own, 0o700)
				os.Chmod(own, mode)
			}
		}
		os.Chmod(dir, 0o555)
		defer os.Chmod(dir, 0o700)
		d := open(t, dir, nil)
		asNobody(t, func() {
			_, stored := d.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "e", Size: -1}, strings.NewReader("x"))
			_, pinned := pin(ctx, d, "a", "1", "v")
			_, found := d.FindEvidence(ctx, key)
			for _, err := range []error{stored, pinned, found, d.WriteMap(ctx, "m", []byte("{}"))} {
				if err == found && errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err == nil || errors.Is(err, fs.ErrPermission) || errors.Is(err, citekit.ErrForbidden) || !errors.Is(err, syscall.EACCES) ||
					!strings.Contains(err.Error(), "directory cannot be ") || !strings.HasSuffix(err.Error(), ": permission denied") {
					t.Errorf("%s: %v", name, err)
				}
			}
			if _, err := d.OpenSource(ctx, "secret.txt"); citekit.CodeOf(err) != message.CodeForbidden {
				t.Errorf("%s: a source that is closed: %v", name, err)
			}
		})
	}
}

// An error of what is stored is not one of the storage.
func TestFailingBody(t *testing.T) {
	body := &hookReader{Reader: errReader{&fs.PathError{Op: "read", Path: "/x", Err: syscall.EACCES}}}
	_, err := open(t, t.TempDir(), nil).StoreEvidence(context.Background(), key, citekit.EvidenceMeta{Name: "e", Size: -1}, body)
	if !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "directory") {
		t.Error(err)
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }
