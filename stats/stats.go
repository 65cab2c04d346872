// Package stats says what a library holds and how it fares: its resources by
// modality, the room that it takes, the state of its index, how much evidence
// was there already, and which programs are found.
package stats

import (
	"context"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/index"
)

// Options configures a [Collector]. The zero value is ready to use.
type Options struct {
	// Version is that of the program, which Stats repeat.
	Version string

	// Searcher, if it is not nil, has the index whose state is told. It must
	// be over the same Library.
	Searcher *search.Searcher
}

// Stats are what is known of a Library.
type Stats struct {
	Version  string       `json:"version,omitempty"`
	Counts   Counts       `json:"counts"`
	Sizes    Sizes        `json:"sizes"`
	Index    *index.Stats `json:"index,omitempty"` // nil without a Searcher
	Cache    *Cache       `json:"cache,omitempty"` // nil if the workspace does not count
	Programs []Program    `json:"programs"`        // in the order of their names, shared; as of a minute ago or less
	Uptime   float64      `json:"uptime"`          // seconds since the Collector was made

	// Complete is false if the time was over, or what is stored could not be
	// read, before all was counted.
	Complete bool `json:"complete"`
}

// Counts say how many resources there are.
type Counts struct {
	Resources int `json:"resources"` // those below among them

	// Modalities are the resources whose maps can be read. What nothing
	// resolves is "other".
	Modalities map[citekit.Modality]int `json:"modalities"`

	Nodes        int `json:"nodes"`         // of these maps
	Unreadable   int `json:"unreadable"`    // resources whose maps cannot be read
	OutsideRoots int `json:"outside_roots"` // whose sources are outside the roots, or no plain files
	Vanished     int `json:"vanished"`      // whose sources are gone
}

// Sizes are bytes in the workspace. Those of what a workspace cannot list are
// zero.
type Sizes struct {
	Maps     int64 `json:"maps"`     // that can be read
	Evidence int64 `json:"evidence"` // with pictures and links
	Text     int64 `json:"text"`     // the texts of sources
	Index    int64 `json:"index"`    // segments, also those that count no more
}

// A Cache says how often evidence was asked for by this process, and was there
// or had to be made.
type Cache struct {
	Hits    int64    `json:"hits"`
	Misses  int64    `json:"misses"`
	HitRate *float64 `json:"hit_rate"` // from 0 to 1; nil if none was asked for
}

// A Program is one that a resolver runs for some formats.
type Program struct {
	Name    string `json:"name"`
	Found   bool   `json:"found"`
	Version string `json:"version,omitempty"` // as it says itself
}

// A ProgramUser is a [citekit.Resolver] that runs other programs.
type ProgramUser interface {
	// Programs returns the version of each program that is found by its name,
	// or "" if it does not say one, and the names of those that are not.
	Programs(ctx context.Context) (found map[string]string, missing []string)
}

// An evidenceCounter is a workspace that counts how its evidence is used, as
// those of package workspace do.
type evidenceCounter interface {
	// EvidenceUse returns how often evidence was looked for and found, and
	// how often it was not there, since the workspace was opened.
	EvidenceUse() (hits, misses int64)
}

// A Collector collects the Stats of one Library. It is safe for concurrent use.
type Collector struct {
	lib     *citekit.Library
	opts    Options
	started time.Time
	known   knownMaps
	found   knownPrograms
}

// New returns a Collector over a Library. A nil opts means the defaults.
func New(lib *citekit.Library, opts *Options) *Collector {
	c := &Collector{lib: lib, started: time.Now()}
	if opts != nil {
		c.opts = *opts
	}
	return c
}

// Collect counts what there is. Maps are read again only if they changed. If the
// time of the context is over, it returns what it has by then. Other errors are
// those of [citekit.Library.Resources].
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
}
