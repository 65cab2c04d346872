//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package ffmpeg

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lockScratch locks a file in dir until it is closed. On a file system without locks it
// returns nil, and dir is never swept.
func lockScratch(dir string) *os.File {
	held := filepath.Join(dir, lockName)
	f, err := os.OpenFile(held+".new", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		err = os.Rename(held+".new", held)
	}
	if err != nil {
		f.Close()
		return nil
	}
	return f
}

// sweepScratch removes this user's scratch directories that no process uses. It ignores
// errors.
func sweepScratch() {
	temp := os.TempDir()
	entries, err := os.ReadDir(temp)
	if err != nil {
		return
	}
	for _, entry := range entries {
		dir := filepath.Join(temp, entry.Name())
		if strings.HasPrefix(entry.Name(), scratchPrefix) && isOurs(dir) && isAbandoned(dir) {
			os.RemoveAll(dir)
		}
	}
}

// isOurs reports whether dir is a directory of this user that nobody else can write to.
func isOurs(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		return false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Geteuid()
}

// isAbandoned reports whether the lock in dir is free.
func isAbandoned(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
