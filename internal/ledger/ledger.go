// Package ledger holds what ingest remembers of each source: a cache, which
// can be made again from the maps and the sources, but for which maps a person
// has changed since they were made.
//
// It knows neither a workspace nor a map, so that the root can look ids up in
// what package ingest has stored.
package ledger

import (
	"encoding/json"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

const (
	// Name is the name of the notes that hold a stored ledger.
	Name = "ingest"

	version = 1
)

// A Note is what is remembered about one source.
type Note struct {
	Identity   string `json:"identity,omitempty"`   // of the source
	Companions string `json:"companions,omitempty"` // a digest of their content
	Hash       string `json:"hash,omitempty"`       // of the source
	Size       int64  `json:"size,omitempty"`       // of the source; zero if it was not noted
	ID         string `json:"id,omitempty"`         // of its map
	Type       string `json:"type,omitempty"`       // modality of its map
	Asked      string `json:"asked,omitempty"`      // the modality that was asked for
	Mapper     string `json:"mapper,omitempty"`
	Method     string `json:"method,omitempty"`
	Nodes      int    `json:"nodes,omitempty"`
	Stamp      string `json:"stamp,omitempty"`    // of its map
	MapHash    string `json:"map_hash,omitempty"` // SHA-256 of the bytes of its map
	Skipped    string `json:"skipped,omitempty"`  // why it has no map
}

// A File is a stored ledger.
type File struct {
	Version int             `json:"version"`
	Sources map[string]Note `json:"sources"` // by path of the source

	// Writing is when an ingest began to write maps, as in their created_at,
	// if it has not noted them: it was killed, or still runs.
	Writing string `json:"writing,omitempty"`
}

var errFormat = errors.New("not a ledger")

// Parse reads a stored ledger. What is none, or of another version, is an
// error.
func Parse(data []byte) (File, error) {
	var file File
	if json.Unmarshal(data, &file) != nil || file.Version != version || file.Sources == nil {
		return File{}, errFormat
	}
	return file, nil
}

// A Ledger is an open ledger. It is safe for concurrent use.
type Ledger struct {
	mu      sync.Mutex
	notes   map[string]Note   // by path of the source
	owners  map[string]string // path of the source by id
	claimed map[string]bool   // ids that were given out in this run
	byBytes map[string]string // path of a mapped source by its BytesKey
	changed bool
}

// New returns a ledger of the notes that sound accepts. It owns notes.
func New(notes map[string]Note, sound func(Note) bool) *Ledger {
	l := &Ledger{notes: notes, owners: make(map[string]string), claimed: make(map[string]bool), byBytes: make(map[string]string)}
	sources := slices.Sorted(maps.Keys(notes))
	for _, source := range slices.Backward(sources) { // the first of several counts
		n := notes[source]
		if !sound(n) {
			delete(notes, source)
			continue
		}
		l.index(source, n)
	}
	return l
}

// index makes a note findable by id and bytes.
func (l *Ledger) index(source string, n Note) {
	if n.ID == "" {
		return
	}
	l.owners[n.ID] = source
	if n.Hash != "" && n.Stamp != "" && n.MapHash != "" && n.Companions == "" && n.Skipped == "" {
		l.byBytes[n.BytesKey(source)] = source
	}
}

// BytesKey returns what sources share for which one mapper drafts one
// structure. How a text is read depends on its name.
func (n Note) BytesKey(source string) string {
	kind := strings.ToLower(path.Ext(source))
	if kind == "" {
		kind = path.Base(source)
	}
	return strings.Join([]string{n.Hash, n.Asked, n.Mapper, kind}, "\n")
}

// Note returns what is remembered of a source.
func (l *Ledger) Note(source string) (Note, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, ok := l.notes[source]
	return n, ok
}

// Put remembers a note of a source, in place of the one it had.
func (l *Ledger) Put(source string, n Note) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes[source] = n
	l.changed = true
	l.index(source, n)
}

// PutSkipped is Put for a source that nothing was drafted for. The map it had
// before is not forgotten.
func (l *Ledger) PutSkipped(source string, n Note) {
	if before, ok := l.Note(source); ok && before.ID != "" {
		n.ID, n.Type, n.Stamp, n.MapHash = before.ID, before.Type, before.Stamp, before.MapHash
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
	l.changed = true
}

// Claim makes an id that of a source, and reports whether it may be: each is
// given out once in a run.
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
// given out in this run.
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
	if n.Skipped != "" || n.BytesKey(source) != key {
		return Note{}, false // it was so once
	}
	return n, n.ID != ""
}

// All returns the notes by source. The map is the caller's.
func (l *Ledger) All() map[string]Note {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.notes)
}

// Changed reports whether something was put or forgotten since the ledger was
// made, or SetChanged said so.
func (l *Ledger) Changed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// SetChanged sets what Changed reports.
func (l *Ledger) SetChanged(changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed = changed
}

// Encode returns the ledger as Parse reads it. Writing is as in [File].
func (l *Ledger) Encode(writing string) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return json.Marshal(File{Version: version, Sources: l.notes, Writing: writing})
}
