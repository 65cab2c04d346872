package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/citekit/citekit/internal/concurrent"
)

// A listing is the content of a maps directory.
type listing struct {
	identity string              // of the directory
	ids      []string            // sorted
	older    map[string]struct{} // existing names of the form older
}

// A listingCache holds the listing of a directory until the directory changes.
// Make one with newListingCache.
type listingCache struct {
	reading chan struct{} // capacity 1: held by whoever reads or looks
	last    *listing
}

func newListingCache() *listingCache { return &listingCache{reading: make(chan struct{}, 1)} }

// get returns the listing of the directory at path, which is held open as root
// and has the metadata info. It waits for another goroutine that is reading the
// directory, until ctx is done.
func (c *listingCache) get(ctx context.Context, path string, root *os.Root, info fs.FileInfo) (*listing, error) {
	if err := concurrent.Acquire(ctx, c.reading); err != nil {
		return nil, err
	}
	defer func() { <-c.reading }()
	if c.last != nil && c.last.identity == identity(info) {
		return c.last, nil
	}
	c.last = nil
	// Through root, every entry would cost a system call. The directory is
	// opened again by path instead, and compared with root.
	d, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	now := time.Now()
	before, err := d.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(before, info) {
		return nil, errors.New("the directory was replaced just now")
	}
	l, err := readListing(ctx, root, d)
	if err != nil {
		return nil, err
	}
	after, err := d.Stat()
	if err != nil {
		return nil, err
	}
	l.identity = identity(before)
	if l.identity == identity(after) && !isRacy(before, now) {
		c.last = l
	}
	return l, nil
}

// readListing reads the directory d, which is the same as root.
func readListing(ctx context.Context, root *os.Root, d *os.File) (*listing, error) {
	l := &listing{older: make(map[string]struct{})}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		entries, err := d.ReadDir(4096)
		for _, e := range entries {
			if e.Type().IsRegular() {
				l.add(root, e.Name())
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(l.ids)
	l.ids = slices.Compact(l.ids) // an older name beside the canonical one
	return l, nil
}

func (l *listing) add(root *os.Root, name string) {
	id, form := parseFileName(name)
	if form == cut {
		inside, err := readID(root, name)
		if err == nil && fileName(inside) == name {
			id, form = inside, canonical
		} else if err == nil && inside == id {
			form = older
		} else {
			form = noMap
		}
	}
	switch form {
	case noMap:
		return
	case older:
		l.older[name] = struct{}{}
	}
	l.ids = append(l.ids, id)
}

// readID returns the resource id at the start of a map file.
func readID(root *os.Root, name string) (string, error) {
	f, _, err := openPlain(root, name, errMapNotPlain)
	if err != nil {
		return "", err
	}
	defer f.Close()
	dec := json.NewDecoder(io.LimitReader(f, 16<<20))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", errNoID
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return "", errNoID
		}
		if key != "resource_id" {
			var skipped json.RawMessage
			if dec.Decode(&skipped) != nil {
				return "", errNoID
			}
			continue
		}
		var id string
		if dec.Decode(&id) != nil {
			return "", errNoID
		}
		return id, nil
	}
	return "", errNoID
}

var errNoID = fmt.Errorf("no resource_id: %w", fs.ErrNotExist)
