package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/pathpattern"
	"github.com/citekit/citekit/internal/sqlite"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
)

// pageSize is how many objects one request lists.
const pageSize = 1000

// maxGroup is how many objects with the same start of their name are looked at together,
// for companions.
const maxGroup = 10_000

// neverFound are the folders of git and of citekit.
var neverFound = []string{".git", ".resource_maps", ".citekit_output"}

// Find is that of [workspace.Finder]. It yields what it finds in the order of the keys,
// and needs memory for one page of the listing. Ignore files mean nothing in a bucket.
func (b *Bucket) Find(ctx context.Context, req workspace.FindRequest) iter.Seq2[workspace.Candidate, error] {
	return func(yield func(workspace.Candidate, error) bool) {
		var earlier []place
		for _, name := range req.Paths {
			p, err := b.placeOf(ctx, name)
			searched := err == nil
			if ctx.Err() != nil {
				yield(workspace.Candidate{}, ctx.Err())
				return
			}
			if err == nil && p.found != nil && !anyHas(earlier, p.key) && !yield(*p.found, nil) {
				return
			}
			if err == nil && p.found == nil {
				err = b.findBelow(ctx, p, earlier, req.Hidden, "", yield)
			}
			if err == errStopped {
				return
			}
			if err != nil && !yield(workspace.Candidate{Path: p.shown, Named: true}, err) {
				return
			}
			if searched {
				earlier = append(earlier, p)
			}
		}
	}
}

// FindAfter yields the sources below a folder whose paths are greater than after, as Find
// does: who walks many notes the path of the last one, and goes on there. The folder "."
// is the whole bucket. An object beside a recording, before which a walk ended, is one of
// its companions only if it is found in the same walk.
func (b *Bucket) FindAfter(ctx context.Context, folder, after string) iter.Seq2[workspace.Candidate, error] {
	return func(yield func(workspace.Candidate, error) bool) {
		p, err := newPlace(folder)
		if err == nil {
			err = b.findBelow(ctx, p, nil, false, after, yield)
		}
		if err != nil && err != errStopped {
			yield(workspace.Candidate{Path: p.shown, Named: true}, err)
		}
	}
}

// A place is where to search.
type place struct {
	shown   string // as it was asked for
	key     string // of the object or the folder; "" is the whole bucket
	pattern string // that the paths match, or ""
	found   *workspace.Candidate
}

// has reports whether a search of p finds an object.
func (p place) has(key string) bool {
	switch {
	case p.found != nil:
		return key == p.key
	case p.pattern != "":
		return pathpattern.Match(p.pattern, key)
	}
	return p.key == "" || strings.HasPrefix(key, p.key+"/")
}

func anyHas(places []place, key string) bool {
	return slices.ContainsFunc(places, func(p place) bool { return p.has(key) })
}

// anyHasFolder reports whether the search of a place yielded a folder.
func anyHasFolder(places []place, folder string) bool {
	return slices.ContainsFunc(places, func(p place) bool {
		return p.found == nil && p.pattern == "" && (p.key == folder || p.has(folder))
	})
}

// newPlace returns the folder at a path.
func newPlace(name string) (place, error) {
	p := place{shown: message.Clip(name)}
	if path.Clean(name) == "." && name != "" {
		return p, nil
	}
	key, err := keyOf(strings.TrimRight(name, "/"))
	p.key = key
	return p, err
}

// placeOf returns what a path of a request leads to.
func (b *Bucket) placeOf(ctx context.Context, name string) (place, error) {
	p, err := newPlace(name)
	if err != nil || p.key == "" {
		return p, err
	}
	at, err := b.attributes(ctx, p.key)
	switch {
	case err == nil:
		p.found = &workspace.Candidate{Path: p.key, Size: at.Size, Identity: b.identity(p.key, at), Named: true}
		p.found.Companions, err = b.companions(ctx, p.key)
		return p, err
	case b.store.ErrorKind(err) != driver.NotFound:
		return p, b.fault(ctx, err)
	}
	below, err := b.store.List(ctx, driver.ListOptions{Prefix: p.key + "/", Limit: 1})
	switch {
	case err != nil:
		return p, b.fault(ctx, err)
	case len(below.Objects) > 0:
		return p, nil
	case !pathpattern.Is(p.key):
		return p, fmt.Errorf("source: %w", fs.ErrNotExist)
	}
	p.pattern = p.key
	for pathpattern.Is(p.key) { // search the folder that is named
		if p.key = path.Dir(p.key); p.key == "." {
			p.key = ""
		}
	}
	return p, nil
}

// companions returns the companions of one object.
func (b *Bucket) companions(ctx context.Context, key string) ([]string, error) {
	stem := strings.TrimSuffix(key, path.Ext(key)) + "."
	if workspace.CompanionsOf(key, []string{stem + "srt"}) == nil {
		return nil, nil // no recording
	}
	page, err := b.store.List(ctx, driver.ListOptions{Prefix: stem, Limit: pageSize})
	if err != nil {
		return nil, b.fault(ctx, err)
	}
	return companionsIn(key, page.Objects), nil
}

