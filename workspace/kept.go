package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Kept implements [Deleter]. It yields evidence with its records, pins,
// grants that are no longer in effect, and leftovers of killed processes.
// Evidence that came with the folder, not made here by this user's citekit, is
// treated as a leftover. A damaged pin is skipped: deleting it would accept
// whatever version its source has now.
func (d *Directory) Kept(ctx context.Context) iter.Seq2[Kept, error] {
	return func(yield func(Kept, error) bool) {
		k := keeper{d: d, ctx: ctx, yield: yield, known: make(map[string]bool)}
		_ = k.evidence() && k.unknownFiles() && k.pins() && k.temps() && k.grants()
	}
}

// A keeper yields what a directory keeps. Its methods report whether to
// continue.
type keeper struct {
	d     *Directory
	ctx   context.Context
	yield func(Kept, error) bool
	known map[string]bool // evidence files that have a record
}

// fail yields an error and stops, because later results may depend on data that
// was not read.
func (k *keeper) fail(err error) bool {
	k.yield(Kept{}, withoutPath(err))
	return false
}

// each calls f with every name in a directory of one of citekit's folders.
func (k *keeper) each(in *folder, dir string, f func(root *os.Root, name string) bool) bool {
	root, _, err := in.open()
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || k.fail(err)
	}
	opened, err := root.Open(dir)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || k.fail(err)
	}
	defer opened.Close()
	for {
		names, err := opened.Readdirnames(1024)
		for _, name := range names {
			if err := k.ctx.Err(); err != nil {
				return k.fail(err)
			}
			if !f(root, name) {
				return false
			}
		}
		if err != nil {
			return errors.Is(err, io.EOF) || k.fail(err)
		}
	}
}

func (k *keeper) evidence() bool {
	if _, _, err := k.d.evidence.open(); err == nil {
		if _, err := k.d.key.get(); err != nil { // without the key, our own evidence would look foreign
			return k.fail(err)
		}
	}
	return k.each(k.d.evidence, evidenceDir, func(root *os.Root, name string) bool {
		key, ok := strings.CutSuffix(name, ".json")
		if !ok || checkKey(key) != nil {
			return true
		}
		held, err := k.d.readHeld(root, key)
		switch {
		case err == errDamaged, err == errForeign:
			return k.scrap(root, "evidence", recordName(evidenceDir, key))
		case mayPass(err): // its evidence would look unknown
			return k.fail(err)
		case err != nil:
			return true
		}
		k.known[held.Meta.Name] = true
		info, err := root.Lstat(held.Meta.Name)
		if errors.Is(err, fs.ErrNotExist) {
			return k.scrap(root, "evidence", recordName(evidenceDir, key))
		}
		if err != nil || info.IsDir() {
			return true
		}
		return k.yield(Kept{
			Kind:       KeptEvidence,
			Name:       key,
			ResourceID: held.Meta.Resource,
			SourceHash: held.Meta.SourceHash,
			Path:       k.d.shown(filepath.Join(k.d.evidence.path, held.Meta.Name)),
			Size:       info.Size(),
		}, nil)
	})
}

