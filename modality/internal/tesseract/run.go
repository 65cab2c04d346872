package tesseract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
)

// run runs the program on a picture and returns its output.
func (c *Command) run(ctx context.Context, args []string, make func(context.Context) ([]byte, error)) ([]byte, error) {
	release, err := c.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	picture, err := make(ctx)
	if err == nil {
		err = checkPicture(picture)
	}
	if err != nil {
		return nil, err
	}

	if c.other {
		return c.runOther(ctx, picture)
	}
	program := child.Program{
		Path:      c.path,
		Args:      args,
		Env:       child.Environment([]string{"LC_ALL=C", "OMP_THREAD_LIMIT=1"}, "TESSDATA_PREFIX"), // one thread is enough
		Stdin:     bytes.NewReader(picture),
		MaxOutput: maxOutput,
		Timeout:   c.Timeout,
	}
	if c.Timeout <= 0 {
		program.Timeout, program.Yardstick = DefaultTimeout, &yardstick
	}
	result, err := program.Run(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, child.ErrOutput):
		return nil, fmt.Errorf("tesseract printed more than %d MiB: %w", maxOutput>>20, citekit.ErrTooLarge)
	case errors.Is(err, child.ErrTimeout):
		return nil, fmt.Errorf("tesseract was not done after %v; try again when the machine is less busy: %w", program.Timeout, os.ErrDeadlineExceeded)
	case err != nil:
		return nil, runError(err, result.Complaint)
	}
	return result.Output, nil
}

// acquire waits until the program may run. The caller must call release.
func (c *Command) acquire(ctx context.Context) (release func(), err error) {
	return c.Slots.Acquire(ctx)
}

// yardstick tells how slow this machine is. The run takes 20 ms on a core of 2020.
var yardstick = child.Yardstick{Args: []string{"--version"}, Usual: 20 * time.Millisecond}

// runError explains why the program failed. It does not repeat the program's messages,
// which may name files.
func runError(err error, stderr string) error {
	var exit *exec.ExitError
	switch {
	case strings.Contains(stderr, "Failed loading language"), strings.Contains(stderr, "couldn't load any languages"):
		return fmt.Errorf("tesseract lacks a language that was asked for; install its language file (Debian: apt-get install tesseract-ocr-all; tesseract --list-langs shows those there are): %w", errors.ErrUnsupported)
	case strings.Contains(stderr, "Could not set option"), strings.Contains(stderr, "unrecognized"):
		return fmt.Errorf("this tesseract is too old; version 4 or later is needed, %s: %w", howToInstall, errors.ErrUnsupported)
	case errors.Is(err, exec.ErrWaitDelay):
		return fmt.Errorf("tesseract ended, but a program it started holds its output open: %w", errors.ErrUnsupported)
	case !errors.As(err, &exit):
		return fmt.Errorf("tesseract cannot be run; %s: %w", howToInstall, errors.ErrUnsupported)
	}
	return fmt.Errorf("tesseract cannot read the picture (%s): %w", exit.ProcessState, citekit.ErrFormat)
}
