package relations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citekit/citekit"
)

var errTooMany = fmt.Errorf("there are too many links; those of some resources were not read: %w", citekit.ErrTooLarge)

// An atlas knows the paths of the sources of all maps, and which maps may refer
// to which.
type atlas struct {
	mu      sync.RWMutex
	known   []mapped            // a deleted map has no id
	byID    map[string]uint32   // indexes of known
	byPath  map[string][]uint32 // by clean path of the source
	goFiles map[string][]uint32 // by folder; files other than tests, sorted by path
	modules map[string]string   // folder to the path of its Go module
	keys    []linkKey           // sorted
	partial bool                // some keys are left out

	checked time.Time // when all maps were last checked
	seed    maphash.Seed
}

// A mapped is the atlas's record of one map.
type mapped struct {
	id     string
	stamp  citekit.Stamp
	path   string // of the source, clean; "" if links cannot lead to it
	linked bool   // its keys are known
}

// A linkKey records that a map has a link whose target hashes to key.
type linkKey struct {
	key  uint64
	from uint32
}

// A check of more than checkedAnew maps, which takes about 10 µs for each, counts for
// checkAge for each; of fewer, each call checks all.
const (
	checkedAnew = 5000
	checkAge    = 100 * time.Microsecond
)

// catchUp brings the atlas up to date, including the keys of links if links is
// set. If ctx ends, the work done so far is kept.
func (g *Graph) catchUp(ctx context.Context, links bool) error {
	release, err := g.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := g.checkMaps(ctx); err != nil || !links {
		return err
	}
	return g.readKeys(ctx)
}

