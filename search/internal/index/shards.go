package index

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// A sharded index is a Local whose resources are spread over several others, its shards,
// by the hashes of their ids. Each has a manifest of its own, and merges its segments, so
// that writers seldom change the same one and no segment must be as large. They are searched
// as one: how rare a word is, and how long entries are, is counted over all of them.
//
// The manifest of the index says how many there are. The names of the shards have their
// number: other shards, if the number changes, are others.

// mostShards is the largest number of shards.
const mostShards = 256

// spread returns the shards; nil if there are none, or none is known of yet.
func (l *Local) spread() []*Local {
	if shards := l.shards.Load(); shards != nil {
		return *shards
	}
	return nil
}

// newShards returns n shards of an index.
func (l *Local) newShards(n int) []*Local {
	shards := make([]*Local, n)
	for i := range shards {
		o := l.opts
		o.Name, o.Shards = fmt.Sprintf("%sshard %d of %d", l.name, i+1, n), 0
		shards[i] = New(l.store, &o)
	}
	return shards
}

// setShards follows the manifest, which says how many shards there are.
func (l *Local) setShards(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.spread()
	if len(old) == n || l.closed {
		return
	}
	var next *[]*Local
	if n > 0 {
		shards := l.newShards(n)
		next = &shards
	}
	l.shards.Store(next)
	for _, s := range old { // who uses them goes on
		s.mu.Lock()
		s.reset()
		s.mu.Unlock()
	}
	l.retired = append(l.retired, old...)
	l.reset()
}

// reset releases the snapshot. It needs the lock.
func (l *Local) reset() {
	if l.now != nil {
		l.now.release()
	}
	l.now, l.checked = nil, time.Time{}
	l.adopted++
}

// settled returns the shards, once it is known whether there are any.
func (l *Local) settled(ctx context.Context) ([]*Local, error) {
	if shards := l.spread(); shards != nil {
		return shards, nil
	}
	s, err := l.acquire(ctx, forever)
	if err != nil {
		return nil, err
	}
	s.release()
	return l.spread(), nil
}

// toWrite is settled for who adds to the index. If there is no index yet, it is made with
// as many shards as the options say.
func (l *Local) toWrite(ctx context.Context) ([]*Local, error) {
	shards, err := l.settled(ctx)
	if err != nil || shards != nil || l.opts.Shards <= 1 {
		return shards, err
	}
	s, err := l.acquire(ctx, forever)
	if err != nil {
		return nil, err
	}
	isNew := s.parts == nil && s.stamp == citekit.Stamp{}
	s.release()
	if isNew {
		m := manifest{shards: min(l.opts.Shards, mostShards)}
		root, err := m.encode()
		if err == nil {
			_, err = l.store.WriteNoteIf(ctx, manifestKind, l.name, root, citekit.Stamp{})
		}
		if err != nil && !errors.Is(err, citekit.ErrConflict) { // another process has made it
			return nil, fmt.Errorf("search: write the manifest: %w", err)
		}
		if s, err = l.acquire(ctx, 0); err != nil {
			return nil, err
		}
		s.release()
	}
	return l.spread(), nil
}

// Reshard spreads the index over n shards, at most 256; 1 means none. The entries move, so
// that no text is read again; searches find all of them meanwhile. What others put at the
// same time may be lost, as from any index. All processes follow.
func (l *Local) Reshard(ctx context.Context, n int) error {
	if n < 1 || n > mostShards {
		return fmt.Errorf("search: %d shards; an index has 1 to %d: %w", n, mostShards, citekit.ErrSyntax)
	}
	for {
		s, err := l.acquire(ctx, 0)
		if err != nil {
			return err
		}
		if max(len(s.parts), 1) == n {
			s.release()
			return nil
		}
		err = l.reshard(ctx, s, n)
		if damage, ok := errors.AsType[*segment.DamageError](err); ok {
			l.drop(s, damage.View)
			err = citekit.ErrConflict
		}
		s.release()
		if !errors.Is(err, citekit.ErrConflict) {
			return err
		}
	}
}

