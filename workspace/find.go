package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/pathpattern"
)

// neverSearched are the directories of git and of citekit, including those of
// other base directories.
var neverSearched = []string{".git", mapsName, evidenceName}

// maxFolders is how deep folders may be nested below the searched one.
const maxFolders = 100

// Find implements [Finder].
func (d *Directory) Find(ctx context.Context, req FindRequest) iter.Seq2[Candidate, error] {
	return func(yield func(Candidate, error) bool) {
		s := newSearch(ctx, req, yield)
		s.isOwn = func(name string) bool { return d.isOwnFile(d.absolute(name)) }
		for _, name := range req.Paths {
			if !s.searchPath(directoryPlace{d}, name) {
				return
			}
		}
	}
}

// A place is where a search starts.
type place interface {
	// find returns the folder at name, or the file there, with the path to show
	// for it.
	find(ctx context.Context, name string) (shown string, folder tree, above *ignoreList, file *foundFile, err error)

	// companions returns the companions of the file whose shown path find
	// returned.
	companions(shown string) []string
}

// A tree is a folder that is searched.
type tree interface {
	fs.FS
	lstat(name string) (fs.FileInfo, error)
	isSettled(name string, info fs.FileInfo) bool // of a file with this info
	child(name string) (tree, error)
	close()
}

// A search is one [FindRequest] being answered.
type search struct {
	ctx     context.Context
	req     FindRequest
	yield   func(Candidate, error) bool
	found   map[string]bool // paths already yielded
	matched bool            // the pattern matched something
	isOwn   func(name string) bool
	pattern []string // that names from the top must match, or nil
}

func newSearch(ctx context.Context, req FindRequest, yield func(Candidate, error) bool) *search {
	return &search{ctx: ctx, req: req, yield: yield, found: make(map[string]bool), isOwn: func(string) bool { return false }}
}

// give yields a source or folder unless it was yielded before. It reports
// whether to continue, as do all methods of a search.
func (s *search) give(f Candidate, err error) bool {
	if ctxErr := s.ctx.Err(); ctxErr != nil {
		s.yield(Candidate{}, ctxErr)
		return false
	}
	s.matched = true
	if s.found[f.Path] {
		return true
	}
	s.found[f.Path] = true
	return s.yield(f, err)
}

// searchPath searches one path of the request.
func (s *search) searchPath(p place, name string) bool {
	if len(name) > maxSourcePath {
		return s.give(Candidate{Path: message.Clip(filepath.ToSlash(name)), Named: true}, errLongPath(name))
	}
	shown, folder, above, file, err := p.find(s.ctx, name)
	if errors.Is(err, fs.ErrNotExist) && pathpattern.Is(name) {
		return s.searchPattern(p, name)
	}
	switch {
	case err != nil:
		return s.give(Candidate{Path: shown, Named: true}, err)
	case folder == nil:
		return s.give(Candidate{Path: shown, Named: true, Size: file.size, Identity: file.identity, Companions: p.companions(shown)}, nil)
	}
	defer folder.close()
	s.pattern = nil
	return s.searchFolder(folder, shown, ".", above, 0)
}

func (s *search) searchPattern(p place, pattern string) bool {
	dir, segments := splitPattern(filepath.ToSlash(pattern), func(name string) bool {
		_, folder, _, _, err := p.find(s.ctx, name)
		if err != nil || folder == nil {
			return false
		}
		folder.close()
		return true
	})
	shown, folder, above, _, err := p.find(s.ctx, dir)
	if err == nil && folder == nil || errors.Is(err, fs.ErrNotExist) {
		err = noMatchError{filepath.ToSlash(pattern), dir}
	}
	if err != nil {
		return s.give(Candidate{Path: filepath.ToSlash(pattern), Named: true}, err)
	}
	defer folder.close()
	s.pattern, s.matched = segments, false
	if !s.searchFolder(folder, shown, ".", above, 0) {
		return false
	}
	if !s.matched {
		return s.give(Candidate{Path: filepath.ToSlash(pattern), Named: true}, noMatchError{pattern: filepath.ToSlash(pattern)})
	}
	return true
}

