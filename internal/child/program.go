package child

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit/internal/ctxio"
)

// A Program is one run of a program, with its limits. Only Path is required.
type Program struct {
	Path  string // as returned by [Find]
	Args  []string
	Dir   string     // working directory; "" means this process's
	Env   []string   // as in [exec.Cmd]; nil means this process's environment; see [Environment]
	Stdin io.Reader  // nil means nothing to read
	Files []*os.File // inherited as descriptors 3, 4 and so on

	// Stdout takes what the program prints; [io.Discard] costs nothing. Nil
	// keeps it in the Result, at most MaxOutput bytes; a program that prints
	// more is killed.
	Stdout    io.Writer
	MaxOutput int

	MaxComplaint int // bytes kept of the end of standard error; zero means 4 KiB

	Timeout time.Duration // longest run; zero means no limit

	// CPU is the processor time and Memory the bytes that the program may use;
	// zero means no limit. Only Linux enforces these limits; there the program
	// cannot allocate more memory than that.
	CPU    time.Duration
	Memory int64

	// Yardstick, if not nil, makes Timeout and CPU follow the machine: when
	// the program reaches one of them, both are multiplied by how many times
	// slower than usual the machine is.
	Yardstick *Yardstick

	// PipeDelay is how long output is still read after the program has ended, because a
	// program that it started may hold the output open; zero means a minute.
	PipeDelay time.Duration
}

const (
	defaultComplaint = 4 << 10
	defaultPipeDelay = time.Minute
)

// A Result is the result of running a program. It is valid even with an error.
type Result struct {
	Output    []byte        // what it printed, unless there was a Stdout
	Complaint string        // the end of what it wrote to standard error
	CPU       time.Duration // processor time that it used
	Memory    int64         // largest memory use in bytes; 0 if the system does not report it
}

// Errors for limits that a program passed.
var (
	ErrOutput  = errors.New("it prints more than there is room for")
	ErrCPU     = errors.New("it uses more processor time than it may")
	ErrTimeout = errors.New("it was still running when its time was up")
)

// Run runs the program until it ends. The error is ctx.Err() once ctx is done; else
// ErrOutput, ErrCPU or ErrTimeout if the program passed a limit; else that of
// [exec.Cmd.Run]: an [exec.ExitError] if the program failed, or [exec.ErrWaitDelay] if
// it ended but a program that it started holds its output open. ErrTimeout also means
// that this process did not read all output within PipeDelay.
//
// After an error the program is killed with everything it started, if the
// system can do that: Windows kills the program alone. On Linux the program
// also ends when this process is killed.
func (p Program) Run(ctx context.Context) (Result, error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(limited, p.Path, p.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.ExtraFiles = p.Dir, p.Env, p.Stdin, p.Files
	head := Head{Max: p.MaxOutput, Full: cancel}
	switch p.Stdout {
	case nil:
		cmd.Stdout = &head
	case io.Discard: // the system does that
	default:
		cmd.Stdout = p.Stdout
	}
	tail := Tail{Max: cmp.Or(p.MaxComplaint, defaultComplaint)}
	cmd.Stderr = &tail
	cmd.WaitDelay = cmp.Or(p.PipeDelay, defaultPipeDelay)

	over := clocks{program: p, end: cancel}
	err := p.run(limited, cmd, &over)
	result := Result{Output: head.Kept, Complaint: string(tail.Kept)}
	if state := cmd.ProcessState; state != nil {
		result.CPU, result.Memory = state.UserTime()+state.SystemTime(), peakMemory(state.SysUsage())
	}
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case head.Over:
		err = ErrOutput
	case over.cpu.Load():
		err = ErrCPU
	case over.time.Load():
		err = ErrTimeout
	}
	return result, err
}

// running counts the programs that this process waits for.
var running atomic.Int64

// Running returns how many programs started by [Program.Run] are running now.
func Running() int { return int(running.Load()) }

// run runs a command to its end, within the limits of p if the system can
// enforce them.
func (p Program) run(ctx context.Context, cmd *exec.Cmd, over *clocks) error {
	ownGroup(cmd)
	// The program ends with the thread that starts it: see ownGroup.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	if err == nil {
		running.Add(1)
		if p.Memory > 0 {
			limitMemory(cmd.Process.Pid, p.Memory)
		}
		stop := over.watch(ctx, cmd.Process.Pid)
		ctxio.Beat()
		err = cmd.Wait()
		stop()
		running.Add(-1)
	}
	if err != nil && cmd.Process != nil {
		none := killGroup(cmd) // usually nothing is left
		if none != nil && errors.Is(err, exec.ErrWaitDelay) {
			err = ErrTimeout // nobody holds the output: reading it takes too long
		}
	}
	return err
}

// Find returns the absolute path of a program. A name without a separator is
// searched for as the system does. Errors are those of [exec.LookPath].
func Find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path) // it may run in another directory
}

// Environment returns the environment for a program: from that of this process
// only the variables that locate libraries and the named variables, and nothing
// about the user. The variables in own are added unchanged.
func Environment(own []string, names ...string) []string {
	for _, name := range append([]string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SystemRoot"}, names...) {
		if value, ok := os.LookupEnv(name); ok {
			own = append(own, name+"="+value)
		}
	}
	return own
}
