package ffmpeg

import (
	"bytes"
	"io"
)

// NewLineWriter returns a writer that calls f with each complete line written to it,
// without the line end. A line of more than 4 KiB is an error that matches
// [citekit.ErrTooLarge].
func NewLineWriter(f func(line []byte) error) io.Writer { return &lineWriter{line: f} }

const maxLine = 4 << 10

type lineWriter struct {
	line func([]byte) error
	rest []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		line, after, ok := bytes.Cut(p, []byte("\n"))
		if !ok {
			break
		}
		if len(w.rest) > 0 {
			w.rest = append(w.rest, line...)
			line = w.rest
		}
		if err := w.line(line); err != nil {
			return 0, err
		}
		w.rest, p = w.rest[:0], after
	}
	if len(w.rest)+len(p) > maxLine {
		return 0, errTooMuch
	}
	w.rest = append(w.rest, p...)
	return n, nil
}
