package cloud

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// noticePoll is how long others may have to wait for a change of which no notice came.
const noticePoll = time.Second

// noticeGap is the least time between two notices of a process, as each wakes all other
// processes. One notice tells of all changes since the one before.
const noticeGap = 50 * time.Millisecond

// channelOf returns the channel that changes of the schema are told on.
func (w *Workspace) channel() string { return "citekit " + w.schema }

// notices tells other processes that something has changed, and hears it from them. A
// notice that was lost does no harm: who waits looks again after a while.
type notices struct {
	w *Workspace

	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
	pending chan struct{} // capacity 1: something is to be told
	told    sync.Once     // starts the teller
	heard   sync.Once     // starts the listener

	mu      sync.Mutex
	changed chan struct{} // closed at the next notice
}

func (n *notices) init(w *Workspace) {
	n.w, n.pending, n.changed = w, make(chan struct{}, 1), make(chan struct{})
	n.ctx, n.cancel = context.WithCancel(context.Background())
}

func (n *notices) close() {
	n.cancel()
	n.running.Wait()
}

// send tells others that something has changed. It does not wait; several changes may
// be told as one. The database lets one transaction at a time tell something, so that
// those of changes do not.
func (n *notices) send() {
	n.told.Do(func() { n.running.Go(n.tell) })
	select {
	case n.pending <- struct{}{}:
	default:
	}
}

func (n *notices) tell() {
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-n.pending:
		}
		_, _ = n.w.exec(n.ctx, repeating, `SELECT pg_notify($1, '')`, n.w.channel())
		select {
		case <-n.ctx.Done():
			return
		case <-time.After(noticeGap):
		}
	}
}

// next returns a channel that is closed at the next notice.
func (n *notices) next() <-chan struct{} {
	n.heard.Do(func() { n.running.Go(n.listen) })
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed
}

func (n *notices) wake() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.changed)
	n.changed = make(chan struct{})
}

// listen hears notices on a connection of its own, which it opens again if it breaks.
func (n *notices) listen() {
	for n.ctx.Err() == nil {
		_ = n.hear()
		n.wake() // something may have been missed
		select {
		case <-n.ctx.Done():
		case <-time.After(noticePoll):
		}
	}
}

func (n *notices) hear() error {
	conn, err := pgx.ConnectConfig(n.ctx, n.w.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(n.ctx))
	if _, err := conn.Exec(n.ctx, `LISTEN `+pgx.Identifier{n.w.channel()}.Sanitize()); err != nil {
		return err
	}
	for n.ctx.Err() == nil {
		n.wake()
		waiting, cancel := context.WithTimeout(n.ctx, noticePoll)
		_, err := conn.WaitForNotification(waiting)
		cancel()
		if err != nil && !pgconn.Timeout(err) {
			return err
		}
	}
	return n.ctx.Err()
}

// Changed returns a channel that is closed once this process or another may have
// changed a map or a note, at the latest after about a second. Who asks for it before
// reading what is stored, and reads again when it is closed, misses nothing.
func (w *Workspace) Changed() <-chan struct{} { return w.notices.next() }

type changeRow struct {
	ID      []byte
	Version int64 // zero if the map was deleted
	XID     uint64
	Horizon uint64
}

// changedMaps returns the rows of maps that transactions from a number on wrote or
// deleted, and from which on the next call is to ask.
func (w *Workspace) changedMaps(ctx context.Context, since uint64) ([]changeRow, uint64, error) {
	// The horizon is of the same moment as the rows: what transactions below it did is
	// there. The first row has it alone.
	rows, err := all(ctx, w, pgx.RowToStructByPos[changeRow], `
		SELECT NULL::bytea, 0::bigint, 0::bigint, pg_snapshot_xmin(pg_current_snapshot())::text::bigint
		UNION ALL SELECT id, 0, xid::text::bigint, 0 FROM {s}.deleted_maps WHERE xid >= $1::text::xid8
		UNION ALL SELECT id, version, xid::text::bigint, 0 FROM {s}.maps WHERE xid >= $1::text::xid8`, strconv.FormatUint(since, 10))
	if err != nil {
		return nil, since, err
	}
	next := since
	changed := rows[:0]
	for _, r := range rows {
		if r.ID == nil {
			next = max(next, r.Horizon)
		} else {
			changed = append(changed, r)
		}
	}
	return changed, next, nil
}

