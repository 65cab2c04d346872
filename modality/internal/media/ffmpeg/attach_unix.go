//go:build unix && !linux

package ffmpeg

import (
	"os"
	"strconv"
)

// attachable reports whether f can be passed to programs.
func attachable(f *os.File) bool { return canReopen(f) }

// attach returns the files that a program inherits to read f. Here opening /dev/fd/3
// duplicates the descriptor and shares its offset, so every run gets its own open file.
func attach(f *os.File) (files []*os.File, detach func(), err error) {
	again, err := reopen(f)
	if err != nil {
		return nil, nil, err
	}
	return []*os.File{again}, func() { again.Close() }, nil
}

// url is the name by which a program opens the file of its nth input, from 0.
func url(_ *os.File, n int) string { return "file:/dev/fd/" + strconv.Itoa(firstFile+n) }

// firstFile is the descriptor of the first file that a program inherits.
const firstFile = 3

// removeName keeps the name of an open file, which is needed to reopen it.
func removeName(string) {}
