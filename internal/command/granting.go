package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/workspace"
)

// place sets the paths for the library. It returns the directories outside the base
// directory to read them from: none, unless the person allows that.
func (in *ingestion) place(args []string) (roots []string, err error) {
	if slices.Contains(args, "") {
		return nil, usagef("ingest", "a path is empty")
	}
	if in.storeURL != "" { // its paths are its own
		in.paths = args
		return nil, nil
	}
	placer, err := in.placer()
	if err != nil {
		return nil, err
	}
	for _, arg := range args {
		g, err := placer.place(arg)
		if err != nil {
			return nil, err
		}
		in.given = append(in.given, g)
		switch {
		case strings.Contains(arg, "://"), !g.outside && !filepath.IsAbs(arg):
			in.paths = append(in.paths, arg) // reports name the path as given
		default:
			in.paths = append(in.paths, g.path)
		}
		if g.outside && in.flags.outside {
			roots = append(roots, rootFor(g.path))
		}
	}
	return roots, nil
}

// explained returns an item with a better error, from what only the command knows,
// such as that a path was meant relative to the working directory.
func (in *ingestion) explained(item ingest.Item) ingest.Item {
	if item.Status != ingest.Failed {
		return item
	}
	if !errors.As(item.Err, new(hinted)) {
		item.Err = explained(item.Err)
	}
	var taken interface{ TakenID() string }
	if errors.As(item.Err, &taken) && !errors.As(item.Err, new(hinted)) {
		item.Err = hinted{item.Err, fmt.Sprintf("give another --id, or delete that map first with 'citekit rm %s'", quoteShell(taken.TakenID()))}
		return item
	}
	i := slices.IndexFunc(in.given, func(g givenPath) bool { return g.misplaced != "" && (g.shown == item.Path || g.given == item.Path) })
	if i >= 0 && !errors.As(item.Err, new(misplacedError)) {
		item.Err = in.misplacedError(in.given[i])
		return item
	}
	i = slices.IndexFunc(in.given, func(g givenPath) bool { return g.shown == item.Path || g.given == item.Path })
	if i >= 0 && in.given[i].misplaced == "" && errors.Is(item.Err, fs.ErrNotExist) && !errors.As(item.Err, new(misspelledError)) {
		if near := nearFiles(in.given[i].path); len(near) > 0 {
			item.Err = misspelledError{item.Err, near}
		}
	}
	return item
}

// A misspelledError reports a path that does not exist, with similar ones.
type misspelledError struct {
	error
	near []string
}

func (e misspelledError) Error() string {
	return e.error.Error() + "; did you mean '" + strings.Join(e.near, "', '") + "'?"
}

func (e misspelledError) Unwrap() error { return e.error }

// hintOutside says how to map paths that were refused because they are outside the
// base directory.
func (in *ingestion) hintOutside(report *ingest.Report) {
	if in.flags.outside {
		return
	}
	refused := 0
	for _, item := range report.Items {
		if item.Status == ingest.Failed && errors.Is(item.Err, citekit.ErrForbidden) && in.isOutside(item.Path) {
			refused++
		}
	}
	if refused > 0 {
		in.warn(fmt.Sprintf("%s outside %s; --allow-outside maps such files, which may then be cited", countedAre(refused, "path"), in.baseName()))
	}
}

func (in *ingestion) isOutside(shown string) bool {
	return slices.ContainsFunc(in.given, func(g givenPath) bool { return g.outside && (g.shown == shown || g.given == shown) })
}

// countedAre returns a count with a verb, such as "1 path is" or "2 paths are".
func countedAre(n int, noun string) string {
	if n == 1 {
		return message.Count(n, noun) + " is"
	}
	return message.Count(n, noun) + " are"
}

// confirmOutside asks once whether files in folders outside the base directory may
// be cited. If nobody can be asked, the flag counts as consent.
func (in *ingestion) confirmOutside(ctx context.Context) error {
	if !in.flags.outside || in.flags.yes || !in.canAsk() {
		return nil
	}
	var folders, paths []string
	for _, g := range in.given {
		if info, err := os.Stat(g.path); g.outside && (err != nil || info.IsDir()) {
			folders, paths = append(folders, g.path), append(paths, g.path)
		}
	}
	if len(folders) == 0 {
		return nil
	}
	n, err := in.countSources(ctx, paths)
	if err != nil || n == 0 {
		return err
	}
	question := fmt.Sprintf("%s outside %s, with %s, which may then be cited. Map them?",
		strings.Join(folders, ", ")+isOrAre(len(folders)), in.baseName(), message.Count(n, "file"))
	if ok, err := in.confirm(ctx, question, false); err != nil || ok {
		return err
	}
	return errNotConfirmed
}

