package mapadapter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"time"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/plain"
)

// Command runs a program that makes maps, in any language. The program gets a
// JSON object on its standard input. Members that are unknown are left out:
//
//	"name"         base name of the input
//	"path"         absolute path of the input
//	"text"         the content, if the input is a file in UTF-8
//	"base64"       the content of any other file, in Base64
//	"resource_id"  id that the map should have
//	"source_path"  path of the file that the map is for
//
// A folder has neither "text" nor "base64", and neither has a file of more than
// 64 MiB that has a path. The program writes maps to its standard output, in one
// of the forms of [Generic].
// It is run without a shell, with the environment of this process. When the
// context ends, it is killed together with all programs it started. If it
// fails, the error has the end of its standard error output.
type Command struct {
	Path string   // of the program; a bare name is searched for in PATH
	Args []string // further arguments

	Timeout time.Duration // longest run; zero means 10 minutes
}

const (
	defaultCommandTimeout = 10 * time.Minute
	pipeDelay             = 5 * time.Second // for a program that leaves others behind
	maxCommandInput       = 64 << 20        // bytes of content that are passed on
	maxCommandOutput      = 64 << 20        // bytes; the library accepts no larger map
	maxComplaint          = 1 << 10         // bytes of the standard error that are shown
)

// commandInput is the input of the program.
type commandInput struct {
	Name       string  `json:"name"`
	Path       string  `json:"path,omitempty"`
	Text       *string `json:"text,omitempty"`
	Base64     []byte  `json:"base64,omitempty"`
	ResourceID string  `json:"resource_id,omitempty"`
	SourcePath string  `json:"source_path,omitempty"`
}

// Adapt implements [Adapter].
func (c Command) Adapt(ctx context.Context, in Input, opts *Options) ([]*citekit.ResourceMap, error) {
	j, err := newJob(ctx, in, opts, "command")
	if err != nil {
		return nil, err
	}
	message, err := j.commandInput()
	if err != nil {
		return nil, err
	}
	out, err := c.run(ctx, message)
	if err != nil {
		return nil, err
	}
	maps, err := j.complete(out)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("the output of the program: %w", err)
	}
	return maps, err
}

func (j *job) commandInput() ([]byte, error) {
	message := commandInput{Name: path.Base(j.in.Name), Path: j.in.Path, ResourceID: j.opts.ResourceID, SourcePath: j.opts.SourcePath}
	if !j.in.isDir() {
		info, err := fs.Stat(j.in.FS, j.in.Name)
		if err != nil {
			return nil, localfile.WithoutPath(err)
		}
		if info.Size() > maxCommandInput && j.in.Path == "" {
			return nil, tooLarge("the input has more than %d MiB, and no path", maxCommandInput>>20)
		}
		if info.Size() <= maxCommandInput {
			data, err := j.in.read(j.ctx, j.in.Name)
			if err != nil {
				return nil, err
			}
			if text := string(data); utf8.ValidString(text) {
				message.Text = &text
			} else {
				message.Base64 = data
			}
		}
	}
	return json.Marshal(message)
}

// run runs the program and returns its output.
func (c Command) run(ctx context.Context, input []byte) ([]byte, error) {
	found, err := child.Find(c.Path)
	if err != nil {
		return nil, fmt.Errorf("the program of the adapter cannot be run: it is not there, or may not be executed: %w", errors.ErrUnsupported)
	}
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = defaultCommandTimeout
	}
	program := child.Program{
		Path:         found,
		Args:         c.Args,
		Stdin:        bytes.NewReader(input),
		MaxOutput:    maxCommandOutput,
		MaxComplaint: maxComplaint,
		Timeout:      timeout,
		PipeDelay:    pipeDelay,
	}
	result, err := program.Run(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, child.ErrOutput):
		return nil, tooLarge("the program wrote more than %d MiB", maxCommandOutput>>20)
	case errors.Is(err, child.ErrTimeout):
		return nil, fmt.Errorf("the program was not done after %v: %w", timeout, os.ErrDeadlineExceeded)
	case err != nil:
		return nil, commandError(err, result.Complaint)
	}
	return result.Output, nil
}

func commandError(err error, stderr string) error {
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrWaitDelay):
		return formatError("the program ended, but another that it started holds its output open")
	case !errors.As(err, &exit):
		return fmt.Errorf("the program of the adapter cannot be run: %w", errors.ErrUnsupported)
	}
	words := plain.Line(stderr)
	if words == "" {
		words = "it gave no reason"
	}
	return formatError("the program failed (%s): %s", exit.ProcessState, words)
}
