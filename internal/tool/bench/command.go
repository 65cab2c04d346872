package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A command is one side of a comparison: a fresh process each time.
type command struct {
	args    []string
	env     []string     // more of the environment
	prepare func() error // before each run, not measured
}

// A result is what a process took, at the median.
type result struct {
	time time.Duration
	rss  int64 // bytes, at its peak
}

// sideBySide runs the commands by turns and returns the median of each. The
// first run of each warms the page cache and does not count.
func (b *bench) sideBySide(commands ...command) ([]result, error) {
	times := make([][]time.Duration, len(commands))
	results := make([]result, len(commands))
	for round := range b.rounds + 1 {
		for i, c := range commands {
			r, err := b.once(c)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				times[i] = append(times[i], r.time)
				results[i].rss = max(results[i].rss, r.rss)
			}
		}
	}
	for i := range results {
		results[i].time = median(times[i])
	}
	return results, nil
}

func (b *bench) once(c command) (result, error) {
	if c.prepare != nil {
		if err := c.prepare(); err != nil {
			return result{}, err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return result{}, err
	}
	cmd := exec.CommandContext(b.ctx, self, append([]string{measureWord}, c.args...)...)
	cmd.Env = append(os.Environ(), c.env...)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return result{}, fmt.Errorf("%v: %w", c.args, err)
	}
	var r result
	_, err = fmt.Sscan(string(out), &r.time, &r.rss)
	return r, err
}

// measureWord as the first argument makes this program measure one command.
// The system counts to the memory of a process what its parent had when it
// started it, so the parent must be small.
const measureWord = "measure-one-command"

// measureOne runs a command and prints its nanoseconds and bytes.
func measureOne(args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	fmt.Println(took.Nanoseconds(), peakMemory(cmd.ProcessState))
	return nil
}

// resolveFile returns the command that resolves part of a file in a workspace
// that has nothing stored.
func (b *bench) resolveFile(file, fragment string) command {
	dir := filepath.Join(b.data, "workspace")
	return command{
		args:    []string{b.citekit, "resolve", "--dir", dir, file + "#" + fragment},
		prepare: func() error { return emptyDirectory(dir) },
	}
}

func emptyDirectory(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o700)
}

// removing returns the command with a file removed before each run.
func removing(file string, args ...string) command {
	return command{args: args, prepare: func() error {
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}}
}
