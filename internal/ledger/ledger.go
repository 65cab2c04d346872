// Package ledger holds the notes that ingest keeps about each source. They are
// a cache: they can be made again from the maps and the sources.
//
// It knows neither a workspace nor a map, so that the root package can look up
// ids in the notes that package ingest stored.
package ledger

import (
	"maps"
	"path"
	"slices"
	"sync"
)

// A Ledger is the notes of all sources. It is safe for concurrent use.
type Ledger struct {
	mu      sync.Mutex
	notes   map[string]Note   // by path of the source
	owners  map[string]string // path of the source by id
	claimed map[string]bool   // ids that were assigned in this run
	byBytes map[string]string // path of a mapped source by its BytesKey
	changed map[string]bool   // paths of sources whose notes are to be stored
}

// New returns a ledger of notes, by path of the source. The ledger owns the
// map.
func New(notes map[string]Note) *Ledger {
	l := &Ledger{
		notes:   notes,
		owners:  make(map[string]string, len(notes)),
		claimed: make(map[string]bool),
		byBytes: make(map[string]string, len(notes)),
		changed: make(map[string]bool),
	}
	sources := slices.Sorted(maps.Keys(notes))
	for _, source := range slices.Backward(sources) { // the first of several wins
		l.index(source, notes[source])
	}
	return l
}

// index makes a note findable by id and bytes.
func (l *Ledger) index(source string, n Note) {
	if n.ID == "" {
		return
	}
	l.owners[n.ID] = source
	if n.Hash != "" && n.Stamp != "" && n.ByHand == Nothing && n.Companions == "" && n.Skipped == "" {
		l.byBytes[n.BytesKey(source)] = source
	}
}

// Note returns the note of a source.
func (l *Ledger) Note(source string) (Note, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, ok := l.notes[source]
	return n, ok
}

// Put sets the note of a source.
func (l *Ledger) Put(source string, n Note) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n = n.Bounded()
	if before, ok := l.notes[source]; !ok || before != n {
		l.changed[source] = true
	}
	l.notes[source] = n
	l.index(source, n)
}

// Load sets the note of a source as it is stored.
func (l *Ledger) Load(source string, n Note) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes[source] = n
	l.index(source, n)
}

// PutSkipped is like Put for a source for which nothing was drafted. The note
// keeps the map that the source had before.
func (l *Ledger) PutSkipped(source string, n Note) {
	if before, ok := l.Note(source); ok && before.ID != "" {
		n.ID, n.Type, n.Stamp, n.ByHand = before.ID, before.Type, before.Stamp, before.ByHand
	}
	l.Put(source, n)
}

// Forget drops the note of a source.
func (l *Ledger) Forget(source string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id := l.notes[source].ID; l.owners[id] == source {
		delete(l.owners, id)
	}
	delete(l.notes, source)
	l.changed[source] = true
}

// Claim assigns an id to a source. It returns false if the id was assigned to
// another source in this run.
func (l *Ledger) Claim(id, source string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.claimed[id] && l.owners[id] != source {
		return false
	}
	l.owners[id], l.claimed[id] = source, true
	return true
}

// Owner returns the source that an id belongs to, or "", and whether it was
// assigned in this run.
func (l *Ledger) Owner(id string) (source string, claimed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owners[id], l.claimed[id]
}

// SameBytes returns the note of a mapped source whose BytesKey is key.
func (l *Ledger) SameBytes(key string) (Note, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	source, ok := l.byBytes[key]
	if !ok {
		return Note{}, false
	}
	n := l.notes[source]
	if n.Skipped != "" || n.ByHand != Nothing || n.BytesKey(source) != key {
		return Note{}, false // the note has changed since it was indexed
	}
	return n, n.ID != ""
}

// All returns the notes by source. The caller owns the returned map.
func (l *Ledger) All() map[string]Note {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.notes)
}

// Changed returns how many sources have notes that are not stored yet.
func (l *Ledger) Changed() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.changed)
}

// TakeChanged returns the sources whose notes were put or forgotten, sorted,
// and marks them as stored.
func (l *Ledger) TakeChanged() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	sources := slices.Sorted(maps.Keys(l.changed))
	clear(l.changed)
	return sources
}

// PutBack marks sources as changed again that TakeChanged returned and that
// were not stored.
func (l *Ledger) PutBack(sources []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, source := range sources {
		l.changed[source] = true
	}
}

// IDsOf returns the ids that notes of the kind [Kind] have for sources of a base name,
// in order. The notes are given by name and data.
func IDsOf(base string, notes func(yield func(name string, data []byte))) []string {
	var ids []string
	notes(func(name string, data []byte) {
		if path.Base(name) != base {
			return
		}
		if noted, ok := Parse(data); ok && noted.ID != "" {
			ids = append(ids, noted.ID)
		}
	})
	slices.Sort(ids)
	return ids
}
