package workspace

import (
	"os"

	"golang.org/x/sys/unix"
)

// watch returns the state of an open file. Its identity must have been read
// before, and its content must be read afterwards: a write in between then
// shows in one or the other.
//
// A read lease is granted only while no process has the file open for writing.
// It is given back at once. The system makes a process that opens the file in
// that instant wait until the lease is given back.
func watch(f *os.File) fileState {
	fd := int(f.Fd())
	var system unix.Statfs_t
	if unix.Fstatfs(fd, &system) != nil {
		return unsure
	}
	if isReadOnly(int64(system.Type)) {
		return settled
	}
	// The signal for a conflicting lease: one that is ignored unless a program
	// asks for it, and that the Go runtime itself uses.
	_, _, _ = unix.RawSyscall(unix.SYS_FCNTL, uintptr(fd), unix.F_SETSIG, uintptr(unix.SIGURG))
	_, _, errno := unix.RawSyscall(unix.SYS_FCNTL, uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
	switch errno {
	case 0:
		_, _, _ = unix.RawSyscall(unix.SYS_FCNTL, uintptr(fd), unix.F_SETLEASE, unix.F_UNLCK)
	case unix.EAGAIN:
		return written
	default: // a file of another user, or a file system without leases
		return unsure
	}
	if hidesWrites(int64(system.Type)) {
		return unsure
	}
	return settled
}

// isReadOnly reports whether a type of file system cannot be written to.
func isReadOnly(system int64) bool {
	switch uint32(system) {
	case unix.SQUASHFS_MAGIC, unix.ISOFS_SUPER_MAGIC, unix.EROFS_SUPER_MAGIC_V1, unix.CRAMFS_MAGIC:
		return true
	}
	return false
}

// hidesWrites reports whether, on a type of file system, a process can write
// after a lease was granted without changing the times. In-memory file systems
// allow this for a page that was read before it is written. On overlayfs, a
// lease does not detect a mapping whose file was closed.
func hidesWrites(system int64) bool {
	switch uint32(system) {
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC, unix.HUGETLBFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC:
		return true
	}
	return false
}

// tellsByTimes reports whether, on the file system of f, the times alone show
// every process that began to write after a file was settled, because they
// change before the first write. On others, such as network file systems, they
// may change later, so the file must still be settled.
func tellsByTimes(f *os.File) bool {
	var system unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &system) != nil {
		return false
	}
	switch uint32(system.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC:
		return true
	}
	return false
}
