package viewer

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit"
)

// The bounds of sessions.
const (
	sessionIdle   = 12 * time.Hour     // without a request
	sessionLife   = 7 * 24 * time.Hour // in all
	sessionsOfOne = 20                 // of a caller
	sessionsOfAll = 5000
	oneTimeLife   = 15 * time.Minute
	oneTimesOfAll = 100
)

// sessions are the sessions of browsers: each stands for the token with which it was
// begun. They are in memory and, if there are notes, there too.
type sessions struct {
	notes   citekit.NoteStore // nil means none
	written atomic.Int64      // notes
	signing signingKey

	mu       sync.Mutex
	byID     map[[sha256.Size]byte]*session // by the hash of the id, so that the time of a search tells nothing of ids
	oneTimes map[[sha256.Size]byte]oneTime  // by the hash of the token
}

// A session is one of a browser.
type session struct {
	token      string // of the caller
	caller     string // who it is, as the server tells callers apart
	begun, use time.Time
	looked     time.Time // when it was in the notes
	name       string    // of its note
	alone      bool      // it could not be noted: this server alone knows it
}

// A oneTime is what a one-time token stands for.
type oneTime struct {
	token   string
	expires time.Time
}

func newSessions(notes citekit.NoteStore) *sessions {
	return &sessions{notes: notes, byID: make(map[[sha256.Size]byte]*session), oneTimes: make(map[[sha256.Size]byte]oneTime)}
}

// begin returns the id of a new session. At the limits, the session that was idle longest
// ends for it, of the same caller if it has too many.
func (s *sessions) begin(ctx context.Context, token, caller string) (id string) {
	id = s.newID(ctx)
	now := time.Now()
	one := &session{token: token, caller: caller, begun: now, use: now, looked: now}
	one.alone = !s.write(ctx, id, one, citekit.Stamp{})
	s.put(ctx, id, one)
	return id
}

// put puts a session into memory. One that ends for it ends at all servers.
func (s *sessions) put(ctx context.Context, id string, one *session) {
	one.name = noteName(id)
	if ended := s.putInMemory(sha256.Sum256([]byte(id)), one); ended != "" && s.notes != nil {
		s.drop(context.WithoutCancel(ctx), ended)
	}
}

// putInMemory returns the name of the note of the session that ended for another, or "".
func (s *sessions) putInMemory(id [sha256.Size]byte, one *session) (ended string) {
	now, caller := one.use, one.caller
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, id)
	own := 0
	for key, one := range s.byID {
		switch {
		case one.over(now):
			delete(s.byID, key)
		case one.caller == caller:
			own++
		}
	}
	if own >= sessionsOfOne {
		ended = s.endIdlest(func(one *session) bool { return one.caller == caller })
	} else if len(s.byID) >= sessionsOfAll {
		ended = s.endIdlest(func(*session) bool { return true })
	}
	s.byID[id] = one
	return ended
}

// endIdlest ends the session that was idle longest, of those that are meant, and returns
// the name of its note.
func (s *sessions) endIdlest(meant func(*session) bool) (ended string) {
	var idlest *session
	var key [sha256.Size]byte
	for k, one := range s.byID {
		if meant(one) && (idlest == nil || one.use.Before(idlest.use)) {
			idlest, key = one, k
		}
	}
	if idlest != nil {
		delete(s.byID, key)
		ended = idlest.name
	}
	return ended
}

// over reports whether a session has ended by itself.
func (s *session) over(now time.Time) bool {
	return now.Sub(s.use) >= sessionIdle || now.Sub(s.begun) >= sessionLife
}

