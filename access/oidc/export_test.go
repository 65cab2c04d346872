package oidc

import "time"

// SetNow sets the clock of an authenticator.
func (a *Authenticator) SetNow(now func() time.Time) { a.now, a.keys.now = now, now }

// SetTimeout sets how long a load of keys may take.
func (a *Authenticator) SetTimeout(timeout time.Duration) { a.keys.timeout = timeout }

// Forget empties the cache of tokens.
func (a *Authenticator) Forget() { clear(a.taken.grants) }

// ParseKeys returns how many keys of a set can check signatures.
func ParseKeys(data []byte) (int, error) {
	keys, err := parseKeys(data)
	return len(keys), err
}

// What loads of keys are bounded by.
const (
	RefreshAfter = refreshAfter
	ReloadAfter  = reloadAfter
	KeysLast     = keysLast
	RetryMost    = retryMost
)
