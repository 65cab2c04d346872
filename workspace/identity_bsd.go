//go:build darwin || freebsd || netbsd

package workspace

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"time"
)

func appendSystemIdentity(b []byte, info fs.FileInfo) []byte {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return b
	}
	b = strconv.AppendInt(append(b, '.'), st.Ctimespec.Nano(), 36)
	b = strconv.AppendUint(append(b, '.'), uint64(st.Ino), 36)
	return strconv.AppendUint(append(b, '.'), uint64(st.Dev), 36)
}

// fileNumber returns nothing: the identity has the inode.
func fileNumber(*os.File, string) string { return "" }

func changeTime(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(0, st.Ctimespec.Nano())
	}
	return info.ModTime()
}
