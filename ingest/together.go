package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/workspace"
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

// A manyWriter is a workspace far away, to which many maps are written together.
type manyWriter interface {
	// WriteMapsIf stores maps under different ids, each as WriteMapIf does. It returns their
	// stamps, which are zero for those that it did not store as others were there.
	WriteMapsIf(ctx context.Context, maps []workspace.MapVersion, data [][]byte) ([]citekit.Stamp, error)
}

// The bounds of what waits to be stored together.
const (
	mostGrouped  = 64        // maps
	groupedBytes = 256 << 10 // of a source: a larger one does not wait
)

// A group are maps that wait to be stored, with Shared.
type group struct {
	mu   sync.Mutex
	maps []*grouped
}

// A grouped is the map of a task that waits.
type grouped struct {
	number int // of the candidate
	task   *task
	v      verdict
	data   []byte
}

func (g *group) add(m *grouped) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.maps = append(g.maps, m)
}

// take takes all maps that wait, if there are so many.
func (g *group) take(least int) (maps []*grouped) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.maps) >= least {
		maps, g.maps = g.maps, nil
	}
	return maps
}

// mayWait reports whether the map of a task may be stored together with others.
func (in *run) mayWait(t *task) bool {
	_, ok := in.ws.(manyWriter)
	return ok && in.opts.Shared && in.total > 1 && t.src.Size() <= groupedBytes && isNotable(t.Path)
}

// saveTogether stores maps that waited, and ends their tasks. What others have changed
// meanwhile is stored alone, as [run.saveClaimed] does.
func (in *run) saveTogether(ctx context.Context, maps []*grouped) {
	ids := make(map[string]bool)
	var some, alone []*grouped
	for _, m := range maps {
		if ids[m.v.id] {
			alone = append(alone, m)
			continue
		}
		ids[m.v.id] = true
		some = append(some, m)
	}
	if len(some) > 0 {
		others, err := in.storeTogether(ctx, some)
		if err != nil {
			for _, m := range some {
				in.finish(ctx, m.number, m.task, m.v.failed(err))
			}
		}
		alone = append(alone, others...)
	}
	for _, m := range alone {
		in.finish(ctx, m.number, m.task, in.saveClaimed(ctx, m.task, m.v))
	}
}

// storeTogether stores maps with different ids. It ends the tasks of those that it could
// store, and returns the others, unless there is an error.
func (in *run) storeTogether(ctx context.Context, maps []*grouped) (others []*grouped, err error) {
	sources, ids := make([]string, len(maps)), make([]string, len(maps))
	versions, data := make([]workspace.MapVersion, len(maps)), make([][]byte, len(maps))
	for i, m := range maps {
		sources[i], ids[i] = m.task.Path, m.v.id
		versions[i], data[i] = workspace.MapVersion{ID: m.v.id, Stamp: m.task.replaces}, m.data
	}
	err = in.book.reserveAll(ctx, sources, ids)
	if errors.Is(err, citekit.ErrConflict) {
		return maps, nil
	}
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		in.stamps.forget(id)
	}
	stamps, err := in.ws.(manyWriter).WriteMapsIf(ctx, versions, data)
	if err != nil {
		return nil, err
	}
	for i, m := range maps {
		if stamps[i] == (citekit.Stamp{}) {
			others = append(others, m)
			continue
		}
		m.task.note.ID, m.task.note.Stamp = m.v.id, stamps[i].Identity
		in.finish(ctx, m.number, m.task, saved(m.task, m.v))
	}
	return others, nil
}
