//go:build !unix

package workspace

import "io/fs"

// isOwned, isPrivate and isShareable cannot be determined from the metadata:
// inherited permissions close a user's directories to others.
func isOwned(fs.FileInfo) bool   { return true }
func isPrivate(fs.FileInfo) bool { return true }

func isShareable(fs.FileInfo) bool { return true }
