//go:build !unix

package localfile

import "os"

// isOurs reports whether dir is a folder. The temporary folder is this user's own.
func isOurs(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir()
}
