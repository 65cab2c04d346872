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
	"sync"
	"syscall"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sqlite"
)

const maxSourcePath = 4096 // bytes; as PATH_MAX on Linux

// A sourceRoot is a directory that sources may be in.
type sourceRoot struct {
	*folder
	resolved func() string // path without symbolic links
}

func newSourceRoot(path string) *sourceRoot {
	return &sourceRoot{
		folder: newFolder("root", path, ""),
		resolved: sync.OnceValue(func() string {
			if resolved, err := filepath.EvalSymlinks(path); err == nil {
				return resolved
			}
			return path
		}),
	}
}

// contains returns the name of path, which must be absolute and clean, inside
// the root.
func (r *sourceRoot) contains(path string) (name string, ok bool) {
	if name, ok := below(r.path, path); ok {
		return name, true
	}
	return below(r.resolved(), path)
}

func below(dir, path string) (name string, ok bool) {
	name, err := filepath.Rel(dir, path)
	return name, err == nil && filepath.IsLocal(name)
}

// OpenSource implements [citekit.Workspace]. A path outside the base
// directory, the roots and the allowed files gives the same error whether or
// not a file exists there. Symbolic links are followed if they stay inside the
// roots. Files in the maps and evidence directories are not sources.
//
// A SQLite database is read together with the committed changes in its write-ahead
// log, such as "shop.db-wal" beside "shop.db": its size, hash and content are those
// that it has after a checkpoint. If the log cannot be read, that is an error. The side
// files of a database, whose names end in "-wal", "-shm" or "-journal", are no sources.
func (d *Directory) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkSourcePath(path); err != nil {
		return nil, err
	}
	abs := d.absolute(path)
	f, err := d.openAllowed(abs)
	if err != nil {
		if hasScheme(path) && (err == errOutside || errors.Is(err, fs.ErrNotExist)) {
			err = errURL
		}
		return nil, err
	}
	if err := d.checkNotSide(abs); err != nil {
		f.Close()
		return nil, err
	}
	log, err := d.openLog(abs, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return newSource(ctx, f, log, abs, d)
}

// openLog opens the write-ahead log beside a SQLite database, where its latest
// changes are. It returns nil for another source, and if there is no log or an empty
// one.
func (d *Directory) openLog(abs string, f *os.File) (log *os.File, err error) {
	if !sqlite.IsDatabase(f) {
		return nil, nil
	}
	if target, ok := d.allowedTarget(abs); ok {
		log, _, err = openFile(target + logSuffix)
	} else {
		if target, err := filepath.EvalSymlinks(abs); err == nil {
			abs = target // SQLite looks beside the target of a link
		}
		log, err = d.openAllowed(abs + logSuffix)
	}
	return usedLog(log, err)
}

// usedLog returns an opened write-ahead log, or nil if there is none or it is empty.
func usedLog(log *os.File, err error) (*os.File, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the write-ahead log beside the database, which has its latest changes: %w", err)
	}
	info, err := log.Stat()
	if err == nil && info.Size() > 0 {
		return log, nil
	}
	log.Close()
	return nil, withoutPath(err)
}

const errURL = refusal("the source is given as a URL; citekit reads files only: download it first")

// schemePrefix returns the start of path that ffmpeg and browsers take for a
// URL scheme, with its colon, or "". A single letter is a drive.
func schemePrefix(path string) string {
	for i, c := range []byte(path) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		switch {
		case c == ':' && i > 1:
			return path[:i+1]
		case letter, i > 0 && ('0' <= c && c <= '9' || strings.IndexByte("+.,_=-", c) >= 0):
		default:
			return ""
		}
	}
	return ""
}

func hasScheme(path string) bool { return schemePrefix(path) != "" }

func errLongPath(path string) error {
	return refusal(fmt.Sprintf("the path of the source has %d bytes; at most %d", len(path), maxSourcePath))
}

