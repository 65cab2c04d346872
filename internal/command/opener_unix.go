//go:build unix

package command

import (
	"os/exec"
	"syscall"
)

// detach keeps signals for this program, such as Ctrl-C on its terminal, from a command.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