// A noMatchError reports a pattern without matches.
type noMatchError struct {
	pattern string
	missing string // the folder to search, if it is not there; else ""
}

func (e noMatchError) Error() string {
	text := fmt.Sprintf("no file matches the pattern %q", e.pattern)
	if e.missing != "" {
		text += fmt.Sprintf("; there is no folder %q", e.missing)
	}
	return text
}

func (e noMatchError) Is(target error) bool { return target == fs.ErrNotExist }

// searchFolder yields the contents of a folder. The path inside leads there
// from the start of the search; above holds the rules of the folders above.
func (s *search) searchFolder(t tree, shown, inside string, above *ignoreList, depth int) bool {
	entries, err := fs.ReadDir(t, ".")
	if err != nil {
		return s.give(Candidate{Path: shown, Folder: true}, fmt.Errorf("folder: %w", withoutPath(err)))
	}
	if s.pattern == nil && !s.give(Candidate{Path: shown, Folder: true}, nil) {
		return false
	}
	ignored := above
	if !s.req.NoIgnore {
		ignored = readIgnore(t, ignoreName, shown, above)
	}
	companions, logs := s.companionNames(shown, entries), logNames(entries)
	for _, e := range entries {
		if !s.req.Hidden && strings.HasPrefix(e.Name(), ".") || slices.Contains(neverSearched, e.Name()) {
			continue
		}
		name := path.Join(shown, e.Name())
		if !s.req.NoIgnore && ignored.ignores(name, e.IsDir()) || s.isOwn(name) {
			continue
		}
		if !s.searchEntry(t, e, name, path.Join(inside, e.Name()), ignored, companions, logs, depth) {
			return false
		}
	}
	return true
}

// companionNames returns the names in a folder that may be companions.
func (s *search) companionNames(shown string, entries []fs.DirEntry) []string {
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return isRecording(e.Name()) }) {
		return nil
	}
	return slices.DeleteFunc(companionNames(entries), func(name string) bool { return s.isOwn(path.Join(shown, name)) })
}

func (s *search) searchEntry(t tree, e fs.DirEntry, shown, inside string, ignored *ignoreList, companions, logs []string, depth int) bool {
	switch {
	case e.IsDir() && s.pattern != nil && !pathpattern.Leads(s.pattern, strings.Split(inside, "/")):
		return true
	case e.IsDir():
		return s.searchChild(t, e.Name(), shown, inside, ignored, depth)
	case s.pattern != nil && !pathpattern.MatchNames(s.pattern, strings.Split(inside, "/")):
		return true
	case e.Type()&fs.ModeSymlink != 0:
		return s.give(Candidate{Path: shown, Link: true}, nil)
	case !e.Type().IsRegular():
		return true // a device, pipe or socket
	}
	if checkNotSide(e.Name(), openRegularIn(t)) != nil {
		return true
	}
	info, err := t.lstat(e.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return true // it was just removed
	}
	if err != nil {
		return s.give(Candidate{Path: shown}, fmt.Errorf("source: %w", withoutPath(err)))
	}
	f := Candidate{Path: shown, Size: info.Size(), Identity: identityIn(t, e.Name(), info, hasName(logs, e.Name()+logSuffix))}
	if isRecording(e.Name()) {
		f.Companions = foundCompanions(t, path.Dir(shown), companionsOf(e.Name(), companions))
	}
	return s.give(f, nil)
}

func (s *search) searchChild(t tree, name, shown, inside string, ignored *ignoreList, depth int) bool {
	if depth >= maxFolders {
		return s.give(Candidate{Path: shown, Folder: true}, fmt.Errorf("folders nested more than %d deep: %w", maxFolders, citekit.ErrTooLarge))
	}
	child, err := t.child(name)
	if err != nil {
		return s.give(Candidate{Path: shown, Folder: true}, fmt.Errorf("folder: %w", withoutPath(err)))
	}
	defer child.close()
	return s.searchFolder(child, shown, inside, ignored, depth+1)
}

