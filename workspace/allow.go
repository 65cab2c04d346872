package workspace

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
)

const grantsDir = "files"

// A grant is the record of a file outside the roots that may be a source.
type grant struct {
	Base   string `json:"base"`   // the base directory it is for
	Path   string `json:"path"`   // absolute, as the user gave it
	Target string `json:"target"` // without symbolic links

	// Maps are the ids of the maps that the file was allowed for. The grant is
	// in effect while one of them names the file. With Always it is in effect
	// whatever maps there are. Grants of earlier versions have neither, because
	// those versions did not ask for maps; such grants are no longer in effect.
	Maps   []string `json:"maps,omitempty"`
	Always bool     `json:"always,omitempty"`
}

// Allow makes a file outside the roots a source permanently, and records that
// in Options.AllowedDir; without that directory the error matches
// [errors.ErrUnsupported]. It is for files that a person names. A file inside
// the roots needs no grant and gets none.
//
// With ids of maps, the grant is in effect only while one of the maps names the
// file as its source or transcript, and it ends with them. Without ids, it is
// in effect until it is revoked.
func (d *Directory) Allow(ctx context.Context, path string, mapIDs ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	abs := d.absolute(path)
	if d.inRoots(abs) {
		return nil
	}
	if err := d.recordGrant(abs, mapIDs); err != nil {
		return fmt.Errorf("allow a source: %w", withoutPath(err))
	}
	return nil
}

func (d *Directory) recordGrant(abs string, mapIDs []string) error {
	if d.allowed == nil {
		return fmt.Errorf("there is nowhere to record it: %w", errors.ErrUnsupported)
	}
	target, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return err
	}
	g := grant{Base: d.base, Path: abs, Target: target, Maps: mapIDs, Always: len(mapIDs) == 0}
	if old, err := d.readGrant(abs); err == nil && old.Target == target {
		if old.Always || !g.Always && !slices.ContainsFunc(mapIDs, func(id string) bool { return !slices.Contains(old.Maps, id) }) {
			return nil
		}
		g.Maps = slices.Compact(slices.Sorted(slices.Values(append(old.Maps, mapIDs...))))
	}
	return d.writeGrant(g)
}

// writeGrant records a grant. The record is not made durable: a grant that a
// power failure loses can be made again.
func (d *Directory) writeGrant(g grant) error {
	root, err := d.allowed.make()
	if err != nil {
		return err
	}
	return writeRecord(root, d.grantName(g.Path), g, false)
}

// readGrant returns the grant for a path, whether or not it is in effect.
func (d *Directory) readGrant(abs string) (grant, error) {
	root, _, err := d.allowed.open()
	if err != nil {
		return grant{}, err
	}
	var g grant
	if err := readRecord(root, d.grantName(abs), &g); err != nil {
		return grant{}, err
	}
	if g.Path != abs || g.Base != d.base {
		return grant{}, missing("grant")
	}
	return g, nil
}

// allowedTarget returns the file that an allowed path stands for.
func (d *Directory) allowedTarget(abs string) (target string, ok bool) {
	if target, ok := d.files[abs]; ok {
		return target, true
	}
	if d.allowed == nil || d.inRoots(abs) {
		return "", false
	}
	g, err := d.readGrant(abs)
	if err != nil || !d.isNeeded(g) {
		return "", false
	}
	return g.Target, true
}

// isNeeded reports whether a grant is in effect.
func (d *Directory) isNeeded(g grant) bool {
	return g.Always || slices.ContainsFunc(g.Maps, func(id string) bool {
		return slices.Contains(d.outsideSources(context.Background(), id), g.Path)
	})
}

// namedSources are the files outside the roots that one version of a map names.
type namedSources struct {
	stamp string
	paths []string // absolute
}

// maxNamingMap is the largest size, in bytes, of a map that may name a file
// outside the roots.
const maxNamingMap = 64 << 20

// outsideSources returns the files outside the roots that the map of id names:
// its source and its transcript. A map that cannot be read names none.
func (d *Directory) outsideSources(ctx context.Context, id string) []string {
	if citekit.CheckResourceID(id) != nil {
		return nil
	}
	stamp, err := d.StatMap(ctx, id)
	if err != nil {
		return nil
	}
	if named, ok := d.named.get(id); ok && named.stamp == stamp.Identity {
		return named.paths
	}
	data, stamp, err := d.ReadMap(ctx, id, maxNamingMap)
	if err != nil {
		return nil
	}
	named := namedSources{stamp: stamp.Identity}
	if m, err := citekit.ParseMap(data); err == nil && (m.ResourceID == id || m.ResourceID == "") {
		named.paths = d.outsideOf(m)
	}
	d.named.put(id, named)
	return named.paths
}

func (d *Directory) outsideOf(m *citekit.ResourceMap) (paths []string) {
	transcript, _ := m.Transcript()
	for _, path := range []string{m.SourcePath, transcript} {
		if checkSourcePath(path) != nil {
			continue
		}
		if abs := d.absolute(path); !d.inRoots(abs) {
			paths = append(paths, abs)
		}
	}
	return paths
}

