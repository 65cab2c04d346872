package cloud

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/jackc/pgx/v5"
)

// Kept implements [workspace.Deleter]. It yields evidence, pins, and objects that no
// evidence has referred to for a day.
func (w *Workspace) Kept(ctx context.Context) iter.Seq2[workspace.Kept, error] {
	return func(yield func(workspace.Kept, error) bool) {
		for _, each := range []func(context.Context, func(workspace.Kept) bool) (bool, error){w.keptEvidence, w.keptPins, w.leftovers} {
			more, err := each(ctx, func(k workspace.Kept) bool { return yield(k, nil) })
			if err != nil {
				yield(workspace.Kept{}, err)
			}
			if err != nil || !more {
				return
			}
		}
	}
}

type evidenceRow struct {
	Key, Name            string
	Resource, SourceHash []byte
	Size                 int64
}

func (w *Workspace) keptEvidence(ctx context.Context, yield func(workspace.Kept) bool) (bool, error) {
	for after := ""; ; {
		page, err := all(ctx, w, pgx.RowToStructByPos[evidenceRow], `
			SELECT key, name, resource, source_hash, size FROM {s}.evidence WHERE key > $1 ORDER BY key LIMIT $2`, after, maxListed)
		if err != nil {
			return false, err
		}
		for _, e := range page {
			kept := workspace.Kept{
				Kind: workspace.KeptEvidence, Name: e.Key, ResourceID: string(e.Resource), SourceHash: string(e.SourceHash),
				Path: pathOf(e.Name), Size: e.Size,
			}
			if !yield(kept) {
				return false, nil
			}
			after = e.Key
		}
		if len(page) < maxListed {
			return true, nil
		}
	}
}

func (w *Workspace) keptPins(ctx context.Context, yield func(workspace.Kept) bool) (bool, error) {
	for n, err := range w.Notes(ctx, workspace.PinNotes) {
		if err != nil {
			return false, err
		}
		if !yield(workspace.Kept{Kind: workspace.KeptPin, Name: n.Name, ResourceID: n.Name}) {
			return false, nil
		}
	}
	return true, nil
}

// leftovers yields the objects of the store that no row refers to, and none lately did.
func (w *Workspace) leftovers(ctx context.Context, yield func(workspace.Kept) bool) (bool, error) {
	opts := driver.ListOptions{Prefix: w.contentPrefix(), Limit: maxListed}
	for more := true; more; {
		page, err := w.bucket.List(ctx, opts)
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case err == nil && page.More && len(page.Objects) == 0:
			err = errors.New("an empty page of the listing is not its last")
		}
		if err != nil {
			return false, &storeError{bucketFault, err}
		}
		keys := make([]string, 0, len(page.Objects))
		for _, o := range page.Objects {
			if opts.After = max(opts.After, o.Key); time.Since(o.ModTime) > deletedAfter {
				keys = append(keys, o.Key)
			}
		}
		old, err := w.unreferred(ctx, keys)
		if err != nil {
			return false, err
		}
		for _, o := range page.Objects {
			if old[o.Key] && !yield(workspace.Kept{Kind: workspace.KeptScrap, Name: o.Key, Size: o.Size}) {
				return false, nil
			}
		}
		more = page.More
	}
	return true, nil
}

// unreferred returns those of keys that no evidence refers to, or has for a day.
func (w *Workspace) unreferred(ctx context.Context, keys []string) (map[string]bool, error) {
	old := make(map[string]bool)
	if len(keys) == 0 {
		return old, nil
	}
	found, err := all(ctx, w, pgx.RowTo[string], `
		SELECT k FROM unnest($1::text[]) k WHERE NOT EXISTS (SELECT FROM {s}.evidence WHERE content = k)
			AND NOT EXISTS (SELECT FROM {s}.garbage g WHERE g.key = k AND g.since > now() - $2::interval)`, keys, deletedAfter)
	for _, key := range found {
		old[key] = true
	}
	return old, err
}

// DeleteKept implements [workspace.Deleter].
func (w *Workspace) DeleteKept(ctx context.Context, k workspace.Kept) (err error) {
	switch k.Kind {
	case workspace.KeptEvidence:
		_, err = w.exec(ctx, repeating, `DELETE FROM {s}.evidence WHERE key = $1 AND resource = $2 AND source_hash = $3`,
			k.Name, []byte(k.ResourceID), []byte(k.SourceHash))
	case workspace.KeptPin:
		_, err = w.exec(ctx, repeating, `DELETE FROM {s}.notes WHERE kind = $1 AND hash = $2`, workspace.PinNotes, hashOf(k.Name))
	case workspace.KeptScrap:
		if strings.HasPrefix(k.Name, w.contentPrefix()) {
			_, err = w.deleteObject(ctx, k.Name)
		}
	}
	return err
}

