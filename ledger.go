package citekit

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

const (
	ledgerName    = "ingest"
	ledgerVersion = 1
)

// A ledger remembers what ingest made of each source. It is a cache: without
// it the same is found out from the maps and the sources, save which maps a
// person has changed since they were made. It is not believed where it would
// replace a map: see [ingest.stateOf].
type ledger struct {
	mu      sync.Mutex
	notes   map[string]note   // by path
	owners  map[string]string // path of the source by id
	claimed map[string]bool   // ids that were given out in this run
	byBytes map[string]string // path of a mapped source by its bytesKey
	changed bool
	writing bool // which is in the stored ledger
}

// A note is what is remembered about one source.
type note struct {
	Identity   string   `json:"identity,omitempty"`   // of the source
	Companions string   `json:"companions,omitempty"` // a digest of their content
	Hash       string   `json:"hash,omitempty"`       // of the source
	Size       int64    `json:"size,omitempty"`       // of the source; zero if it was not noted
	ID         string   `json:"id,omitempty"`         // of its map
	Type       Modality `json:"type,omitempty"`
	Asked      Modality `json:"asked,omitempty"` // the type that was asked for
	Mapper     string   `json:"mapper,omitempty"`
	Method     string   `json:"method,omitempty"`
	Nodes      int      `json:"nodes,omitempty"`
	Stamp      string   `json:"stamp,omitempty"`    // of its map
	MapHash    string   `json:"map_hash,omitempty"` // SHA-256 of the bytes of its map
	Skipped    string   `json:"skipped,omitempty"`  // why it has no map
}

type ledgerFile struct {
	Version int             `json:"version"`
	Sources map[string]note `json:"sources"`

	// Writing is when an ingest began to write maps, as in their created_at,
	// if it has not told of them: it was killed, or is still at it.
	Writing string `json:"writing,omitempty"`
}

// loadLedger reads the ledger of a workspace, or makes it from the maps.
func (l *Library) loadLedger(ctx context.Context, finder Finder) (*ledger, error) {
	file, err := readLedgerFile(ctx, finder)
	if err != nil {
		if file.Sources, err = l.notesOfMaps(ctx); err != nil {
			return nil, err
		}
	}
	g := newLedger(file.Sources)
	if file.Writing != "" {
		err = l.adopt(ctx, g, file.Writing)
	}
	return g, err
}

// readLedger reads the ledger to take something out of it. Without one there
// is nothing to take out; one of an ingest that was killed is put right first.
func (l *Library) readLedger(ctx context.Context, finder Finder) (*ledger, error) {
	file, err := readLedgerFile(ctx, finder)
	if err != nil {
		return nil, ctx.Err()
	}
	if file.Writing != "" {
		return l.loadLedger(ctx, finder)
	}
	return newLedger(file.Sources), nil
}

var errNoLedger = errors.New("there is no ledger")

func readLedgerFile(ctx context.Context, finder Finder) (ledgerFile, error) {
	var file ledgerFile
	data, err := finder.ReadNotes(ctx, ledgerName)
	if err != nil {
		return file, err
	}
	if json.Unmarshal(data, &file) != nil || file.Version != ledgerVersion || file.Sources == nil {
		return ledgerFile{}, errNoLedger
	}
	return file, nil
}

// adopt notes which maps an ingest wrote that was killed before it could.
func (l *Library) adopt(ctx context.Context, g *ledger, since string) error {
	for source, n := range maps.Clone(g.notes) {
		if err := ctx.Err(); err != nil {
			return err
		}
		stamp, err := l.workspace.StatMap(ctx, n.ID)
		if n.ID == "" || err != nil || stamp.Identity == n.Stamp {
			continue
		}
		m, _, err := l.parse(ctx, n.ID)
		if err != nil || m.mapper() == "" {
			continue
		}
		if m.SourcePath != source {
			if n, ok := l.adoptMoved(ctx, g, source, n, m, stamp); ok {
				g.forget(source)
				g.put(m.SourcePath, n)
			}
			continue
		}
		if m.CreatedAt < since {
			continue
		}
		n.Identity, n.Hash, n.Skipped = "", m.SourceHash(), ""
		n.Mapper, n.MapHash, n.Stamp = m.mapper(), m.hash, stamp.Identity
		g.put(source, n)
	}
	g.changed = true
	return nil
}

func newLedger(notes map[string]note) *ledger {
	g := &ledger{notes: notes, owners: make(map[string]string), claimed: make(map[string]bool), byBytes: make(map[string]string)}
	sources := slices.Sorted(maps.Keys(notes))
	for _, source := range slices.Backward(sources) { // the first of several counts
		n := notes[source]
		if !n.isSound() {
			delete(notes, source)
			continue
		}
		g.index(source, n)
	}
	return g
}

// isSound reports whether ingest could have made the note.
func (n note) isSound() bool {
	return (n.ID == "" || CheckResourceID(n.ID) == nil) && (n.Type == "" || n.Type.Valid())
}