// token returns the token of a session, which is used now, or "".
func (s *sessions) token(ctx context.Context, id string) string {
	if len(id) != len(rand.Text()) {
		return "" // none of ours
	}
	one, known := s.used(id)
	if !known && !s.isOurs(ctx, id) {
		return "" // made up: nothing is read for it
	}
	if s.notes == nil || known && (one.alone || time.Since(one.looked) < lookEvery) {
		return one.token
	}
	// Another server may have begun, used or ended it.
	noted, stamp, err := s.read(ctx, id)
	now := time.Now()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.forget(id)
		return ""
	case err != nil:
		return one.token // the store is away
	case !known && noted.over(now):
		s.end(ctx, id)
		return ""
	}
	if now.Sub(noted.use) >= noteEvery {
		noted.use = now
		s.write(ctx, id, noted, stamp)
	}
	noted.use, noted.looked = now, now
	s.put(ctx, id, noted)
	return noted.token
}

// used returns a session of the memory, which is used now, and whether there is one.
func (s *sessions) used(id string) (one session, known bool) {
	key, now := sha256.Sum256([]byte(id)), time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.byID[key]
	switch {
	case found == nil:
		return session{}, false
	case found.over(now):
		delete(s.byID, key)
		return session{}, false
	}
	found.use = now
	return *found, true
}

// end ends a session, if there is one.
func (s *sessions) end(ctx context.Context, id string) {
	s.forget(id)
	if s.notes != nil && id != "" {
		s.drop(context.WithoutCancel(ctx), noteName(id))
	}
}

func (s *sessions) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, sha256.Sum256([]byte(id)))
}

// invite returns a token that begins one session with the token of a caller. At the limit,
// the oldest of these tokens ends for it.
func (s *sessions) invite(token string) string {
	once, now := rand.Text(), time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	var oldest [sha256.Size]byte
	var when time.Time
	for key, one := range s.oneTimes {
		if !now.Before(one.expires) {
			delete(s.oneTimes, key)
		} else if when.IsZero() || one.expires.Before(when) {
			oldest, when = key, one.expires
		}
	}
	if len(s.oneTimes) >= oneTimesOfAll {
		delete(s.oneTimes, oldest)
	}
	s.oneTimes[sha256.Sum256([]byte(once))] = oneTime{token, now.Add(oneTimeLife)}
	return once
}

// redeem returns the token that a one-time token stands for, which is then used up, or "".
func (s *sessions) redeem(once string) string {
	key, now := sha256.Sum256([]byte(once)), time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.oneTimes[key]
	delete(s.oneTimes, key)
	if !now.Before(one.expires) {
		return ""
	}
	return one.token
}

// cookieName returns the name of the cookie of a server. Browsers do not tell the ports of
// a host apart, so the name does.
func (p *Pages) cookieName(r *http.Request) string {
	name := "citekit_session"
	if i := strings.LastIndexByte(r.Host, ':'); i > strings.LastIndexByte(r.Host, ']') {
		name += "_" + r.Host[i+1:]
	}
	if p.secure(r) && p.opts.Path == "" {
		name = "__Host-" + name // no page of another host can set it
	}
	return name
}

// sessionID returns the id of the session that a request names, or "".
func (p *Pages) sessionID(r *http.Request) string {
	cookies := r.CookiesNamed(p.cookieName(r))
	if len(cookies) != 1 {
		return "" // one of several may be that of another
	}
	return cookies[0].Value
}

// setCookie sets the cookie to the id of a session; "" removes it.
func (p *Pages) setCookie(w http.ResponseWriter, r *http.Request, id string) {
	cookie := &http.Cookie{
		Name: p.cookieName(r), Value: id, Path: p.opts.Path + "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: p.secure(r),
	}
	if id == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
}

// secure reports whether browsers reach the server by https.
func (p *Pages) secure(r *http.Request) bool {
	return r.TLS != nil || strings.HasPrefix(p.opts.BaseURL, "https://")
}

// isOwn reports whether a request comes from a page of this server, or from its user. One
// that changes something must say that it comes from such a page.
func isOwn(r *http.Request) bool {
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" {
			return false
		}
	}
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return r.Method == http.MethodGet || r.Method == http.MethodHead
	}
	own := []string{"http://" + r.Host, "https://" + r.Host}
	return len(origins) == 1 && slices.Contains(own, origins[0])
}
