package stats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// A resourceFilter selects resources for a list. The zero value selects all.
type resourceFilter struct {
	words    []string // folded words that the id, the title or the path must contain
	modality citekit.Modality
}

func filterOf(req ListRequest) resourceFilter {
	return resourceFilter{words: strings.Fields(fold(req.Query)), modality: req.Type}
}

// String returns a text that only equal filters share, "" for all.
func (f resourceFilter) String() string {
	if f.all() {
		return ""
	}
	hash := sha256.Sum256([]byte(string(f.modality) + "\n" + strings.Join(f.words, " ")))
	return hex.EncodeToString(hash[:8])
}

func (f resourceFilter) all() bool { return len(f.words) == 0 && f.modality == "" }

// wants reports whether the filter selects a resource. If its map cannot be read,
// only the id counts.
func (f resourceFilter) wants(e catalogEntry) bool {
	if f.modality != "" && f.modality != e.modality {
		return false
	}
	for _, word := range f.words {
		if !strings.Contains(e.text, word) {
			return false
		}
	}
	return true
}

// fold makes texts equal that differ only in case or in Unicode composition.
func fold(s string) string { return plain.NFC(strings.ToLower(plain.NFC(s))) }

// A catalog caches the fields that lists are filtered by. It is as current as the
// maps, with one exception: if an editor overwrites a map in place, the old type
// and title may stay until another map changes. Its methods are safe for
// concurrent use.
type catalog struct {
	turn  chan struct{} // holds a token while maps are read, so that each is read once
	stamp citekit.Stamp
	known *catalogEntries // replaced, never changed
}

func newCatalog() *catalog {
	return &catalog{turn: make(chan struct{}, 1), known: new(catalogEntries)}
}

// catalogEntries are sorted by id. Their texts lie in one string, which is fast
// to search.
type catalogEntries struct {
	list []catalogEntry
	text string // the text of each entry, followed by a zero byte
	ends []int  // in text
}

func newCatalogEntries(list []catalogEntry) *catalogEntries {
	var all strings.Builder
	ends := make([]int, 0, len(list))
	for _, e := range list {
		all.WriteString(e.text)
		ends = append(ends, all.Len())
		all.WriteByte(0)
	}
	c := &catalogEntries{list: list, text: all.String(), ends: ends}
	for i := range list {
		list[i].text = c.text[ends[i]-len(list[i].text) : ends[i]]
	}
	return c
}

// wanted returns up to most ids that follow the id last and that the filter
// selects.
func (c *catalogEntries) wanted(last string, most int, filter resourceFilter) (ids []string) {
	i, there := slices.BinarySearchFunc(c.list, last, func(e catalogEntry, id string) int { return strings.Compare(e.id, id) })
	if there {
		i++
	}
	for ; i < len(c.list) && len(ids) < most; i++ {
		if i = c.next(i, filter.words); i < len(c.list) && filter.wants(c.list[i]) {
			ids = append(ids, c.list[i].id)
		}
	}
	return ids
}

// next returns the index of the first entry from i on that may have the words.
func (c *catalogEntries) next(i int, words []string) int {
	if len(words) == 0 {
		return i
	}
	longest := slices.MaxFunc(words, func(x, y string) int { return len(x) - len(y) })
	start := c.ends[i] - len(c.list[i].text)
	at := strings.Index(c.text[start:], longest)
	if at < 0 {
		return len(c.list)
	}
	found, _ := slices.BinarySearch(c.ends[i:], start+at)
	return i + found
}

// A catalogEntry is what a catalog stores about a resource.
type catalogEntry struct {
	id       string
	stamp    citekit.Stamp // of the map
	modality citekit.Modality
	text     string // id, title and path of the source, folded
}

// maxFoldedTitle is how many bytes of a title or a path lists are filtered by.
const maxFoldedTitle = 1000

// A mapStamper is a workspace with a stamp that changes whenever a map does. The
// stamp may be zero, which says nothing.
type mapStamper interface {
	MapsStamp(ctx context.Context) (citekit.Stamp, error)
}

// entries returns all resources in ascending order of their ids. It reads only
// maps that have changed. If ctx ends first, the next call continues with the
// maps read so far.
func (c *catalog) entries(ctx context.Context, lib *citekit.Library) (*catalogEntries, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var stamp citekit.Stamp
	if s, ok := lib.Workspace().(mapStamper); ok {
		var err error
		if stamp, err = s.MapsStamp(ctx); err != nil {
			return nil, err
		}
		if stamp != (citekit.Stamp{}) && stamp == c.stamp {
			return c.known, nil
		}
	}
	ids, err := lib.Resources(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]catalogEntry, 0, len(ids))
	old := c.known.list
	for _, id := range ids {
		for len(old) > 0 && old[0].id < id {
			old = old[1:]
		}
		if err := ctx.Err(); err != nil {
			c.known, c.stamp = newCatalogEntries(append(list, old...)), citekit.Stamp{}
			return nil, fmt.Errorf("%d of %d maps were read in time; call again to continue: %w", len(list), len(ids), err)
		}
		e := catalogEntry{id: id}
		if e.stamp, err = lib.Workspace().StatMap(ctx, id); err != nil {
			e.text = fold(id)
		} else if len(old) > 0 && old[0].id == id && old[0].stamp == e.stamp {
			e = old[0]
		} else {
			e = entryOf(ctx, lib, e)
		}
		list = append(list, e)
	}
	c.known, c.stamp = newCatalogEntries(list), stamp
	return c.known, nil
}

// entryOf reads the entry of a resource. If the map cannot be read, it has only
// the id.
func entryOf(ctx context.Context, lib *citekit.Library, e catalogEntry) catalogEntry {
	m, err := lib.Map(ctx, e.id)
	if err != nil {
		if ctx.Err() != nil {
			e.stamp = citekit.Stamp{} // read it again
		}
		e.text = fold(e.id)
		return e
	}
	path := filepath.ToSlash(m.SourcePath)
	if filepath.IsAbs(m.SourcePath) { // callers may not see the folders outside the base directory
		path = filepath.Base(m.SourcePath)
	}
	e.modality, e.text = m.Type, fold(e.id+"\n"+plain.Shorten(m.Title, maxFoldedTitle)+"\n"+plain.Shorten(path, maxFoldedTitle))
	return e
}
