package sources

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/workspace/driver"
)

const (
	maxSeen  = 1 << 16         // sources whose versions are in memory
	seenFor  = 5 * time.Second // how long a version counts without another look
	mostSeen = time.Minute     // how long it counts until that look ends
	maxLooks = 8               // that are made afterwards, at a time; of more, later calls make some
)

// A sight is the version of a source when it was looked at; the zero sight is none.
type sight struct {
	at    driver.Attributes
	when  time.Time
	again time.Time // a look began after that; or zero
}

// look returns the attributes of a source: in a context of [ctxio.Lately] those that it had
// when it was last seen, at most a minute ago. If that is more than seenFor ago, it is
// looked at afterwards, so that a later call gets what it is then.
func (b *Bucket) look(ctx context.Context, key string) (driver.Attributes, error) {
	if s, ok := b.seen.Peek(key); ok && s.at.ETag != "" && ctxio.IsLately(ctx) && time.Since(s.when) < mostSeen {
		if min(time.Since(s.when), time.Since(s.again)) > seenFor {
			b.lookLater(key, s)
		}
		return s.at, nil
	}
	at, err := b.store.Attributes(ctx, key)
	switch {
	case err == nil:
		b.seen.Put(key, sight{at: at, when: time.Now()})
	case b.store.ErrorKind(err) == driver.NotFound, errors.Is(err, fs.ErrNotExist):
		b.seen.Put(key, sight{})
	}
	return at, err
}

// lookLater looks at a source in the background, unless many looks run.
func (b *Bucket) lookLater(key string, was sight) {
	select {
	case b.looks <- struct{}{}:
	default:
		return
	}
	b.seen.Put(key, sight{was.at, was.when, time.Now()}) // others need not look too
	b.running.Go(func() {
		defer func() { <-b.looks }()
		_, _ = b.look(b.background, key)
	})
}
