package citekit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// save makes the map of a task, verifies it and stores it.
func (in *ingest) save(ctx context.Context, t *task) {
	m, err := in.makeMap(ctx, t)
	if err == nil {
		err = in.verify(ctx, t, m)
	}
	if err == nil {
		err = t.src.CheckUnchanged()
	}
	if err == nil {
		err = in.store(ctx, t, m)
	}
	if err != nil {
		t.item.ResourceID = ""
		t.fail(err)
		return
	}
	t.item.Nodes = t.note.Nodes
	if t.item.Status == "" {
		t.item.Status = IngestMapped
	}
	in.ledger.put(t.Path, t.note)
}

// land drops the structure of a task that is done. Others with the same bytes
// copy its map; if it has none, one of them is mapped anew.
func (in *ingest) land(t *task) {
	if t.structure == nil || len(t.Companions) > 0 {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.flights, bytesKey(t.Path, t.note.Hash, t.note.Asked, t.note.Mapper))
}

func (in *ingest) makeMap(ctx context.Context, t *task) (*ResourceMap, error) {
	if t.original.ID != "" {
		if m := in.copyMap(ctx, t); m != nil {
			return m, nil
		}
		structure, modality, err := in.mapSource(ctx, t)
		if !in.mapped(ctx, t, structure, modality, err) {
			return nil, t.item.Err
		}
	}
	name, s := path.Base(t.Path), t.structure
	m := &ResourceMap{
		ResourceID: t.item.ResourceID,
		Type:       t.item.Type,
		Title:      s.Title,
		SourcePath: t.Path,
		Nodes:      cloneNodes(s.Nodes),
		Metadata:   make(map[string]any, len(s.Metadata)+5),
		CreatedAt:  now(),
	}
	if strings.TrimSpace(m.Title) == "" {
		m.Title = name
	}
	for key, value := range s.Metadata {
		m.Metadata[key] = value
	}
	m.Metadata["source_hash"] = t.note.Hash
	m.Metadata["source_size"] = t.src.Size()
	m.Metadata["mapper"] = in.name
	if s.Method != "" {
		m.Metadata["method"] = s.Method
	}
	t.item.Method, t.note.Method = s.Method, s.Method
	return m, in.addTranscript(ctx, t, m)
}

// copyMap returns the map of the original for a task, or nil if it has changed
// meanwhile.
func (in *ingest) copyMap(ctx context.Context, t *task) *ResourceMap {
	m, err := in.lib.load(ctx, t.original.ID)
	if err != nil || m.hash != t.original.MapHash || m.SourceHash() != t.note.Hash {
		return nil
	}
	c := m.Clone()
	if c.Title == path.Base(c.SourcePath) {
		c.Title = path.Base(t.Path)
	}
	c.ResourceID, c.SourcePath, c.CreatedAt = t.item.ResourceID, t.Path, now()
	t.item.Status, t.item.Method, t.note.Method = IngestCopied, t.original.Method, t.original.Method
	return c
}

// addTranscript notes in the map which companion holds the words.
func (in *ingest) addTranscript(ctx context.Context, t *task, m *ResourceMap) error {
	if t.structure.Transcript == "" {
		return nil
	}
	i := slices.IndexFunc(t.Companions, func(c FoundCompanion) bool { return path.Base(c.Path) == t.structure.Transcript })
	if i < 0 {
		return fmt.Errorf("the mapper names a transcript that is no companion: %w", ErrFormat)
	}
	src, err := in.lib.openSource(ctx, t.Companions[i].Path)
	if err != nil {
		return err
	}
	defer src.Close()
	hash, err := src.Hash(ctx)
	m.Metadata["transcript"] = map[string]any{"source_path": t.Companions[i].Path, "source_hash": hash}
	return err
}

func now() string { return time.Now().UTC().Truncate(time.Second).Format(time.RFC3339) }

// verify checks that the map is sound and that every location lies inside the
// source, whose extent it notes.
func (in *ingest) verify(ctx context.Context, t *task, m *ResourceMap) error {
	for _, p := range m.Check() {
		if !p.Warning {
			return fmt.Errorf("the mapper made a map that is wrong: %w", p)
		}
	}
	extents, failed := make(map[Modality]Extent), make(map[Modality]error)
	for n := range m.All() {
		if err := in.lib.checkExtent(ctx, t.src, n.Location, extents, failed); err != nil {
			return fmt.Errorf("node '%s': %w", clip(n.ID), err)
		}
		t.note.Nodes++
	}
	if _, measured := extents[m.Type]; !measured && m.Type != Virtual {
		if extent, err := in.lib.measure(ctx, m.Type, t.src); err == nil {
			extents[m.Type] = extent
		}
	}
	m.noteExtent(extents[m.Type])
	return nil
}

// store writes the map, and notes which version of it was written.
func (in *ingest) store(ctx context.Context, t *task, m *ResourceMap) error {
	data, err := in.lib.encode(m)
	if err != nil {
		return err
	}
	if err := in.ledger.begin(ctx, in.finder); err != nil {
		return err
	}
	if err := in.lib.workspace.WriteMap(ctx, m.ResourceID, data); err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	t.note.ID, t.note.MapHash = m.ResourceID, hex.EncodeToString(sum[:])
	stamp, err := in.lib.workspace.StatMap(ctx, m.ResourceID)
	if err == nil {
		t.note.Stamp = stamp.Identity
	}
	return err
}
