//go:build !linux

package ffmpeg

import (
	"errors"
	"fmt"
	"os"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/localfile"
)

// reopen opens f again by its name, which must still lead to the same file.
func reopen(f *os.File) (*os.File, error) {
	held, err := f.Stat()
	if err != nil {
		return nil, localfile.WithoutPath(err)
	}
	again, err := os.Open(f.Name())
	if err != nil {
		return nil, fmt.Errorf("the source was moved: %w", citekit.ErrStale)
	}
	now, err := again.Stat()
	if err == nil && !os.SameFile(held, now) {
		err = errors.New("another file has its name")
	}
	if err != nil {
		again.Close()
		return nil, fmt.Errorf("the source was replaced: %w", citekit.ErrStale)
	}
	return again, nil
}

func canReopen(f *os.File) bool {
	again, err := reopen(f)
	if err != nil {
		return false
	}
	again.Close()
	return true
}
