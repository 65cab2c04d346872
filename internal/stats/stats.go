// Package stats reports the state of a library: its resources, listed and by modality,
// the space it takes, the state of its index, how often evidence was already
// stored, and which programs are found.
package stats

import (
	"context"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search"
)

// Options configures a [Collector]. The zero value is ready to use.
type Options struct {
	// Version is the version of the program. It is copied to Stats.
	Version string

	// Searcher, if not nil, provides the index to report on. It must be over
	// the same Library.
	Searcher *search.Searcher
}

// Stats are statistics of a Library.
type Stats struct {
	Version  string        `json:"version,omitempty"`   // of the program; "" if it was not given
	Counts   Counts        `json:"counts"`              // of resources
	Sizes    Sizes         `json:"sizes"`               // of stored data
	Sources  int64         `json:"-"`                   // bytes of the sources, as far as they can be opened
	Index    *search.Stats `json:"index,omitempty"`     // nil without a Searcher
	SetAside []string      `json:"set_aside,omitempty"` // ids of the first resources of which the index has only the beginning, at most [search.MaxLeftOut]
	Cut      []string      `json:"cut,omitempty"`       // the same of those whose text is too large: its beginning is in the index
	Unread   []string      `json:"unread,omitempty"`    // the same of those of whose text some cannot be read
	Cache    *Cache        `json:"cache,omitempty"`     // nil if the workspace does not count its use
	Programs []Program     `json:"programs"`            // sorted by name; shared; at most a minute old
	Uptime   float64       `json:"uptime"`              // seconds since the Collector was made

	// Complete is false if time ran out, or stored data could not be read,
	// before everything was counted.
	Complete bool `json:"complete"`
}

// Counts are numbers of resources.
type Counts struct {
	Resources int `json:"resources"` // including the ones below

	// Modalities counts the resources whose maps can be read. Resources without
	// a resolver are counted as "other".
	Modalities map[citekit.Modality]int `json:"modalities"`

	Nodes        int `json:"nodes"`         // of these maps
	Unreadable   int `json:"unreadable"`    // resources whose maps cannot be read
	OutsideRoots int `json:"outside_roots"` // resources whose sources are outside the roots, or not regular files
	Vanished     int `json:"vanished"`      // resources whose sources are gone
}

// Sizes are sizes in the workspace, in bytes. A size is zero if the workspace
// cannot list the data.
type Sizes struct {
	Maps     int64 `json:"maps"`     // maps that can be read
	Evidence int64 `json:"evidence"` // including pictures and links
	Text     int64 `json:"text"`     // the texts of sources
	Index    int64 `json:"index"`    // segments, including outdated ones
}

// A Cache counts how often this process requested evidence that was already
// stored, and evidence that had to be made.
type Cache struct {
	Hits    int64    `json:"hits"`     // requests for stored evidence
	Misses  int64    `json:"misses"`   // requests for evidence that had to be made
	HitRate *float64 `json:"hit_rate"` // from 0 to 1; nil before the first request
}

// A Program is a program that a resolver runs for some formats.
type Program struct {
	Name    string `json:"name"`              // such as "ffmpeg"
	Found   bool   `json:"found"`             // whether it was found
	Version string `json:"version,omitempty"` // as the program reports it
}

// A ProgramUser is a [citekit.Resolver] that runs other programs.
type ProgramUser interface {
	// Programs returns the version of each program that was found, by its name,
	// or "" if the program does not report one, and the names of missing
	// programs.
	Programs(ctx context.Context) (found map[string]string, missing []string)
}

// An evidenceCounter is a workspace that counts how its evidence is used, as
// the workspaces of package workspace do.
type evidenceCounter interface {
	// EvidenceUse returns how often evidence was looked up and found, and how
	// often it was missing, since the workspace was opened.
	EvidenceUse() (hits, misses int64)
}

// A Collector collects the Stats of one Library, and lists its resources. It is safe for
// concurrent use.
type Collector struct {
	lib     *citekit.Library
	opts    Options
	started time.Time
	known   knownMaps
	found   knownPrograms
	catalog *catalog
	items   itemCache
}

// New returns a Collector over a Library. A nil opts means the defaults.
func New(lib *citekit.Library, opts *Options) *Collector {
	c := &Collector{lib: lib, started: time.Now(), catalog: newCatalog()}
	if opts != nil {
		c.opts = *opts
	}
	return c
}

// Collect counts the resources and the stored data. It reads only changed maps
// again. If the time of the context runs out, it returns the counts so far.
// Other errors are those of [citekit.Library.Resources].
func (c *Collector) Collect(ctx context.Context) (*Stats, error) {
	s := &Stats{Version: c.opts.Version, Cache: c.cache(), Complete: true}
	s.Programs = c.programs(ctx)
	c.addIndex(ctx, s)
	if err := c.addResources(ctx, s); err != nil {
		return nil, err
	}
	c.addSizes(ctx, s)
	s.Complete = s.Complete && ctx.Err() == nil
	s.Uptime = float64(time.Since(c.started).Milliseconds()) / 1000
	return s, nil
}

func (c *Collector) cache() *Cache {
	counter, ok := c.lib.Workspace().(evidenceCounter)
	if !ok {
		return nil
	}
	var cache Cache
	cache.Hits, cache.Misses = counter.EvidenceUse()
	if all := cache.Hits + cache.Misses; all > 0 {
		rate := float64(cache.Hits) / float64(all)
		cache.HitRate = &rate
	}
	return &cache
}

func (c *Collector) addIndex(ctx context.Context, s *Stats) {
	if c.opts.Searcher == nil {
		return
	}
	held, err := c.opts.Searcher.Stats(ctx)
	if err != nil {
		s.Complete = false
		return
	}
	s.Index = &held
	aside, err := c.opts.Searcher.SetAside(ctx)
	if err != nil {
		s.Complete = false
		return
	}
	first := func(ids []string) []string { return ids[:min(len(ids), search.MaxLeftOut)] }
	s.SetAside, s.Cut, s.Unread = first(aside.Begun), first(aside.Cut), first(aside.Unread)
}
