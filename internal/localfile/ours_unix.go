//go:build unix

package localfile

import (
	"os"
	"syscall"
)

// isOurs reports whether dir is a folder of this user that nobody else can write to.
func isOurs(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		return false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Geteuid()
}
