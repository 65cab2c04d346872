package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/telemetry"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/workspace"
)

// Options are what a program gives the commands.
type Options struct {
	// Stores open workspaces that are no directories, by the scheme of their URL, such
	// as "pg", with readOnly so that nothing is made or changed. The error must not have
	// the URL in it, which may name a password. It matches [fs.ErrNotExist] if what is to
	// be read only is still to be made.
	Stores map[string]func(ctx context.Context, url string, readOnly bool) (Store, error)

	// Queue, if not nil, returns the queue of a store. The program then has the commands
	// worker and jobs, and ingest --queue.
	Queue func(ctx context.Context, store Store) (Queue, error)

	// Numbers, if not nil, returns what a store and its queue count, for the metrics.
	Numbers func(ctx context.Context, store Store) []Number
}

// A Number is a number of the metrics.
type Number = telemetry.Number

// A Store is a workspace that is no directory. What a command needs beyond this it finds
// by type assertion, as with a directory.
type Store interface {
	citekit.Workspace
	citekit.EvidenceOpener
	workspace.Finder
	workspace.Deleter
}

// A granter is a workspace that records which files outside it may be sources.
type granter interface {
	Allow(ctx context.Context, path string, mapIDs ...string) error
	Allowed(ctx context.Context) ([]workspace.Allowed, error)
	AllAllowed(ctx context.Context) ([]workspace.Allowed, error)
	Revoke(ctx context.Context, a workspace.Allowed) error
	DropUnneeded(ctx context.Context) (dropped int, err error)
}

// A trimmer is a workspace that deletes evidence by age and size.
type trimmer interface {
	TrimEvidence(ctx context.Context, t workspace.Trim) (workspace.Trimmed, error)
}

// A limited workspace keeps at most so much evidence.
type limited interface{ EvidenceFull() bool }

// A readier store tells whether it can be served.
type readier interface {
	Ready(ctx context.Context) error
}

// workspaceVariable names the workspace if no flag does.
const workspaceVariable = "CITEKIT_WORKSPACE"

// elsewhere says where stores of other schemes are.
const elsewhere = "the program of github.com/citekit/citekit/cloud/cmd/citekit has pg: go install it, or use its container image"

// onlyDirectory are the flags of a workspace in a directory.
var onlyDirectory = []string{"dir", "root", "maps-dir", "group", "file-mode", "key-file"}

// chooseWorkspace sets the workspace that --workspace or the environment names, unless
// --dir names one.
func (s *session) chooseWorkspace() error {
	given := s.flags.Lookup("workspace")
	if given.Changed {
		return s.useWorkspace(s.workspaceURL)
	}
	if named := os.Getenv(workspaceVariable); named != "" && !s.flags.Changed("dir") {
		if err := s.useWorkspace(named); err != nil {
			return fmt.Errorf("%s: %w", workspaceVariable, err)
		}
	}
	return nil
}

// useWorkspace sets the workspace that a URL or a path names.
func (s *session) useWorkspace(named string) error {
	dir, isStore := directoryOf(named)
	for _, flag := range onlyDirectory {
		switch {
		case !s.flags.Changed(flag):
		case isStore:
			return usagef("", "flag --%s is for a workspace in a directory, and --workspace names another store", flag)
		case flag == "dir":
			return usagef("", "--dir and --workspace both name the workspace: give one of them")
		}
	}
	if isStore {
		s.storeURL = named
	} else {
		s.storeURL, s.dir = "", dir
	}
	return nil
}

// directoryOf returns the directory that a value of --workspace names: a path, or one
// after "dir:". Others are URLs of stores.
func directoryOf(named string) (dir string, isStore bool) {
	if dir, ok := strings.CutPrefix(named, "dir:"); ok {
		return dir, false
	}
	return named, strings.Contains(named, "://") || strings.HasPrefix(named, "pg:") || strings.HasPrefix(named, "pg//")
}

// openStore opens the workspace that a URL names.
func (s *session) openStore(ctx context.Context, url string, readOnly bool) (Store, error) {
	scheme, _, ok := strings.Cut(url, "://")
	if !ok { // it may have a password, and is not told
		return nil, usagef("", "the workspace is no URL; write pg://USER@HOST/DATABASE?… and, for a folder of such a name, ./ before it")
	}
	open := s.options.Stores[scheme]
	if open == nil {
		known := append([]string{"dir"}, slices.Sorted(maps.Keys(s.options.Stores))...)
		err := fmt.Errorf("this program has no store %q; it has %s%w", term.Line(scheme), strings.Join(known, ", "), silent{citekit.ErrSyntax})
		if len(known) == 1 {
			return nil, hinted{err, elsewhere}
		}
		return nil, err
	}
	return open(ctx, url, readOnly)
}

// context returns the context of the command that runs.
func (s *session) context() context.Context {
	if s.ran != nil && s.ran.Context() != nil {
		return s.ran.Context()
	}
	return context.Background()
}

// needsDirectory returns an error if the workspace is no directory, for a command that
// works on its files. It says what to use instead.
func (s *session) needsDirectory(what, instead string) error {
	if s.storeURL == "" {
		return nil
	}
	return hinted{fmt.Errorf("%s is for a workspace in a directory%w", what, silent{errors.ErrUnsupported}), instead}
}

// localize gives evidence a path on this machine: that of the file in which the store
// holds it or, if there is none or the person names a folder, of a copy.
func (s *session) localize(ctx context.Context, lib *citekit.Library, e *citekit.Evidence) error {
	if s.storeURL == "" || e.OutputPath == "" {
		return nil
	}
	opener, ok := lib.Workspace().(citekit.EvidenceOpener)
	if !ok {
		return fmt.Errorf("this workspace has no files of evidence: %w", errors.ErrUnsupported)
	}
	content, stored, err := opener.OpenEvidence(ctx, e.Key)
	if err != nil {
		return err
	}
	defer content.Close()
	if f, ok := content.(interface{ Name() string }); ok && s.outputDir == "" && filepath.Ext(f.Name()) == filepath.Ext(stored.Name) {
		e.OutputPath = f.Name()
		return nil
	}
	folder, err := s.copies()
	if err != nil {
		return err
	}
	path, err := filepath.Abs(filepath.Join(folder, stored.Name))
	if err != nil {
		return err
	}
	e.OutputPath = path
	return writeWhole(path, privateMode, func(f *os.File) error {
		n, err := io.Copy(f, ctxio.Reader(ctx, content))
		if err == nil && n != stored.Size {
			err = fmt.Errorf("evidence of %d bytes has %d: %w", stored.Size, n, citekit.ErrDamaged)
		}
		return err
	})
}

// copies returns the folder of copies of evidence, which it makes.
func (s *session) copies() (string, error) {
	folder := s.outputDir
	if folder == "" {
		own, err := os.UserCacheDir()
		if err != nil {
			return "", hinted{err, "name a folder with --output-dir"}
		}
		folder = filepath.Join(own, "citekit", "evidence")
	}
	return folder, os.MkdirAll(folder, 0o700)
}
