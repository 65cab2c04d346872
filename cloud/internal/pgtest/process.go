//go:build unix

package pgtest

import (
	"os/exec"
	"syscall"
)

// processAttributes puts a process into a group of its own, so that all that it
// starts can be ended with it.
func processAttributes(as *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: as}
}

// endProcesses sends a signal to a process, and SIGKILL to its group too.
func endProcesses(c *exec.Cmd, signal syscall.Signal) {
	pid := c.Process.Pid
	if signal == syscall.SIGKILL {
		pid = -pid
	}
	_ = syscall.Kill(pid, signal)
}