// release removes the id of a deleted map from the grant for a path, and drops
// the grant if no id is left.
func (d *Directory) release(abs, id string) error {
	if d.allowed == nil {
		return nil
	}
	g, err := d.readGrant(abs)
	if err != nil || g.Always {
		return nil // there is no grant, or it is for no map
	}
	g.Maps = slices.DeleteFunc(g.Maps, func(other string) bool { return other == id })
	if len(g.Maps) > 0 {
		return d.writeGrant(g)
	}
	return d.dropGrant(filepath.Base(d.grantName(abs)))
}

// syncGrants waits until the records of grants are on disk.
func (d *Directory) syncGrants() error {
	if d.allowed == nil {
		return nil
	}
	root, _, err := d.allowed.open()
	if err != nil {
		return ignoreMissing(err)
	}
	return ignoreMissing(syncDir(root, grantsDir))
}

// dropGrant removes the record of a grant by its name.
func (d *Directory) dropGrant(name string) error {
	root, _, err := d.allowed.open()
	if err != nil {
		return ignoreMissing(err)
	}
	return removeFile(root, grantsDir+"/"+name)
}

// An Allowed is a file outside the roots that [Directory.Allow] made a source.
type Allowed struct {
	Base string   `json:"base"` // the base directory it is for
	Path string   `json:"path"` // absolute
	Maps []string `json:"maps"` // ids of the maps it is for; none means that it is in effect until it is revoked

	// InEffect reports whether one of the maps exists and names the file. For
	// other base directories that is unknown, and InEffect is true.
	InEffect bool `json:"in_effect"`

	name string // file name of the record
}

// Allowed returns the files outside the roots that may be sources in this
// directory, sorted by path.
func (d *Directory) Allowed(ctx context.Context) ([]Allowed, error) {
	all, err := d.AllAllowed(ctx)
	return slices.DeleteFunc(all, func(a Allowed) bool { return a.Base != d.base }), err
}

// AllAllowed is like Allowed, but for all base directories recorded in
// Options.AllowedDir. The result is sorted by base directory and path.
func (d *Directory) AllAllowed(ctx context.Context) ([]Allowed, error) {
	all := []Allowed{}
	if d.allowed == nil {
		return all, nil
	}
	k := keeper{d: d, ctx: ctx}
	var failed error
	k.yield = func(_ Kept, err error) bool {
		failed = err
		return false
	}
	k.each(d.allowed, grantsDir, func(root *os.Root, name string) bool {
		var g grant
		if readRecord(root, grantsDir+"/"+name, &g) == nil && grantName(g.Base, g.Path) == grantsDir+"/"+name {
			all = append(all, Allowed{Base: g.Base, Path: g.Path, Maps: append([]string{}, g.Maps...), InEffect: g.Base != d.base || d.isNeeded(g), name: name})
		}
		return true
	})
	if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
		return nil, fmt.Errorf("the sources that are allowed: %w", withoutPath(failed))
	}
	slices.SortFunc(all, func(a, b Allowed) int {
		if c := strings.Compare(a.Base, b.Base); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	return all, nil
}

// Revoke ends a grant that [Directory.Allowed] returned. A grant that has
// already ended is not an error. Maps that name the file stay, but can no
// longer read it.
func (d *Directory) Revoke(ctx context.Context, a Allowed) error {
	if err := ctx.Err(); err != nil || d.allowed == nil {
		return err
	}
	if err := d.dropGrant(filepath.Base(grantName(a.Base, a.Path))); err != nil {
		return fmt.Errorf("revoke: %w", withoutPath(err))
	}
	return nil
}

// DropUnneeded drops the grants of this directory that are no longer in effect,
// and records of grants that cannot be read. It returns how many it dropped.
func (d *Directory) DropUnneeded(ctx context.Context) (dropped int, err error) {
	if d.allowed == nil {
		return 0, nil
	}
	drop := func(name string) {
		if dropErr := d.dropGrant(name); dropErr != nil && err == nil {
			err = dropErr
			return
		}
		dropped++
	}
	grants, err := d.Allowed(ctx)
	for _, g := range grants {
		if !g.InEffect {
			drop(g.name)
		}
	}
	var unreadable []string
	k := keeper{ctx: ctx, yield: func(_ Kept, yielded error) bool { return ignoreMissing(yielded) == nil }}
	k.each(d.allowed, grantsDir, func(root *os.Root, name string) bool {
		var g grant
		if strings.HasSuffix(name, ".json") && readRecord(root, grantsDir+"/"+name, &g) == errDamaged {
			unreadable = append(unreadable, name)
		}
		return true
	})
	for _, name := range unreadable {
		drop(name)
	}
	return dropped, errors.Join(err, ctx.Err())
}

func (d *Directory) grantName(abs string) string { return grantName(d.base, abs) }

func grantName(base, abs string) string {
	return recordName(grantsDir, checksum([]byte(base+"\x00"+abs)))
}

// absolute returns the clean absolute form of a path of a source.
func (d *Directory) absolute(path string) string {
	abs := filepath.FromSlash(path)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(d.base, abs)
	}
	return filepath.Clean(abs)
}

var _ Finder = (*Directory)(nil)