// evidenceForm returns the form of the names that the Library gives to
// evidence. Most programs never use it.
var evidenceForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[^.-][^/]*_[^/]*-([0-9a-f]{16})(\.[0-9A-Za-z_-]+)?$`)
})

// unknownFiles yields files that are named like evidence and have no record. It
// skips a directory that a person chose, which may hold files of other
// programs.
func (k *keeper) unknownFiles() bool {
	if k.d.evidence.inside == "" {
		return true
	}
	return k.each(k.d.evidence, ".", func(root *os.Root, name string) bool {
		return k.known[name] || !evidenceForm().MatchString(name) || k.scrap(root, "evidence", name)
	})
}

func (k *keeper) pins() bool {
	return k.eachPin(func(name string, r pinRecord) bool {
		return k.yield(Kept{Kind: KeptPin, Name: name, ResourceID: r.Name}, nil)
	})
}

// temps yields the temporary files of processes that died.
func (k *keeper) temps() bool {
	old := func(where, dir string) func(root *os.Root, name string) bool {
		return func(root *os.Root, name string) bool {
			name = path.Join(dir, name)
			return !isTempName(path.Base(name)) || !isOldTemp(root, name, k.d.now()) || k.scrap(root, where, name)
		}
	}
	return k.each(k.d.evidence, tempDir, old("evidence", tempDir)) && k.each(k.d.maps, ".", old("maps", "."))
}

func (k *keeper) grants() bool {
	grants, err := k.d.Allowed(k.ctx)
	if err != nil {
		return k.fail(err)
	}
	for _, g := range grants {
		if g.InEffect {
			continue
		}
		if !k.yield(Kept{Kind: KeptGrant, Name: g.name, Path: g.Path}, nil) {
			return false
		}
	}
	return true
}

// scrap yields a file that nothing refers to; where is its folder.
func (k *keeper) scrap(root *os.Root, where, name string) bool {
	info, err := root.Lstat(name)
	if err != nil || info.IsDir() {
		return true
	}
	return k.yield(Kept{
		Kind: KeptScrap,
		Name: where + "/" + name,
		Path: k.d.shown(filepath.Join(k.folder(where).path, filepath.FromSlash(name))),
		Size: info.Size(),
	}, nil)
}

func (k *keeper) folder(where string) *folder { return k.d.folderOf(where) }

func (d *Directory) folderOf(where string) *folder {
	if where == "maps" {
		return d.maps
	}
	return d.evidence
}

// deleteScrap removes a file if still nothing refers to it.
func (d *Directory) deleteScrap(ctx context.Context, k Kept) error {
	where, name, _ := strings.Cut(k.Name, "/")
	f := d.folderOf(where)
	root, _, err := f.open()
	if err != nil {
		return ignoreMissing(err)
	}
	unlock, err := f.lock(ctx, root)
	if err != nil {
		return err
	}
	defer unlock()
	if !d.isScrap(root, name) {
		return nil
	}
	return removeFile(root, name)
}

func (d *Directory) isScrap(root *os.Root, name string) bool {
	dir, base := path.Split(name)
	switch {
	case isTempName(base):
		return isOldTemp(root, name, d.now())
	case dir == evidenceDir+"/":
		key, ok := strings.CutSuffix(base, ".json")
		if !ok || checkKey(key) != nil {
			return false
		}
		held, err := d.readHeld(root, key)
		if err == nil {
			_, err = root.Lstat(held.Meta.Name)
		}
		return err == errDamaged || err == errForeign || errors.Is(err, fs.ErrNotExist)
	}
	form := evidenceForm().FindStringSubmatch(name)
	return form != nil && !d.hasRecord(root, form[1], name)
}

// hasRecord reports whether the file has a record among those whose keys begin
// with the given digits.
func (d *Directory) hasRecord(root *os.Root, digits, name string) bool {
	dir, err := root.Open(evidenceDir)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer dir.Close()
	records, err := dir.Readdirnames(-1)
	if err != nil {
		return true
	}
	for _, record := range records {
		key, ok := strings.CutSuffix(record, ".json")
		if !ok || !strings.HasPrefix(key, digits) {
			continue
		}
		held, err := d.readHeld(root, key)
		if mayPass(err) || err == nil && held.Meta.Name == name {
			return true
		}
	}
	return false
}

// freed subtracts evidence that was removed from the count. A count that cannot
// be stored is corrected when the directory is searched.
func (d *Directory) freed(root *os.Root, size int64) {
	var usage usageRecord
	if d.readOwn(root, usageName, &usage) == nil {
		usage = usageRecord{Bytes: max(0, usage.Bytes-size)} // there is space again
		_ = d.writeOwn(root, usageName, usage, false)
	}
}
