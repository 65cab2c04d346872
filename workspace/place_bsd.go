//go:build darwin || freebsd || netbsd

package workspace

import (
	"os"
	"strconv"
	"syscall"
)

// directoryNumber returns the inode and the device of an open directory.
func directoryNumber(dir *os.File, _ string) string {
	info, err := dir.Stat()
	if err != nil {
		return "?"
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "?"
	}
	return strconv.FormatUint(uint64(st.Ino), 36) + "." + strconv.FormatUint(uint64(st.Dev), 36)
}
