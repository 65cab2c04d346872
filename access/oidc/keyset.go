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
	refreshAfter = 15 * time.Minute // valid keys are then loaded again
	keysLast     = 24 * time.Hour   // how long keys are valid without the issuer
	reloadAfter  = 10 * time.Second // least time between loads for an unknown key
	retryFirst   = time.Second      // after a failed load; doubled with each failure
	retryMost    = 30 * time.Second

	maxTried = 8 // keys, for a token that names none
)

// A keySet has the keys of an issuer. It loads them when it needs them, within
// the limits above. In contrast, the key set of go-oidc asks for each token with
// an unknown key, and keeps keys that the issuer has withdrawn.
type keySet struct {
	load    func(context.Context) ([]jose.JSONWebKey, error)
	timeout time.Duration // of a load
	now     func() time.Time

	mu       sync.Mutex
	keys     []jose.JSONWebKey
	loads    int           // number of successful ones
	loaded   time.Time     // when the last successful one began; zero means never
	next     time.Time     // no load begins before this time
	failures int           // since the last successful load
	err      error         // of the last load
	loading  chan struct{} // closed when the current load ends; nil if there is none
}

func newKeySet(issuer string, client *http.Client) *keySet {
	return &keySet{timeout: fetchTimeout, now: time.Now, load: func(ctx context.Context) ([]jose.JSONWebKey, error) { return fetch(ctx, client, issuer) }}
}

// generation returns the number of the current keys, or 0 if none are valid. It
// reloads old keys in the background.
func (k *keySet) generation() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.isCurrent() {
		return 0
	}
	if k.now().Sub(k.loaded) > refreshAfter {
		k.begin()
	}
	return k.loads
}

// isCurrent reports whether the keys are loaded and not too old to be used. The caller
// holds the mutex.
func (k *keySet) isCurrent() bool { return k.loads > 0 && k.now().Sub(k.loaded) < keysLast }

var errNoKeys = errors.New("the keys of the issuer are not known yet")

// begin begins a load unless one is running or it is too soon. It returns a
// channel that is closed at the end of the running load, or nil. The caller holds
// the mutex.
func (k *keySet) begin() <-chan struct{} {
	if k.loading == nil && !k.now().Before(k.next) {
		k.loading = make(chan struct{})
		go k.reload()
	}
	return k.loading
}

// reload loads the keys. It is independent of the contexts of those who wait for
// it.
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

// find returns the public keys that may have signed a token, and their
// generation. If there are none, it loads the keys once.
func (k *keySet) find(ctx context.Context, h header) ([]crypto.PublicKey, int, error) {
	k.generation()
	for waited := false; ; waited = true {
		k.mu.Lock()
		if k.isCurrent() {
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
		if err == nil && k.isCurrent() {
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

// fitting returns the keys that a header may refer to.
func (k *keySet) fitting(h header) []crypto.PublicKey {
	var fitting []crypto.PublicKey
	for _, key := range k.keys {
		if (h.KeyID == "" || key.KeyID == h.KeyID) && fits(key, h.Algorithm) && len(fitting) < maxTried {
			fitting = append(fitting, key.Key)
		}
	}
	return fitting
}

// check returns why no keys are valid, after an attempt to load them if it is
// time for one.
func (k *keySet) check(ctx context.Context) error {
	if k.generation() != 0 {
		return nil
	}
	_, _, err := k.find(ctx, header{})
	if errors.Is(err, errUnknownKey) { // there are keys now, but none for an empty algorithm
		return nil
	}
	return err
}
