//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// killGroup kills the remaining processes of the process group of cmd. The
// system does not reuse the number of the group while a process of it remains.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