// reshard writes what a snapshot has to n new shards, and makes them the index unless that
// has changed meanwhile.
func (l *Local) reshard(ctx context.Context, s *snapshot, n int) (err error) {
	before, stamp, err := l.readManifest(ctx, nil)
	if err != nil {
		return err
	}
	var added []segmentRecord // to the index itself
	var shards []*Local
	var spread [][]segmentRecord // by shard
	defer func() {
		if err == nil {
			return
		}
		// The change may have been made despite the error.
		if _, now, failed := l.readManifest(context.WithoutCancel(ctx), nil); failed == nil && now == stamp {
			l.remove(ctx, added)
			for i, records := range spread {
				shards[i].discard(ctx, records) // another may have spread the index too
			}
		}
	}()
	next := manifest{shards: n}
	if n == 1 {
		if added, err = l.divided(ctx, s, 0, 1); err != nil {
			return err
		}
		next = arrange(added)
	} else {
		shards = l.newShards(n)
		defer each(shards, (*Local).Close)
	}
	for i, shard := range shards {
		records, err := l.divided(ctx, s, i, n)
		spread = append(spread, records)
		if err != nil {
			return err
		}
		if err := shard.change(ctx, func(e *edit) error { *e = edit{}; e.add(records); return nil }); err != nil {
			return err
		}
	}
	root, err := next.encode()
	if err != nil {
		return err
	}
	now, err := l.acquire(ctx, 0)
	if err != nil {
		return err
	}
	same := now.stamp == s.stamp
	now.release()
	if !same || before.shards != len(s.parts) {
		return citekit.ErrConflict
	}
	changes, err := l.changes(&next, &before, root, stamp)
	if err != nil {
		return err
	}
	if _, err := l.store.ChangeNotes(ctx, manifestKind, changes); err != nil {
		return fmt.Errorf("search: write the manifest: %w", err)
	}
	former := l.spread()
	l.setShards(next.shards)
	l.lookAgain()
	l.remove(ctx, notIn(before.segments, &next))
	return each(former, func(shard *Local) error { return shard.clear(ctx) })
}

// divided stores segments with what a snapshot has of one of n shards.
func (l *Local) divided(ctx context.Context, s *snapshot, shard, n int) (records []segmentRecord, err error) {
	byLanguages := make(map[string][]int)
	for i, key := range s.languages {
		byLanguages[key] = append(byLanguages[key], i)
	}
	for _, key := range slices.Sorted(maps.Keys(byLanguages)) {
		var views []segment.View
		var at []int
		docs, size := 0, 0
		store := func() error {
			if len(views) == 0 {
				return nil
			}
			r, err := l.mergeViews(ctx, views)
			if errors.Is(err, segment.ErrDamaged) {
				return l.findDamage(ctx, s, at, err)
			}
			if err == nil {
				records = append(records, r)
			}
			views, at, docs, size = nil, nil, 0, 0
			return err
		}
		for _, i := range byLanguages[key] {
			data, dead := s.views[i].Segment, slices.Clone(s.dead[s.of[i]])
			for j := range data.Resources() {
				if r, _ := data.Resource(j); shardOf(r.ID, n) != shard {
					dead = append(dead, j)
				}
			}
			slices.Sort(dead)
			v := segment.NewView(data, slices.Compact(dead))
			if v.Resources() == 0 {
				continue
			}
			part := int(float64(data.Size()) * float64(v.Docs()) / float64(max(data.Docs(), 1)))
			if docs+v.Docs() > maxMerged || size+part > maxMergedLen {
				if err := store(); err != nil {
					return records, err
				}
			}
			views, at, docs, size = append(views, v), append(at, i), docs+v.Docs(), size+part
		}
		if err := store(); err != nil {
			return records, err
		}
	}
	return records, nil
}

// clear deletes all that the index has.
func (l *Local) clear(ctx context.Context) error {
	err := l.change(ctx, func(e *edit) error { *e = edit{}; return nil })
	if err != nil {
		return err
	}
	s, err := l.acquire(ctx, 0)
	if err != nil {
		return err
	}
	defer s.release()
	if err := l.store.DeleteNoteIf(ctx, manifestKind, l.name, s.stamp); !errors.Is(err, citekit.ErrConflict) {
		return err
	}
	return nil // somebody who does not know yet has put something there
}

