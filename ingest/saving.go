package ingest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

// saveClaimed saves the map of a task. If ingests run at once, others may have taken its
// id since, or may be about to map the same source under another one: its note decides
// on its id, and the map of an id on its source.
func (in *run) saveClaimed(ctx context.Context, t *task, v verdict) verdict {
	if !in.opts.Shared {
		return in.save(ctx, t, v)
	}
	for {
		err := in.book.reserve(ctx, t.Path, v.id)
		if err == nil {
			if saved := in.save(ctx, t, v); !errors.Is(saved.err, citekit.ErrConflict) {
				return saved
			}
		} else if !errors.Is(err, citekit.ErrConflict) {
			return v.failed(err)
		}
		in.stamps.forget("")
		v.id = ""
		if v = in.claim(ctx, t, v); v.isFinal() {
			return v
		}
	}
}

// save makes, checks and stores the map of a task. It returns a verdict with
// the note of the map.
func (in *run) save(ctx context.Context, t *task, v verdict) verdict {
	data, err := in.prepare(ctx, t, v)
	if err == nil {
		err = in.store(ctx, t, v.id, data)
	}
	if err != nil {
		return v.failed(err)
	}
	return saved(t, v)
}

// prepare makes and checks the map of a task, and returns it as it is stored.
func (in *run) prepare(ctx context.Context, t *task, v verdict) ([]byte, error) {
	m, err := in.makeMap(ctx, t, v)
	if err == nil {
		err = in.check(ctx, t, m)
	}
	if err == nil {
		err = t.src.CheckUnchanged()
	}
	if err != nil {
		return nil, err
	}
	return encodeMarked(in.lib, m)
}

// saved returns the verdict of a task whose map is stored, with its note.
func saved(t *task, v verdict) verdict {
	v.nodes, v.method, v.note = int(t.note.Nodes), t.note.Method, &t.note
	return v
}

// makeMap returns the map of a task under the id of the verdict.
func (in *run) makeMap(ctx context.Context, t *task, v verdict) (*citekit.ResourceMap, error) {
	if t.original != nil {
		return copyMap(t.original, v.id, t.Path), nil
	}
	draft := t.draft
	m := (&citekit.ResourceMap{
		ResourceID: v.id,
		Type:       v.modality,
		Title:      draft.Title,
		SourcePath: t.Path,
		Nodes:      draft.Nodes,
		Metadata:   draft.Metadata,
		CreatedAt:  now(),
	}).Clone() // other tasks may make maps of the same draft
	if m.Metadata == nil {
		m.Metadata = make(map[string]any)
	}
	if strings.TrimSpace(m.Title) == "" {
		m.Title = path.Base(t.Path)
	}
	m.Metadata["source_hash"] = t.note.Hash
	m.Metadata["source_size"] = t.src.Size()
	m.Metadata["mapper"] = in.mapperFor(v.modality)
	if draft.Method != "" {
		m.Metadata["method"] = draft.Method
	}
	t.note.Method = draft.Method
	if t.words != nil {
		t.note.Companions = withCompanions(t.companions, t.words.transcriber)
	}
	if t.note.Companions != "" {
		m.Metadata[companionsKey] = t.note.Companions
	}
	return m, in.addTranscript(ctx, t, m)
}

// companionsKey is the key in the metadata of a map for the digest of the companions it
// was made with. Notes have it too, but another user or another settings folder cannot
// believe those.
const companionsKey = "companions"

// copyMap returns a copy of a map for another source with the same bytes.
func copyMap(original *citekit.ResourceMap, id, source string) *citekit.ResourceMap {
	m := moved(original, original.SourcePath, source)
	m.ResourceID, m.CreatedAt = id, now()
	return m
}

// addTranscript records in the map which companion holds the words.
func (in *run) addTranscript(ctx context.Context, t *task, m *citekit.ResourceMap) error {
	if t.draft.Transcript == "" {
		return nil
	}
	if t.words != nil && t.draft.Transcript == t.words.name {
		return t.words.save(ctx, m)
	}
	i := slices.IndexFunc(t.Companions, func(c string) bool { return path.Base(c) == t.draft.Transcript })
	if i < 0 {
		return fmt.Errorf("the mapper names a transcript that is not a companion: %w", citekit.ErrFormat)
	}
	src, err := in.lib.OpenSource(ctx, t.Companions[i])
	if err != nil {
		return err
	}
	defer src.Close()
	hash, err := src.Hash(ctx)
	setTranscript(m, t.Companions[i], hash)
	return err
}

func now() string { return time.Now().UTC().Truncate(time.Second).Format(time.RFC3339) }

// check checks that the map is valid and that every location lies inside the
// source, and records the extent of the source.
func (in *run) check(ctx context.Context, t *task, m *citekit.ResourceMap) error {
	for _, p := range faultsOf(m) {
		return fmt.Errorf("the mapper made an invalid map: %w", p)
	}
	extent, err := newBounds(in.lib, t.src, m).checkAll(ctx, m)
	if err != nil {
		return err
	}
	t.note.Nodes = int64(m.Len())
	noteExtent(m, extent)
	return nil
}

// noteExtent adds the extent of the source to metadata that lack it.
func noteExtent(m *citekit.ResourceMap, e citekit.Extent) {
	if e.Modality != m.Type || m.Extent() != (citekit.Extent{Modality: m.Type}) {
		return
	}
	for key, n := range map[string]int{
		"pages": e.Pages, "lines": e.Lines, "width": e.Width, "height": e.Height,
		"blocks": e.Blocks, "sheets": e.Sheets, "rows": e.Rows, "parts": e.Parts,
		"messages": e.Messages, "tables": e.Tables, "members": e.Members,
	} {
		if n > 0 {
			m.Metadata[key] = n
		}
	}
	if e.Duration > 0 {
		m.Metadata["duration"] = e.Duration
	}
}

// store writes the map with an id, and records which version was written.
func (in *run) store(ctx context.Context, t *task, id string, data []byte) error {
	in.stamps.forget(id)
	stamp, err := in.ws.WriteMapIf(ctx, id, data, t.replaces)
	if errors.Is(err, citekit.ErrConflict) {
		return fmt.Errorf("somebody else wrote the map '%s' just now: %w", message.Clip(id), err)
	}
	if err != nil {
		return err
	}
	t.note.ID, t.note.Stamp = id, stamp.Identity
	return nil
}

// setTranscript records in the metadata of a map the path of a transcript and its hash.
// If sourceHash is "", the metadata then have no hash of it. Other fields of
// the transcript are unchanged.
func setTranscript(m *citekit.ResourceMap, sourcePath, sourceHash string) {
	noted, _ := m.Metadata["transcript"].(map[string]any)
	if noted = maps.Clone(noted); noted == nil {
		noted = make(map[string]any)
	}
	noted["source_path"] = sourcePath
	if delete(noted, "source_hash"); sourceHash != "" {
		noted["source_hash"] = sourceHash
	}
	if m.Metadata == nil {
		m.Metadata = make(map[string]any)
	}
	m.Metadata["transcript"] = noted
}
