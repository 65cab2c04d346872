//go:build !unix

package mapadapter

import "os/exec"

// ownGroup leaves cmd as it is: cancelling it kills the program, which starts
// no other.
func ownGroup(*exec.Cmd) {}
