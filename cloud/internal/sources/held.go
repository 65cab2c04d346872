package sources

import (
	"context"
	"io"

	"github.com/citekit/citekit/cloud/internal/blockcache"
	"github.com/citekit/citekit/workspace/driver"
	"golang.org/x/sync/errgroup"
)

// maxHeld is the size of the largest source that is held, in bytes, and fetchers is how
// many are fetched at a time.
const (
	maxHeld  = blockcache.MaxSmall
	fetchers = 4
)

// held are small sources in memory, by key.
type held struct {
	bucket  *Bucket
	sources map[string]heldSource
}

// A heldSource is one version of a source.
type heldSource struct {
	at   driver.Attributes
	data []byte
}

type heldKey struct{}

// Hold fetches small sources, by one request each, and returns a context for who reads
// them once: what [Bucket.Find] and [Bucket.OpenSource] are called with in that context
// gives the versions that were fetched. A source that cannot be fetched, or is larger than
// [blockcache.MaxSmall], is not held: it is looked for as in any other context.
func (b *Bucket) Hold(ctx context.Context, paths []string) context.Context {
	fetched := make([]*heldSource, len(paths))
	var fetching errgroup.Group
	fetching.SetLimit(fetchers)
	for i, name := range paths {
		fetching.Go(func() error {
			if key, err := keyOf(name); err == nil && key == name {
				fetched[i] = b.fetch(ctx, key)
			}
			return nil
		})
	}
	_ = fetching.Wait()
	h := &held{b, make(map[string]heldSource)}
	for i, s := range fetched {
		if s != nil {
			h.sources[paths[i]] = *s
		}
	}
	return context.WithValue(ctx, heldKey{}, h)
}

// fetch fetches a source unless it is large, or returns nil.
func (b *Bucket) fetch(ctx context.Context, key string) *heldSource {
	body, at, err := b.store.Read(ctx, key, driver.ReadOptions{Length: maxHeld})
	if err != nil {
		return nil
	}
	defer body.Close()
	if at.Size > maxHeld || at.ETag == "" {
		return nil
	}
	s := &heldSource{at, make([]byte, at.Size)}
	if _, err := io.ReadFull(body, s.data); err != nil {
		return nil
	}
	return s
}

// holds returns the source with a key that is held in a context.
func (b *Bucket) holds(ctx context.Context, key string) (s heldSource, ok bool) {
	if h, _ := ctx.Value(heldKey{}).(*held); h != nil && h.bucket == b {
		s, ok = h.sources[key]
	}
	return s, ok
}

// attributes returns those of a source.
func (b *Bucket) attributes(ctx context.Context, key string) (driver.Attributes, error) {
	if s, ok := b.holds(ctx, key); ok {
		return s.at, nil
	}
	return b.store.Attributes(ctx, key)
}
