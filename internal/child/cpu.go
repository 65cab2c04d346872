package child

import "time"

// lookEvery is how often the processor time of a program is checked.
const lookEvery = 20 * time.Millisecond

// watchCPU calls over once a process has used more than most. It stops if done is
// closed or the process has ended.
func watchCPU(pid int, most time.Duration, over func(), done <-chan struct{}) {
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