func isOrAre(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}

// countSources returns how many sources paths lead to.
func (in *ingestion) countSources(ctx context.Context, paths []string) (n int, err error) {
	finder, ok := in.lib.Workspace().(workspace.Finder)
	if !ok {
		return 0, nil
	}
	request := workspace.FindRequest{Paths: paths, NoIgnore: in.opts.NoIgnore, Hidden: in.opts.Hidden}
	for found, err := range finder.Find(ctx, request) {
		if err == nil && !found.Folder && !found.Link {
			n++
		}
	}
	return n, ctx.Err()
}

// A grantRecorder records which files outside the base directory may be cited.
type grantRecorder struct {
	*placer
	ws   workspaceOfGrants   // opened without the paths of this run as roots
	held map[string][]string // ids of the maps for which a path may already be cited
	err  error
}

// A workspaceOfGrants is a workspace with grants.
type workspaceOfGrants interface {
	granter
	Close() error
}

// openGrants reads what may be cited already. A store has nothing outside it, and so no
// grants.
func (in *ingestion) openGrants() (*grantRecorder, error) {
	if in.storeURL != "" {
		return nil, nil
	}
	placer, err := in.placer()
	if err != nil {
		return nil, err
	}
	ws, err := in.openGranter()
	if err != nil {
		return nil, err
	}
	g := &grantRecorder{placer: placer, ws: ws, held: make(map[string][]string)}
	if !slices.ContainsFunc(in.given, func(g givenPath) bool { return g.outside }) {
		return g, nil
	}
	grants, err := ws.Allowed(context.Background())
	if err != nil {
		return nil, errors.Join(err, ws.Close())
	}
	for _, a := range grants {
		if a.InEffect {
			g.held[a.Path] = a.Maps
		}
	}
	return g, nil
}

func (g *grantRecorder) close() {
	if g != nil {
		g.ws.Close()
	}
}

// failed returns the first error, once.
func (g *grantRecorder) failed() error {
	if g == nil {
		return nil
	}
	err := g.err
	g.err = nil
	return err
}

// grant allows citing the source of a map, and its transcript, if they are outside.
// It reports whether the permission is new.
func (g *grantRecorder) grant(ctx context.Context, lib *citekit.Library, item ingest.Item) (isNew bool) {
	path := filepath.FromSlash(item.Path)
	if g == nil || !filepath.IsAbs(path) || item.ResourceID == "" || item.Status == ingest.Vanished || item.Status == ingest.Failed {
		return false
	}
	paths := []string{path}
	if item.Type == citekit.Video || item.Type == citekit.Audio {
		if m, err := lib.Map(context.WithoutCancel(ctx), item.ResourceID); err == nil {
			if transcript, _ := m.Transcript(); transcript != "" && !about.IsTranscribed(m.Metadata) {
				paths = append(paths, transcript)
			}
		}
	}
	for _, path := range paths {
		isNew = g.allow(ctx, path, item.ResourceID) || isNew
	}
	return isNew
}

// allow allows citing one path.
func (g *grantRecorder) allow(ctx context.Context, path, id string) (isNew bool) {
	if slices.Contains(g.held[path], id) || g.inRoots(resolveLinks(path)) {
		return false
	}
	err := g.ws.Allow(context.WithoutCancel(ctx), path, id)
	switch {
	case err == nil:
		g.held[path] = append(g.held[path], id)
		return true
	case g.err == nil && !errors.Is(err, fs.ErrNotExist): // the file may be gone by now
		g.err = hinted{err, "give the folder with --root to every command instead"}
	}
	return false
}

// openGranter opens the workspace for its grants.
func (s *session) openGranter() (workspaceOfGrants, error) {
	ws, err := s.workspace(nil)
	if err != nil {
		return nil, err
	}
	if g, ok := ws.(workspaceOfGrants); ok {
		return g, nil
	}
	return nil, errors.Join(ws.Close(), fmt.Errorf("this workspace has no files outside it that may be cited: %w", errors.ErrUnsupported))
}

// tidyGrants drops grants of this base directory that have no effect any more, and
// reports them.
func (s *session) tidyGrants(ctx context.Context, ws granter) error {
	dropped, err := ws.DropUnneeded(ctx)
	if dropped > 0 {
		s.warn(message.Count(dropped, "file") + " outside " + s.baseName() + " may no longer be cited: no map names them")
	}
	return err
}
