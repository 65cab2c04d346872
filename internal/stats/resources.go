package stats

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/citekit/citekit"
)

// other counts the resources that have no resolver.
const other citekit.Modality = "other"

// A summary holds the counts of one version of a map.
type summary struct {
	stamp      citekit.Stamp
	bytes      int64
	nodes      int
	modality   citekit.Modality
	sourcePath string
	unreadable bool
}

// knownMaps are the summaries of maps, by id.
type knownMaps struct {
	mu   sync.Mutex
	maps map[string]summary
}

func (k *knownMaps) get(id string, stamp citekit.Stamp) (summary, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	m, ok := k.maps[id]
	return m, ok && m.stamp == stamp
}

func (k *knownMaps) put(id string, m summary) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.maps == nil {
		k.maps = make(map[string]summary)
	}
	k.maps[id] = m
}

// keep drops the maps that are no longer listed.
func (k *knownMaps) keep(listed []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	maps.DeleteFunc(k.maps, func(id string, _ summary) bool {
		_, is := slices.BinarySearch(listed, id)
		return !is
	})
}

func (c *Collector) addResources(ctx context.Context, s *Stats) error {
	s.Counts.Modalities = make(map[citekit.Modality]int)
	ids, err := c.lib.Resources(ctx)
	if err != nil && ctx.Err() == nil {
		return err
	}
	s.Counts.Resources = len(ids)
	modalities := append(c.lib.Modalities(), citekit.Virtual)
	for _, id := range ids {
		m, err := c.summary(ctx, id)
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, fs.ErrNotExist) { // it was just deleted
			s.Counts.Resources--
			continue
		}
		if err != nil || m.unreadable {
			s.Counts.Unreadable++
			continue
		}
		s.Sizes.Maps += m.bytes
		s.Counts.Nodes += m.nodes
		if !slices.Contains(modalities, m.modality) {
			m.modality = other
		}
		s.Counts.Modalities[m.modality]++
		c.countSource(ctx, m, s)
	}
	if ctx.Err() == nil { // otherwise the list may be incomplete
		c.known.keep(ids)
	}
	return nil
}

// summary returns the counts of the present map of a resource.
func (c *Collector) summary(ctx context.Context, id string) (summary, error) {
	stamp, err := c.lib.Workspace().StatMap(ctx, id)
	if err != nil {
		return summary{}, err
	}
	if known, ok := c.known.get(id, stamp); ok {
		return known, nil
	}
	read := summary{stamp: stamp}
	m, _, err := c.lib.ReadMap(ctx, id)
	switch {
	case ctx.Err() != nil || errors.Is(err, fs.ErrNotExist):
		return summary{}, err
	case err != nil:
		read.unreadable = true
	default:
		read.nodes, read.modality, read.sourcePath = m.Len(), m.Address(nil).Location.Modality, m.SourcePath
		data, _, err := c.lib.Workspace().ReadMap(ctx, id, math.MaxInt64) // the Library has already limited the size of the map
		if err != nil {
			return summary{}, err
		}
		read.bytes = int64(len(data))
	}
	c.known.put(id, read)
	return read, nil
}

// countSource adds the size of a source, or counts one that cannot be opened. It hashes
// none.
func (c *Collector) countSource(ctx context.Context, m summary, s *Stats) {
	if m.modality == citekit.Virtual {
		return
	}
	src, err := c.lib.Workspace().OpenSource(ctx, m.sourcePath)
	switch {
	case err == nil:
		s.Sources += src.Size()
		src.Close()
	case errors.Is(err, citekit.ErrForbidden):
		s.Counts.OutsideRoots++
	case errors.Is(err, fs.ErrNotExist):
		s.Counts.Vanished++
	}
}
