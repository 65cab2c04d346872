package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const errOwn = refusal("the source is inside a directory where citekit keeps maps or evidence")

const errNewMap = refusal("maps are kept in that folder, where a file with this extension would be taken for one; put it into another folder")

// isOwn reports whether a path is in the maps or the evidence directory,
// judging by the path alone.
func (d *Directory) isOwn(abs string) bool {
	if _, ok := below(strings.ToLower(filepath.Join(d.evidence.path, metaDir)), strings.ToLower(abs)); ok {
		return true
	}
	for _, own := range []*folder{d.maps, d.evidence} {
		if own.path == d.base {
			continue // a person keeps maps beside the sources
		}
		if _, ok := below(strings.ToLower(own.path), strings.ToLower(abs)); ok {
			return true
		}
	}
	return false
}

// isOwnFile reports whether a search skips a file: it is in the maps or the
// evidence directory, or is a map kept beside the sources. Otherwise ingest
// would make maps of its maps.
func (d *Directory) isOwnFile(abs string) bool {
	if d.isOwn(abs) {
		return true
	}
	dir, name := filepath.Split(abs)
	isTemp := strings.HasPrefix(name, tempPrefix) || name == lockName
	if !isTemp && !strings.HasSuffix(name, mapExt) {
		return false
	}
	root, info, err := d.maps.open()
	if err != nil {
		return false
	}
	if here, err := os.Stat(dir); err != nil || !os.SameFile(here, info) {
		return false
	}
	return isTemp || isMap(root, name)
}

// CheckAdded returns an error matching [citekit.ErrForbidden] if a new file at a path,
// absolute or below the base directory, would be taken for a map or for evidence. The
// folder of the file must exist for a sure answer. Not every [citekit.Workspace] has it,
// so callers find it with an interface.
func (d *Directory) CheckAdded(path string) error {
	abs := d.absolute(path)
	if d.isOwn(abs) {
		return errOwn
	}
	if !strings.EqualFold(filepath.Ext(abs), mapExt) {
		return nil
	}
	here, err := os.Stat(filepath.Dir(abs))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return storageFault("the folder of the file cannot be read", err)
	}
	if maps, err := d.maps.stat(); err == nil && os.SameFile(here, maps) {
		return errNewMap
	}
	return nil
}

// isMap reports whether a file in the maps directory contains the id of the
// resource that it is named after.
func isMap(root *os.Root, name string) bool {
	meant, form := parseFileName(name)
	if form == noMap {
		return false
	}
	id, err := readID(root, name)
	return err == nil && (id == meant || fileName(id) == name)
}

// checkNotOwn returns an error if the file that was opened at path, with the
// metadata info, is in the maps or the evidence directory. It checks every way
// there: a symbolic link may lead there, or the path may be another spelling.
func (d *Directory) checkNotOwn(path string, info fs.FileInfo) error {
	if d.isKey(info) {
		return errOwn
	}
	own := d.ownDirs()
	if len(own) == 0 {
		return nil
	}
	// Where links cannot be resolved, as on some volumes of Windows, the path
	// itself is used.
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	now, err := os.Stat(path)
	if err != nil || !os.SameFile(now, info) {
		return refusal("the source was replaced while it was being opened; try again")
	}
	for path != filepath.Dir(path) {
		path = filepath.Dir(path)
		dir, err := os.Stat(path)
		if err != nil {
			continue // this user may have no access to folders above
		}
		if slices.ContainsFunc(own, func(o fs.FileInfo) bool { return os.SameFile(o, dir) }) {
			return errOwn
		}
	}
	return nil
}

// isKey reports whether a file is the key, which no map may show to anyone.
func (d *Directory) isKey(info fs.FileInfo) bool {
	if d.key.path == "" || info.Size() != keySize {
		return false
	}
	key, err := os.Stat(d.key.path)
	return err == nil && os.SameFile(key, info)
}

// ownDirs returns the metadata of the maps and the evidence directory, if
// they exist and are not the base directory itself.
func (d *Directory) ownDirs() []fs.FileInfo {
	base, err := os.Stat(d.base)
	if err != nil {
		return nil
	}
	var own []fs.FileInfo
	for _, f := range []*folder{d.maps, d.evidence} {
		if info, err := f.stat(); err == nil && info.IsDir() && !os.SameFile(info, base) {
			own = append(own, info)
		}
	}
	return own
}
