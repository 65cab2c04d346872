// Package logfile writes logs for operators, as text or JSON. Invisible
// characters are escaped. A log file can be reopened after it was renamed, and
// a failed write loses lines but does not fail the caller.
package logfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
)

// A File is a log that lines are appended to. Lines that cannot be written are
// counted and reported once; they are not an error for the caller that logs
// them. It is safe for concurrent use.
type File struct {
	// Gap, if not nil, returns what is written in place of lost lines once the
	// log can be written again; see [GapLine]. Set it before the first line is
	// written.
	Gap func(lost int64) []byte

	path string
	tell io.Writer

	mu      sync.Mutex
	file    *os.File // nil after Close
	torn    bool     // the last line in the file is incomplete
	lost    int64
	missing int64 // lost since the last written line
}

// Open opens a log. A missing file is created with access for its owner alone.
// Later write errors are reported to tell, which may be nil. Errors are those
// of [os.OpenFile]; the path must be that of a regular file or a character
// device.
func Open(path string, tell io.Writer) (*File, error) {
	if tell == nil {
		tell = io.Discard
	}
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	return &File{path: path, tell: tell, file: file}, nil
}

func open(path string) (*os.File, error) {
	// Opening a pipe would block until something reads from it.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeCharDevice == 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("a log must be a file")}
	}
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
}

// Write implements [io.Writer], for one line or several at a time. It returns no
// error.
func (f *File) Write(lines []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.fill()
	if err == nil {
		err = f.write(lines)
	}
	if err != nil {
		f.report(err)
		n := max(1, int64(bytes.Count(lines, []byte("\n"))))
		f.lost, f.missing = f.lost+n, f.missing+n
		return len(lines), nil
	}
	f.missing = 0
	return len(lines), nil
}

// fill writes how many lines were lost in their place.
func (f *File) fill() error {
	if f.missing == 0 || f.Gap == nil {
		return nil
	}
	err := f.write(f.Gap(f.missing))
	if err == nil {
		f.missing = 0
	}
	return err
}

func (f *File) write(lines []byte) error {
	if f.file == nil {
		return fs.ErrClosed
	}
	if f.torn {
		if _, err := f.file.Write([]byte("\n")); err != nil {
			return err
		}
		f.torn = false
	}
	n, err := f.file.Write(lines)
	f.torn = n > 0 && lines[n-1] != '\n'
	return err
}

// report reports an error, unless the previous line failed too.
func (f *File) report(err error) {
	if f.missing > 0 {
		return
	}
	var failed *fs.PathError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	fmt.Fprintf(f.tell, "citekit: the log %s cannot be written, and lines are lost: %v\n", printable(f.path), err)
}

// Reopen opens the path again, after the file was renamed or removed. If that
// fails, the log continues in the old file.
func (f *File) Reopen() error {
	file, err := open(f.path)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		file.Close()
		return &fs.PathError{Op: "reopen", Path: f.path, Err: fs.ErrClosed}
	}
	old := f.file
	f.file, f.torn = file, false
	return old.Close()
}

// GapLine returns a function for [File.Gap]. It makes the line that replaces
// lost lines, as the handler of a format would write it.
func GapLine(format Format) func(lost int64) []byte {
	return func(lost int64) []byte {
		var line bytes.Buffer
		slog.New(NewHandler(&line, format, nil)).Error("lines are missing here, which could not be written", "lines", lost)
		return line.Bytes()
	}
}

// Lost returns how many lines could not be written.
func (f *File) Lost() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost
}

// Close closes the log. Later lines are lost.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	_ = f.fill() // so that the gap is recorded, if the log can be written again
	if f.missing > 0 {
		fmt.Fprintf(f.tell, "citekit: the last lines of the log %s are lost: %d\n", printable(f.path), f.missing)
	}
	file := f.file
	f.file = nil
	return file.Close()
}
