package child

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a process group that is killed as one, and
// has the system kill cmd when the thread that starts it is gone, as it is when
// this process is killed. The caller holds on to that thread.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return killGroup(cmd) }
}