// ChangedMaps returns the stamps of the maps that were written or added since a cursor,
// the zero Stamp of those that were deleted, and the next cursor. A map may be returned
// again although it has not changed since; none is left out. The cursor "" gives all
// maps. Deletions are known for 30 days.
func (w *Workspace) ChangedMaps(ctx context.Context, since string) (changed map[string]citekit.Stamp, next string, err error) {
	var from uint64
	if since != "" {
		if from, err = strconv.ParseUint(since, 10, 64); err != nil {
			return nil, since, fmt.Errorf("a cursor of maps is a number: %w", citekit.ErrSyntax)
		}
	}
	rows, from, err := w.changedMaps(ctx, from)
	if err != nil {
		return nil, since, err
	}
	changed = make(map[string]citekit.Stamp, len(rows))
	for _, r := range rows { // one that was deleted may be there again
		if _, ok := changed[string(r.ID)]; r.Version != 0 {
			changed[string(r.ID)] = stampOf(r.Version)
		} else if !ok {
			changed[string(r.ID)] = citekit.Stamp{}
		}
	}
	return changed, strconv.FormatUint(from, 10), nil
}

type mapChange struct {
	id  string
	xid uint64
}

// A mapFeed counts changes of maps for [Workspace.MapsStamp].
type mapFeed struct {
	mu     sync.Mutex // held while changes are asked for
	name   string     // start of stamps, as other processes count too
	count  int64
	cursor uint64
	seen   map[mapChange]bool // from the cursor on

	known knownMaps
}

// MapsStamp returns a stamp that changes when a map is written, added or deleted, by
// any process. Stamps of different Workspaces are not to be compared.
func (w *Workspace) MapsStamp(ctx context.Context) (citekit.Stamp, error) {
	f := &w.feed
	if stamp, ok := f.known.lately(ctx); ok {
		return stamp, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	began, written := time.Now(), f.known.written.Load()
	if f.name == "" {
		var xid uint64
		if err := w.row(ctx, repeating, []any{&xid}, `SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint`); err != nil {
			return citekit.Stamp{}, err
		}
		f.name, f.cursor = "maps."+rand.Text()+".", xid
	}
	changed, next, err := w.changedMaps(ctx, f.cursor)
	if err != nil {
		return citekit.Stamp{}, err
	}
	seen := make(map[mapChange]bool, len(changed))
	for _, r := range changed {
		c := mapChange{string(r.ID), r.XID}
		if !f.seen[c] {
			f.count++
		}
		seen[c] = true
	}
	f.cursor, f.seen = next, seen
	stamp := citekit.Stamp{Identity: f.name + strconv.FormatInt(f.count, 10)}
	f.known.update(changed, feedState{stamp, began, written})
	return stamp, nil
}

// adoptMaps renews the numbers of transactions, which are those of another server after
// a dump was restored: they could be larger than those to come.
func (w *Workspace) adoptMaps(ctx context.Context) error {
	for _, table := range []string{"maps", "deleted_maps"} {
		_, err := w.exec(ctx, repeating, `UPDATE {s}.`+table+` SET xid = pg_current_xact_id() WHERE xid >= (SELECT pg_snapshot_xmax(pg_current_snapshot()))`)
		if err != nil {
			return err
		}
	}
	_, err := w.exec(ctx, repeating, `DELETE FROM {s}.deleted_maps WHERE at < now() - interval '30 days'`)
	return err
}
