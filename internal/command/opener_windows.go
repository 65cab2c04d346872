package command

import (
	"os/exec"
	"syscall"
)

// detach keeps signals for this program, such as Ctrl-C on its console, from a command.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
