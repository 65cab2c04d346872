package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/citekit/citekit"
)

// Options configures a [Directory]. The zero value is ready to use.
type Options struct {
	// MapsDir and EvidenceDir are the directories for maps and evidence; ""
	// means ".resource_maps" and ".citekit_output". A relative path below the
	// base directory must not lead through symbolic links. Any other path is
	// used as it is.
	MapsDir, EvidenceDir string

	// Roots are further directories that may contain sources. They must exist.
	Roots []string

	// Files are single files outside the roots that may be sources. A
	// symbolic link stands for the file it points to at the time of Open.
	Files []string

	// AllowedDir is the directory that records which files outside the roots
	// [Directory.Allow] made sources; "" means that there are none. It must not
	// be below anything that other users can write to: its records are trusted.
	AllowedDir string

	// KeyDir is the directory of the key that seals the records in the evidence
	// directory; "" means AllowedDir or, if that is unset too, "citekit" in
	// [os.UserConfigDir]. Records sealed with another key are treated as
	// missing, so their evidence is made again. If no directory can be written
	// to, the process makes its own key, and records sealed with it are valid
	// until the process ends. KeyDir must not be below anything that other
	// users can write to.
	KeyDir string

	// KeyFile is the file of the key, in place of "evidence.key" in KeyDir. It
	// is for people who share a base directory, who each need the same key:
	// with different keys they keep remaking each other's evidence and notes.
	// Another user may own the file. Its group may read it, but no one else
	// may, and only its owner may write it. If it does not exist, it is made
	// with Group and is readable by it. It must not be in the base directory or
	// a root. If the file is unsuitable, every read or write of a record
	// returns an error. Anyone who can read the file can make evidence that all
	// its users trust.
	KeyFile string

	// Group is the Unix group of files and directories made in the base
	// directory: the name or number of a group that this user is a member of.
	// "" leaves the group to the system.
	//
	// FileMode and DirMode are the permissions of files and directories made
	// there, whatever the umask. Zero means 0600 for files. For directories,
	// zero means FileMode plus permission to enter for all who may read, and
	// setgid if the group has any permission. People in a group who all write
	// maps and evidence need 0660. Existing files keep their permissions. On
	// Windows the three are ignored: files and directories inherit from the
	// directory they are made in.
	Group             string
	FileMode, DirMode fs.FileMode

	// ReadOnly leaves everything on disk unchanged: writing returns an error
	// matching [citekit.ErrForbidden], nothing is marked as used, and no key is
	// made. The grants in AllowedDir can still be changed.
	ReadOnly bool

	// MaxEvidenceBytes is the limit on evidence in bytes, including the search
	// index; zero means 10 GiB, negative means no limit. The least recently
	// used evidence is removed first, but none that was used in the last 10
	// minutes, and none with EvidenceMeta.Keep that was used in the last 30
	// days. Evidence that still does not fit is not stored: the error matches
	// [citekit.ErrNotStored] and [citekit.ErrTooLarge].
	MaxEvidenceBytes int64
}

// The default names of the directories of citekit.
const (
	mapsName     = ".resource_maps"
	evidenceName = ".citekit_output"
)

const defaultEvidenceBytes = 10 << 30

// A Directory is a [citekit.Workspace] over a directory. Make one with
// [Open].
type Directory struct {
	base     string // absolute
	maps     *folder
	evidence *folder
	roots    []*sourceRoot // the base directory first
	files    map[string]string
	allowed  *folder // nil if there is none
	logs     noteLogs
	key      *keyHolder
	perms    permissions
	readOnly bool
	budget   int64
	now      func() time.Time

	ingesting chan struct{} // capacity 1: held by whoever ingests

	listings *listingCache
	mapsSync groupSync
	sweepMap sync.Once // removes temporary files in the maps directory
	sweep    sweep     // the same in the evidence directory

	hashes  recent[hashRecord]
	records recent[heldRecord]
	named   recent[namedSources]

	evidenceUse
}

var (
	_ citekit.Workspace      = (*Directory)(nil)
	_ MapPather              = (*Directory)(nil)
	_ citekit.EvidenceOpener = (*Directory)(nil)
)

