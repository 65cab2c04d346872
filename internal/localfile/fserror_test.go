package localfile_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/localfile"
)

func TestWithoutPath(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	_, open := os.Open(secret)
	_, start := exec.LookPath(secret)
	_, find := exec.LookPath("secret-program")
	for _, test := range []struct {
		err, want error
	}{
		{open, fs.ErrNotExist},
		{os.Rename(secret, secret+"2"), fs.ErrNotExist},
		{start, fs.ErrNotExist},
		{find, exec.ErrNotFound},
		{fmt.Errorf("copy %s: %w", secret, open), fs.ErrNotExist},
		{errors.Join(io.EOF, open), fs.ErrNotExist},
		{&os.LinkError{Op: "rename", Old: secret, New: secret, Err: &fs.PathError{Op: "open", Path: secret, Err: fs.ErrPermission}}, fs.ErrPermission},
		{fmt.Errorf("read: %w", io.ErrUnexpectedEOF), io.ErrUnexpectedEOF},
	} {
		got := localfile.WithoutPath(test.err)
		if got == nil || !errors.Is(got, test.want) || strings.Contains(got.Error(), "secret") {
			t.Errorf("%v gives %v, want %v", test.err, got, test.want)
		}
	}
	if err := localfile.WithoutPath(nil); err != nil {
		t.Errorf("nil gives %v", err)
	}
	if err := localfile.WithoutPath(io.EOF); err != io.EOF {
		t.Errorf("EOF gives %v", err)
	}
}
