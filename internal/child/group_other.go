//go:build !unix

package child

import "os/exec"

// ownGroup does nothing: cancelling cmd kills the program, but not the programs
// that it started.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) error { return nil }
