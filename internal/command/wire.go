package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/document/parquet"
	"github.com/citekit/citekit/modality/image"
	"github.com/citekit/citekit/workspace"
)

// open returns the library over the base directory. files, which the person has
// named, may be resolved wherever they are.
func (s *session) open(files ...string) (*citekit.Library, error) {
	return s.openReporting(s.compiling, files...)
}

// openReporting is open with a function to call when PDFium must be compiled.
func (s *session) openReporting(compiling func(context.Context) func(), files ...string) (*citekit.Library, error) {
	return s.openWith(configure(modality.All(), s.extra, compiling), nil, files...)
}

// configure sets the built-in resolvers to read documents of more formats, and the
// extra text, and returns them. compiling is called when PDFium must be compiled.
func configure(all citekit.Resolvers, extra extraText, compiling func(context.Context) func()) citekit.Resolvers {
	documents := all[citekit.Document].(*document.Resolver)
	documents.PDF.OCR, documents.PDF.Compiling = extra.scans || extra.program != "", compiling
	documents.PDF.OCRProgram, all[citekit.Image].(*image.Resolver).OCRProgram = extra.program, extra.program
	documents.Word.Comments = extra.comments
	documents.More = map[string]citekit.Resolver{parquet.Format: new(parquet.Resolver)} // not linked by package document
	return all
}

// openWith returns the library with other resolvers, and further roots and files.
func (s *session) openWith(resolvers citekit.Resolvers, roots []string, files ...string) (*citekit.Library, error) {
	ws, err := s.workspace(roots, files...)
	if err != nil {
		return nil, err
	}
	return citekit.New(ws, resolvers, nil), nil
}

// workspace returns the workspace: the base directory or, without what roots and files
// say, a store.
func (s *session) workspace(roots []string, files ...string) (citekit.Workspace, error) {
	if s.storeURL != "" {
		store, err := s.openStore(s.context(), s.storeURL, false)
		if err != nil {
			return nil, fmt.Errorf("--workspace: %w", err)
		}
		return store, nil
	}
	if err := s.checkRoots(); err != nil {
		return nil, err
	}
	opts, err := s.workspaceOptions()
	if err != nil {
		return nil, err
	}
	opts.Roots = append(opts.Roots, roots...)
	opts.Files = files
	ws, err := workspace.Open(s.dir, opts)
	if err != nil {
		return nil, fmt.Errorf("--dir %s: %w", term.Line(s.dir), err)
	}
	return ws, nil
}

// checkRoots returns an error if a --root directory does not exist.
func (s *session) checkRoots() error {
	for _, root := range s.roots {
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			return usagef("", "--root %s: there is no such directory", term.Line(root))
		}
	}
	return nil
}

// workspaceOptions returns the workspace options of the flags and the environment.
func (s *session) workspaceOptions() (*workspace.Options, error) {
	opts := &workspace.Options{
		MapsDir:     s.mapsDir,
		EvidenceDir: s.outputDir,
		Roots:       slices.Clone(s.roots),
		AllowedDir:  allowedDir(),
		KeyDir:      settingsDir(),
	}
	return opts, s.shared.apply(opts)
}

// settingsDir returns the folder for data of the user, or "" if the user has none.
func settingsDir() string {
	dir, err := os.UserConfigDir()
	if err != nil || !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, "citekit")
}

// allowedDir returns the folder that records which files outside the base directory
// may be cited, or "" if there is none.
func allowedDir() string {
	dir := settingsDir()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "allowed")
}

// hasMap reports whether there is a map for id. It is cheaper than asking for the
// map, which looks for similar ids if there is none.
func hasMap(ctx context.Context, lib *citekit.Library, id string) bool {
	if citekit.CheckResourceID(id) != nil {
		return false
	}
	_, err := lib.Workspace().StatMap(ctx, id)
	return !errors.Is(err, fs.ErrNotExist)
}
