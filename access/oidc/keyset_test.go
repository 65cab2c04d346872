package oidc_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/access/oidc"
)

// A clock is moved by tests.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time           { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) advance(by time.Duration) { c.ahead.Add(int64(by)) }

func withClock(a *oidc.Authenticator) *clock {
	c := new(clock)
	a.SetNow(c.now)
	return c
}

// lasting are claims of a token that outlasts what tests do with a clock.
var lasting = map[string]any{"exp": time.Now().Add(100 * 24 * time.Hour).Unix()}

// mustFail checks that a token is not refused, but cannot be checked.
func mustFail(t *testing.T, a *oidc.Authenticator, token, reason string) {
	t.Helper()
	grant, err := a.Authenticate(t.Context(), token)
	if grant != nil || err == nil || errors.Is(err, access.ErrRefused) || !strings.Contains(err.Error(), reason) || len(err.Error()) > 600 {
		t.Fatalf("grant %v, error %.1000v; want one of the issuer: %s", grant, err, reason)
	}
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s never happened", what)
		}
	}
}

func TestIssuerDown(t *testing.T) {
	i := newIssuer(t)
	a := newAuthenticator(t, i, nil)
	c := withClock(a)
	var asked atomic.Int64
	i.set(func() {
		i.metadata = func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			http.Error(w, strings.Repeat("down ", 10_000), http.StatusBadGateway)
		}
	})
	token := i.token(t, "EdDSA", "d1", lasting)
	for range 20 {
		mustFail(t, a, token, "502 Bad Gateway")
	}
	if err := a.Check(t.Context()); err == nil || errors.Is(err, access.ErrRefused) {
		t.Errorf("Check: %v", err)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the issuer was asked %d times in no time", n)
	}
	mustRefuse(t, a, "nonsense", "not a JSON Web Token") // needs no issuer
	for range 10 {
		c.advance(oidc.RetryMost)
		mustFail(t, a, token, "502")
	}
	if n := asked.Load(); n != 11 {
		t.Errorf("the issuer was asked %d times, with time between", n)
	}
	i.set(func() { i.metadata = nil })
	c.advance(oidc.RetryMost)
	mustTake(t, a, token)
	if err := a.Check(t.Context()); err != nil {
		t.Error(err)
	}
	// Once there are keys they count for a day.
	i.set(func() { i.metadata = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", 500) } })
	c.advance(oidc.KeysLast - time.Second)
	mustTake(t, a, token)
	c.advance(time.Hour)
	mustFail(t, a, token, "500")
}

func TestKidFlood(t *testing.T) {
	i := newIssuer(t)
	a := newAuthenticator(t, i, nil)
	c := withClock(a)
	good := i.token(t, "EdDSA", "d1", lasting)
	mustTake(t, a, good)
	c.advance(oidc.ReloadAfter)
	key := newEdKey(t)
	var flood sync.WaitGroup
	for range 8 {
		flood.Go(func() {
			for n := range 50 {
				token := sign(t, map[string]any{"alg": "EdDSA", "kid": fmt.Sprint("k", n), "typ": "JWT"}, i.claims(nil), key)
				if _, err := a.Authenticate(t.Context(), token); !errors.Is(err, access.ErrRefused) {
					t.Errorf("error %v", err)
				}
			}
		})
	}
	flood.Wait()
	if n := i.fetches.Load(); n != 2 {
		t.Errorf("400 tokens made %d fetches, beside the first", n-1)
	}
	mustTake(t, a, good)
}

func TestRotation(t *testing.T) {
	i := newIssuer(t)
	a := newAuthenticator(t, i, nil)
	c := withClock(a)
	old := i.token(t, "EdDSA", "d1", lasting)
	mustTake(t, a, old)
	i.set(func() { i.keys["d2"] = newEdKey(t) })
	token := i.token(t, "EdDSA", "d2", lasting)
	mustRefuse(t, a, token, "no such key") // so soon after the last fetch
	c.advance(oidc.ReloadAfter)
	mustTake(t, a, token)
	mustTake(t, a, old)

	// A key that is withdrawn, or replaced under its id, stops to count.
	i.set(func() {
		delete(i.keys, "d1")
		i.keys["d2"] = newEdKey(t)
	})
	c.advance(oidc.RefreshAfter + time.Second)
	eventually(t, "the end of a withdrawn key", func() bool {
		_, err := a.Authenticate(t.Context(), old)
		return errors.Is(err, access.ErrRefused)
	})
	mustRefuse(t, a, token, "its signature is wrong")
	mustTake(t, a, i.token(t, "EdDSA", "d2", lasting))
}

func TestCachedTokenExpires(t *testing.T) {
	i := newIssuer(t)
	a := newAuthenticator(t, i, &oidc.Options{Skew: -1})
	c := withClock(a)
	token := i.token(t, "EdDSA", "d1", nil)
	mustTake(t, a, token)
	c.advance(2 * time.Hour)
	eventually(t, "the expiry", func() bool {
		_, err := a.Authenticate(t.Context(), token)
		return errors.Is(err, access.ErrRefused)
	})
	mustRefuse(t, a, token, "it has expired")
}

func TestBadIssuers(t *testing.T) {
	elsewhere := newIssuer(t)
	redirect := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/keys", http.StatusFound)
	}
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write([]byte(strings.Repeat(" ", 1<<16))); err != nil {
				return
			}
		}
	}
	metadata := func(v map[string]any) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { respond(w, v) }
	}
	for name, test := range map[string]struct {
		metadata, jwks func(http.ResponseWriter, *http.Request)
		reason         string
	}{
		"metadata of another":      {metadata(map[string]any{"issuer": "https://evil.example", "jwks_uri": elsewhere.URL + "/keys"}), nil, "did not match"},
		"metadata elsewhere":       {redirect, nil, "redirects to another host"},
		"endless metadata":         {endless, nil, "larger than 1 MiB"},
		"keys elsewhere":           {nil, redirect, "redirects to another host"},
		"redirects without end":    {nil, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/keys", http.StatusFound) }, "redirects more than 3 times"},
		"endless keys":             {nil, endless, "larger than 1 MiB"},
		"no keys":                  {nil, metadata(map[string]any{"keys": []any{}}), "none is a public key"},
		"keys that are none":       {nil, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) }, "not a JSON Web Key Set"},
		"keys not found":           {nil, func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, "status 404"},
		"too many keys":            {nil, metadata(map[string]any{"keys": make([]any, 101)}), "there are 101; at most 100 are allowed"},
		"symmetric and short keys": {nil, metadata(map[string]any{"keys": []any{map[string]any{"kty": "oct", "k": "c2VjcmV0"}, map[string]any{"kty": "RSA", "n": encode(make([]byte, 64)), "e": "AQAB"}}}), "none is a public key"},
		"metadata that never end":  {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, nil, "deadline exceeded"},
		"keys that never end": {nil, func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("{"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newIssuer(t)
			i.set(func() { i.metadata, i.jwks = test.metadata, test.jwks })
			a := newAuthenticator(t, i, nil)
			if strings.Contains(test.reason, "deadline") {
				a.SetTimeout(50 * time.Millisecond)
			}
			mustFail(t, a, i.token(t, "EdDSA", "d1", nil), test.reason)
		})
	}
	t.Run("keys without https", func(t *testing.T) {
		i := newIssuer(t)
		i.set(func() { i.metadata = metadata(map[string]any{"issuer": i.URL, "jwks_uri": "http://id.example/keys"}) })
		mustFail(t, newAuthenticator(t, i, nil), i.token(t, "EdDSA", "d1", nil), "it must use https")
	})
}

