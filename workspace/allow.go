package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/citekit/citekit"
)

// An allowance is a file outside the roots that a person ingested, so that it
// may be a source.
type allowance struct {
	Base   string `json:"base"`   // the base directory it is for
	Path   string `json:"path"`   // absolute, as it was named
	Target string `json:"target"` // without symbolic links
}

// Allow makes a file outside the roots a source for good, and records that in
// Options.AllowedDir; without one the error matches [errors.ErrUnsupported].
// It is for files that a person names. A file inside the roots needs no
// allowance and gets none.
func (d *Directory) Allow(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	abs := d.absolute(path)
	if d.inRoots(abs) {
		return nil
	}
	if err := d.recordAllowance(abs); err != nil {
		return fmt.Errorf("allow a source: %w", withoutPath(err))
	}
	return nil
}

func (d *Directory) recordAllowance(abs string) error {
	if _, ok := d.allowedTarget(abs); ok {
		return nil
	}
	if d.allowed == nil {
		return fmt.Errorf("there is nowhere to record it: %w", errors.ErrUnsupported)
	}
	target, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return err
	}
	root, err := d.allowed.make()
	if err != nil {
		return err
	}
	return writeRecord(root, d.allowanceName(abs), allowance{Base: d.base, Path: abs, Target: target}, true)
}

// allowedTarget returns the file that an allowed path stands for.
func (d *Directory) allowedTarget(abs string) (target string, ok bool) {
	if target, ok := d.files[abs]; ok {
		return target, true
	}
	if d.allowed == nil || d.inRoots(abs) {
		return "", false
	}
	root, _, err := d.allowed.open()
	if err != nil {
		return "", false
	}
	var a allowance
	if readRecord(root, d.allowanceName(abs), &a) != nil || a.Path != abs || a.Base != d.base {
		return "", false
	}
	return a.Target, true
}

func (d *Directory) allowanceName(abs string) string {
	return recordName("files", checksum([]byte(d.base+"\x00"+abs)))
}

// absolute returns the clean absolute form of a path of a source.
func (d *Directory) absolute(path string) string {
	abs := filepath.FromSlash(path)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(d.base, abs)
	}
	return filepath.Clean(abs)
}

var _ citekit.Finder = (*Directory)(nil)