// A foundFile describes a file that was found by its name.
type foundFile struct {
	size     int64
	identity string // or ""
}

// newFoundFile describes an open file, and the write-ahead log beside it, or nil.
func newFoundFile(f, log *os.File, info fs.FileInfo) *foundFile {
	found := &foundFile{info.Size(), foundIdentity(info)}
	if found.identity != "" && watch(f) != settled {
		found.identity = ""
	}
	if log == nil || found.identity == "" {
		return found
	}
	if info, err := log.Stat(); err == nil && foundIdentity(info) != "" && watch(log) == settled {
		found.identity = identityWithLog(found.identity, info)
	} else {
		found.identity = ""
	}
	return found
}

// identityIn returns the identity of a file in a tree, with that of its write-ahead
// log if it may have one; "" while one of them may change unseen.
func identityIn(t tree, name string, info fs.FileInfo, hasLog bool) string {
	id := foundIdentity(info)
	if id == "" || !t.isSettled(name, info) {
		return ""
	}
	if !hasLog {
		return id
	}
	log, err := t.lstat(name + logSuffix)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && log.Size() == 0:
		return id
	case err != nil || foundIdentity(log) == "" || !t.isSettled(name+logSuffix, log):
		return ""
	}
	return identityWithLog(id, log)
}

func hasName(sorted []string, name string) bool {
	_, found := slices.BinarySearch(sorted, name)
	return found
}

// logNames returns the names in a folder that may be write-ahead logs of databases,
// sorted.
func logNames(entries []fs.DirEntry) []string {
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), logSuffix) {
			names = append(names, e.Name())
		}
	}
	return names
}

// foundIdentity returns the identity of a file, or "" while the file may change
// without changing its times, however it is written.
func foundIdentity(info fs.FileInfo) string {
	if info.ModTime().Unix() <= 0 || isRacy(info, time.Now()) {
		return ""
	}
	return identity(info)
}

// A directoryPlace searches the roots of a directory.
type directoryPlace struct{ d *Directory }

func (p directoryPlace) find(ctx context.Context, name string) (string, tree, *ignoreList, *foundFile, error) {
	d := p.d
	if err := checkFindPath(name); err != nil {
		return name, nil, nil, nil, err
	}
	abs := d.absolute(name)
	shown := d.shown(abs)
	root, inside, err := d.rootOf(abs)
	if err == nil {
		if info, statErr := root.Stat(inside); statErr == nil && info.IsDir() {
			return p.openFolder(root, inside, shown)
		}
	}
	f, err := d.openInRoots(abs)
	if err == errOutside {
		if f, err = d.openAllowed(abs); err == nil {
			shown = d.shownTarget(abs)
		}
	}
	if err != nil {
		return shown, nil, nil, nil, err
	}
	defer f.Close()
	if err := d.checkNotSide(abs); err != nil {
		return shown, nil, nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return shown, nil, nil, nil, withoutPath(err)
	}
	log, err := d.openLog(abs, f)
	if err != nil {
		return shown, nil, nil, nil, err
	}
	if log != nil {
		defer log.Close()
	}
	return shown, nil, nil, newFoundFile(f, log, info), nil
}

// checkFindPath is like checkSourcePath, but allows a folder.
func checkFindPath(name string) error {
	if err := checkSourcePath(name); err != nil && err != errNotPlain {
		return err
	}
	return nil
}

// openFolder opens a folder of a root with the rules of the folders above it,
// up to the top of a repository or the root.
func (p directoryPlace) openFolder(root *os.Root, inside, shown string) (string, tree, *ignoreList, *foundFile, error) {
	if p.d.isOwn(p.d.absolute(shown)) {
		return shown, nil, nil, nil, errOwn
	}
	folder, err := root.OpenRoot(inside)
	if err != nil {
		return shown, nil, nil, nil, sourceError(root, err)
	}
	above := rulesAbove(root.FS(), filepath.ToSlash(inside), shown)
	return shown, newRootTree(folder), above, nil, nil
}