// Open returns a workspace over the directory dir, which must exist. Nothing is
// read or made until it is needed. A nil opts means the defaults.
func Open(dir string, opts *Options) (*Directory, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	base, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("base directory %q: %w", dir, err)
	}
	if err := checkBase(dir, base); err != nil {
		return nil, err
	}
	perms, err := o.permissions()
	if err != nil {
		return nil, err
	}
	d := &Directory{
		base:     base,
		maps:     ownFolder("maps directory", base, o.MapsDir, mapsName),
		evidence: ownFolder("evidence directory", base, o.EvidenceDir, evidenceName),
		files:    make(map[string]string),
		budget:   o.MaxEvidenceBytes,
		now:      time.Now,
		perms:    perms,
		readOnly: o.ReadOnly,
		listings: newListingCache(),

		ingesting: make(chan struct{}, 1),
	}
	d.perms.inherit = true
	d.maps.perms, d.evidence.perms = d.perms, d.perms
	d.maps.readOnly, d.evidence.readOnly = o.ReadOnly, o.ReadOnly
	if o.AllowedDir != "" {
		d.allowed = newFolder("directory of allowed sources", o.AllowedDir, "")
	}
	if d.key, err = newKeyHolder(o, perms); err != nil {
		return nil, err
	}
	if d.budget == 0 {
		d.budget = defaultEvidenceBytes
	}
	if err := d.allow(append([]string{base}, o.Roots...), o.Files); err != nil {
		return nil, err
	}
	if d.key.named && d.inRoots(d.key.path) {
		return nil, fmt.Errorf("the key file: %w", refusal("it is in the base directory or a root; what comes with a folder must not say which evidence counts"))
	}
	return d, nil
}

// checkBase returns an error unless there is a directory at base. The error names
// it as dir, because a person configured it.
func checkBase(dir, base string) error {
	switch is, err := isDirectory(base); {
	case err != nil:
		return fmt.Errorf("base directory %q: %w", dir, err)
	case !is:
		return fmt.Errorf("the base directory %q is not a directory", dir)
	}
	return nil
}

// checkRoot returns an error unless there is a directory at path. The error
// names the root, because a person configured it.
func checkRoot(name, path string) error {
	switch is, err := isDirectory(path); {
	case err != nil:
		return fmt.Errorf("root %q: %w", name, err)
	case !is:
		return fmt.Errorf("root %q is not a directory; single files can be allowed one by one", name)
	}
	return nil
}

func isDirectory(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, withoutPath(err)
	}
	return info.IsDir(), nil
}

// ownFolder returns the folder at dir, or at name if dir is "".
func ownFolder(what, base, dir, name string) *folder {
	if dir == "" {
		dir = name
	}
	dir = filepath.Clean(dir)
	switch {
	case filepath.IsAbs(dir):
		return newFolder(what, dir, "")
	case dir == "." || !filepath.IsLocal(dir):
		return newFolder(what, filepath.Join(base, dir), "")
	}
	return newFolder(what, filepath.Join(base, dir), base)
}

// allow sets the directories and files that sources may be in.
func (d *Directory) allow(roots, files []string) error {
	for _, dir := range roots {
		path, err := filepath.Abs(dir)
		if err != nil {
			return fmt.Errorf("root %q: %w", dir, err)
		}
		if err := checkRoot(dir, path); err != nil {
			return err
		}
		d.roots = append(d.roots, newSourceRoot(path))
	}
	for _, name := range files {
		path, err := filepath.Abs(name)
		if err != nil {
			return fmt.Errorf("allowed file: %w", err)
		}
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			target = path // may appear later
		}
		d.files[path] = target
		d.files[target] = target
	}
	return nil
}

// RootPaths returns the absolute paths of the directories that sources may be in:
// the base directory, then [Options].Roots. Not every [citekit.Workspace] has it,
// so callers find it with an interface.
func (d *Directory) RootPaths() []string {
	paths := make([]string, len(d.roots))
	for i, r := range d.roots {
		paths[i] = r.path
	}
	return paths
}

// Close closes the directories that are held open. Open sources stay open.
func (d *Directory) Close() error {
	errs := []error{d.maps.close(), d.evidence.close(), d.logs.close()}
	if d.allowed != nil {
		errs = append(errs, d.allowed.close())
	}
	for _, r := range d.roots {
		errs = append(errs, r.close())
	}
	return errors.Join(errs...)
}

// missing returns an error matching fs.ErrNotExist.
func missing(what string) error { return fmt.Errorf("%s: %w", what, fs.ErrNotExist) }
