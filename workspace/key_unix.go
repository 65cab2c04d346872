//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwned reports whether this user owns the file.
func isOwned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// isShareable reports whether only the owner may write the file, and only the
// owner and the group may read it.
func isShareable(info fs.FileInfo) bool { return info.Mode().Perm()&0o037 == 0 }

// isPrivate reports whether nobody else may read or write the file.
func isPrivate(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }
