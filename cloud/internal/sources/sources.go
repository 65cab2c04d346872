// Package sources reads sources in a bucket of an object store.
//
// A source is the object whose key, below the prefix of the bucket, is its path. It is
// read by ranges, through a cache on the disk of this machine, and is pinned to the
// version that it had when it was opened: what is read is of that version, or is an error
// that matches [citekit.ErrStale]. To open a source takes one request.
package sources

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud/internal/blockcache"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/workspace/driver"
)

// Options are the options of [New].
type Options struct {
	// Name is a name of the bucket that no other bucket has whose sources are in the same
	// cache, such as its URL. It stays the same.
	Name string

	// Hashes keeps the hashes of sources; nil keeps them in memory.
	Hashes Hashes

	// Evidence keeps what must be known of large sources before parts of them can be
	// read; nil keeps nothing.
	Evidence EvidenceStore
}

// An EvidenceStore keeps and opens evidence.
type EvidenceStore interface {
	citekit.EvidenceStore
	citekit.EvidenceOpener
}

// A Bucket holds sources. It is safe for concurrent use.
type Bucket struct {
	store  driver.Bucket
	cache  *blockcache.Cache
	name   string
	hashes Hashes
	kept   EvidenceStore // or nil
	once   atomic.Bool   // see ReadOnce

	seen       concurrent.Cache[sight] // by key
	looks      chan struct{}           // held by each look that nobody waits for
	background context.Context         // of these
	stop       context.CancelFunc
	running    sync.WaitGroup
}

// New returns the sources of a store whose keys may be any names, as those of
// [s3.Options.AnyKey] are. [Bucket.Close] closes store, but not cache. A nil opts means
// the defaults.
func New(store driver.Bucket, cache *blockcache.Cache, opts *Options) *Bucket {
	if opts == nil {
		opts = new(Options)
	}
	b := &Bucket{
		store: store, cache: cache, name: opts.Name, hashes: opts.Hashes, kept: opts.Evidence,
		seen: concurrent.Cache[sight]{MaxCost: maxSeen}, looks: make(chan struct{}, maxLooks),
	}
	b.background, b.stop = context.WithCancel(context.Background())
	if b.hashes == nil {
		b.hashes = newMemory(nil)
	}
	return b
}

// ReadOnce says that most sources that are opened from now on are small and read to the
// end: these then take one request, and are not kept on disk.
func (b *Bucket) ReadOnce() {
	b.once.Store(true)
	b.cache.SkipSmall()
}

// Look returns an error if the store cannot be listed.
func (b *Bucket) Look(ctx context.Context) error {
	if _, err := b.store.List(ctx, driver.ListOptions{Limit: 1}); err != nil {
		return b.fault(ctx, err)
	}
	return nil
}

// Close closes the store.
func (b *Bucket) Close() error {
	b.stop()
	b.running.Wait()
	return b.store.Close()
}

// OpenSource is that of [citekit.Workspace].
func (b *Bucket) OpenSource(ctx context.Context, name string) (*citekit.Source, error) {
	key, err := keyOf(name)
	if err != nil {
		return nil, err
	}
	s, ok := b.holds(ctx, key)
	if !ok && b.once.Load() {
		if found := b.fetch(ctx, key); found != nil {
			s, ok = *found, true
		}
	}
	if ok {
		return citekit.NewSource(bytes.NewReader(s.data), citekit.SourceInfo{
			Name: path.Base(key), Size: s.at.Size, Identity: b.identity(key, s.at), Hash: ctxio.HashOf(s.data),
		}), nil
	}
	var at driver.Attributes
	var identity string
	known := b.hashes.Known(ctx, key, func() string {
		if at, err = b.look(ctx, key); err == nil {
			identity = b.identity(key, at)
		}
		return identity
	})
	if err != nil {
		return nil, b.fault(ctx, err)
	}
	file := b.cache.Open(ctx, blockcache.Object{
		ID: identity, Size: at.Size, SHA256: known,
		Fetch: func(ctx context.Context, offset, n int64) (io.ReadCloser, error) {
			body, _, err := b.store.Read(ctx, key, driver.ReadOptions{Offset: offset, Length: n, IfMatch: at.ETag})
			return body, err
		},
	})
	r := &content{file, b, ctx}
	var beside func(context.Context, string, []byte) ([]byte, error)
	if !file.IsWhole() && b.kept != nil && identity != "" {
		beside = (&aside{b.kept, identity}).do
	}
	return citekit.NewSource(r, citekit.SourceInfo{
		Name: path.Base(key), Size: at.Size, Identity: identity, Hash: known, Aside: beside, Ahead: file.Ahead,
		HashFunc: func(ctx context.Context) (string, error) {
			hash, _, err := ctxio.Hash(ctx, io.NewSectionReader(r, 0, at.Size))
			if err == nil {
				b.hashes.Remember(ctx, key, identity, hash)
			}
			return hash, err
		},
	}), nil
}

