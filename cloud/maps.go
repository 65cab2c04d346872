package cloud

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/workspace"
	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"
)

// maxListed is how many rows are asked for at a time.
const maxListed = 1000

var (
	packer   = sync.OnceValue(func() *zstd.Encoder { e, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2)); return e })
	unpacker = sync.OnceValue(func() *zstd.Decoder { d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0)); return d })
)

// unpack returns the map of a row, which must have its size.
func unpack(packed []byte, size int64) ([]byte, error) {
	var header zstd.Header
	err := header.Decode(packed)
	var data []byte
	if err == nil && (!header.HasFCS || header.FrameContentSize == uint64(size)) {
		data, err = unpacker().DecodeAll(packed, make([]byte, 0, size))
	}
	if err != nil || int64(len(data)) != size {
		return nil, fmt.Errorf("the map in the database: %w", citekit.ErrDamaged)
	}
	return data, nil
}

// stampOf returns the stamp of a version.
func stampOf(version int64) citekit.Stamp {
	return citekit.Stamp{Identity: strconv.FormatInt(version, 10)}
}

// versionOf returns the version of a stamp; zero, which is none, if no stamp of ours
// looks like it.
func versionOf(stamp citekit.Stamp) int64 {
	version, err := strconv.ParseInt(stamp.Identity, 10, 64)
	if err != nil || version <= 0 || stampOf(version) != stamp {
		return 0
	}
	return version
}

// ListMaps implements [citekit.Workspace].
func (w *Workspace) ListMaps(ctx context.Context, after string, limit int) ([]string, error) {
	ids := []string{}
	for {
		page := maxListed
		if limit > 0 {
			page = min(page, limit-len(ids))
		}
		more, err := all(ctx, w, pgx.RowTo[[]byte], `SELECT id FROM {s}.maps WHERE id > $1 ORDER BY id LIMIT $2`, []byte(after), page)
		if err != nil {
			return ids, err
		}
		for _, id := range more {
			ids = append(ids, string(id))
		}
		if len(more) < page || len(ids) == limit {
			return ids, nil
		}
		after = ids[len(ids)-1]
	}
}

const (
	statMap = `SELECT version FROM {s}.maps WHERE id = $1`
	readMap = `SELECT version, size, CASE WHEN size <= $2 THEN packed END FROM {s}.maps WHERE id = $1`
)

// StatMap implements [citekit.Workspace].
func (w *Workspace) StatMap(ctx context.Context, id string) (citekit.Stamp, error) {
	if m, ok := w.heldMap(ctx, id); ok {
		return m.stamp, nil
	}
	version, epoch := w.feed.known.version(id)
	if version != 0 && ctxio.IsLately(ctx) {
		return stampOf(version), nil
	}
	err := w.row(ctx, repeating, []any{&version}, statMap, []byte(id))
	if errors.Is(err, pgx.ErrNoRows) {
		err = missing("map")
	}
	if err != nil {
		return citekit.Stamp{}, err
	}
	w.feed.known.add(id, version, epoch)
	return stampOf(version), nil
}

// StatMaps returns the stamps of those of the ids that are of maps.
func (w *Workspace) StatMaps(ctx context.Context, ids []string) (map[string]citekit.Stamp, error) {
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = []byte(id)
	}
	type row struct {
		ID      []byte
		Version int64
	}
	found, err := all(ctx, w, pgx.RowToStructByPos[row], `SELECT id, version FROM {s}.maps WHERE id = ANY($1)`, keys)
	stamps := make(map[string]citekit.Stamp, len(found))
	for _, m := range found {
		stamps[string(m.ID)] = stampOf(m.Version)
	}
	return stamps, err
}

// ReadMap implements [citekit.Workspace].
func (w *Workspace) ReadMap(ctx context.Context, id string, max int64) ([]byte, citekit.Stamp, error) {
	if m, ok := w.heldMap(ctx, id); ok && int64(len(m.data)) <= max {
		return m.data, m.stamp, nil
	}
	var version, size int64
	var packed []byte
	err := w.row(ctx, repeating, []any{&version, &size, &packed}, readMap, []byte(id), max)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		err = missing("map")
	case err == nil && size > max:
		err = fmt.Errorf("map: %d bytes; at most %d: %w", size, max, citekit.ErrTooLarge)
	}
	if err != nil {
		return nil, citekit.Stamp{}, err
	}
	data, err := unpack(packed, size)
	if err != nil {
		return nil, citekit.Stamp{}, err
	}
	return data, stampOf(version), nil
}

// WriteMap implements [citekit.Workspace].
func (w *Workspace) WriteMap(ctx context.Context, id string, data []byte) error {
	_, err := w.writeMap(ctx, id, data, repeating, `
		INSERT INTO {s}.maps (id, version, size, packed) VALUES ($1, nextval('{s}.versions'), $2, $3)
		ON CONFLICT (id) DO UPDATE SET version = nextval('{s}.versions'), xid = EXCLUDED.xid, size = EXCLUDED.size, packed = EXCLUDED.packed
		RETURNING version`)
	return err
}

// WriteMapIf implements [citekit.Workspace].
func (w *Workspace) WriteMapIf(ctx context.Context, id string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	if stamp == (citekit.Stamp{}) {
		return w.writeMap(ctx, id, data, once, `
			INSERT INTO {s}.maps (id, version, size, packed) VALUES ($1, nextval('{s}.versions'), $2, $3)
			ON CONFLICT DO NOTHING RETURNING version`)
	}
	return w.writeMap(ctx, id, data, once, `
		UPDATE {s}.maps SET version = nextval('{s}.versions'), xid = pg_current_xact_id(), size = $2, packed = $3
		WHERE id = $1 AND version = $4 RETURNING version`, versionOf(stamp))
}

