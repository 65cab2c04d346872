package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/localfile"
)

// maxTail is how many bytes of a program's messages are kept.
const maxTail = 4 << 10

// A command is one run of a program.
type command struct {
	path   string
	args   []string
	dir    string    // working directory; "" means this process's
	inputs []*Input  // inherited, in this order
	stdout io.Writer // nil discards
}

// environment is what programs get of variables. Ffmpeg may be linked with OpenBLAS, each
// thread of which takes 128 MiB at the start, and waits for them for ever if there is less.
var environment = []string{"LC_ALL=C", "AV_LOG_FORCE_NOCOLOR=1", "OPENBLAS_NUM_THREADS=1"}

// run runs a program until it ends. If the context ends first, the program and
// everything it started are killed, and the error is ctx.Err(). If stdout fails, its
// error is returned.
func (t *Tools) run(ctx context.Context, c command) error {
	release, err := t.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()

	limited, stop := context.WithCancel(ctx)
	defer stop()
	if t.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(limited, t.Timeout)
		defer cancel()
	}
	program := child.Program{
		Path:         c.path,
		Args:         c.args,
		Dir:          c.dir,
		Env:          child.Environment(environment, "TEMP", "TMP"),
		Stdout:       io.Discard,
		MaxComplaint: maxTail,
		Timeout:      max(DefaultTimeout, t.Timeout),
		Memory:       t.maxMemory(),
		Yardstick:    &yardstick,
	}
	out := &watchedWriter{w: c.stdout, stop: stop}
	if c.stdout != nil {
		program.Stdout = out
	}
	for _, in := range c.inputs {
		files, detach, err := attach(in.file)
		if err != nil {
			return err
		}
		defer detach()
		program.Files = append(program.Files, files...)
	}
	result, err := runIn(limited, program)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case out.err != nil:
		return out.err
	case limited.Err() != nil:
		return late(fmt.Sprint(t.Timeout))
	case errors.Is(err, child.ErrTimeout):
		return late(fmt.Sprint(program.Timeout))
	case errors.Is(err, child.ErrCPU):
		return fmt.Errorf("ffmpeg was not done after minutes of processor time, far more than a file of this size should take; convert it first, for example: ffmpeg -i FILE -c:v libx264 -c:a aac NEW.mp4: %w", os.ErrDeadlineExceeded)
	case t.lacksMemory(result.Memory, err, result.Complaint):
		return fmt.Errorf("ffmpeg needs more than the %.1f GiB of memory that it may use: %w", float64(t.maxMemory())/(1<<30), citekit.ErrTooLarge)
	case err != nil:
		return runError(err, result.Complaint)
	}
	return nil
}

// late returns the error for a program that a clock ended. It tells of the machine, not
// of the source.
func late(after string) error {
	return fmt.Errorf("ffmpeg was not done after %s; try again when the machine is less busy, or allow more time: %w", after, os.ErrDeadlineExceeded)
}

// A watchedWriter remembers the error of its writer, and then stops the program, which
// might not write again for long.
type watchedWriter struct {
	w    io.Writer
	stop func()
	err  error
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.w.Write(p)
	if w.err = err; err != nil {
		w.stop()
	}
	return n, err
}

// lacksMemory reports whether a program ran out of memory; peak is the most that it
// used, in bytes. Such a program may end without an error and have dropped frames. If
// it used little, it did not fail at the limit, but at a size that a damaged source
// claims.
func (t *Tools) lacksMemory(peak int64, err error, stderr string) bool {
	if strings.Contains(stderr, "malloc of size") { // from x264, which allocates much before using it
		return true
	}
	return peak > t.maxMemory()/4 && (err != nil || strings.Contains(stderr, "Cannot allocate memory"))
}

// runError explains why a program failed, in the program's last words.
func runError(err error, stderr string) error {
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrWaitDelay):
		return errors.New("ffmpeg ended, but a program it started holds its output open")
	case !errors.As(err, &exit):
		return fmt.Errorf("ffmpeg could not be run: %w", localfile.WithoutPath(err))
	}
	kind := citekit.ErrFormat
	switch {
	case strings.Contains(stderr, "Unknown encoder"), strings.Contains(stderr, "Unrecognized option"),
		strings.Contains(stderr, "Failed to set value"), strings.Contains(stderr, "Option not found"),
		strings.Contains(stderr, "Encoder not found"), strings.Contains(stderr, "Unknown input format"),
		strings.Contains(stderr, "Requested output format"), strings.Contains(stderr, "No such filter"):
		kind = errors.ErrUnsupported
	case strings.Contains(stderr, "no decoder found"), strings.Contains(stderr, "Decoder not found"):
		kind = errNoDecoder
	case strings.Contains(stderr, "No space left on device"):
		kind = errNoSpace
	}
	words := lastWords(stderr)
	if words == "" {
		return fmt.Errorf("ffmpeg: %s: %w", exit.ProcessState, errSilent)
	}
	return fmt.Errorf("ffmpeg: %s: %w", words, kind)
}

// errSilent is the failure of a program that prints no reason.
var errSilent = fmt.Errorf("no reason given: %w", citekit.ErrFormat)

var errNoSpace = errors.New("no space left for temporary files")

var (
	logContext = lazyregexp.New(`\[[^\]]* @ 0x[0-9a-f]+\] ?`)
	logPath    = lazyregexp.New(`(^|[\s'":])(file:|[A-Za-z]:\\|\.{0,2}[/\\])[^\s'":,]+`)
)

const maxWords = 240

// lastWords makes one readable line of the end of a program's messages, without
// addresses, paths and anything else that could come from the source.
func lastWords(stderr string) string {
	var said []string
	for line := range strings.Lines(stderr) {
		line = logContext.ReplaceAllString(strings.TrimSpace(line), "")
		line = strings.TrimRight(logPath.ReplaceAllString(line, "${1}the file"), " -")
		line = strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return -1
			}
			return r
		}, line)
		if line != "" && (len(said) == 0 || said[len(said)-1] != line) {
			said = append(said, line)
		}
	}
	if len(said) > 2 {
		said = said[len(said)-2:]
	}
	words := strings.Join(said, "; ")
	return words[:min(len(words), maxWords)]
}
