//go:build !unix

package child

import "os/exec"

// ownGroup leaves cmd as it is: cancelling it kills the program, but none that
// it started.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) error { return nil }
