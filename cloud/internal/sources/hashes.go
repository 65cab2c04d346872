package sources

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
)

// Hashes keeps the SHA-256 of sources, so that each version is read once to be hashed.
// What is lost is computed again.
type Hashes interface {
	// Known returns the hash of the source with a key if it has the identity that find
	// returns, or "". It may look for what it knows while find runs.
	Known(ctx context.Context, key string, find func() (identity string)) string

	// Remember keeps a hash.
	Remember(ctx context.Context, key, identity, hash string)
}

// hashKind is the kind of the notes of hashes. The name of a note is the key of its
// source.
const hashKind = "hashes"

// NoteHashes keeps hashes in notes, for all that share them. It knows those in the notes of
// package ingest.
func NoteHashes(notes citekit.NoteStore) Hashes { return newMemory(notes) }

// maxKnown is how many hashes are kept in memory.
const maxKnown = 1 << 14

// A hashRecord is the hash that a source had while it had an identity.
type hashRecord struct {
	Identity string `json:"identity"`
	SHA256   string `json:"sha256"`
}

// A memory keeps hashes in memory, and in notes unless they are nil.
type memory struct {
	notes citekit.NoteStore

	mu    sync.Mutex
	known map[string]hashRecord // by key
}

func newMemory(notes citekit.NoteStore) *memory {
	return &memory{notes: notes, known: make(map[string]hashRecord)}
}

func (m *memory) Known(ctx context.Context, key string, find func() string) string {
	m.mu.Lock()
	r, ok := m.known[key]
	m.mu.Unlock()
	read := make(chan hashRecord, 1)
	found := make(chan struct{})
	var identity string
	of := func() string { <-found; return identity }
	if !ok {
		go func() { read <- m.read(ctx, key, of) }()
	}
	identity = find()
	close(found)
	if ok && r.Identity == identity {
		return r.SHA256
	}
	if ok { // others may know of a later version
		read <- m.read(ctx, key, of)
	}
	if r = <-read; r.Identity != identity || r.SHA256 == "" {
		return ""
	}
	m.keep(key, r)
	return r.SHA256
}

// read returns what is noted of a source. One that is mapped has the note of its map: that
// of its hash is for others, and for versions that are not mapped yet.
func (m *memory) read(ctx context.Context, key string, of func() (identity string)) (r hashRecord) {
	if m.notes == nil {
		return hashRecord{}
	}
	if data, _, err := m.notes.ReadNote(ctx, ledger.Kind, key); err == nil {
		if n, ok := ledger.Parse(data); ok && n.Hash != "" && n.Identity == of() {
			return hashRecord{n.Identity, n.Hash}
		}
	}
	if data, _, err := m.notes.ReadNote(ctx, hashKind, key); err != nil || json.Unmarshal(data, &r) != nil {
		return hashRecord{}
	}
	return r
}

func (m *memory) keep(key string, r hashRecord) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for other := range m.known {
		if len(m.known) < maxKnown {
			break
		}
		delete(m.known, other)
	}
	m.known[key] = r
}

func (m *memory) Remember(ctx context.Context, key, identity, hash string) {
	r := hashRecord{identity, hash}
	m.keep(key, r)
	if m.notes == nil {
		return
	}
	data, err := json.Marshal(r)
	if err != nil {
		return
	}
	_, stamp, _ := m.notes.ReadNote(ctx, hashKind, key)
	_, _ = m.notes.WriteNoteIf(ctx, hashKind, key, data, stamp)
}
