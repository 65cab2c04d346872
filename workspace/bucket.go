package workspace

import (
	"bytes"
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace/driver"
)

// A Bucket is a [citekit.Workspace] over a [driver.Bucket], such as an object
// store or a table of a database. Make one with [FromDriver].
//
// Several processes may use one bucket. Nothing is locked: of those that change
// the same map or note, a conditional write of one object decides. Only
// [Bucket.LockIngest] holds something, an object that its holder renews, and
// that others take over when it has not been renewed for half a minute.
//
// Whoever can write to the bucket is trusted: records in it have no seal.
//
// # Objects
//
//	map-<id>                     a map, after a line that is unique to the version
//	evidence-<key>               the record of evidence, then its content if that is small
//	content-<key>-<unique>       other content of evidence
//	notes-<kind>                 the latest notes of a kind, and the keys of its segments
//	segment-<kind>-<unique>      older notes of the kind
//	lease-ingest                 held by whoever ingests
//
// Ids are in base32, which keeps their order. An object with a unique key is
// never replaced. It is written before the one that refers to it, so that a
// process that is killed between the two leaves it over: [Bucket.Kept] yields it
// after an hour.
type Bucket struct {
	fileSources
	evidenceUse

	driver    driver.Bucket
	scheme    string        // of the paths that evidence is given
	latency   time.Duration // of NoteLatency
	ingesting chan struct{} // capacity 1: held by whoever ingests in this process

	mu    sync.Mutex
	kinds map[string]*noteTable // by kind: the notes as they were last read

	close func() error
}

// BucketOptions are the options of [FromDriver].
type BucketOptions struct {
	// Sources are the files that maps are made of; nil means none. A file that is
	// an [io.ReaderAt] is read where it is needed, any other whole.
	Sources fs.FS
}

var (
	_ citekit.Workspace      = (*Bucket)(nil)
	_ citekit.EvidenceOpener = (*Bucket)(nil)
	_ Finder                 = (*Bucket)(nil)
	_ Deleter                = (*Bucket)(nil)
)

// FromDriver returns a workspace that keeps its data in b. Nothing is read until
// it is needed. [Bucket.Close] closes b. A nil opts means the defaults.
func FromDriver(b driver.Bucket, opts *BucketOptions) *Bucket {
	if opts == nil {
		opts = new(BucketOptions)
	}
	w := &Bucket{latency: noteLatency}
	w.init(b, opts.Sources, "bucket")
	return w
}

// noteLatency is the [Bucket.NoteLatency] of a bucket that may be across a network.
const noteLatency = 500 * time.Millisecond

// NoteLatency returns how long a search may go without asking the bucket whether another
// process has changed the index: zero for a [Memory], and half a second for others.
func (b *Bucket) NoteLatency() time.Duration { return b.latency }

func (b *Bucket) init(d driver.Bucket, sources fs.FS, scheme string) {
	b.fileSources.init(sources)
	b.driver, b.scheme = d, scheme
	b.ingesting = make(chan struct{}, 1)
	b.kinds = make(map[string]*noteTable)
	b.close = sync.OnceValue(d.Close)
}

// Close implements [citekit.Workspace]. It closes the bucket of the driver.
func (b *Bucket) Close() error { return b.close() }

// ordered writes bytes as a part of a key. Encoded bytes have the order of the
// bytes.
var ordered = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// A bucketError reports that the bucket is at fault.
type bucketError struct{ cause error }

func (e *bucketError) Error() string { return "the store of the workspace: " + e.cause.Error() }

func (e *bucketError) Unwrap() error { return e.cause }

// StorageFault describes the fault without what the driver says, which may name
// hosts and accounts. Callers that show errors to others find it with
// [errors.As] and an interface.
func (e *bucketError) StorageFault() string { return "the store of the workspace cannot be used" }