// checkSourcePath rejects URLs and other text that cannot be the path of a
// local file. A name such as "a:b" is accepted, because it may be a file.
func checkSourcePath(path string) error {
	scheme := schemePrefix(path)
	switch {
	case path == "":
		return fmt.Errorf("the path of the source is empty: %w", citekit.ErrSyntax)
	case len(path) > maxSourcePath:
		return errLongPath(path)
	case strings.ContainsRune(path, 0):
		return refusal("the path of the source has a NUL byte")
	case scheme != "" && strings.HasPrefix(path[len(scheme):], "/"):
		return errURL
	case strings.HasPrefix(path, `\\`) || strings.HasPrefix(path, "//") || strings.HasPrefix(path, `\??\`):
		return refusal("the path of the source is a network or device path; it must be a local file")
	case path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~\`):
		return refusal(`the path of the source begins with "~", which is not expanded; write the directory out`)
	case namesDirectory(path):
		return errNotPlain
	}
	return checkDrive(path)
}

// namesDirectory reports whether only a directory can have the path.
func namesDirectory(path string) bool {
	last := path[strings.LastIndexFunc(path, isSeparator)+1:]
	return last == "" || last == "." || last == ".."
}

func isSeparator(r rune) bool { return r == '/' || r == filepath.Separator }

// checkDrive rejects a drive on systems without drives. On systems with drives,
// it rejects paths that are relative to a drive's current directory or that
// name a file's stream.
func checkDrive(path string) error {
	const errDrive = refusal("the path of the source has a drive or a colon that means nothing here")
	hasDrive := len(path) >= 2 && path[1] == ':' && ('a' <= path[0]|0x20 && path[0]|0x20 <= 'z')
	if filepath.Separator == '/' {
		if hasDrive && len(path) > 2 && (path[2] == '\\' || path[2] == '/') {
			return errDrive
		}
		return nil
	}
	if hasDrive {
		path = path[2:]
		if path == "" || !isSeparator(rune(path[0])) {
			return errDrive
		}
	}
	if strings.ContainsRune(path, ':') {
		return errDrive
	}
	return nil
}

// openAllowed opens the regular file at an absolute path, if it may be a
// source.
func (d *Directory) openAllowed(abs string) (*os.File, error) {
	f, err := d.openInRoots(abs)
	if err != errOutside {
		return f, err
	}
	// A link from one root into another is followed: its target is opened as if
	// the user had named it. Other paths are not looked at.
	if !d.inRoots(abs) {
		return nil, errOutside
	}
	target, evalErr := filepath.EvalSymlinks(abs)
	if evalErr != nil || target == abs {
		return nil, errOutside
	}
	return d.openInRoots(target)
}

// inRoots reports whether a path lies in a root, judging by the path alone.
func (d *Directory) inRoots(abs string) bool {
	return slices.ContainsFunc(d.roots, func(r *sourceRoot) bool {
		_, ok := r.contains(abs)
		return ok
	})
}

func (d *Directory) openInRoots(abs string) (*os.File, error) {
	if d.isOwn(abs) {
		return nil, errOwn
	}
	f, info, err := d.openWithinRoots(abs)
	if err != nil {
		return nil, err
	}
	err = d.checkNotOwn(abs, info)
	if err == nil {
		err = checkNotSecret(f, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (d *Directory) openWithinRoots(abs string) (*os.File, fs.FileInfo, error) {
	if target, ok := d.allowedTarget(abs); ok {
		return openFile(target)
	}
	for _, r := range d.roots {
		name, ok := r.contains(abs)
		if !ok {
			continue
		}
		root, _, err := r.open()
		if err != nil {
			return nil, nil, err
		}
		f, info, err := openInRoot(root, name)
		if err != errOutside {
			return f, info, err
		}
	}
	return nil, nil, errOutside
}

// SourceStamp returns a value that changes whenever the source at a path may have
// changed, without opening it: its cost is that of one look at the metadata. It is
// "" if that is not known: for a source that was written a moment ago, is not a
// regular file below a root, or was allowed alone, and on systems whose metadata do
// not tell all changes.
func (d *Directory) SourceStamp(ctx context.Context, path string) string {
	abs := d.absolute(path)
	if checkSourcePath(path) != nil || ctx.Err() != nil {
		return ""
	}
	for _, r := range d.roots {
		name, ok := r.contains(abs)
		if !ok {
			continue
		}
		root, _, err := r.open()
		if err != nil {
			return ""
		}
		now := time.Now()
		info, err := root.Stat(name)
		if err != nil || !info.Mode().IsRegular() || isRacy(info, now) || len(appendSystemIdentity(nil, info)) == 0 {
			return ""
		}
		log, err := root.Stat(name + logSuffix)
		switch {
		case err != nil || log.Size() == 0:
			return identity(info)
		case isRacy(log, now):
			return ""
		}
		return identityWithLog(identity(info), log)
	}
	return ""
}

// openInRoot opens a regular file in root. It checks the type before it opens
// the file, because opening a device may have an effect.
func openInRoot(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, nil, sourceError(root, err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotPlain
	}
	f, info, err := openRegular(root, name, errNotPlain)
	if err != nil {
		return nil, nil, sourceError(root, err)
	}
	return f, info, nil
}

func sourceError(root *os.Root, err error) error {
	switch {
	case errors.Is(err, errNotPlain):
		return errNotPlain
	case isEscape(root, err):
		return errOutside
	case errors.Is(err, syscall.ELOOP):
		return refusal("the source is a symbolic link that leads nowhere")
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
		return missing("source")
	}
	return fmt.Errorf("source: %w", withoutPath(err))
}

// openFile opens a file that a person allowed. Its path has no symbolic links:
// if the file has become one since, it is not the allowed file.
func openFile(path string) (*os.File, fs.FileInfo, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, nil, fmt.Errorf("source: %w", withoutPath(err))
	}
	defer root.Close()
	name := filepath.Base(path)
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, nil, errNotPlain
	}
	return openInRoot(root, name)
}
