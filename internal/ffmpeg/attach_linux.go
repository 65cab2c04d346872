package ffmpeg

import (
	"os"
	"strconv"
)

// attachable reports whether programs can be given f.
func attachable(*os.File) bool { return true }

// attach returns the files a program inherits to read f. Opening /dev/fd/3
// makes a new open file on Linux, so that neither programs nor this process
// move each other's offset.
func attach(f *os.File) (files []*os.File, detach func(), err error) {
	return []*os.File{f}, func() {}, nil
}

// url is the name by which a program opens the file of its nth input, from 0.
func url(_ *os.File, n int) string { return "file:/dev/fd/" + strconv.Itoa(firstFile+n) }

// firstFile is the descriptor of the first file that a program inherits.
const firstFile = 3

// removeName unlinks a file that is open and stays so.
func removeName(name string) { os.Remove(name) }
