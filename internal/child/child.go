// Package child runs other programs so that they end when they should, with
// all they started, and say no more than there is room for.
package child

import (
	"os/exec"
	"runtime"

	"github.com/citekit/citekit/internal/pulse"
)

// Run runs a command made by [exec.CommandContext] to its end, as cmd.Run
// does. Once the context is done, the program is killed with all it started,
// where the system can do that: Windows kills the program alone. What still
// runs of them is killed, too, where Run returns an error, such as
// [exec.ErrWaitDelay] for a program that ended while another held its output
// open. On Linux the program ends when this process is killed.
//
// Run sets SysProcAttr and Cancel of the command. The caller sets WaitDelay.
func Run(cmd *exec.Cmd) error { return run(cmd, func() {}) }

// run calls started once the program has been.
func run(cmd *exec.Cmd, started func()) error {
	ownGroup(cmd)
	// The program ends with the thread that starts it: see ownGroup.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	if err == nil {
		started()
		pulse.Beat()
		err = cmd.Wait()
	}
	if err != nil && cmd.Process != nil {
		_ = killGroup(cmd) // mostly there is nothing left
	}
	return err
}

// A Head keeps the first Max bytes written to it, and calls Full, if it is not
// nil, once there are more. Writing to it never fails.
type Head struct {
	Max  int
	Full func()

	Kept []byte
	Over bool // there were more
}

func (h *Head) Write(p []byte) (int, error) {
	room := h.Max - len(h.Kept)
	h.Kept = append(h.Kept, p[:min(room, len(p))]...)
	if len(p) > room && !h.Over {
		h.Over = true
		if h.Full != nil {
			h.Full()
		}
	}
	return len(p), nil
}

// A Tail keeps the last Max bytes written to it. Writing to it never fails.
type Tail struct {
	Max  int
	Kept []byte
}

func (t *Tail) Write(p []byte) (int, error) {
	t.Kept = append(t.Kept, p[max(0, len(p)-t.Max):]...)
	if over := len(t.Kept) - t.Max; over > 0 {
		t.Kept = append(t.Kept[:0], t.Kept[over:]...)
	}
	return len(p), nil
}
