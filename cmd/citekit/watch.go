package main

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/term"
	"github.com/fsnotify/fsnotify"
)

const (
	settle     = 300 * time.Millisecond // without a change, before changes are mapped
	impatience = 5 * time.Second        // after which they are mapped all the same
	lookOver   = 30 * time.Second       // between searches for what was not told of
)

// watch maps what changes until ctx is done, which is how it ends well.
func (in *ingestion) watch(ctx context.Context) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer watcher.Close()
	in.quiet = true
	// In a watch nothing is replaced again and again.
	in.opts.Force = false
	for ctx.Err() == nil {
		in.follow(ctx, watcher)
		if err := waitForChange(ctx, watcher); err != nil {
			return err
		}
		report, err := in.run(ctx)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		in.tellFailures(report)
	}
	return nil
}

// tellFailures prints what failed, as there is no end to do so at.
func (in *ingestion) tellFailures(report *citekit.IngestReport) {
	for _, item := range report.Items {
		if item.Status == citekit.IngestFailed && !in.json {
			in.printf("%s\n", term.Line(describeItem(item)))
		}
	}
	in.out.Flush()
}

// follow watches every folder that is searched. Folders that cannot be
// watched, such as ones too many, are looked over from time to time.
func (in *ingestion) follow(ctx context.Context, watcher *fsnotify.Watcher) {
	finder, ok := in.lib.workspace.(citekit.Finder)
	if !ok {
		return
	}
	request := citekit.FindRequest{Paths: in.paths, NoIgnore: in.opts.NoIgnore, Hidden: in.opts.Hidden}
	folders := make(map[string]bool)
	for found, err := range finder.Find(ctx, request) {
		if err != nil {
			continue
		}
		path := filepath.FromSlash(found.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(in.dir, path)
		}
		if !found.Folder {
			path = filepath.Dir(path)
		}
		if !folders[path] {
			folders[path] = true
			_ = watcher.Add(path)
		}
	}
	for _, path := range watcher.WatchList() {
		if !folders[path] {
			_ = watcher.Remove(path)
		}
	}
}

// waitForChange returns when something changed and has come to rest, or when
// it is time to look everywhere.
func waitForChange(ctx context.Context, watcher *fsnotify.Watcher) error {
	var settled, enough <-chan time.Time
	over := time.After(lookOver)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-over:
			return nil
		case <-settled:
			return nil
		case <-enough:
			return nil
		case event, ok := <-watcher.Events:
			if !ok {
				return fs.ErrClosed
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
				return fs.ErrClosed
			}
			return nil // events were lost: look everywhere
		}
	}
}
