//go:build !linux && !darwin && !freebsd && !netbsd

package workspace

import "os"

// directoryNumber returns what the system names an open directory by.
func directoryNumber(dir *os.File, path string) string { return fileNumber(dir, path) }
