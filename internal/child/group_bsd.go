//go:build unix && !linux

package child

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a process group that is killed as one.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd) }
}
