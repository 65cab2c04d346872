package child

import (
	"os/exec"
	"time"
)

// lookEvery is how often the processor time of a program is looked at.
const lookEvery = 20 * time.Millisecond

// Limits are what a program may use. Only Linux can hold it to them.
type Limits struct {
	CPU    time.Duration // processor time
	Memory int64         // bytes that it has for itself
}

// Used is what a program that has ended has used.
type Used struct {
	CPU    time.Duration
	Memory int64 // most bytes at a time; 0 if the system does not tell
}

// RunWithin runs a command as [Run] does and returns what it used. Once it has used
// more processor time than it may, over is called, which is to cancel the context
// of the command. Memory beyond what it may have it does not get.
func RunWithin(cmd *exec.Cmd, most Limits, over func()) (used Used, err error) {
	done := make(chan struct{})
	ended := make(chan struct{})
	err = run(cmd, func() {
		limitMemory(cmd.Process.Pid, most.Memory)
		go func() {
			defer close(ended)
			watch(cmd.Process.Pid, most.CPU, over, done)
		}()
	})
	close(done)
	if cmd.Process != nil {
		<-ended
	}
	if state := cmd.ProcessState; state != nil {
		used = Used{CPU: state.UserTime() + state.SystemTime(), Memory: peakMemory(state.SysUsage())}
	}
	return used, err
}

// watch calls over once a process has used more than most, unless it ends first.
func watch(pid int, most time.Duration, over func(), done <-chan struct{}) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			used, ok := cpuTime(pid)
			if !ok {
				return
			}
			if used > most {
				over()
				return
			}
		}
	}
}
