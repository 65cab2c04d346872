package llm

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
)

// scratchPrefix begins the names of the folders of copies.
const scratchPrefix = "citekit-source-"

// sourcePath returns a path by which another program can open src: its own path
// if that still leads to the open file, or else the path of a copy. The caller
// calls remove.
func sourcePath(ctx context.Context, src *citekit.Source, maxCopy int64) (path string, remove func(), err error) {
	// A file of another name only holds the content: a program could not tell its format.
	if f := src.File(); f != nil && filepath.IsAbs(f.Name()) && filepath.Base(f.Name()) == src.Name() && leadsTo(f.Name(), f) {
		return f.Name(), func() {}, nil
	}
	if src.Size() > maxCopy {
		return "", nil, fmt.Errorf("a source of %d bytes that would have to be copied; at most %d: %w", src.Size(), maxCopy, citekit.ErrTooLarge)
	}
	localfile.SweepScratch(scratchPrefix)
	dir, err := localfile.NewScratch(scratchPrefix)
	if err != nil {
		return "", nil, err
	}
	name := copyName(src.Name())
	if err := copySource(ctx, src, dir, name); err != nil {
		dir.Remove()
		return "", nil, err
	}
	return dir.Path(name), dir.Remove, nil
}

func leadsTo(path string, f *os.File) bool {
	there, err := os.Stat(path)
	if err != nil {
		return false
	}
	open, err := f.Stat()
	return err == nil && os.SameFile(there, open)
}

// copyName returns a name for a copy. It has the extension of the source, and
// nothing in it looks like an option or a pattern to a program.
func copyName(name string) string {
	ext := filepath.Ext(name)
	if len(ext) > 16 || strings.Trim(ext, ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		ext = ""
	}
	return "source" + ext
}

func copySource(ctx context.Context, src *citekit.Source, dir *localfile.Scratch, name string) error {
	f, err := dir.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(f, ctxio.Reader(ctx, src.Reader())); err != nil {
		return localfile.WithoutPath(err)
	}
	return localfile.WithoutPath(f.Close())
}
