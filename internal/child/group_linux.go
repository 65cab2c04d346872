package child

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a process group that is killed as one, and
// makes the system kill cmd when the thread that started it ends, which also
// happens when this process is killed. The caller keeps that thread.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return killGroup(cmd) }
}
