package ffmpeg

import "os"

// attachable reports whether programs can be given f.
func attachable(*os.File) bool { return true }

// attach returns the files a program inherits to read f. Opening /dev/fd/3
// makes a new open file on Linux, so that neither programs nor this process
// move each other's offset.
func attach(f *os.File) (files []*os.File, detach func(), err error) {
	return []*os.File{f}, func() {}, nil
}

// url is the name by which a program opens f.
func url(*os.File) string { return "file:/dev/fd/3" }

// removeName unlinks a file that is open and stays so.
func removeName(name string) { os.Remove(name) }
