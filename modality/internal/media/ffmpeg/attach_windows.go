package ffmpeg

import (
	"os"
	"path/filepath"
)

// attachable reports whether f can be passed to programs.
func attachable(f *os.File) bool { return canReopen(f) }

// attach checks that the name of f still leads to f, and holds it open so that it
// cannot be replaced while a program reads it. Windows has no descriptors to inherit.
func attach(f *os.File) (files []*os.File, detach func(), err error) {
	again, err := reopen(f)
	if err != nil {
		return nil, nil, err
	}
	return nil, func() { again.Close() }, nil
}

// url is the name by which a program opens f.
func url(f *os.File, _ int) string {
	path, err := filepath.Abs(f.Name())
	if err != nil {
		path = f.Name()
	}
	return "file:" + path
}

// removeName keeps the name of an open file, which Windows cannot remove.
func removeName(string) {}