// TestCallerLeaves checks that who waits for a slow issuer can leave, and that
// others then still get what was asked for.
func TestCallerLeaves(t *testing.T) {
	i := newIssuer(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	i.set(func() {
		i.jwks = func(w http.ResponseWriter, _ *http.Request) {
			close(asked)
			<-answer
			respond(w, i.keySet())
		}
	})
	a := newAuthenticator(t, i, nil)
	token := i.token(t, "EdDSA", "d1", nil)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := a.Authenticate(ctx, token)
		left <- err
	}()
	<-asked
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) || errors.Is(err, access.ErrRefused) {
		t.Errorf("error %v", err)
	}
	close(answer)
	mustTake(t, a, token)
	if n := i.fetches.Load(); n != 1 {
		t.Errorf("%d fetches", n)
	}
}

// TestAfterFailure checks that a token with a key that is not known is not called
// wrong while the issuer cannot be asked about it.
func TestAfterFailure(t *testing.T) {
	i := newIssuer(t)
	a := newAuthenticator(t, i, nil)
	c := withClock(a)
	mustTake(t, a, i.token(t, "EdDSA", "d1", lasting))
	i.set(func() {
		i.keys["d2"] = newEdKey(t)
		i.jwks = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusServiceUnavailable) }
	})
	c.advance(oidc.ReloadAfter)
	mustFail(t, a, i.token(t, "EdDSA", "d2", lasting), "503")
	mustTake(t, a, i.token(t, "EdDSA", "d1", lasting))
}

// TestHTTPS checks an issuer whose certificate an authority vouches for, and one
// for which nobody does.
func TestHTTPS(t *testing.T) {
	key := newEdKey(t)
	var server *httptest.Server
	server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/keys") {
			respond(w, map[string]any{"keys": []any{jwk("d1", key.Public())}})
			return
		}
		respond(w, map[string]any{"issuer": server.URL, "jwks_uri": server.URL + "/keys"})
	}))
	server.Config.ErrorLog = nil
	t.Cleanup(server.Close)
	i := &issuer{Server: server}
	token := sign(t, map[string]any{"alg": "EdDSA", "kid": "d1"}, i.claims(nil), key)
	pool := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	mustTake(t, newAuthenticator(t, i, &oidc.Options{RootCAs: pool}), token)
	mustFail(t, newAuthenticator(t, i, nil), token, "certificate")
}

func FuzzParseKeys(f *testing.F) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	for _, keys := range [][]any{{}, {jwk("e", key.Public())}, {jwk("r", rsaKey().Public()), map[string]any{"kty": "RSA", "n": "", "e": ""}}} {
		data, err := json.Marshal(map[string]any{"keys": keys})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if n, err := oidc.ParseKeys(data); err == nil && (n < 1 || n > 100) {
			t.Fatalf("%d keys", n)
		}
	})
}

func BenchmarkAuthenticate(b *testing.B) {
	i := newIssuer(b)
	for _, kid := range []string{"r1", "e1", "d1"} {
		algorithm := map[string]string{"r1": "RS256", "e1": "ES256", "d1": "EdDSA"}[kid]
		for _, again := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/again=%v", algorithm, again), func(b *testing.B) {
				a, token := newAuthenticator(b, i, nil), i.token(b, algorithm, kid, nil)
				for b.Loop() {
					if !again {
						a.Forget()
					}
					if _, err := a.Authenticate(b.Context(), token); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
