package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/citekit/citekit"
)

const (
	settle     = 300 * time.Millisecond // without a change, before changes are mapped
	impatience = 5 * time.Second        // after which they are mapped all the same
	lookOver   = 30 * time.Second       // between searches for what was not told of
)

// watch maps what there is, and then what changes until ctx is done, which is
// how it ends well.
func (in *ingestion) watch(ctx context.Context) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch for changes: %w", err)
	}
	defer watcher.Close()
	seen := in.follow(ctx, watcher)
	if report, err := in.run(ctx); err != nil {
		return in.outcome(report, err)
	}
	in.watching = true
	// In a watch nothing is replaced again and again.
	in.opts.Force = false
	for {
		changed, err := waitForChange(ctx, watcher)
		switch {
		case ctx.Err() != nil:
			return stopped(ctx)
		case err != nil:
			return err
		}
		now := in.follow(ctx, watcher)
		if changed || now == "" || now != seen { // what failed is not tried again and again
			if _, err := in.run(ctx); err != nil && ctx.Err() == nil {
				return err
			}
		}
		seen = now
	}
}

// follow watches every folder that is searched. Folders that cannot be
// watched, such as ones too many, are looked over from time to time. It returns
// what changes with any source, or "" if that cannot be told yet.
func (in *ingestion) follow(ctx context.Context, watcher *fsnotify.Watcher) (state string) {
	finder, ok := in.lib.Workspace().(citekit.Finder)
	if !ok {
		return ""
	}
	sources, known := sha256.New(), true
	request := citekit.FindRequest{Paths: in.paths, NoIgnore: in.opts.NoIgnore, Hidden: in.opts.Hidden}
	folders := make(map[string]bool)
	for found, err := range finder.Find(ctx, request) {
		if err != nil {
			continue
		}
		path := in.absolute(found.Path)
		if !found.Folder {
			path = filepath.Dir(path)
			fmt.Fprintf(sources, "%q %d %q\n", found.Path, found.Size, found.Identity)
			known = known && (found.Identity != "" || found.Link)
		}
		folders[path] = true
	}
	in.awaited(ctx, finder, folders)
	// A folder that was moved is watched under its old name until that is
	// removed, which ends the watch under the new one too.
	for _, path := range watcher.WatchList() {
		if !folders[path] {
			_ = watcher.Remove(path)
		}
	}
	for path := range folders {
		_ = watcher.Add(path)
	}
	if !known {
		return ""
	}
	return string(sources.Sum(nil))
}

// awaited adds the folders in which sources may appear: the one that holds a
// file, or that a pattern begins with, and with "**" all that are below.
func (in *ingestion) awaited(ctx context.Context, finder citekit.Finder, folders map[string]bool) {
	for _, given := range in.given {
		path := given.path
		if given.outside && !in.flags.outside || strings.Contains(given.given, "://") {
			continue
		}
		top := rootFor(path)
		folders[top] = true
		if !strings.Contains(path[len(top):], "**") {
			continue
		}
		request := citekit.FindRequest{Paths: []string{top}, NoIgnore: in.opts.NoIgnore, Hidden: in.opts.Hidden}
		for found, err := range finder.Find(ctx, request) {
			if err == nil && found.Folder {
				folders[in.absolute(found.Path)] = true
			}
		}
	}
}

// absolute returns where the source or folder is that a map names by name.
func (in *ingestion) absolute(name string) string {
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(in.dir, path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path
}

// waitForChange returns when something changed and has come to rest, or when
// it is time to look everywhere.
func waitForChange(ctx context.Context, watcher *fsnotify.Watcher) (changed bool, err error) {
	var settled, enough <-chan time.Time
	over := time.After(lookOver)
	for {
		select {
		case <-ctx.Done():
			return false, nil
		case <-over:
			return false, nil
		case <-settled:
			return true, nil
		case <-enough:
			return true, nil
		case event, ok := <-watcher.Events:
			if !ok {
				return false, fs.ErrClosed
			}
			if event.Op == fsnotify.Chmod {
				continue
			}
			settled = time.After(settle)
			if enough == nil {
				enough = time.After(impatience)
			}
		case _, ok := <-watcher.Errors:
			if !ok {
				return false, fs.ErrClosed
			}
			return true, nil // events were lost: look everywhere
		}
	}
}
