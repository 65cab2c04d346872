//go:build linux || darwin

package main

import "syscall"

// mayWrite reports whether this user may make files in a directory.
func mayWrite(dir string) bool {
	const write, enter = 2, 1
	return syscall.Access(dir, write|enter) == nil
}

// freeRoom returns how many bytes and files there is room for where a directory is.
// Files are -1 where there is no limit.
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

// openFiles returns how many files a process may have open.
func openFiles() (n uint64, ok bool) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return uint64(limit.Cur), err == nil
}
