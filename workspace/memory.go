package workspace

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sqlite"
)

// A Memory is a [citekit.Workspace] in memory, for tests and for programs that
// embed citekit. Make one with [NewMemory]. It has no size limits, and nothing
// is stored beyond its lifetime.
type Memory struct {
	sources fs.FS
	name    string // start of identities, as resolvers may serve several workspaces

	mu       sync.Mutex
	clock    uint64 // counts changes, for stamps and identities
	maps     map[string]memoryMap
	added    map[string]memorySource
	kinds    map[string]map[string]citekit.Note // by kind and name
	evidence map[string]memoryEvidence

	ingesting chan struct{} // capacity 1: held by whoever ingests

	evidenceUse
}

type memoryMap struct {
	data  []byte
	stamp citekit.Stamp
}

type memorySource struct {
	data     []byte
	identity string
}

type memoryEvidence struct {
	stored citekit.StoredEvidence
	data   []byte
}

var (
	_ citekit.Workspace      = (*Memory)(nil)
	_ citekit.MapPather      = (*Memory)(nil)
	_ citekit.EvidenceOpener = (*Memory)(nil)
)

// NewMemory returns an empty workspace. Its sources are the files in sources
// and those added by [Memory.AddSource]. A nil sources means no files. Evidence and
// texts stay in memory until [Memory.DeleteKept] deletes them.
func NewMemory(sources fs.FS) *Memory {
	return &Memory{
		sources:  sources,
		name:     "memory." + rand.Text() + ".",
		maps:     make(map[string]memoryMap),
		added:    make(map[string]memorySource),
		kinds:    make(map[string]map[string]citekit.Note),
		evidence: make(map[string]memoryEvidence),

		ingesting: make(chan struct{}, 1),
	}
}

// AddSource makes data the source with the given path, replacing an earlier
// one. The data must not change afterwards.
func (m *Memory) AddSource(path string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.added[path] = memorySource{data: data, identity: m.tick()}
}

// Evidence returns the content of an evidence file by its path in
// [citekit.StoredEvidence]. The caller must not change the content.
func (m *Memory) Evidence(path string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.evidence {
		if e.stored.Path == path {
			return e.data, nil
		}
	}
	return nil, missing("evidence")
}

func (m *Memory) tick() string {
	m.clock++
	return m.name + strconv.FormatUint(m.clock, 10)
}

// ListMaps implements [citekit.MapStore].
func (m *Memory) ListMaps(ctx context.Context, after string, limit int) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ids := slices.AppendSeq(make([]string, 0, len(m.maps)), maps.Keys(m.maps))
	slices.Sort(ids)
	return page(ids, after, limit), ctx.Err()
}

// StatMap implements [citekit.MapStore].
func (m *Memory) StatMap(ctx context.Context, id string) (citekit.Stamp, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	held, ok := m.maps[id]
	if !ok {
		return citekit.Stamp{}, missing("map")
	}
	return held.stamp, ctx.Err()
}

// ReadMap implements [citekit.MapStore].
func (m *Memory) ReadMap(ctx context.Context, id string, max int64) ([]byte, citekit.Stamp, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	held, ok := m.maps[id]
	if !ok {
		return nil, citekit.Stamp{}, missing("map")
	}
	if int64(len(held.data)) > max {
		return nil, citekit.Stamp{}, fmt.Errorf("map: %d bytes; at most %d: %w", len(held.data), max, citekit.ErrTooLarge)
	}
	return slices.Clone(held.data), held.stamp, ctx.Err()
}

// WriteMap implements [citekit.MapStore].
func (m *Memory) WriteMap(ctx context.Context, id string, data []byte) error {
	_, err := m.writeMap(ctx, id, data, nil)
	return err
}

// WriteMapIf implements [citekit.MapStore].
func (m *Memory) WriteMapIf(ctx context.Context, id string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	return m.writeMap(ctx, id, data, &stamp)
}

func (m *Memory) writeMap(ctx context.Context, id string, data []byte, stamp *citekit.Stamp) (citekit.Stamp, error) {
	if err := errors.Join(ctx.Err(), citekit.CheckResourceID(id)); err != nil {
		return citekit.Stamp{}, fmt.Errorf("store the map: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := m.maps[id].stamp; stamp != nil && now != *stamp {
		return citekit.Stamp{}, fmt.Errorf("store the map: %w", mapConflict(now))
	}
	now := citekit.Stamp{Identity: m.tick()}
	m.maps[id] = memoryMap{data: slices.Clone(data), stamp: now}
	return now, nil
}

// MapPath implements [citekit.MapPather].
func (m *Memory) MapPath(id string) string { return ".resource_maps/" + shownName(id) }

// OpenSource implements [citekit.SourceStore]. It looks for a path given to
// [Memory.AddSource] first, then in the file system, where the cleaned path
// must be valid according to [fs.ValidPath].
func (m *Memory) OpenSource(ctx context.Context, name string) (*citekit.Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	added, ok := m.added[name]
	log := m.added[name+logSuffix]
	m.mu.Unlock()
	if ok {
		if err := m.checkNotSide(name); err != nil {
			return nil, err
		}
	}
	if ok && len(log.data) > 0 {
		return mergedInMemory(ctx, name, added.data, log.data)
	}
	if ok {
		return citekit.NewSource(bytes.NewReader(added.data), citekit.SourceInfo{
			Name: path.Base(name), Size: int64(len(added.data)), Identity: added.identity,
		}), nil
	}
	if err := checkSourcePath(name); err != nil {
		return nil, err
	}
	name = path.Clean(name)
	if !fs.ValidPath(name) {
		return nil, errOutside
	}
	if m.sources == nil {
		return nil, missing("source")
	}
	return m.openFSSource(ctx, name)
}

func (m *Memory) openFSSource(ctx context.Context, name string) (*citekit.Source, error) {
	info, err := fs.Stat(m.sources, name)
	if err != nil {
		return nil, fmt.Errorf("source: %w", withoutPath(err))
	}
	if !info.Mode().IsRegular() {
		return nil, errNotPlain
	}
	if err := m.checkNotSide(name); err != nil {
		return nil, err
	}
	f, err := m.sources.Open(name)
	if err != nil {
		return nil, fmt.Errorf("source: %w", withoutPath(err))
	}
	if file, ok := f.(*os.File); ok {
		log, err := m.openLog(file, name)
		if err != nil {
			f.Close()
			return nil, err
		}
		return newSource(ctx, file, log, name, noHashes{})
	}
	if log, err := fs.ReadFile(m.sources, name+logSuffix); err == nil && len(log) > 0 {
		defer f.Close()
		data, err := io.ReadAll(f)
		if err != nil {
			return nil, fmt.Errorf("source: %w", withoutPath(err))
		}
		return mergedInMemory(ctx, name, data, log)
	}
	if r, ok := f.(io.ReaderAt); ok {
		return m.newFSSource(ctx, readAtCloser{r, f}, name)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("source: %w", withoutPath(err))
	}
	return sourceInMemory(name, data), nil
}

func sourceInMemory(name string, data []byte) *citekit.Source {
	sum := checksum(data)
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{
		Name: path.Base(name), Size: int64(len(data)), Identity: sum, Hash: sum,
	})
}