// errResharded reports that the index was spread over other shards since the change began.
var errResharded = fmt.Errorf("search: the index was spread over other shards meanwhile; put it again: %w", citekit.ErrConflict)

// shardOf returns the number of the shard, of n, that has a resource.
func shardOf(id string, n int) int {
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(h.Sum32() % uint32(n))
}

// having returns the snapshot that has a resource: s itself, or that of a shard.
func (s *snapshot) having(id string) *snapshot {
	if s.parts == nil {
		return s
	}
	return s.parts[shardOf(id, len(s.parts))]
}

// each calls f with all shards, and returns all errors.
func each(shards []*Local, f func(*Local) error) error {
	var all error
	for _, s := range shards {
		all = errors.Join(all, f(s))
	}
	return all
}

// join returns the snapshots of shards as one, or nil if the index was spread over others
// meanwhile.
func (l *Local) join(ctx context.Context, shards []*Local, ago time.Duration) (*snapshot, error) {
	parts := make([]*snapshot, len(shards))
	err := atOnce(ctx, len(parts), func(ctx context.Context, i int) (err error) {
		parts[i], err = shards[i].acquire(ctx, ago)
		return err
	})
	if err != nil {
		releaseAll(parts)
		return nil, err
	}
	next := joined(parts)
	defer next.release()
	if s := l.joinedSince(time.Time{}, shards); s != nil { // they are as before
		return s, nil
	}
	// Former shards are emptied after the manifest names others.
	own, now, err := l.settle(ctx, time.Now(), true)
	if own != nil || err != nil {
		return own, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || !slices.Equal(now, shards) || !slices.Equal(l.spread(), shards) {
		return nil, nil
	}
	next.users.Add(1)
	l.replace(next)
	return l.holding(), nil
}

// joinedSince returns the present snapshot if the shards were looked at since a moment, and
// have not changed; else nil.
func (l *Local) joinedSince(since time.Time, shards []*Local) *snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil || len(l.now.parts) != len(shards) || l.closed {
		return nil
	}
	for i, s := range shards {
		s.mu.Lock()
		same := s.now == l.now.parts[i] && !s.checked.Before(since)
		s.mu.Unlock()
		if !same {
			return nil
		}
	}
	return l.holding()
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
	shards := l.spread()
	for i, p := range s.parts[:min(len(s.parts), len(shards))] {
		if view < len(p.views) {
			shards[i].drop(p, view) // does nothing if p is of another
			return
		}
		view -= len(p.views)
	}
}

// putShards is Put for shards. The resources of one shard change at once, those of
// different shards one after the other. If a resource cannot be read, nothing changes.
func putShards(ctx context.Context, shards []*Local, resources iter.Seq[Resource]) (err error) {
	puts := make([]*putCall, len(shards))
	for r := range resources {
		i := 0
		if r.ID != "" {
			i = shardOf(r.ID, len(shards))
		}
		if puts[i] == nil {
			puts[i] = newPutting(ctx, shards[i], len(puts))
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
			shards[i].discard(ctx, records[i])
		default:
			if err = shards[i].putRecords(ctx, p.ids, records[i]); err != nil {
				shards[i].discard(ctx, records[i])
			}
		}
	}
	return err
}

// putDivided is putRecords for segments of an index that was spread over shards since they
// were begun.
func (l *Local) putDivided(ctx context.Context, ids map[string]bool, records []segmentRecord) error {
	s, err := l.loadSnapshot(ctx, manifest{segments: records}, citekit.Stamp{}, nil, func() {})
	if err != nil {
		return err
	}
	defer s.release()
	shards := l.spread()
	if s.stats.Lost > 0 || shards == nil {
		return errResharded
	}
	own := make([]map[string]bool, len(shards))
	for id := range ids {
		i := shardOf(id, len(shards))
		if own[i] == nil {
			own[i] = make(map[string]bool)
		}
		own[i][id] = true
	}
	for i, ids := range own {
		if ids == nil {
			continue
		}
		parts, err := l.divided(ctx, s, i, len(shards))
		if err == nil {
			err = shards[i].putRecords(ctx, ids, parts)
		}
		if err != nil {
			shards[i].discard(ctx, parts)
			return err
		}
	}
	return nil
}
