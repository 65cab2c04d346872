package ingest

import (
	"context"
	"fmt"
	"io/fs"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
)

// A manyReader is a workspace far away, of which much is read together.
type manyReader interface {
	// ReadNotes returns those notes of a kind that there are, by name.
	ReadNotes(ctx context.Context, kind string, names []string) (map[string]citekit.Note, error)

	// StatMaps returns the stamps of those of the ids that are of maps.
	StatMaps(ctx context.Context, ids []string) (map[string]citekit.Stamp, error)
}

// readTogether reads the notes of sources into b, if the workspace can.
func (b *ledgerStore) readTogether(ctx context.Context, sources []string) (done bool, err error) {
	many, ok := b.store.(manyReader)
	if !ok {
		return false, nil
	}
	notes, err := many.ReadNotes(ctx, ledger.Kind, sources)
	if err != nil {
		return false, err
	}
	for _, source := range sources {
		b.loadStored(source, notes[source])
	}
	return true, nil
}

// stamps are those that maps had when a run began. They are no more than a guess: a map is
// written only if it still has the stamp, and who then finds another asks again.
type stamps struct {
	mu sync.Mutex
	of map[string]citekit.Stamp // by id; the zero Stamp says that there was no map
}

// forget forgets the stamp of a map, or all if id is "".
func (s *stamps) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.of, id); id == "" {
		clear(s.of)
	}
}

func (s *stamps) get(id string) (stamp citekit.Stamp, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stamp, ok = s.of[id]
	return stamp, ok
}

// guessStamps asks for the stamps of the maps that sources have, or may get, if the
// workspace tells many at once.
func (in *run) guessStamps(ctx context.Context, candidates []candidate) error {
	many, ok := in.ws.(manyReader)
	if !ok || len(candidates) < 2 {
		return nil
	}
	var ids []string
	for _, c := range candidates {
		if !isNotable(c.Path) {
			continue
		}
		ids = append(ids, ResourceIDFor(c.Path), olderIDFor(c.Path))
		if n, ok := in.book.Note(c.Path); ok && n.ID != "" {
			ids = append(ids, n.ID)
		}
	}
	found, err := many.StatMaps(ctx, ids)
	if err != nil {
		return err
	}
	in.stamps.of = make(map[string]citekit.Stamp, len(ids))
	for _, id := range ids {
		in.stamps.of[id] = found[id]
	}
	return nil
}

// statMap returns the stamp of a map, which may be that of the beginning of a run.
func (in *run) statMap(ctx context.Context, id string) (citekit.Stamp, error) {
	stamp, ok := in.stamps.get(id)
	switch {
	case !ok:
		return in.ws.StatMap(ctx, id)
	case stamp == citekit.Stamp{}:
		return stamp, fmt.Errorf("map: %w", fs.ErrNotExist)
	}
	return stamp, nil
}
