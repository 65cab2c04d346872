package faulttest

// SystemCalls returns the faults that strace can inject into the system calls
// that change files on Linux, in the syntax of its option "inject", without
// "when".
func SystemCalls() (list []string) {
	for _, call := range []string{"openat", "write", "pwrite64", "fsync", "renameat", "renameat2", "unlinkat", "mkdirat", "utimensat", "fchmod", "fchmodat", "flock", "close", "newfstatat"} {
		list = append(list, call+":signal=SIGKILL")
	}
	return append(list,
		"write:error=ENOSPC", "write:error=EDQUOT", "write:error=EIO", "fsync:error=EIO", "renameat:error=EIO",
		"renameat:error=ENOSPC", "openat:error=EMFILE", "openat:error=ENFILE", "openat:error=EIO", "mkdirat:error=ENOSPC",
		"flock:error=ENOLCK", "utimensat:error=EPERM", "fchmod:error=EIO", "close:error=EIO")
}
