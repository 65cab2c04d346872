package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/pathpattern"
)

// Find implements [Finder]. Sources given to [Memory.AddSource] are
// found by their own paths, by "." and by patterns. They come before the files
// of the file system.
func (f *fileSources) Find(ctx context.Context, req FindRequest) iter.Seq2[Candidate, error] {
	return func(yield func(Candidate, error) bool) {
		s := newSearch(ctx, req, yield)
		for _, name := range req.Paths {
			found, ok := f.giveAdded(s, name)
			if !ok || !found && !s.searchPath(filePlace{f}, name) {
				return
			}
		}
	}
}

// giveAdded yields the added sources that name is, or leads to. If name is the
// path of an added source, it stands for that source only.
func (f *fileSources) giveAdded(s *search, name string) (found, ok bool) {
	if len(name) > maxSourcePath {
		return false, true // which searchPath refuses
	}
	given := name
	name = path.Clean(name)
	names := f.addedNames()
	isAdded := func(name string) bool {
		return slices.ContainsFunc(names, func(added string) bool { return added == name || strings.HasPrefix(added, name+"/") })
	}
	literal := !pathpattern.Is(name) || isAdded(name) || isAdded(given)
	pattern := pathpattern.Literal(name, isAdded)
	for _, added := range names {
		match := added == given || added == name || name == "." || strings.HasPrefix(added, name+"/")
		if !match && (literal || !pathpattern.Match(pattern, added)) {
			continue
		}
		named := added == given || added == name
		if err := f.checkNotSide(added); err != nil {
			if named && !s.give(Candidate{Path: added, Named: true}, err) {
				return true, false
			}
			found = true
			continue
		}
		src, _ := f.get(added)
		c := Candidate{Path: added, Size: int64(len(src.data)), Named: named}
		if isRecording(added) {
			c.Companions = f.addedCompanions(added)
		}
		if !s.give(c, nil) {
			return true, false
		}
		found = true
	}
	return found && f.sources == nil || found && literal && name != ".", true
}

func (f *fileSources) addedNames() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.added))
}

func (f *fileSources) addedCompanions(recording string) []string {
	var found []string
	stem := strings.TrimSuffix(recording, path.Ext(recording)) + "."
	for _, name := range f.addedNames() {
		if strings.HasPrefix(name, stem) && isCompanion(name) {
			found = append(found, name)
		}
	}
	return found
}

// A filePlace searches a file system.
type filePlace struct{ files *fileSources }

func (p filePlace) find(ctx context.Context, name string) (string, tree, *ignoreList, *foundFile, error) {
	if err := checkFindPath(name); err != nil {
		return name, nil, nil, nil, err
	}
	name = path.Clean(name)
	if !fs.ValidPath(name) {
		return name, nil, nil, nil, errOutside
	}
	if p.files.sources == nil {
		return name, nil, nil, nil, missing("source")
	}
	info, err := fs.Stat(p.files.sources, name)
	switch {
	case err != nil:
		return name, nil, nil, nil, fmt.Errorf("source: %w", withoutPath(err))
	case !info.IsDir() && !info.Mode().IsRegular():
		return name, nil, nil, nil, errNotPlain
	case !info.IsDir():
		if err := p.files.checkNotSide(name); err != nil {
			return name, nil, nil, nil, err
		}
		file := &foundFile{size: info.Size()}
		file.identity = identityIn(fsTree{p.files.sources}, name, info, true)
		return name, nil, nil, file, nil
	}
	folder, err := fs.Sub(p.files.sources, name)
	return name, fsTree{folder}, rulesAbove(p.files.sources, name, name), nil, err
}

func (p filePlace) companions(shown string) []string {
	if !isRecording(shown) {
		return nil
	}
	folder, err := fs.Sub(p.files.sources, path.Dir(shown))
	if err != nil {
		return nil
	}
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil
	}
	return foundCompanions(fsTree{folder}, path.Dir(shown), companionsOf(path.Base(shown), companionNames(entries)))
}

// An fsTree is a folder of a file system.
type fsTree struct{ fs.FS }

func (t fsTree) lstat(name string) (fs.FileInfo, error) { return fs.Stat(t.FS, name) }

func (t fsTree) isSettled(name string, info fs.FileInfo) bool {
	f, err := t.FS.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	file, ok := f.(*os.File)
	now, err := f.Stat()
	return err == nil && identity(now) == identity(info) && (!ok || watch(file) == settled)
}

func (t fsTree) child(name string) (tree, error) {
	child, err := fs.Sub(t.FS, name)
	return fsTree{child}, err
}

func (t fsTree) close() {}