// companionsIn returns the companions of an object among others.
func companionsIn(key string, objects []driver.Object) (found []string) {
	dir, name := path.Split(key)
	var names []string
	for _, o := range objects {
		if beside, ok := strings.CutPrefix(o.Key, dir); ok && !strings.Contains(beside, "/") {
			names = append(names, beside)
		}
	}
	for _, name := range workspace.CompanionsOf(name, names) {
		found = append(found, dir+name)
	}
	return found
}

// errNoPath reports an object that no path names.
var errNoPath = fmt.Errorf("the key of the object is not a path: %w", citekit.ErrForbidden)

// errStopped says that the caller wants no more.
var errStopped = errors.New("stopped")

// findBelow yields what is in a folder, as far as an earlier place does not have it.
func (b *Bucket) findBelow(ctx context.Context, p place, earlier []place, hidden bool, after string, yield func(workspace.Candidate, error) bool) error {
	w := &walk{bucket: b, place: p, earlier: earlier, hidden: hidden, yield: yield}
	opts := driver.ListOptions{After: after, Limit: pageSize}
	if p.key != "" {
		opts.Prefix = p.key + "/"
	}
	if p.pattern == "" && after == "" {
		if root := path.Join(p.key, "."); !anyHasFolder(earlier, p.key) && !yield(workspace.Candidate{Path: root, Folder: true}, nil) {
			return errStopped
		}
	}
	w.folder = p.key
	for more := true; more; {
		page, err := b.store.List(ctx, opts)
		if err == nil && page.More && len(page.Objects) == 0 {
			err = errors.New("an empty page of the listing is not its last")
		}
		if err != nil {
			return b.fault(ctx, err)
		}
		for _, o := range page.Objects {
			opts.After = o.Key
			if err := w.add(o); err != nil {
				return err
			}
		}
		more = page.More
	}
	if err := w.flush(); err != nil {
		return err
	}
	if p.pattern != "" && !w.any {
		return fmt.Errorf("no source matches the pattern %q: %w", p.shown, fs.ErrNotExist)
	}
	return ctx.Err()
}

// A walk yields the objects of a listing.
type walk struct {
	bucket  *Bucket
	place   place
	earlier []place
	hidden  bool
	yield   func(workspace.Candidate, error) bool

	any    bool
	folder string          // that was yielded last, with those above it
	start  string          // of the names of the group
	group  []driver.Object // objects that may belong together
}

// add takes the next object of the listing.
func (w *walk) add(o driver.Object) error {
	if strings.HasSuffix(o.Key, "/") {
		return nil // the mark of an empty folder
	}
	dir, name := path.Split(o.Key)
	stem, _, _ := strings.Cut(name, ".")
	if start := dir + stem + "."; start != w.start || len(w.group) == maxGroup {
		if err := w.flush(); err != nil {
			return err
		}
		w.start = start
	}
	w.group = append(w.group, o)
	return nil
}

// flush yields a group.
func (w *walk) flush() error {
	group := w.group
	w.group = nil
	for _, o := range group {
		if w.place.pattern != "" && !pathpattern.Match(w.place.pattern, o.Key) || w.leavesOut(o.Key) || isSide(o.Key, group) {
			continue
		}
		w.any = true
		if key, err := keyOf(o.Key); err != nil || key != o.Key {
			if !anyHas(w.earlier, o.Key) && !w.yield(workspace.Candidate{Path: message.Clip(o.Key)}, errNoPath) {
				return errStopped
			}
			continue
		}
		if err := w.folders(path.Dir(o.Key)); err != nil {
			return err
		}
		if !anyHas(w.earlier, o.Key) && !w.yield(workspace.Candidate{
			Path: o.Key, Size: o.Size, Identity: w.bucket.identity(o.Key, o.Attributes), Companions: companionsIn(o.Key, group),
		}, nil) {
			return errStopped
		}
	}
	return nil
}

// folders yields the folders that lead to one, as far as they were not yielded.
func (w *walk) folders(to string) error {
	if w.place.pattern != "" || to == "." || to == w.folder {
		return nil
	}
	shared := w.folder
	for shared != "" && shared != to && !strings.HasPrefix(to, shared+"/") {
		if shared = path.Dir(shared); shared == "." {
			shared = ""
		}
	}
	w.folder = to
	for at := len(shared); at < len(to); {
		next := strings.IndexByte(to[at+1:], '/')
		if next < 0 {
			at = len(to)
		} else {
			at += 1 + next
		}
		if !anyHasFolder(w.earlier, to[:at]) && !w.yield(workspace.Candidate{Path: to[:at], Folder: true}, nil) {
			return errStopped
		}
	}
	return nil
}

// leavesOut reports whether a name below the folder that is searched is hidden, or one
// that is never found.
func (w *walk) leavesOut(key string) bool {
	below := strings.TrimPrefix(strings.TrimPrefix(key, w.place.key), "/")
	for name := range strings.SplitSeq(below, "/") {
		if !w.hidden && strings.HasPrefix(name, ".") || slices.Contains(neverFound, name) {
			return true
		}
	}
	return false
}

// isSide reports whether an object is one that SQLite keeps beside a database.
func isSide(key string, group []driver.Object) bool {
	database, ok := sqlite.CutSide(key)
	if !ok {
		return false
	}
	for _, o := range group {
		if o.Key == database {
			return true
		}
	}
	return false
}
