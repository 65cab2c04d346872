//go:build linux || darwin

package command

import "syscall"

// mayWrite reports whether this user may create files in a directory.
func mayWrite(dir string) bool {
	const write, enter = 2, 1
	return syscall.Access(dir, write|enter) == nil
}

// freeRoom returns the free bytes and inodes of the disk that holds a directory.
// files is -1 if the file system has no such limit.
func freeRoom(dir string) (bytes, files int64, ok bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return 0, 0, false
	}
	files = -1
	if s.Files > 0 {
		files = int64(s.Ffree)
	}
	return int64(s.Bavail) * int64(s.Bsize), files, true
}

// openFiles returns the most files that a process may have open.
func openFiles() (n uint64, ok bool) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return uint64(limit.Cur), err == nil
}