// SourceStamp returns a value that changes whenever the source at a path does, or "" if it
// is not known. It takes one request.
func (b *Bucket) SourceStamp(ctx context.Context, name string) string {
	key, err := keyOf(name)
	if err != nil {
		return ""
	}
	at, err := b.store.Attributes(ctx, key)
	if err != nil {
		return ""
	}
	return b.identity(key, at)
}

// identity names the version of an object among all objects of all stores.
func (b *Bucket) identity(key string, at driver.Attributes) string {
	if at.ETag == "" {
		return ""
	}
	return "object." + ctxio.HashParts(b.name, key, at.ETag, fmt.Sprint(at.Size))
}

// maxPath is the length of the longest path in bytes: that of the names of S3.
const maxPath = 1024

// keyOf returns the key of the object at a path.
func keyOf(name string) (string, error) {
	switch key := path.Clean(name); {
	case name == "":
		return "", fmt.Errorf("the path of the source is empty: %w", citekit.ErrSyntax)
	case len(name) > maxPath:
		return "", fmt.Errorf("the path of the source has %d bytes; at most %d: %w", len(name), maxPath, citekit.ErrForbidden)
	case strings.HasSuffix(name, "/"), strings.ContainsRune(name, 0), key == ".":
		return "", fmt.Errorf("the source is not a plain file: %w", citekit.ErrForbidden)
	case strings.Contains(name, "://"):
		return "", fmt.Errorf("the source is given as a URL; name it by its path in the bucket: %w", citekit.ErrForbidden)
	case !fs.ValidPath(key):
		return "", fmt.Errorf("the source is outside the bucket: %w", citekit.ErrForbidden)
	default:
		return key, nil
	}
}

// A storeFault reports that the store is at fault.
type storeFault struct{ cause error }

func (e *storeFault) Error() string { return "the store of the sources: " + e.cause.Error() }

func (e *storeFault) Unwrap() error { return e.cause }

// StorageFault describes the fault without what the store says. Callers that show errors
// to others find it with [errors.As] and an interface.
func (e *storeFault) StorageFault() string { return "the store of the sources cannot be used" }

// Temporary reports whether it is worth calling again.
func (e *storeFault) Temporary() bool {
	var refusal interface{ Refused() bool }
	return !errors.As(e.cause, &refusal) || !refusal.Refused()
}

// fault returns the error of a request for callers.
func (b *Bucket) fault(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case b.store.ErrorKind(err) == driver.NotFound:
		return fmt.Errorf("source: %w", fs.ErrNotExist)
	}
	return &storeFault{err}
}

var errChanged = fmt.Errorf("the source changed while it was being read: %w", citekit.ErrStale)

// content is what is read of a source.
type content struct {
	*blockcache.File
	bucket *Bucket
	ctx    context.Context // of who opened it
}

func (c *content) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.File.ReadAt(p, off)
	if err == nil || err == io.EOF {
		return n, err
	}
	return n, cmp.Or(c.ctx.Err(), c.bucket.readFault(err))
}

// readFault returns the error of reading a version of a source for callers.
func (b *Bucket) readFault(err error) error {
	switch kind := b.store.ErrorKind(err); {
	case kind == driver.Conflict, kind == driver.NotFound, errors.Is(err, blockcache.ErrHash):
		return errChanged
	}
	return &storeFault{err}
}
