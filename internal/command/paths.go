package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A givenPath is a source path as a person gave it. Like paths in maps and from
// agents, a relative path is relative to the base directory.
type givenPath struct {
	given   string
	path    string // absolute
	shown   string // as maps and reports name it
	outside bool   // path is outside the base directory and the roots

	// misplaced is the path to give instead, if given does not exist but would
	// relative to the working directory; else "".
	misplaced string
}

// A placer places source paths within the base directory and the roots.
type placer struct {
	base  string   // absolute
	roots []string // absolute, without symbolic links; base first
}

// placer returns the placer of the base directory and the roots.
func (s *session) placer() (*placer, error) {
	p := new(placer)
	for _, dir := range append([]string{s.dir}, s.roots...) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		if p.base == "" {
			p.base = abs
		}
		p.roots = append(p.roots, resolveLinks(abs))
	}
	return p, nil
}

// resolveLinks returns path without symbolic links, or path itself if it does not
// exist.
func resolveLinks(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}

// place places a path that a person gave.
func (p *placer) place(given string) (givenPath, error) {
	g := givenPath{given: given, path: given}
	if !filepath.IsAbs(given) {
		g.path = filepath.Join(p.base, given)
	}
	g.path = filepath.Clean(g.path)
	top := existing(g.path)
	resolved := resolveLinks(top)
	if g.outside = !p.inRoots(resolved); g.outside || !inside(p.base, g.path) {
		g.path = filepath.Join(resolved, strings.TrimPrefix(g.path, top))
	}
	g.shown = p.inMap(g.path)
	g.misplaced = p.misplaced(g)
	return g, nil
}

// inMap returns a path as maps state it: relative to the base directory if inside
// it, else absolute.
func (p *placer) inMap(abs string) string {
	for _, base := range []string{p.base, p.roots[0]} {
		if inside(base, abs) {
			rel, _ := filepath.Rel(base, abs)
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(abs)
}

func (p *placer) inRoots(resolved string) bool {
	return slices.ContainsFunc(p.roots, func(root string) bool { return inside(root, resolved) })
}

// inside reports whether path is dir or below it.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// existing returns the longest leading part of path that exists.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// misplaced returns the path to give instead of a relative path that was meant
// relative to the working directory, or "". That may be a folder which this user
// cannot read, and then nothing was meant there.
func (p *placer) misplaced(g givenPath) string {
	if filepath.IsAbs(g.given) || strings.Contains(g.given, "://") || isThere(g.path) {
		return ""
	}
	here, err := filepath.Abs(g.given)
	if err != nil || here == g.path || !isThere(here) {
		return ""
	}
	if rel, err := filepath.Rel(p.base, here); err == nil {
		return rel
	}
	return here
}

// isThere reports whether a path exists, or matches as a pattern.
func isThere(path string) bool {
	if _, err := os.Lstat(path); err == nil {
		return true
	}
	if !strings.ContainsAny(path, "*?[") {
		return false
	}
	matches, err := filepath.Glob(path)
	return err == nil && len(matches) > 0
}

// A misplacedError reports a path that was meant relative to the working directory.
type misplacedError struct{ dir, instead string }

func (e misplacedError) Error() string {
	return fmt.Sprintf("no such file or directory; the path is relative to %s: did you mean %s?", e.dir, e.instead)
}

func (e misplacedError) Is(target error) bool { return target == fs.ErrNotExist }

// misplacedError returns the error for a path that was meant relative to the working
// directory, or nil.
func (s *session) misplacedError(g givenPath) error {
	if g.misplaced == "" {
		return nil
	}
	return misplacedError{s.baseName(), g.misplaced}
}

// baseName returns the base directory as shown to a person.
func (s *session) baseName() string {
	if s.storeURL != "" {
		return "the workspace"
	}
	if filepath.Clean(s.dir) != "." {
		return s.dir
	}
	if abs, err := filepath.Abs(s.dir); err == nil {
		return abs
	}
	return s.dir
}

// mayBeCited describes a source outside the base directory that may now be cited.
func (s *session) mayBeCited() string { return "outside " + s.baseName() + ": may now be cited" }

// errNotConfirmed reports that the person answered no.
var errNotConfirmed = errors.New("not confirmed; nothing was done")
