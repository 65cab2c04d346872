package workspace

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// directoryNumber returns the inode of an open directory and the number of its
// file system, which stays the same when device numbers change.
func directoryNumber(dir *os.File, _ string) string {
	var st unix.Stat_t
	var fs unix.Statfs_t
	fd := int(dir.Fd())
	if unix.Fstat(fd, &st) != nil || unix.Fstatfs(fd, &fs) != nil {
		return "?"
	}
	number := strconv.FormatUint(st.Ino, 36)
	for _, part := range fs.Fsid.Val {
		number += "." + strconv.FormatUint(uint64(uint32(part)), 36)
	}
	return number
}
