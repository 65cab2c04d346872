package tesseract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
)

// FindProgram returns another program that recognises text: it is run with the path of a
// PNG as its only argument, and writes hOCR, ALTO or the TSV of tesseract, in UTF-8, to
// standard output. Of the environment it gets only where programs and libraries are, and
// a folder of its own for temporary files, which is also its working directory; that is
// removed when it ends. If there is no such program, the error matches
// [errors.ErrUnsupported].
func FindProgram(path string) (*Command, error) {
	found, err := child.Find(path)
	if err != nil {
		return nil, fmt.Errorf("the program that is to recognise text cannot be run; correct its path: %w", errors.ErrUnsupported)
	}
	return &Command{path: found, Slots: &citekit.Slots{Max: MaxChildren}, other: true}, nil
}

// runOther runs another program than tesseract on a picture, and returns its answer.
func (c *Command) runOther(ctx context.Context, picture []byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "citekit-ocr-")
	if err != nil {
		return nil, fmt.Errorf("no temporary folder for a picture: %w", errors.ErrUnsupported)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "page.png")
	if err := os.WriteFile(path, picture, 0o600); err != nil {
		return nil, fmt.Errorf("no room for a temporary picture: %w", errors.ErrUnsupported)
	}
	program := child.Program{
		Path: c.path, Args: []string{path}, Dir: dir,
		Env:       child.Environment([]string{"LC_ALL=C.UTF-8", "TMPDIR=" + dir, "TMP=" + dir, "TEMP=" + dir}),
		MaxOutput: maxOutput, Timeout: c.Timeout,
	}
	if c.Timeout <= 0 {
		program.Timeout = DefaultTimeout
	}
	result, err := program.Run(ctx)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, child.ErrOutput):
		return nil, fmt.Errorf("the program that recognises text printed more than %d MiB: %w", maxOutput>>20, citekit.ErrTooLarge)
	case errors.Is(err, child.ErrTimeout):
		return nil, fmt.Errorf("the program that recognises text was not done after %v: %w", program.Timeout, os.ErrDeadlineExceeded)
	case errors.As(err, &exit):
		return nil, fmt.Errorf("the program that recognises text failed (%s): %w", exit.ProcessState, citekit.ErrFormat)
	case err != nil:
		return nil, fmt.Errorf("the program that recognises text cannot be run: %w", errors.ErrUnsupported)
	}
	return result.Output, nil
}

// parseAny reads an answer in any of the forms that a program may write.
func parseAny(out []byte) ([]Block, error) {
	start := bytes.TrimPrefix(bytes.TrimSpace(out[:min(len(out), 4<<10)]), []byte("\xef\xbb\xbf"))
	if !bytes.HasPrefix(start, []byte("<")) {
		return parse(out)
	}
	return parseMarkup(bytes.TrimPrefix(bytes.TrimSpace(out), []byte("\xef\xbb\xbf")))
}