// notesOfMaps returns what the maps that ingest made say of their sources.
func (l *Library) notesOfMaps(ctx context.Context) (map[string]note, error) {
	ids, err := l.workspace.MapIDs(ctx)
	if err != nil {
		return nil, err
	}
	notes := make(map[string]note)
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, _, err := l.parse(ctx, id)
		if err != nil {
			continue // it is not ours, whatever it is
		}
		if mapper := m.mapper(); mapper != "" && m.SourceHash() != "" {
			method, _ := m.Metadata["method"].(string)
			notes[m.SourcePath] = note{ID: id, Type: m.Type, Hash: m.SourceHash(), Mapper: mapper, Method: method, Nodes: len(m.index)}
		}
	}
	return notes, nil
}

// mapper returns the name of the mapper that made the map, or "".
func (m *ResourceMap) mapper() string {
	name, _ := m.Metadata["mapper"].(string)
	return name
}

// index makes a note findable by id and bytes.
func (g *ledger) index(source string, n note) {
	if n.ID == "" {
		return
	}
	g.owners[n.ID] = source
	if n.Hash != "" && n.Stamp != "" && n.MapHash != "" && n.Companions == "" && n.Skipped == "" {
		g.byBytes[bytesKey(source, n.Hash, n.Asked, n.Mapper)] = source
	}
}

// bytesKey returns what sources share for which one mapper makes one
// structure. How a text is read depends on its name.
func bytesKey(source, hash string, asked Modality, mapper string) string {
	kind := strings.ToLower(path.Ext(source))
	if kind == "" {
		kind = path.Base(source)
	}
	return strings.Join([]string{hash, string(asked), mapper, kind}, "\n")
}

func (g *ledger) note(source string) (note, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, ok := g.notes[source]
	return n, ok
}

func (g *ledger) put(source string, n note) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.notes[source] = n
	g.changed = true
	g.index(source, n)
}

// putSkipped is put for a source that has no structure. What map it had
// before is not forgotten.
func (g *ledger) putSkipped(source string, n note) {
	if before, ok := g.note(source); ok && before.ID != "" {
		n.ID, n.Type, n.Stamp, n.MapHash = before.ID, before.Type, before.Stamp, before.MapHash
	}
	g.put(source, n)
}

// claim makes an id that of a source, and reports whether it may be: each is
// given out once in a run.
func (g *ledger) claim(id, source string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.claimed[id] && g.owners[id] != source {
		return false
	}
	g.owners[id], g.claimed[id] = source, true
	return true
}

// owner returns the source that an id belongs to, or "", and whether it was
// given out in this run.
func (g *ledger) owner(id string) (source string, claimed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.owners[id], g.claimed[id]
}

// twin returns the note of a mapped source with the same bytes as another,
// which key is of.
func (g *ledger) twin(key string) (note, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	source, ok := g.byBytes[key]
	if !ok {
		return note{}, false
	}
	n := g.notes[source]
	if n.Skipped != "" || bytesKey(source, n.Hash, n.Asked, n.Mapper) != key {
		return note{}, false // it was so once
	}
	return n, n.ID != ""
}

// begin stores that maps are going to be written, once.
func (g *ledger) begin(ctx context.Context, finder Finder) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.writing {
		return nil
	}
	err := g.write(ctx, finder, now())
	g.writing = err == nil
	return err
}

// store writes the ledger if something was put into it.
func (g *ledger) store(ctx context.Context, finder Finder) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.changed && !g.writing {
		return nil
	}
	err := g.write(ctx, finder, "")
	g.changed, g.writing = err != nil, err != nil
	return err
}

func (g *ledger) write(ctx context.Context, finder Finder, writing string) error {
	data, err := json.Marshal(ledgerFile{Version: ledgerVersion, Sources: g.notes, Writing: writing})
	if err != nil {
		return err
	}
	return finder.WriteNotes(ctx, ledgerName, data)
}

// all returns the notes by source.
func (g *ledger) all() map[string]note {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.notes)
}

// forget drops the note of a source whose map is gone.
func (g *ledger) forget(source string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if id := g.notes[source].ID; g.owners[id] == source {
		delete(g.owners, id)
	}
	delete(g.notes, source)
	g.changed = true
}

// unseen returns the mapped sources below the folders that were not seen.
func (g *ledger) unseen(seen, folders map[string]bool) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var unseen []string
	for source, n := range g.notes {
		if n.ID != "" && !seen[source] && belowAny(source, folders) {
			unseen = append(unseen, source)
		}
	}
	return unseen
}

// belowAny reports whether one of the folders leads to name.
func belowAny(name string, folders map[string]bool) bool {
	for {
		dir := path.Dir(name)
		if folders[dir] {
			return true
		}
		if dir == name || dir == "." {
			return false
		}
		name = dir
	}
}

// gone reports whether there is no source at a path any more.
func (l *Library) gone(ctx context.Context, source string) bool {
	src, err := l.workspace.OpenSource(ctx, source)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	src.Close()
	return false
}
