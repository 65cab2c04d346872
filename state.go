package citekit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// A State says whether the source of a map is still what was mapped.
type State string

// The states of resources.
const (
	StateOK         State = "ok"         // nothing is wrong, or the map has no source
	StateStale      State = "stale"      // the source has changed since it was mapped
	StateVanished   State = "vanished"   // there is no file at the path of the source
	StateUnreadable State = "unreadable" // the map or the source cannot be read, or nothing resolves a type that is not built in; Err says why
)

// A ResourceState is how things are with one resource.
type ResourceState struct {
	Summary // only the id, if the map cannot be read
	State   State
	Err     error // why it is not [StateOK]
}

// States returns how things are with the resources of the given ids, in their
// order. It is cheap: a source is hashed only if it looks changed since it was
// mapped and nothing remembers its hash. A map without a hash of its source is
// held to nothing. The error is ctx.Err() once ctx is done.
func (l *Library) States(ctx context.Context, ids []string) ([]ResourceState, error) {
	notes := l.notesByID(ctx)
	states := make([]ResourceState, 0, len(ids))
	for _, id := range ids {
		state := l.state(ctx, id, notes[id])
		if ctx.Err() != nil {
			return states, ctx.Err()
		}
		states = append(states, state)
	}
	return states, nil
}

// A knownSource is what the notes of ingest say of the source of a map.
type knownSource struct{ identity, hash string }

// notesByID returns what ingest noted, by the id of the map. Without notes
// sources are hashed.
func (l *Library) notesByID(ctx context.Context) map[string]knownSource {
	finder, ok := l.workspace.(Finder)
	if !ok {
		return nil
	}
	file, err := readLedgerFile(ctx, finder)
	if err != nil {
		return nil
	}
	known := make(map[string]knownSource, len(file.Sources))
	for _, n := range file.Sources {
		if n.ID != "" && n.Identity != "" {
			known[n.ID] = knownSource{n.Identity, n.Hash}
		}
	}
	return known
}

func (l *Library) state(ctx context.Context, id string, known knownSource) ResourceState {
	m, err := l.load(ctx, id)
	if err != nil {
		return ResourceState{Summary: Summary{ResourceID: id}, State: StateUnreadable, Err: err}
	}
	state, err := l.sourceState(ctx, m, known)
	if state == StateOK {
		if err = l.checkType(m); err != nil {
			state = StateUnreadable
		}
	}
	return ResourceState{Summary: m.summary(), State: state, Err: err}
}

// sourceState returns how things are with the source of a map.
func (l *Library) sourceState(ctx context.Context, m *indexedMap, known knownSource) (State, error) {
	if m.SourcePath == "" || m.Type == Virtual {
		return StateOK, nil
	}
	src, err := l.workspace.OpenSource(ctx, m.SourcePath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return StateVanished, hidePath(err)
	case err != nil:
		return StateUnreadable, hidePath(err)
	}
	defer src.Close()
	if known.identity != "" && known.identity == src.Identity() && known.hash == m.SourceHash() {
		return StateOK, nil
	}
	why, err := l.freshness(ctx, m.ResourceMap, "", src)
	switch {
	case err != nil:
		return StateUnreadable, fmt.Errorf("its source: %w", hidePath(err))
	case why != nil:
		return StateStale, why
	}
	return StateOK, nil
}

// checkType returns an error if the type of a map is a word that is not built
// in and has no resolver. A map without a type is as good as its nodes.
func (l *Library) checkType(m *indexedMap) error {
	known := func(modality Modality) bool { return modality.builtIn() || l.resolvers[modality] != nil }
	switch {
	case known(m.Type):
		return nil
	case m.Type != "":
		_, err := l.resolver(m.Type)
		return cmp.Or(m.Type.check(), err)
	}
	for n := range m.All() {
		if known(n.Location.Modality) {
			return nil
		}
	}
	return syntaxError("its map has no type, nor have its nodes")
}
