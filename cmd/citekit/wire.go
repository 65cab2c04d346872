package main

import (
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/term"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// open returns the library over the base directory. The files, which the
// person has named, may be resolved wherever they are.
func (s *session) open(files ...string) (*citekit.Library, error) {
	ws, err := workspace.Open(s.dir, &workspace.Options{
		MapsDir:     s.mapsDir,
		EvidenceDir: s.outputDir,
		Roots:       s.roots,
		Files:       files,
	})
	if err != nil {
		return nil, fmt.Errorf("--dir %s: %w", term.Line(s.dir), err)
	}
	return citekit.New(ws, modality.All(), nil), nil
}
