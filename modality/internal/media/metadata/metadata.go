// Package metadata has what the readers of containers find in words: the tags of a
// recording, its chapters, and the cue sheet of a disc that is stored as one file.
package metadata

import (
	"io"
)

// Tags describe a recording. A value is "" if the container has none.
type Tags struct {
	Title, Artist, Date string
	Album, Genre        string
	Keywords            string // separated by commas or semicolons
	Chapters            []Chapter
}

// A Chapter is a titled part of a recording, in seconds on the timeline of its
// container.
type Chapter struct {
	Start    float64
	End      float64 // 0, or not after Start, if it is not known
	Title    string
	Children []Chapter
}

// Named returns the tags among values by name, in upper case, as in Vorbis comments and
// Matroska.
func Named(values map[string]string) Tags {
	return Tags{
		Title: values["TITLE"], Artist: values["ARTIST"], Date: values["DATE"],
		Album: values["ALBUM"], Genre: values["GENRE"], Keywords: values["KEYWORDS"],
	}
}

// ReadAt returns n bytes of a file of size bytes at an offset, or fewer at its end.
// Errors are those of r, except [io.EOF].
func ReadAt(r io.ReaderAt, size, at, n int64) ([]byte, error) {
	n = min(n, size-at)
	if at < 0 || n <= 0 {
		return nil, nil
	}
	b := make([]byte, n)
	k, err := r.ReadAt(b, at)
	if err == io.EOF {
		err = nil
	}
	return b[:k], err
}
