package citekit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
)

// textBudget is how many bytes of texts are mapped at a time. A text is held
// in memory, several times over, while it is mapped.
const textBudget = 32 << 20

// maxCompanionHash is the size in bytes up to which a companion is told by its
// content. No larger one has the words of a recording.
const maxCompanionHash = 64 << 20

// A flight is the mapping of some bytes, which sources with the same bytes
// wait for. Its structure is kept until the first of them has its map.
type flight struct {
	done      chan struct{} // closed when what follows is set
	structure *Structure
	modality  Modality
	err       error
}

// structure sets the structure of a source, from the map of one with the same
// bytes if there is one.
func (in *ingest) structure(ctx context.Context, t *task) bool {
	if len(t.Companions) > 0 || in.opts.Force {
		structure, modality, err := in.mapSource(ctx, t)
		return in.mapped(ctx, t, structure, modality, err)
	}
	key := bytesKey(t.Path, t.note.Hash, t.note.Asked, t.note.Mapper)
	if twin, ok := in.ledger.twin(key); ok && in.isIntact(ctx, twin) {
		t.original = twin
		t.item.Type, t.note.Type = twin.Type, twin.Type
		return true
	}
	in.mu.Lock()
	f, flying := in.flights[key]
	if !flying {
		f = &flight{done: make(chan struct{})}
		in.flights[key] = f
	}
	in.mu.Unlock()
	if flying {
		select {
		case <-f.done:
		case <-ctx.Done():
			return t.fail(ctx.Err())
		}
		if !errors.Is(f.err, ErrStale) {
			t.item.Status = IngestCopied
			return in.mapped(ctx, t, f.structure, f.modality, f.err)
		}
		// The other source changed meanwhile; this one need not have.
		f = &flight{done: make(chan struct{})}
	}
	in.fly(ctx, t, f)
	return in.mapped(ctx, t, f.structure, f.modality, f.err)
}

// fly maps a source for all who wait for its bytes to be mapped.
func (in *ingest) fly(ctx context.Context, t *task, f *flight) {
	defer close(f.done)
	f.structure, f.modality, f.err = in.mapSource(ctx, t)
	if f.err == nil {
		f.err = t.src.CheckUnchanged() // else it may be of other bytes
	}
}

// isIntact reports whether the map that a note tells of is as it was made.
func (in *ingest) isIntact(ctx context.Context, n note) bool {
	stamp, err := in.lib.workspace.StatMap(ctx, n.ID)
	return err == nil && stamp.Identity == n.Stamp
}

// mapped notes what came of mapping a source.
func (in *ingest) mapped(ctx context.Context, t *task, structure *Structure, modality Modality, err error) bool {
	t.item.Type, t.note.Type = modality, modality
	switch {
	case err != nil && ctx.Err() != nil:
		return t.fail(ctx.Err())
	case err != nil && in.isForeign(t, modality, &err):
		t.item.Type = ""
		t.skip(err)
		if changed := t.src.CheckUnchanged(); changed == nil && !t.Named {
			t.note.Skipped = t.item.Err.Error()
			in.ledger.putSkipped(t.Path, t.note)
		}
		return false
	case err != nil:
		return t.fail(err)
	}
	t.structure = structure
	return true
}

// isForeign reports whether a source is of a format that is not read here, so
// that nothing is wrong with the file, and makes the error say which.
func (in *ingest) isForeign(t *task, modality Modality, err *error) bool {
	if in.opts.Type != "" {
		return false
	}
	_, format, failed := classify(t.src)
	if failed != nil || modality != Text {
		return format.Unread && errors.Is(*err, errors.ErrUnsupported)
	}
	if !errors.Is(*err, ErrFormat) {
		return false
	}
	if office := unread(format, t.Path); office != nil {
		*err = office
	}
	return true
}

// mapSource finds the structure of a source.
func (in *ingest) mapSource(ctx context.Context, t *task) (structure *Structure, modality Modality, err error) {
	if modality, _, err = in.classify(ctx, t.src); err != nil {
		return nil, "", err
	}
	structure, err = in.mapAs(ctx, t, modality)
	return structure, modality, err
}

func (in *ingest) mapAs(ctx context.Context, t *task, modality Modality) (structure *Structure, err error) {
	if modality == Text {
		release, err := in.texts.acquire(ctx, t.src.Size())
		if err != nil {
			return nil, err
		}
		defer release()
	}
	request := MapRequest{
		Modality:   modality,
		Companions: in.openers(t.Companions),
		Progress:   func(part float64) { in.progress(t.Path, max(0, min(part, 1)), 0) },
	}
	err = in.lib.limited(ctx, modality, func(ctx context.Context) error {
		structure, err = in.mapper.Map(ctx, t.src, request)
		if err == nil && structure == nil {
			err = errors.New("the mapper returned nothing")
		}
		if err == nil {
			NameNodes(structure.Nodes)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return structure, nil
}

func (in *ingest) openers(found []FoundCompanion) []Companion {
	companions := make([]Companion, len(found))
	for i, c := range found {
		companions[i] = Companion{
			Name: path.Base(c.Path),
			Open: func(ctx context.Context) (*Source, error) { return in.lib.openSource(ctx, c.Path) },
		}
	}
	return companions
}

// digestCompanions returns what changes with the companions or their content,
// or "" if there are none.
func (in *ingest) digestCompanions(ctx context.Context, companions []FoundCompanion) string {
	return in.digestAs(ctx, companions, companions)
}

// digestAs returns the digest that companions have under other names.
func (in *ingest) digestAs(ctx context.Context, companions, names []FoundCompanion) string {
	if len(companions) == 0 {
		return ""
	}
	h := sha256.New()
	for i, c := range companions {
		fmt.Fprintf(h, "%s\x00%s\x00", names[i].Path, in.hashOf(ctx, c))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// hashOf returns the hash of a companion, or what stands for one that cannot
// be read.
func (in *ingest) hashOf(ctx context.Context, c FoundCompanion) string {
	src, err := in.lib.openSource(ctx, c.Path)
	if err != nil {
		return "unreadable"
	}
	defer src.Close()
	if src.Size() > maxCompanionHash {
		return fmt.Sprintf("%d %s", src.Size(), src.Identity())
	}
	hash, err := src.Hash(ctx)
	if err != nil {
		return "unreadable"
	}
	return hash
}
