package command

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/workspace"
)

const (
	settle     = 300 * time.Millisecond // without changes, before changes are mapped
	impatience = 5 * time.Second        // after this time changes are mapped even if more arrive
	lookOver   = 30 * time.Second       // between searches for unreported changes
)

// watch maps the sources, and then changes to them until ctx is done. That is the
// regular end of a watch.
func (in *ingestion) watch(ctx context.Context) error {
	if err := in.needsDirectory("--watch", "run 'citekit ingest' when something has changed, or with a timer: what has not changed costs one look"); err != nil {
		return err
	}
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
	// A watch does not replace maps again and again.
	in.opts.Force = false
	for {
		stop := in.indexMeanwhile(ctx)
		changed, err := waitForChange(ctx, watcher)
		stop()
		switch {
		case ctx.Err() != nil:
			return stopped(ctx)
		case err != nil:
			return err
		}
		now := in.follow(ctx, watcher)
		if changed || now == "" || now != seen { // do not retry failures while nothing changes
			if _, err := in.run(ctx); err != nil && ctx.Err() == nil {
				return err
			}
		}
		seen = now
	}
}

// indexMeanwhile reads the texts of what was mapped until stop is called, or on in the
// background if they are many, and tells which cannot be read.
func (in *ingestion) indexMeanwhile(ctx context.Context) (stop func()) {
	if in.flags.noIndex {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() {
		found, err := in.Index(ctx, nil)
		if ctx.Err() == nil {
			in.tellIndexed(found, err)
		}
	})
	return func() {
		cancel()
		ended.Wait()
	}
}

// tellIndexed tells which texts cannot be searched, once each.
func (in *ingestion) tellIndexed(found ingest.Indexed, err error) {
	if err != nil {
		if text := err.Error(); text != in.toldIndex {
			in.toldIndex = text
			in.warn("the index is not up to date: " + text)
		}
		return
	}
	in.toldIndex = ""
	news := slices.DeleteFunc(found.Missing, func(one ingest.NotIndexed) bool {
		text := fmt.Sprint(one.ResourceID, one.Err)
		known := in.toldUnread[text]
		if in.toldUnread == nil {
			in.toldUnread = make(map[string]bool)
		}
		in.toldUnread[text] = true
		return known || one.Before
	})
	for _, one := range news {
		if in.json {
			in.printJSONLine(one)
		} else {
			in.printf("%s\n", term.Line(describeUnread(one)))
		}
	}
	in.out.Flush()
}

// follow watches every folder that is searched. Folders that cannot be watched, such
// as those beyond a limit, are searched from time to time. It returns a value that
// changes with any source, or "" if it cannot tell yet.
func (in *ingestion) follow(ctx context.Context, watcher *fsnotify.Watcher) (state string) {
	finder, ok := in.lib.Workspace().(workspace.Finder)
	if !ok {
		return ""
	}
	sources, known := sha256.New(), true
	request := workspace.FindRequest{Paths: in.paths, NoIgnore: in.opts.NoIgnore, Hidden: in.opts.Hidden}
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
	// The watch of a moved folder has its old name. Removing it also ends the watch
	// under the new name, so remove before adding.
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

// awaited adds the folders in which sources may appear: the folder of a file or the
// fixed beginning of a pattern, and for "**" all folders below.
func (in *ingestion) awaited(ctx context.Context, finder workspace.Finder, folders map[string]bool) {
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
		request := workspace.FindRequest{Paths: []string{top}, NoIgnore: in.opts.NoIgnore, Hidden: in.opts.Hidden}
		for found, err := range finder.Find(ctx, request) {
			if err == nil && found.Folder {
				folders[in.absolute(found.Path)] = true
			}
		}
	}
}

// absolute returns the absolute path of a name in a map.
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

// waitForChange returns when changes have settled, or when it is time for a full
// search.
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
			return true, nil // events were lost: search everything
		}
	}
}
