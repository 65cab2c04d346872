//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// killGroup kills what is left of the process group of cmd. The number of the
// group is not given to another while there is anything left of it.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
