package ffmpeg

import "os"

// inheritable returns a file whose descriptor a program may be given. Opening
// /dev/fd/3 makes a new open file on Linux, so that neither programs nor this
// process move each other's offset.
func inheritable(f *os.File) (file *os.File, owned, ok bool) { return f, false, true }

func (in *Input) inherited() []*os.File { return []*os.File{in.file} }

func (in *Input) url() string { return "file:/dev/fd/3" }
