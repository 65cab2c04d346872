package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/term"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// A library is the library over the base directory.
type library struct {
	*citekit.Library
	workspace citekit.Workspace
}

// open returns the library over the base directory. The files, which the
// person has named, may be resolved wherever they are.
func (s *session) open(files ...string) (*library, error) {
	for _, root := range s.roots {
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			return nil, usagef("", "--root %s: there is no such directory", term.Line(root))
		}
	}
	ws, err := workspace.Open(s.dir, &workspace.Options{
		MapsDir:     s.mapsDir,
		EvidenceDir: s.outputDir,
		Roots:       s.roots,
		Files:       files,
	})
	if err != nil {
		return nil, fmt.Errorf("--dir %s: %w", term.Line(s.dir), err)
	}
	return &library{citekit.New(ws, modality.All(), nil), ws}, nil
}

// has reports whether there is a map for id, at less cost than asking for it:
// what is missing is not looked for among all others.
func (l *library) has(ctx context.Context, id string) bool {
	if citekit.CheckResourceID(id) != nil {
		return false
	}
	_, err := l.workspace.StatMap(ctx, id)
	return !errors.Is(err, fs.ErrNotExist)
}
