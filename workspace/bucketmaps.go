package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace/driver"
)

const mapPrefix = "map-"

// nonceLine is the length of the line before a map in its object. Each version
// has one of its own, so that versions with the same bytes have different ETags.
var nonceLine = len(newNonceLine())

func newNonceLine() string { return rand.Text() + "\n" }

// mapKey returns the key of the map of an id that [citekit.CheckResourceID]
// accepts.
func mapKey(id string) string { return mapPrefix + ordered.EncodeToString([]byte(id)) }

// ListMaps implements [citekit.Workspace].
func (b *Bucket) ListMaps(ctx context.Context, after string, limit int) ([]string, error) {
	ids := []string{}
	if err := ctx.Err(); err != nil {
		return ids, err
	}
	const longest = 512                                // bytes of an id
	after = mapKey(after[:min(len(after), longest+1)]) // ids compare with it as with the whole
	for object, err := range b.list(ctx, mapPrefix, after, limit) {
		if err != nil {
			return ids, err
		}
		id, err := ordered.DecodeString(strings.TrimPrefix(object.Key, mapPrefix))
		if err != nil || citekit.CheckResourceID(string(id)) != nil || mapKey(string(id)) != object.Key {
			continue // none of ours
		}
		if ids = append(ids, string(id)); len(ids) == limit {
			break
		}
	}
	return ids, nil
}

// StatMap implements [citekit.Workspace].
func (b *Bucket) StatMap(ctx context.Context, id string) (citekit.Stamp, error) {
	if citekit.CheckResourceID(id) != nil {
		return citekit.Stamp{}, missing("map")
	}
	at, err := b.driver.Attributes(ctx, mapKey(id))
	if err != nil {
		return citekit.Stamp{}, b.fault(ctx, "map", err)
	}
	return citekit.Stamp{Identity: at.ETag}, nil
}

// ReadMap implements [citekit.Workspace].
func (b *Bucket) ReadMap(ctx context.Context, id string, max int64) ([]byte, citekit.Stamp, error) {
	if citekit.CheckResourceID(id) != nil {
		return nil, citekit.Stamp{}, missing("map")
	}
	data, at, err := b.get(ctx, mapKey(id), "map", min(max, math.MaxInt64-int64(nonceLine))+int64(nonceLine))
	switch {
	case errors.Is(err, citekit.ErrTooLarge):
		return nil, citekit.Stamp{}, fmt.Errorf("map: %d bytes; at most %d: %w", at.Size-int64(nonceLine), max, citekit.ErrTooLarge)
	case err == nil && len(data) < nonceLine:
		err = fmt.Errorf("the object of the map is too short: %w", citekit.ErrDamaged)
	}
	if err != nil {
		return nil, citekit.Stamp{}, err
	}
	return data[nonceLine:], citekit.Stamp{Identity: at.ETag}, nil
}

// WriteMap implements [citekit.Workspace].
func (b *Bucket) WriteMap(ctx context.Context, id string, data []byte) error {
	_, err := b.writeMap(ctx, id, data, driver.WriteOptions{})
	return err
}

// WriteMapIf implements [citekit.Workspace].
func (b *Bucket) WriteMapIf(ctx context.Context, id string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	return b.writeMap(ctx, id, data, driver.WriteOptions{IfMatch: stamp.Identity, IfAbsent: stamp == citekit.Stamp{}})
}

func (b *Bucket) writeMap(ctx context.Context, id string, data []byte, opts driver.WriteOptions) (citekit.Stamp, error) {
	if err := errors.Join(ctx.Err(), citekit.CheckResourceID(id)); err != nil {
		return citekit.Stamp{}, fmt.Errorf("store the map: %w", err)
	}
	object := append([]byte(newNonceLine()), data...)
	at, err := b.putIf(ctx, mapKey(id), object, opts)
	switch {
	case err == nil:
		return citekit.Stamp{Identity: at.ETag}, nil
	case b.driver.ErrorKind(err) == driver.Conflict:
		err = mapConflict(citekit.Stamp{Identity: "another"})
	case b.driver.ErrorKind(err) == driver.NotFound && opts.IfMatch != "":
		err = mapConflict(citekit.Stamp{})
	default:
		err = b.fault(ctx, "map", err)
	}
	return citekit.Stamp{}, fmt.Errorf("store the map: %w", err)
}

// DeleteMaps implements [Deleter].
func (b *Bucket) DeleteMaps(ctx context.Context, maps []MapVersion) (deleted int, err error) {
	var ids []string
	for _, m := range maps {
		if err = b.deleteMap(ctx, m); err != nil {
			break
		}
		ids = append(ids, m.ID)
	}
	return len(ids), errors.Join(err, b.deletePins(ctx, ids))
}

func (b *Bucket) deleteMap(ctx context.Context, m MapVersion) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	now, err := b.StatMap(ctx, m.ID)
	if err != nil {
		return err
	}
	if now == m.Stamp {
		if err = b.driver.Delete(ctx, mapKey(m.ID), now.Identity); err == nil {
			return nil
		}
		if !b.refused(err) {
			return b.fault(ctx, "map", err)
		}
		if _, err = b.StatMap(ctx, m.ID); errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return fmt.Errorf("delete the map: the map was replaced just now: %w", citekit.ErrConflict)
}
