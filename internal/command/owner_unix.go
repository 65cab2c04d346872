//go:build unix

package command

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// fileOwner returns the name of the user whose a file is, the number if it has
// no name, or "" if the system does not say.
func fileOwner(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return userName(int(stat.Uid))
}

func thisUser() string { return userName(os.Geteuid()) }

func userName(id int) string {
	number := strconv.Itoa(id)
	if found, err := user.LookupId(number); err == nil && found.Username != "" {
		return found.Username
	}
	return number
}
