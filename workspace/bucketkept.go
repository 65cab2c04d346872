package workspace

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace/driver"
)

// scrapAge is how old an object that nothing refers to must be to count as left
// over: the object that refers to it is written after it.
const scrapAge = time.Hour

// Kept implements [Deleter]. It yields evidence, pins, and what killed
// processes left over.
func (b *Bucket) Kept(ctx context.Context) iter.Seq2[Kept, error] {
	return func(yield func(Kept, error) bool) {
		k := bucketKeeper{Bucket: b, ctx: ctx, yield: yield, referred: make(map[string]bool)}
		_ = k.evidence() && k.pins() && k.unreferred(contentPrefix) && k.segments()
	}
}

// A bucketKeeper yields what a bucket keeps. Its methods return false to stop.
type bucketKeeper struct {
	*Bucket
	ctx      context.Context
	yield    func(Kept, error) bool
	referred map[string]bool // keys of objects that others refer to
}

func (k *bucketKeeper) fail(err error) bool {
	k.yield(Kept{}, err)
	return false
}

func (k *bucketKeeper) scrap(object driver.Object) bool {
	return k.yield(Kept{Kind: KeptScrap, Name: object.Key, Size: object.Size}, nil)
}

func (k *bucketKeeper) evidence() bool {
	for object, err := range k.list(k.ctx, recordPrefix, "", 0) {
		if err != nil {
			return k.fail(err)
		}
		found, err := k.record(k.ctx, object.Key)
		switch {
		case k.ctx.Err() != nil:
			return k.fail(k.ctx.Err())
		case errors.Is(err, citekit.ErrDamaged):
			if !k.scrap(object) {
				return false
			}
			continue
		case err != nil:
			continue // it was deleted, or cannot be read
		}
		k.referred[found.Content] = true
		kept := Kept{
			Kind: KeptEvidence, Name: strings.TrimPrefix(object.Key, recordPrefix), ResourceID: found.Meta.Resource,
			SourceHash: found.Meta.SourceHash, Path: k.stored(found.bucketRecord).Path, Size: found.Meta.Size,
		}
		if !k.yield(kept, nil) {
			return false
		}
	}
	return true
}

func (k *bucketKeeper) pins() bool {
	for n, err := range k.Notes(k.ctx, PinNotes) {
		if errors.Is(err, citekit.ErrDamaged) {
			break // they stay
		}
		if err != nil {
			return k.fail(err)
		}
		if !k.yield(Kept{Kind: KeptPin, Name: n.Name, ResourceID: n.Name}, nil) {
			return false
		}
	}
	return true
}

// segments yields the segments of notes that are left over.
func (k *bucketKeeper) segments() bool {
	for object, err := range k.list(k.ctx, headPrefix, "", 0) {
		if err != nil {
			return k.fail(err)
		}
		kind := strings.TrimPrefix(object.Key, headPrefix)
		if checkKind(kind) != nil {
			continue // none of ours
		}
		t, err := k.notes(k.ctx, kind)
		if err != nil { // no segment of a kind that is damaged is left over
			k.referred[segmentPrefix+kind] = true
			continue
		}
		for _, s := range t.segments {
			k.referred[s.Key] = true
		}
	}
	return k.unreferred(segmentPrefix)
}

// unreferred yields the objects with a prefix that nothing refers to.
func (k *bucketKeeper) unreferred(prefix string) bool {
	for object, err := range k.list(k.ctx, prefix, "", 0) {
		if err != nil {
			return k.fail(err)
		}
		all := object.Key[:strings.LastIndexByte(object.Key, '-')] // of the same kind or key
		old := time.Since(object.ModTime) > scrapAge
		if old && !k.referred[object.Key] && !k.referred[all] && !k.scrap(object) {
			return false
		}
	}
	return true
}

// DeleteKept implements [Deleter].
func (b *Bucket) DeleteKept(ctx context.Context, k Kept) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch k.Kind {
	case KeptEvidence:
		return b.deleteRecord(ctx, recordPrefix+k.Name, func(r bucketRecord, err error) bool {
			return err == nil && r.Meta.Resource == k.ResourceID && r.Meta.SourceHash == k.SourceHash
		})
	case KeptPin:
		return b.deletePins(ctx, []string{k.Name})
	case KeptScrap:
		if strings.HasPrefix(k.Name, recordPrefix) {
			return b.deleteRecord(ctx, k.Name, func(_ bucketRecord, err error) bool { return err != nil })
		}
		if strings.HasPrefix(k.Name, contentPrefix) || strings.HasPrefix(k.Name, segmentPrefix) {
			return b.deleted(ctx, b.driver.Delete(ctx, k.Name, ""))
		}
	}
	return nil
}

// deleteRecord deletes the record of evidence, and its content, if it is still
// the one that was meant.
func (b *Bucket) deleteRecord(ctx context.Context, key string, meant func(bucketRecord, error) bool) error {
	found, err := b.record(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil && !errors.Is(err, citekit.ErrDamaged) {
		return err
	}
	if !meant(found.bucketRecord, err) {
		return nil
	}
	if err := b.driver.Delete(ctx, key, found.etag); err != nil {
		return b.deleted(ctx, err)
	}
	if err == nil && found.Content != "" {
		return b.deleted(ctx, b.driver.Delete(ctx, found.Content, ""))
	}
	return nil
}

// deleted returns the error for an object that could not be deleted. That it is
// gone, or was replaced, is none.
func (b *Bucket) deleted(ctx context.Context, err error) error {
	if err == nil || b.refused(err) {
		return nil
	}
	return b.fault(ctx, "object", err)
}