// deleteObject deletes an object that no row has referred to for a day, and reports
// whether it did.
func (w *Workspace) deleteObject(ctx context.Context, key string) (bool, error) {
	// Once it is doomed, no row can come to refer to it. What is neither in garbage nor
	// referred to cannot come to be: a row claims it from there.
	n, err := w.exec(ctx, repeating, `UPDATE {s}.garbage SET doomed = true WHERE key = $1 AND since < now() - $2::interval`, key, deletedAfter)
	if err == nil && n == 0 {
		var old map[string]bool
		if old, err = w.unreferred(ctx, []string{key}); err == nil && !old[key] {
			return false, nil
		}
	}
	if err != nil {
		return false, err
	}
	if err := w.bucket.Delete(ctx, key, ""); err != nil && w.bucket.ErrorKind(err) == driver.Failed {
		return false, w.bucketFault(ctx, err)
	}
	_, err = w.exec(ctx, repeating, `DELETE FROM {s}.garbage WHERE key = $1 AND doomed`, key)
	return err == nil, err
}

// Sweep deletes the bytes of evidence that no row has referred to for a day, and
// returns the number of objects. Several processes may sweep at the same time. It also
// deletes the leases of processes that were killed.
func (w *Workspace) Sweep(ctx context.Context) (deleted int, err error) {
	if _, err := w.exec(ctx, repeating, `DELETE FROM {s}.leases WHERE expires < now() - $1::interval`, deletedAfter); err != nil {
		return 0, err
	}
	if _, err := w.exec(ctx, repeating, `DELETE FROM {s}.meters WHERE at < now() - $1::interval`, meterKept); err != nil {
		return 0, err
	}
	for {
		due, err := all(ctx, w, pgx.RowTo[string], `SELECT key FROM {s}.garbage WHERE since < now() - $1::interval ORDER BY since LIMIT $2`, deletedAfter, maxListed)
		if err != nil {
			return deleted, err
		}
		for _, key := range due {
			gone, err := w.deleteObject(ctx, key)
			if err != nil {
				return deleted, err
			}
			if gone {
				deleted++
			}
		}
		if len(due) < maxListed {
			return deleted, nil
		}
	}
}

const (
	keepFor  = 20 * time.Minute    // how long evidence stays after its last use
	keepLong = 30 * 24 * time.Hour // the same for evidence with Keep set
)

// TrimEvidence removes evidence; it is made again when it is requested. The least
// recently used goes first. Evidence that was used in the last 20 minutes stays, and so
// does evidence with EvidenceMeta.Keep that was used in the last 30 days, and the
// transcript that a map names. The bytes are deleted by [Workspace.Sweep], a
// day later, of which TrimEvidence runs one.
func (w *Workspace) TrimEvidence(ctx context.Context, trim workspace.Trim) (done workspace.Trimmed, err error) {
	if err := w.row(ctx, repeating, []any{&done.Left}, `SELECT coalesce(sum(size), 0)::bigint FROM {s}.evidence`); err != nil {
		return done, err
	}
	after := goingRow{Used: time.Unix(0, 0)}
	for {
		page, err := all(ctx, w, pgx.RowToStructByPos[goingRow], `
			SELECT key, size, used, used < now() - $5::interval, name, resource FROM {s}.evidence
			WHERE (used, key) > ($1, $2) AND used < now() - $3::interval AND (NOT keep OR used < now() - $4::interval)
			ORDER BY used, key LIMIT $6`, after.Used, after.Key, keepFor+markEvery, keepLong+markEvery, trim.UnusedFor+markEvery, maxListed)
		if err != nil {
			return done, err
		}
		for _, e := range page {
			if !(trim.UnusedFor > 0 && e.Old) && (trim.MaxBytes <= 0 || done.Left <= trim.MaxBytes) {
				page = nil
				break
			}
			after = e
			if w.isTranscript(ctx, e) {
				continue
			}
			gone := int64(1)
			if !trim.DryRun {
				if gone, err = w.exec(ctx, once, `DELETE FROM {s}.evidence WHERE key = $1 AND used = $2`, e.Key, e.Used); err != nil {
					return done, err
				}
			}
			done.Files += int(gone)
			done.Bytes += gone * e.Size
			done.Left -= gone * e.Size
		}
		if len(page) < maxListed {
			break
		}
	}
	if !trim.DryRun {
		_, err = w.Sweep(ctx)
	}
	return done, err
}

type goingRow struct {
	Key  string
	Size int64
	Used time.Time
	Old  bool // it was not used for Trim.UnusedFor, by the clock of the database

	Name     string
	Resource []byte
}

// isTranscript reports whether evidence is the transcript of a map, which a machine may
// need hours to make again.
func (w *Workspace) isTranscript(ctx context.Context, e goingRow) bool {
	if !strings.HasPrefix(e.Name, about.TranscriptPrefix) {
		return false
	}
	data, _, err := w.ReadMap(ctx, string(e.Resource), math.MaxInt32)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	var m citekit.ResourceMap
	if err := m.UnmarshalJSON(data); err != nil {
		return true
	}
	key, _, ok := about.TranscriptOf(&m)
	return ok && key == e.Key
}
