package oidc

import (
	"context"
	"crypto"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	refreshAfter = 15 * time.Minute // keys are asked for again, while they count
	keysLast     = 24 * time.Hour   // keys count where the issuer cannot be reached
	reloadAfter  = 10 * time.Second // after a load, at the soonest, for a key that is not known
	retryFirst   = time.Second      // after a load that failed; doubled with each
	retryMost    = 30 * time.Second

	maxTried = 8 // keys, for a token that names none
)

// A keySet has the keys of an issuer. It asks for them when it needs them, and never
// more often than its bounds say. The key set of go-oidc asks for each token with
// a key that it does not know, and keeps keys that the issuer has withdrawn.
type keySet struct {
	load    func(context.Context) ([]jose.JSONWebKey, error)
	timeout time.Duration // of a load
	now     func() time.Time

	mu       sync.Mutex
	keys     []jose.JSONWebKey
	loads    int           // that succeeded
	loaded   time.Time     // when the last one of these began; zero for never
	next     time.Time     // no load begins before
	failures int           // since a load succeeded
	err      error         // of the last load
	loading  chan struct{} // closed once the load ends that is under way; else nil
}

func newKeySet(issuer string, client *http.Client) *keySet {
	return &keySet{timeout: fetchTimeout, now: time.Now, load: func(ctx context.Context) ([]jose.JSONWebKey, error) { return fetch(ctx, client, issuer) }}
}

// generation tells the keys that count from others, or is 0 if none do. Keys that
// are old are asked for again, which nobody waits for.
func (k *keySet) generation() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.count() {
		return 0
	}
	if k.now().Sub(k.loaded) > refreshAfter {
		k.begin()
	}
	return k.loads
}

// count reports whether the keys count. The caller has the mutex.
func (k *keySet) count() bool { return k.loads > 0 && k.now().Sub(k.loaded) < keysLast }

var errNoKeys = errors.New("the keys of the issuer are not known yet")

// begin begins a load unless one is under way or it is too soon, and returns what is
// closed at its end, or nil. The caller has the mutex.
func (k *keySet) begin() <-chan struct{} {
	if k.loading == nil && !k.now().Before(k.next) {
		k.loading = make(chan struct{})
		go k.reload()
	}
	return k.loading
}

// reload loads the keys. It does not end with who waits for it: others do too.
func (k *keySet) reload() {
	ctx, cancel := context.WithTimeout(context.Background(), k.timeout)
	defer cancel()
	began := k.now()
	keys, err := k.load(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err = err; err == nil {
		k.keys, k.loaded, k.failures = keys, began, 0
		k.loads++
		k.next = k.now().Add(reloadAfter)
	} else {
		k.next = k.now().Add(min(retryFirst<<min(k.failures, 10), retryMost))
		k.failures++
	}
	close(k.loading)
	k.loading = nil
}

// find returns the public keys that a token may be signed with, and their generation.
// It loads them, once, if there are none.
func (k *keySet) find(ctx context.Context, h header) ([]crypto.PublicKey, int, error) {
	k.generation()
	for waited := false; ; waited = true {
		k.mu.Lock()
		if k.count() {
			if keys := k.fitting(h); len(keys) > 0 {
				defer k.mu.Unlock()
				return keys, k.loads, nil
			}
		}
		var loading <-chan struct{}
		if !waited {
			loading = k.begin()
		}
		err := k.err
		if err == nil && k.count() {
			err = errUnknownKey
		} else if err == nil {
			err = errNoKeys
		}
		k.mu.Unlock()
		if loading == nil {
			return nil, 0, err
		}
		select {
		case <-loading:
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		}
	}
}

// fitting returns the keys that a header may mean.
func (k *keySet) fitting(h header) []crypto.PublicKey {
	var fitting []crypto.PublicKey
	for _, key := range k.keys {
		if (h.KeyID == "" || key.KeyID == h.KeyID) && fits(key, h.Algorithm) && len(fitting) < maxTried {
			fitting = append(fitting, key.Key)
		}
	}
	return fitting
}

// check returns why no keys count, after an attempt to load them if it is time for
// one.
func (k *keySet) check(ctx context.Context) error {
	if k.generation() != 0 {
		return nil
	}
	_, _, err := k.find(ctx, header{})
	if errors.Is(err, errUnknownKey) { // there are keys now, though none of no algorithm
		return nil
	}
	return err
}
