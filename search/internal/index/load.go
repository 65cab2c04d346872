package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
)

// A localContent is open evidence that a file of this machine holds. The file belongs to
// the content: it may be closed with it, and its offset is not used.
type localContent interface {
	LocalFile() (*os.File, error)
}

// mostInMemory is the size, in bytes, up to which a segment that is in no file is held in
// memory.
const mostInMemory = 64 << 10

// load returns the content of a segment: mapped if it is a file, or a file of this machine
// has it. Other content is copied whole, to a temporary file that is mapped.
func load(ctx context.Context, content io.Reader, r segmentRecord) (data []byte, unmap func(), err error) {
	if f := fileOf(content); f != nil {
		if info, err := f.Stat(); err == nil && info.Size() == r.Size {
			if data, unmap, ok := mapFile(f, int(r.Size)); ok {
				return data, unmap, nil
			}
		}
	}
	sum := sha256.New()
	in := io.TeeReader(ctxio.Reader(ctx, content), sum)
	if mapsFiles && r.Size > mostInMemory {
		data, unmap, err = spool(in, r.Size)
	} else {
		data, unmap = make([]byte, r.Size), func() {}
		_, err = io.ReadFull(in, data)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("search: read a segment: %w", err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != r.SHA256 {
		unmap()
		return nil, nil, errLost
	}
	return data, unmap, nil
}

// fileOf returns the file with some content, or nil.
func fileOf(content io.Reader) *os.File {
	switch c := content.(type) {
	case *os.File:
		return c
	case localContent:
		if f, err := c.LocalFile(); err == nil {
			return f
		}
	}
	return nil
}

// spool copies so many bytes to a temporary file that has no name any more, and maps it.
func spool(in io.Reader, size int64) (data []byte, unmap func(), err error) {
	f, err := os.CreateTemp("", "citekit-segment-*")
	if err == nil {
		defer f.Close()
		err = os.Remove(f.Name())
	}
	if err != nil {
		return nil, nil, spoolError(err)
	}
	if _, err := io.CopyN(spoolWriter{f}, in, size); err != nil {
		return nil, nil, err
	}
	if data, unmap, ok := mapFile(f, int(size)); ok {
		return data, unmap, nil
	}
	data = make([]byte, size)
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, nil, spoolError(err)
	}
	return data, func() {}, nil
}

func spoolError(err error) error {
	return fmt.Errorf("copy it to a temporary file; TMPDIR names the folder for that: %w", localfile.WithoutPath(err))
}

// A spoolWriter writes a temporary file. Its errors say what to do.
type spoolWriter struct{ f *os.File }

func (w spoolWriter) Write(p []byte) (int, error) {
	n, err := w.f.Write(p)
	if err != nil {
		err = spoolError(err)
	}
	return n, err
}
