package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/localfile"
)

// A State reports whether the source of a map is unchanged since it was mapped.
type State string

// The states of resources.
const (
	StateOK         State = "ok"         // the source is the version that was mapped, or the map has no source
	StateStale      State = "stale"      // the source has changed since it was mapped
	StateVanished   State = "vanished"   // there is no file at the path of the source
	StateUnreadable State = "unreadable" // the map or the source cannot be read, or no resolver handles a type that is not built in; Err gives the reason
)

// A ResourceState is the state of one resource.
type ResourceState struct {
	ResourceID string

	// These come from the map, if it can be read. Extent is the size of the
	// source when it was mapped.
	Type   citekit.Modality
	Title  string
	Nodes  int
	Extent citekit.Extent

	State State
	Err   error // why the state is not [StateOK]
}

// States returns the states of the resources with the given ids, in their
// order. It is cheap: it hashes a source only if the source looks changed since
// it was mapped and its hash is not recorded. A map without a hash of its
// source is not checked against it. The error is ctx.Err() once ctx is done.
func States(ctx context.Context, lib *citekit.Library, ids []string) ([]ResourceState, error) {
	notes := notesByID(ctx, lib)
	states := make([]ResourceState, 0, len(ids))
	for _, id := range ids {
		state := stateOf(ctx, lib, id, notes[id])
		if ctx.Err() != nil {
			return states, ctx.Err()
		}
		states = append(states, state)
	}
	return states, nil
}

// StateOf returns the state of the source of one map, and why it is not [StateOK].
// It is as cheap as [States].
func StateOf(ctx context.Context, lib *citekit.Library, m *citekit.ResourceMap) (State, error) {
	var known ledger.Note
	if data, _, err := lib.Workspace().ReadNote(ctx, ledger.Kind, m.SourcePath); err == nil {
		if n, ok := ledger.Parse(data); ok && n.ID == m.ResourceID {
			known = n
		}
	}
	return checkedState(ctx, lib, m, known)
}

// OutsideRoots reports whether the source of a map is outside the roots of the
// workspace, and nobody allowed it, so that no ingest maps it.
func OutsideRoots(ctx context.Context, lib *citekit.Library, m *citekit.ResourceMap) bool {
	if m.SourcePath == "" || m.Type == citekit.Virtual {
		return false
	}
	src, err := lib.Workspace().OpenSource(ctx, m.SourcePath)
	if err == nil {
		src.Close()
	}
	return IsOutside(err)
}

// IsOutside reports whether a source was not opened because it is outside the roots.
func IsOutside(err error) bool {
	var refused interface{ Outside() bool }
	return errors.As(err, &refused) && refused.Outside()
}

// LeftOut says why resources were left out, as of a search.
type LeftOut struct {
	Changed []string // ids of those to map again, as far as that helps
	Damaged []string // paths of sources that are as they were mapped, but cannot be read
	Gone    []string // paths of sources that there are no more
}

// WhyLeftOut finds out why resources were left out.
func WhyLeftOut(ctx context.Context, lib *citekit.Library, ids []string) (why LeftOut) {
	for _, id := range ids {
		m, err := lib.Map(ctx, id)
		if err == nil && m.SourcePath != "" && !OutsideRoots(ctx, lib, m) {
			switch state, _ := StateOf(ctx, lib, m); state {
			case StateOK: // to map it again would change nothing
				why.Damaged = append(why.Damaged, m.SourcePath)
				continue
			case StateVanished: // there is nothing to map
				why.Gone = append(why.Gone, m.SourcePath)
				continue
			}
		}
		why.Changed = append(why.Changed, id)
	}
	return why
}

// notesByID returns the notes of sources, by the id of the map. Sources without
// notes are hashed.
func notesByID(ctx context.Context, lib *citekit.Library) map[string]ledger.Note {
	known := make(map[string]ledger.Note)
	for stored, err := range lib.Workspace().Notes(ctx, ledger.Kind) {
		if err != nil {
			return nil
		}
		if n, ok := ledger.Parse(stored.Data); ok && n.ID != "" && n.Identity != "" {
			known[n.ID] = n
		}
	}
	return known
}

func stateOf(ctx context.Context, lib *citekit.Library, id string, known ledger.Note) ResourceState {
	m, err := lib.Map(ctx, id)
	if err != nil {
		return ResourceState{ResourceID: id, State: StateUnreadable, Err: cause(err)}
	}
	state, err := checkedState(ctx, lib, m, known)
	return ResourceState{ResourceID: id, Type: m.Type, Title: m.Title, Nodes: m.Len(), Extent: m.Extent(), State: state, Err: err}
}

// cause returns the underlying error without the operation and the address.
func cause(err error) error {
	var resolve *citekit.ResolveError
	if errors.As(err, &resolve) {
		return resolve.Err
	}
	return err
}

// checkedState returns the state of the source of a map, which is unreadable too if
// no resolver handles its type.
func checkedState(ctx context.Context, lib *citekit.Library, m *citekit.ResourceMap, known ledger.Note) (State, error) {
	state, err := sourceState(ctx, lib, m, known)
	if state == StateOK {
		if err = checkType(lib, m); err != nil {
			state = StateUnreadable
		}
	}
	return state, err
}

// sourceState returns the state of the source of a map.
func sourceState(ctx context.Context, lib *citekit.Library, m *citekit.ResourceMap, known ledger.Note) (State, error) {
	if m.SourcePath == "" || m.Type == citekit.Virtual {
		return StateOK, nil
	}
	src, err := lib.Workspace().OpenSource(ctx, m.SourcePath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return StateVanished, localfile.WithoutPath(err)
	case err != nil:
		return StateUnreadable, localfile.WithoutPath(err)
	}
	defer src.Close()
	if known.Identity != "" && known.Identity == src.Identity() && known.Hash == m.SourceHash() {
		return StateOK, nil
	}
	err = lib.CheckFresh(ctx, m, src)
	switch {
	case errors.Is(err, citekit.ErrStale):
		return StateStale, err
	case err != nil:
		return StateUnreadable, fmt.Errorf("its source: %w", localfile.WithoutPath(err))
	}
	return StateOK, nil
}

// checkType returns an error if the type of a map is not built in and has no
// resolver. A map without a type is judged by its nodes.
func checkType(lib *citekit.Library, m *citekit.ResourceMap) error {
	known := func(modality citekit.Modality) bool {
		return modality.BuiltIn() || lib.Resolvers()[modality] != nil
	}
	switch {
	case known(m.Type):
		return nil
	case m.Type != "":
		_, err := lib.Resolver(m.Type)
		return cmp.Or(m.Type.Validate(), err)
	}
	for n := range m.All() {
		if known(n.Location.Modality) {
			return nil
		}
	}
	return syntaxError("neither its map nor its nodes have a type")
}
