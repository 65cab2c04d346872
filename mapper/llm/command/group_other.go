//go:build !unix

package command

import "os/exec"

// ownGroup leaves cmd as it is: cancelling it kills the program, but none that
// it started.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
