//go:build !unix

package command

import "io/fs"

// Other systems do not tell.
func fileOwner(fs.FileInfo) string { return "" }
func thisUser() string             { return "" }
