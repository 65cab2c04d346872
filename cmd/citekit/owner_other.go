//go:build !unix

package main

import "io/fs"

// Other systems do not tell.
func fileOwner(fs.FileInfo) string { return "" }
func thisUser() string             { return "" }