// WriteMapsIf stores maps under different ids, each as [Workspace.WriteMapIf] does. It
// returns their stamps, which are zero for those that it did not store as others were
// there.
func (w *Workspace) WriteMapsIf(ctx context.Context, maps []workspace.MapVersion, data [][]byte) ([]citekit.Stamp, error) {
	err := ctx.Err()
	ids, packed := make([][]byte, len(maps)), make([][]byte, len(maps))
	sizes, versions := make([]int64, len(maps)), make([]int64, len(maps))
	number := make(map[string]int, len(maps))
	for i, m := range maps {
		err = cmp.Or(err, citekit.CheckResourceID(m.ID))
		if _, twice := number[m.ID]; twice && err == nil {
			err = fmt.Errorf("one map is to be stored twice: %w", citekit.ErrSyntax)
		}
		number[m.ID] = i
		ids[i], sizes[i], packed[i] = []byte(m.ID), int64(len(data[i])), packer().EncodeAll(data[i], nil)
		if versions[i] = versionOf(m.Stamp); m.Stamp == (citekit.Stamp{}) {
			versions[i] = -1
		}
	}
	type row struct {
		ID      []byte
		Version int64
	}
	var stored []row
	if err == nil && len(maps) > 0 {
		err = w.try(ctx, once, func() error {
			rows, err := w.pool.Query(ctx, w.sql(writeMaps), ids, sizes, packed, versions)
			if err == nil {
				stored, err = pgx.CollectRows(rows, pgx.RowToStructByPos[row])
			}
			return err
		})
	}
	for _, m := range maps {
		w.feed.known.forget(m.ID) // also if it is not known whether it was stored
	}
	if err != nil {
		return nil, fmt.Errorf("store the maps: %w", err)
	}
	w.notices.send()
	stamps := make([]citekit.Stamp, len(maps))
	for _, r := range stored {
		i := number[string(r.ID)]
		stamps[i] = stampOf(r.Version)
		w.hold(ctx, maps[i].ID, heldMap{data[i], stamps[i], maps[i].Stamp == citekit.Stamp{}})
	}
	return stamps, nil
}

// writeMaps stores maps in the order of their ids, so that none waits for another that
// waits for it. The version of a map that must not be there is -1.
const writeMaps = `
	WITH given AS (SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::bigint[]) AS g (id, size, packed, version) ORDER BY id),
	changed AS (
		UPDATE {s}.maps m SET version = nextval('{s}.versions'), xid = pg_current_xact_id(), size = g.size, packed = g.packed
		FROM given g WHERE m.id = g.id AND m.version = g.version RETURNING m.id, m.version),
	added AS (
		INSERT INTO {s}.maps (id, version, size, packed)
		SELECT id, nextval('{s}.versions'), size, packed FROM given WHERE version = -1
		ON CONFLICT DO NOTHING RETURNING id, version)
	SELECT id, version FROM changed UNION ALL SELECT id, version FROM added`

// writeMap runs a statement that stores a map and returns its version, or nothing if
// the one that is stored is not the one that it must be.
func (w *Workspace) writeMap(ctx context.Context, id string, data []byte, r reach, text string, more ...any) (citekit.Stamp, error) {
	err := errors.Join(ctx.Err(), citekit.CheckResourceID(id))
	var version int64
	if err == nil {
		packed := packer().EncodeAll(data, nil)
		err = w.row(ctx, r, []any{&version}, text, append([]any{[]byte(id), len(data), packed}, more...)...)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		err = w.mapConflict(ctx, id)
	}
	w.feed.known.forget(id) // also if it is not known whether it was stored
	if err != nil {
		return citekit.Stamp{}, fmt.Errorf("store the map: %w", err)
	}
	w.notices.send()
	return stampOf(version), nil
}

// mapConflict returns the error for a map that is not the version that it must be.
func (w *Workspace) mapConflict(ctx context.Context, id string) error {
	if _, err := w.StatMap(ctx, id); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the map is not there any more: %w", citekit.ErrConflict)
	}
	return fmt.Errorf("the map was changed by another writer: %w", citekit.ErrConflict)
}

// DeleteMaps implements [workspace.Deleter].
func (w *Workspace) DeleteMaps(ctx context.Context, maps []workspace.MapVersion) (deleted int, err error) {
	for i, m := range maps {
		if err := w.deleteMap(ctx, m); err != nil {
			return i, err
		}
	}
	return len(maps), nil
}

// deleteMap deletes a map with its pin.
func (w *Workspace) deleteMap(ctx context.Context, m workspace.MapVersion) error {
	n, err := w.exec(ctx, once, `
		WITH gone AS (DELETE FROM {s}.maps WHERE id = $1 AND version = $2 RETURNING id),
		pin AS (DELETE FROM {s}.notes WHERE kind = $3 AND hash = $4 AND EXISTS (SELECT FROM gone))
		INSERT INTO {s}.deleted_maps (id) SELECT id FROM gone ON CONFLICT (id) DO UPDATE SET xid = EXCLUDED.xid, at = EXCLUDED.at`,
		[]byte(m.ID), versionOf(m.Stamp), workspace.PinNotes, hashOf(m.ID))
	w.feed.known.forget(m.ID)
	if err == nil && n > 0 {
		w.notices.send()
		return nil
	}
	if err == nil {
		if _, err = w.StatMap(ctx, m.ID); err == nil {
			err = fmt.Errorf("delete the map: the map was replaced just now: %w", citekit.ErrConflict)
		}
	}
	return err
}