// rulesAbove returns the rules of the folders above inside, whose path for
// display is shown.
func rulesAbove(fsys fs.FS, inside, shown string) (above *ignoreList) {
	type level struct{ inside, shown string }
	var levels []level // from inside up
	for at := (level{inside, shown}); ; at = (level{path.Dir(at.inside), path.Dir(at.shown)}) {
		if at.inside != inside {
			levels = append(levels, at)
		}
		if _, err := fs.Stat(fsys, path.Join(at.inside, ".git")); err == nil {
			above = readIgnore(fsys, path.Join(at.inside, ".git/info/exclude"), at.shown, nil)
			break
		}
		if at.inside == "." {
			break
		}
	}
	slices.Reverse(levels)
	for _, at := range levels {
		above = readIgnore(fsys, path.Join(at.inside, ignoreName), at.shown, above)
	}
	return above
}

// shown returns the path that a map gives for a source.
func (d *Directory) shown(abs string) string {
	if name, ok := d.roots[0].contains(abs); ok {
		return filepath.ToSlash(name)
	}
	return filepath.ToSlash(abs)
}

// shownTarget is like shown, for a link that leads out of its root. The allowed
// file is the target of the link, and has the target's path whichever name is
// used.
func (d *Directory) shownTarget(abs string) string {
	if target, err := filepath.EvalSymlinks(abs); err == nil && !d.inRoots(target) {
		return filepath.ToSlash(target)
	}
	return d.shown(abs)
}

// rootOf returns the root that contains an absolute path, and the path's name
// there.
func (d *Directory) rootOf(abs string) (*os.Root, string, error) {
	for _, r := range d.roots {
		if name, ok := r.contains(abs); ok {
			root, _, err := r.open()
			return root, name, err
		}
	}
	return nil, "", errOutside
}

func (p directoryPlace) companions(shown string) []string {
	if !isRecording(shown) {
		return nil
	}
	abs := p.d.absolute(shown)
	root, inside, err := p.d.rootOf(filepath.Dir(abs))
	if err != nil {
		return nil
	}
	folder, err := root.OpenRoot(inside)
	if err != nil {
		return nil
	}
	t := newRootTree(folder)
	defer t.close()
	entries, err := fs.ReadDir(t, ".")
	if err != nil {
		return nil
	}
	names := slices.DeleteFunc(companionNames(entries), func(name string) bool {
		return p.d.isOwnFile(filepath.Join(filepath.Dir(abs), name))
	})
	return foundCompanions(t, path.Dir(shown), companionsOf(filepath.Base(abs), names))
}

// A rootTree is a tree held open.
type rootTree struct {
	root *os.Root
	fs.FS
	byTimes bool
}

func newRootTree(root *os.Root) rootTree {
	t := rootTree{root: root, FS: root.FS()}
	if dir, err := root.Open("."); err == nil {
		t.byTimes = tellsByTimes(dir)
		dir.Close()
	}
	return t
}

// isSettled does not look at the file where the times alone show every change:
// no note is made of a source that was not settled at that time.
func (t rootTree) isSettled(name string, info fs.FileInfo) bool {
	if t.byTimes {
		return true
	}
	f, now, err := openPlain(t.root, name, errNotPlain)
	if err != nil {
		return false
	}
	defer f.Close()
	return identity(now) == identity(info) && watch(f) == settled
}

func (t rootTree) lstat(name string) (fs.FileInfo, error) { return t.root.Lstat(name) }

func (t rootTree) child(name string) (tree, error) {
	if info, err := t.root.Lstat(name); err != nil || !info.IsDir() {
		return nil, errors.Join(err, errors.New("replaced just now"))
	}
	child, err := t.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return newRootTree(child), nil
}

func (t rootTree) close() { t.root.Close() }