// openLog opens the write-ahead log of a database in the file system, or returns nil.
func (m *Memory) openLog(f *os.File, name string) (*os.File, error) {
	if !sqlite.IsDatabase(f) {
		return nil, nil
	}
	log, err := m.sources.Open(name + logSuffix)
	if file, ok := log.(*os.File); ok {
		return usedLog(file, err)
	}
	return usedLog(nil, withoutPath(err))
}

// mergedInMemory returns a source with what a database has after the changes in its
// write-ahead log.
func mergedInMemory(ctx context.Context, name string, data, log []byte) (*citekit.Source, error) {
	merged, err := sqlite.Merge(ctx, bytes.NewReader(data), int64(len(data)), bytes.NewReader(log), int64(len(log)))
	if err == nil && merged != nil {
		data = make([]byte, merged.Size())
		_, err = merged.ReadAt(data, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("source: %w", mergeError(err))
	}
	return sourceInMemory(name, data), nil
}

// newFSSource returns the source for an open file of the file system. If the
// times of the file do not show changes, its content is hashed.
func (m *Memory) newFSSource(ctx context.Context, f readAtCloser, name string) (*citekit.Source, error) {
	now := time.Now()
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("source: %w", withoutPath(err))
	}
	identityOf := func(info fs.FileInfo) string { return m.name + identity(info) + "." + name }
	src := citekit.NewSource(f, citekit.SourceInfo{
		Name:     path.Base(name),
		Size:     info.Size(),
		Identity: identityOf(info),
		Stat: func() (string, error) {
			info, err := f.Stat()
			if err != nil {
				return "", withoutPath(err)
			}
			return identityOf(info), nil
		},
	})
	if info.ModTime().Unix() <= 0 || isRacy(info, now) {
		if _, err := src.Hash(ctx); err != nil {
			src.Close()
			return nil, fmt.Errorf("source: %w", withoutPath(err))
		}
	}
	return src, nil
}

// noHashes stores no hashes.
type noHashes struct{}

func (noHashes) knownHash(string, string, int64) string { return "" }
func (noHashes) rememberHash(string, int64, hashRecord) {}

// A readAtCloser is an open file that can be read at any offset.
type readAtCloser struct {
	io.ReaderAt
	fs.File
}

// FindEvidence implements [citekit.EvidenceStore].
func (m *Memory) FindEvidence(ctx context.Context, key string) (*citekit.StoredEvidence, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.evidence[key]
	if !ok {
		return m.counted(nil, missing("evidence"))
	}
	stored := e.stored
	return m.counted(&stored, ctx.Err())
}

// OpenEvidence implements [citekit.EvidenceOpener].
func (m *Memory) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.evidence[key]
	if !ok {
		return nil, nil, missing("evidence")
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	stored := e.stored
	return memoryContent{bytes.NewReader(e.data)}, &stored, nil
}

// A memoryContent is open evidence in memory.
type memoryContent struct{ *bytes.Reader }

func (memoryContent) Close() error { return nil }

// StoreEvidence implements [citekit.EvidenceStore].
func (m *Memory) StoreEvidence(ctx context.Context, key string, meta citekit.EvidenceMeta, body io.Reader) (*citekit.StoredEvidence, error) {
	if err := errors.Join(checkKey(key), checkEvidenceName(meta.Name)); err != nil {
		return nil, fmt.Errorf("store the evidence: %w", err)
	}
	var data bytes.Buffer
	sum, size, err := copyEvidence(ctx, &data, meta.Size, -1, body)
	if err != nil {
		return nil, fmt.Errorf("store the evidence: %w", err)
	}
	meta.Size, meta.Preview = size, slices.Clone(meta.Preview)
	stored := citekit.StoredEvidence{EvidenceMeta: meta, Path: "memory:/" + meta.Name, SHA256: sum}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.evidence[key] = memoryEvidence{stored: stored, data: data.Bytes()}
	return &stored, nil
}

// Close implements [citekit.Workspace]. It does nothing.
func (m *Memory) Close() error { return nil }
