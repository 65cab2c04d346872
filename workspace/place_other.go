//go:build !linux && !darwin && !freebsd && !netbsd

package workspace

import "os"

// directoryNumber returns the system's identifier of an open directory.
func directoryNumber(dir *os.File, path string) string { return fileNumber(dir, path) }
