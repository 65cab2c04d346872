package index

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"time"

	"github.com/citekit/citekit"
)

// A sharded index is a Local whose resources are spread over several others, its shards.
// Each has a manifest of its own, and merges its segments, so that writers seldom change
// the same one and no segment must be as large. They are searched as one: how rare a word
// is, and how long entries are, is counted over all of them.

// mostShards is the largest number of shards.
const mostShards = 256

// newShards returns the shards of an index. Their names have their number: with another
// number the index is another one.
func newShards(store Store, opts *Options) []*Local {
	n := min(opts.Shards, mostShards)
	if n <= 1 {
		return nil
	}
	shards := make([]*Local, n)
	for i := range shards {
		o := *opts
		o.Name, o.Shards = fmt.Sprintf("%sshard %d of %d", opts.Name, i+1, n), 0
		shards[i] = New(store, &o)
	}
	return shards
}

// shardOf returns the number of the shard of a resource.
func (l *Local) shardOf(id string) int {
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(h.Sum32() % uint32(len(l.shards)))
}

// of returns the index that has a resource: l itself, or its shard.
func (l *Local) of(id string) *Local {
	if l.shards == nil {
		return l
	}
	return l.shards[l.shardOf(id)]
}

// eachShard calls f with all shards, and returns all errors.
func (l *Local) eachShard(f func(*Local) error) error {
	var all error
	for _, s := range l.shards {
		all = errors.Join(all, f(s))
	}
	return all
}

// join is acquire for shards: their snapshots as one.
func (l *Local) join(ctx context.Context, ago time.Duration) (*snapshot, error) {
	parts := make([]*snapshot, len(l.shards))
	err := atOnce(ctx, len(parts), func(ctx context.Context, i int) (err error) {
		parts[i], err = l.shards[i].acquire(ctx, ago)
		return err
	})
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.now != nil && sameParts(l.now.parts, parts) {
			releaseAll(parts)
		} else if !l.closed {
			l.replace(joined(parts))
		}
		if s := l.holding(); s != nil {
			return s, nil
		}
		err = errClosed
	}
	releaseAll(parts)
	return nil, err
}

func sameParts(a, b []*snapshot) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

func releaseAll(all []*snapshot) {
	for _, s := range all {
		if s != nil {
			s.release()
		}
	}
}

// joined returns the snapshots of shards as one. It takes over a user of each, and starts
// with one user.
func joined(parts []*snapshot) *snapshot {
	s := &snapshot{parts: parts}
	s.users.Store(1)
	stamps := make([]string, len(parts))
	for i, p := range parts {
		stamps[i] = p.stamp.Identity
		for _, at := range p.of {
			s.of = append(s.of, len(s.segments)+at)
		}
		s.manifest.segments = append(s.manifest.segments, p.manifest.segments...)
		s.segments, s.dead, s.views = append(s.segments, p.segments...), append(s.dead, p.dead...), append(s.views, p.views...)
		s.stats = s.stats.plus(p.stats)
	}
	s.stamp = joinStamps(stamps)
	s.divide()
	return s
}

func (s Stats) plus(t Stats) Stats {
	return Stats{s.Resources + t.Resources, s.Entries + t.Entries, s.Segments + t.Segments, s.Bytes + t.Bytes, s.Outdated + t.Outdated, s.Lost + t.Lost}
}

// joinStamps returns the stamp of an index whose shards have some stamps.
func joinStamps(all []string) citekit.Stamp {
	if cmp.Or(all...) == "" {
		return citekit.Stamp{}
	}
	data, _ := json.Marshal(all) // texts always encode
	return citekit.Stamp{Identity: string(data)}
}

// splitStamp returns the stamps of n shards.
func splitStamp(stamp citekit.Stamp, n int) []citekit.Stamp {
	var all []string
	_ = json.Unmarshal([]byte(stamp.Identity), &all)
	stamps := make([]citekit.Stamp, n)
	for i := range min(n, len(all)) {
		stamps[i].Identity = all[i]
	}
	return stamps
}

// dropJoined drops a damaged segment from the shard that it is in.
func (l *Local) dropJoined(s *snapshot, view int) {
	for i, p := range s.parts {
		if view < len(p.views) {
			l.shards[i].drop(p, view)
			return
		}
		view -= len(p.views)
	}
}

// putShards is Put for shards. The resources of one shard change at once, those of
// different shards one after the other. If a resource cannot be read, nothing changes.
func (l *Local) putShards(ctx context.Context, resources iter.Seq[Resource]) (err error) {
	puts := make([]*putCall, len(l.shards))
	for r := range resources {
		i := 0
		if r.ID != "" {
			i = l.shardOf(r.ID)
		}
		if puts[i] == nil {
			puts[i] = newPutting(ctx, l.shards[i], len(puts))
		}
		if !puts[i].take(r) {
			break
		}
	}
	records := make([][]segmentRecord, len(puts))
	for i, p := range puts {
		if p != nil {
			var failed error
			records[i], failed = p.finish()
			err = cmp.Or(err, failed)
		}
	}
	for i, p := range puts {
		switch {
		case p == nil:
		case err != nil:
			l.shards[i].discard(ctx, records[i])
		default:
			err = l.shards[i].putRecords(ctx, p.ids, records[i])
		}
	}
	return err
}