// checkMaps reads the maps that are new or have changed.
func (g *Graph) checkMaps(ctx context.Context) error {
	if n := len(g.byID); n > checkedAnew && time.Since(g.checked) < time.Duration(n)*checkAge {
		return nil
	}
	ids, err := g.lib.Resources(ctx)
	if err != nil {
		return err
	}
	if len(ids) > maxResources {
		return fmt.Errorf("%d maps; at most %d are related: %w", len(ids), maxResources, citekit.ErrTooLarge)
	}
	changed := false
	for some := range slices.Chunk(ids, statTogether) {
		stamps, err := g.stamps(ctx, some)
		if err != nil {
			return err
		}
		var fresh []mapped
		for _, id := range some {
			stamp, there := stamps[id]
			if i, ok := g.byID[id]; there && (!ok || g.known[i].stamp != stamp) {
				fresh = append(fresh, mapped{id: id, stamp: stamp})
			}
		}
		changed = changed || len(fresh) > 0
		if err := g.noteMaps(ctx, fresh); err != nil {
			return err
		}
	}
	if len(ids) < len(g.byID) {
		changed = true
		g.forget(ids)
	}
	if changed {
		g.arrange(ctx)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	g.checked = time.Now()
	return nil
}

const (
	statTogether = 256 // maps that a workspace far away is asked for at once
	readTogether = 8   // maps of it that are read at a time
)

// A manyReader is a workspace far away, of which much is asked for together.
type manyReader interface {
	// StatMaps returns the stamps of those of the ids that are of maps.
	StatMaps(ctx context.Context, ids []string) (map[string]citekit.Stamp, error)
}

// stamps returns the stamps of those of the ids that are of maps.
func (g *Graph) stamps(ctx context.Context, ids []string) (map[string]citekit.Stamp, error) {
	if many, ok := g.lib.Workspace().(manyReader); ok {
		return many.StatMaps(ctx, ids)
	}
	stamps := make(map[string]citekit.Stamp, len(ids))
	for _, id := range ids {
		stamp, err := g.lib.Workspace().StatMap(ctx, id)
		switch {
		case err == nil:
			stamps[id] = stamp
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return stamps, nil
}

// noteMaps records new versions of maps.
func (g *Graph) noteMaps(ctx context.Context, fresh []mapped) error {
	places := make(chan struct{}, 1)
	if _, far := g.lib.Workspace().(manyReader); far {
		places = make(chan struct{}, readTogether)
	}
	var reading sync.WaitGroup
	for i := range fresh {
		places <- struct{}{}
		reading.Go(func() {
			defer func() { <-places }()
			if ctx.Err() != nil {
				return
			}
			if m, _, err := g.lib.ReadMap(ctx, fresh[i].id); err == nil {
				fresh[i].path = cleanPath(m.SourcePath)
			}
		})
	}
	reading.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byID == nil {
		g.byID, g.seed = make(map[string]uint32), maphash.MakeSeed()
	}
	for _, now := range fresh {
		i, ok := g.byID[now.id]
		if !ok {
			i = uint32(len(g.known))
			g.byID[now.id] = i
			g.known = append(g.known, mapped{})
		}
		g.known[i] = now
	}
	return nil
}

// forget drops the maps that were deleted.
func (g *Graph) forget(ids []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	there := make(map[string]bool, len(ids))
	for _, id := range ids {
		there[id] = true
	}
	for id, i := range g.byID {
		if !there[id] {
			g.known[i] = mapped{}
			delete(g.byID, id)
		}
	}
}

// cleanPath returns the path of a source in the form that links lead to:
// relative to the base directory, or absolute if the source is elsewhere.
func cleanPath(p string) string {
	if p == "" || strings.Contains(p, "://") {
		return ""
	}
	return path.Clean(strings.ReplaceAll(p, `\`, "/"))
}

// arrange indexes the paths of all sources.
func (g *Graph) arrange(ctx context.Context) {
	byPath := make(map[string][]uint32, len(g.known))
	goFiles := make(map[string][]uint32)
	modules := make(map[string]string)
	for i, known := range g.known {
		if known.path == "" {
			continue
		}
		byPath[known.path] = append(byPath[known.path], uint32(i))
		if strings.HasSuffix(known.path, ".go") && !strings.HasSuffix(known.path, "_test.go") {
			goFiles[path.Dir(known.path)] = append(goFiles[path.Dir(known.path)], uint32(i))
		}
		if path.Base(known.path) == "go.mod" {
			if module := g.moduleOf(ctx, known.id); module != "" {
				modules[path.Dir(known.path)] = module
			}
		}
	}
	for _, same := range byPath {
		slices.SortFunc(same, func(a, b uint32) int { return strings.Compare(g.known[a].id, g.known[b].id) })
	}
	for _, files := range goFiles {
		slices.SortFunc(files, func(a, b uint32) int { return strings.Compare(g.known[a].path, g.known[b].path) })
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.byPath, g.goFiles, g.modules = byPath, goFiles, modules
}

// moduleOf returns the module path that a go.mod file declares.
func (g *Graph) moduleOf(ctx context.Context, id string) string {
	m, err := g.lib.Map(ctx, id)
	if err != nil {
		return ""
	}
	links, err := g.links(ctx, m)
	if err != nil {
		return ""
	}
	for _, l := range links {
		if l.Kind == anchor {
			return l.Target
		}
	}
	return ""
}

// readKeys reads the links of the maps that are new or have changed.
func (g *Graph) readKeys(ctx context.Context) error {
	var fresh []linkKey
	done := make(map[uint32]bool)
	defer func() { g.addKeys(fresh, done) }()
	for i := range g.known {
		known := g.known[i]
		if known.linked || known.id == "" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		keys := g.keysOf(ctx, uint32(i), known)
		if err := ctx.Err(); err != nil {
			return err
		}
		fresh = append(fresh, keys...)
		done[uint32(i)] = true
	}
	return nil
}

// keysOf returns the keys of the links of a map, each once.
func (g *Graph) keysOf(ctx context.Context, index uint32, known mapped) []linkKey {
	m, err := g.lib.Map(ctx, known.id)
	if err != nil {
		return nil
	}
	var keys []linkKey
	links, err := g.links(ctx, m)
	if err == nil {
		for _, l := range links {
			for _, key := range keysOfLink(l, known.path) {
				keys = append(keys, linkKey{g.hash(key), index})
			}
		}
	}
	if len(links) > 0 || m.Metadata[relationsKey] != nil { // the map may refer to itself
		keys = append(keys, linkKey{g.hash("resource " + known.id), index})
	}
	slices.SortFunc(keys, compareKeys)
	return slices.Compact(keys)
}

func compareKeys(a, b linkKey) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.from, b.from))
}

func (g *Graph) hash(key string) uint64 { return maphash.String(g.seed, key) }

// addKeys replaces the keys of the maps that were read.
func (g *Graph) addKeys(fresh []linkKey, done map[uint32]bool) {
	if len(done) == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	keys := make([]linkKey, 0, len(g.keys)+len(fresh))
	for _, k := range g.keys {
		if !done[k.from] && g.known[k.from].id != "" {
			keys = append(keys, k)
		}
	}
	keys = append(keys, fresh...)
	slices.SortFunc(keys, compareKeys)
	if len(keys) > maxKeys {
		keys, g.partial = slices.Clone(keys[:maxKeys]), true
	}
	g.keys = keys
	for i := range done {
		g.known[i].linked = true
	}
}

// referrers returns the sorted ids of the maps that may refer to a resource,
// and whether these are all.
func (g *Graph) referrers(id string) (ids []string, whole bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	i, ok := g.byID[id]
	if !ok {
		return nil, true
	}
	for _, key := range keysTo(g.known[i], g.modules) {
		hash := g.hash(key)
		at, _ := slices.BinarySearchFunc(g.keys, hash, func(k linkKey, h uint64) int { return cmp.Compare(k.key, h) })
		for ; at < len(g.keys) && g.keys[at].key == hash; at++ {
			if from := g.known[g.keys[at].from].id; from != "" {
				ids = append(ids, from)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), !g.partial
}

// mayLeadTo returns a function that reports whether a link of another resource
// may lead to the resource. It costs far less than following the link.
func (g *Graph) mayLeadTo(id string) func(l Link, source string) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	i, ok := g.byID[id]
	if !ok {
		return func(Link, string) bool { return false }
	}
	keys := keysTo(g.known[i], g.modules)
	return func(l Link, source string) bool {
		return slices.ContainsFunc(keysOfLink(l, source), func(key string) bool { return slices.Contains(keys, key) })
	}
}

// at returns the id of the first map whose source has a path, or "".
func (g *Graph) at(p string) string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if same := g.byPath[p]; len(same) > 0 {
		return g.known[same[0]].id
	}
	return ""
}

// has reports whether there is a map with an id.
func (g *Graph) has(id string) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	_, ok := g.byID[id]
	return ok
}