// fault returns err, which an object of the bucket caused, as the error for the
// caller: missing if there is no such object.
func (b *Bucket) fault(ctx context.Context, what string, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case b.driver.ErrorKind(err) == driver.NotFound:
		return missing(what)
	}
	return &bucketError{err}
}

// refused reports whether err says that the condition of a write or deletion did
// not hold.
func (b *Bucket) refused(err error) bool {
	return err != nil && b.driver.ErrorKind(err) != driver.Failed
}

// get reads a whole object of at most max bytes.
func (b *Bucket) get(ctx context.Context, key, what string, max int64) ([]byte, driver.Attributes, error) {
	if err := ctx.Err(); err != nil {
		return nil, driver.Attributes{}, err
	}
	body, at, err := b.driver.Read(ctx, key, driver.ReadOptions{})
	if err != nil {
		return nil, driver.Attributes{}, b.fault(ctx, what, err)
	}
	defer body.Close()
	if at.Size > max {
		return nil, at, fmt.Errorf("%s: %d bytes; at most %d: %w", what, at.Size, max, citekit.ErrTooLarge)
	}
	data := make([]byte, at.Size)
	if _, err := io.ReadFull(body, data); err != nil {
		return nil, at, b.fault(ctx, what, err)
	}
	return data, at, nil
}

// put writes an object. The error is that of the driver.
func (b *Bucket) put(ctx context.Context, key string, data []byte, opts driver.WriteOptions) (driver.Attributes, error) {
	opts.Size = int64(len(data))
	return b.driver.Write(ctx, key, bytes.NewReader(data), opts)
}

// nonceEnd is where the part of an object ends that is unique to its version, if it
// is one that is written on a condition.
const nonceEnd = len(`{"nonce":"`) + 26

// putIf is like put, on a condition. The object begins with what is unique to the
// version: a driver that writes again because an answer was lost finds its own
// first write, which is no conflict.
func (b *Bucket) putIf(ctx context.Context, key string, data []byte, opts driver.WriteOptions) (driver.Attributes, error) {
	at, err := b.put(ctx, key, data, opts)
	if !b.refused(err) {
		return at, err
	}
	unique := data[:min(nonceEnd, len(data))]
	body, now, readErr := b.driver.Read(ctx, key, driver.ReadOptions{Length: int64(len(unique))})
	if readErr != nil {
		return at, err
	}
	defer body.Close()
	if stored, readErr := io.ReadAll(body); readErr == nil && bytes.Equal(stored, unique) {
		return now, nil
	}
	return at, err
}

// maxPage is the largest number of objects to ask for at once: what common object
// stores return.
const maxPage = 1000

// list yields the objects whose keys have a prefix and are greater than after. The
// caller stops after a number of them, unless that is zero.
func (b *Bucket) list(ctx context.Context, prefix, after string, number int) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		opts := driver.ListOptions{Prefix: prefix, After: after, Limit: maxPage}
		if number > 0 {
			opts.Limit = min(number, maxPage)
		}
		for more := true; more; {
			page, err := b.driver.List(ctx, opts)
			if err == nil && page.More && len(page.Objects) == 0 {
				err = errors.New("an empty page of the listing is not its last")
			}
			if err != nil {
				yield(driver.Object{}, b.fault(ctx, "objects", err))
				return
			}
			for _, object := range page.Objects {
				if !strings.HasPrefix(object.Key, prefix) || object.Key <= opts.After {
					err := fmt.Errorf("the listing has %q after %q, with the prefix %q", object.Key, opts.After, prefix)
					yield(driver.Object{}, &bucketError{err})
					return
				}
				opts.After = object.Key
				if !yield(object, nil) {
					return
				}
			}
			more = page.More
		}
	}
}

// remove deletes an object with a unique key that nothing refers to. If that
// fails, it is left over.
func (b *Bucket) remove(ctx context.Context, key string) {
	_ = b.driver.Delete(context.WithoutCancel(ctx), key, "")
}
