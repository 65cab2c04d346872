package access

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	usesEvery   = time.Minute     // between two writes
	usesSoonest = time.Second     // after the first use to write
	usesWait    = 5 * time.Second // for the lock, and for another write
)

// keyUses are the times when the keys of a file were last used. They are kept in
// memory, and written to a second file from time to time. Recording a use never
// waits and never fails.
type keyUses struct {
	file    *KeyFile
	pending atomic.Bool // a use was recorded, and a write will follow

	mu      sync.Mutex
	at      map[string]*atomic.Int64 // by id, in seconds since 1970; 0 means never
	timer   *time.Timer
	written time.Time
	closed  bool
	told    bool // a failed write was logged

	writing sync.Mutex
}

func newUses(f *KeyFile) *keyUses { return &keyUses{file: f, at: make(map[string]*atomic.Int64)} }

// of returns where to record the uses of keys, and forgets all other keys.
func (u *keyUses) of(records []keyRecord) []*atomic.Int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	at, all := make(map[string]*atomic.Int64, len(records)), make([]*atomic.Int64, len(records))
	for i, r := range records {
		if all[i] = u.at[r.ID]; all[i] == nil {
			all[i] = new(atomic.Int64)
		}
		at[r.ID] = all[i]
	}
	u.at = at
	return all
}

// note records that a key is used now.
func (u *keyUses) note(used *atomic.Int64) {
	used.Store(u.file.now().Unix())
	if u.pending.CompareAndSwap(false, true) {
		u.schedule()
	}
}

func (u *keyUses) schedule() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return
	}
	wait := usesSoonest
	if !u.written.IsZero() {
		wait = max(wait, usesEvery-time.Since(u.written))
	}
	u.timer = time.AfterFunc(wait, u.write)
}

// write writes the uses to the file. It logs only the first of several failures
// in a row; the next write repeats the failed one.
func (u *keyUses) write() {
	u.writing.Lock()
	defer u.writing.Unlock()
	u.pending.Store(false)
	ctx, cancel := context.WithTimeout(context.Background(), usesWait)
	defer cancel()
	err := u.file.locked(ctx, false, func(info fs.FileInfo) error {
		data, err := json.Marshal(u.merged())
		if err != nil {
			return err
		}
		return replacePrivate(u.path(), data, info)
	})
	u.mu.Lock()
	defer u.mu.Unlock()
	u.written = time.Now()
	if err != nil && !u.told {
		u.file.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "the times when keys were last used are not saved", slog.String("error", err.Error()))
	}
	u.told = err != nil
}

// close writes the recorded uses.
func (u *keyUses) close() error {
	u.mu.Lock()
	u.closed = true
	if u.timer != nil {
		u.timer.Stop()
	}
	u.mu.Unlock()
	if u.pending.Load() {
		u.write()
	}
	u.writing.Lock() // waits for a running write
	defer u.writing.Unlock()
	return nil
}

func (u *keyUses) path() string { return u.file.path + ".used" }

// usesFile is the content of the file of uses.
type usesFile struct {
	Version int                  `json:"version"`
	Used    map[string]time.Time `json:"used"` // by id
}

// merged returns, for the current keys, the later of the recorded use and the use
// in the file.
func (u *keyUses) merged() usesFile {
	merged := usesFile{Version: 1, Used: make(map[string]time.Time)}
	kept := u.read()
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, used := range u.at {
		last := kept[id]
		if at := used.Load(); at != 0 && time.Unix(at, 0).After(last) {
			last = time.Unix(at, 0)
		}
		if !last.IsZero() {
			merged.Used[id] = last.UTC()
		}
	}
	return merged
}

// read returns the uses in the file. An unreadable file counts as empty: the uses
// are only shown to people, and the next write replaces the file.
func (u *keyUses) read() map[string]time.Time {
	data, _, err := readPrivate(u.path(), maxFile)
	if err != nil {
		return nil
	}
	return parseUses(data)
}

func parseUses(data []byte) map[string]time.Time {
	var kept usesFile
	if err := json.Unmarshal(data, &kept); err != nil || kept.Version != 1 {
		return nil
	}
	used := make(map[string]time.Time)
	for id, at := range kept.Used {
		if at = at.UTC().Truncate(time.Second); isID(id) && at.Year() >= 1970 && at.Year() <= 9999 && len(used) < maxKeys {
			used[id] = at
		}
	}
	return used
}
