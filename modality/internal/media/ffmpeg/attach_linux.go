package ffmpeg

import (
	"os"
	"strconv"
)

// attachable reports whether f can be passed to programs.
func attachable(*os.File) bool { return true }

// attach returns the files that a program inherits to read f. On Linux opening
// /dev/fd/3 makes a new open file, so programs and this process do not move each
// other's offset.
func attach(f *os.File) (files []*os.File, detach func(), err error) {
	return []*os.File{f}, func() {}, nil
}

// url is the name by which a program opens the file of its nth input, from 0.
func url(_ *os.File, n int) string { return "file:/dev/fd/" + strconv.Itoa(firstFile+n) }

// firstFile is the descriptor of the first file that a program inherits.
const firstFile = 3

// removeName unlinks an open file, which stays open.
func removeName(name string) { os.Remove(name) }
