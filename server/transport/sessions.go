package transport

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/mcpcall"
)

// A session is the state of a client between requests: a session of protocol
// versions that have them, or a stream of its own.
type session struct {
	caller string        // as userOf returns it
	holder string        // whom it is counted for, as holderOf returns it
	grant  *access.Grant // of the caller; may be nil

	// life ends when the calls of the session must; end ends it.
	life context.Context
	end  context.CancelFunc

	// Used only by the table, whose lock guards the fields below.
	id      string
	close   func()    // set once it is in the table
	calls   int       // not answered yet
	streams int       // open
	used    time.Time // when the last call or stream ended
	expiry  *time.Timer
	refused bool
	running int                 // calls that messages asked for
	owed    int                 // calls of HTTP+SSE whose answers are not written
	asked   map[jsonrpc.ID]bool // the ids of those whose answers are not being written

	unanswered int64    // bytes of bodies
	bodies     []func() // release these
	atRest     func()   // if not nil, called once no call runs or waits for its answer
}

// newSession returns a session that is not in a table yet. Its calls end with
// life.
func newSession(r *http.Request, life context.Context) *session {
	s := &session{caller: userOf(r), holder: holderOf(r)}
	s.grant, _ = mcpcall.GrantOf(auth.TokenInfoFromContext(r.Context()))
	s.life, s.end = context.WithCancel(life)
	return s
}

// sessions is a table of sessions, at most limit of each holder. The session that
// was idle for the longest time makes room for a new one, so abandoned sessions
// do no harm.
type sessions struct {
	limit   int
	timeout time.Duration

	mu      sync.Mutex
	running mcpcall.Shares // calls of all sessions
	byID    map[string]*session
	holders map[string]map[*session]struct{}
}

func newSessions(limit int, timeout time.Duration) *sessions {
	return &sessions{
		limit: limit, timeout: timeout, running: mcpcall.NewShares(maxAllCalls, 1),
		byID: make(map[string]*session), holders: make(map[string]map[*session]struct{}),
	}
}

// add puts a session with an optional id into the table. It calls close, once,
// when the session must make room or was idle for too long. It reports false if
// all sessions of the holder are busy, so there is no room.
func (t *sessions) add(s *session, id string, close func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.close != nil {
		return true
	}
	mine := t.holders[s.holder]
	if len(mine) >= t.limit {
		oldest := longestIdle(mine)
		if oldest == nil {
			s.refused = true
			return false
		}
		t.removeLocked(oldest)
		go oldest.close()
	}
	if mine == nil {
		mine = make(map[*session]struct{})
		t.holders[s.holder] = mine
	}
	mine[s] = struct{}{}
	s.id, s.close, s.used = id, close, time.Now()
	if id != "" {
		t.byID[id] = s
	}
	t.waitLocked(s)
	return true
}

// longestIdle returns the session that was idle for the longest time, preferably
// one without a stream. It returns nil if all have running calls.
func longestIdle(all map[*session]struct{}) *session {
	var found *session
	for s := range all {
		if s.calls > 0 {
			continue
		}
		if found == nil || s.streams == 0 && found.streams > 0 ||
			(s.streams == 0) == (found.streams == 0) && s.used.Before(found.used) {
			found = s
		}
	}
	return found
}

// remove removes a session from the table, if it is there.
func (t *sessions) remove(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.removeLocked(s)
}

func (t *sessions) removeLocked(s *session) {
	if s.expiry != nil {
		s.expiry.Stop()
	}
	mine := t.holders[s.holder]
	delete(mine, s)
	if len(mine) == 0 {
		delete(t.holders, s.holder)
	}
	if s.id != "" && t.byID[s.id] == s {
		delete(t.byID, s.id)
	}
}

// waitLocked makes a session expire once it has been idle for long enough.
func (t *sessions) waitLocked(s *session) {
	if s.calls > 0 || s.streams > 0 {
		return
	}
	if s.expiry == nil {
		s.expiry = time.AfterFunc(t.timeout, func() { t.expire(s) })
		return
	}
	s.expiry.Reset(t.timeout)
}

func (t *sessions) expire(s *session) {
	t.mu.Lock()
	_, there := t.holders[s.holder][s]
	idle := s.calls == 0 && s.streams == 0 && time.Since(s.used) >= t.timeout
	if there && idle {
		t.removeLocked(s)
	}
	t.mu.Unlock()
	if there && idle {
		s.close()
	}
}

// find returns the caller's session with an id, or nil.
func (t *sessions) find(caller, id string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.byID[id]; s != nil && s.caller == caller {
		return s
	}
	return nil
}

// all returns the sessions in the table.
func (t *sessions) all() []*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*session
	for _, mine := range t.holders {
		for s := range mine {
			all = append(all, s)
		}
	}
	return all
}

// A sessionUse is what keeps a session from being idle.
type sessionUse struct{ calls, streams int }

var (
	aCall   = sessionUse{calls: 1}
	aStream = sessionUse{streams: 1}
)

// begin records a use of a session until done is called.
func (t *sessions) begin(s *session, u sessionUse) (done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.calls += u.calls
	s.streams += u.streams
	if s.expiry != nil {
		s.expiry.Stop()
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		s.calls -= u.calls
		s.streams -= u.streams
		s.used = time.Now()
		s.releaseLocked()
		s.restLocked()
		if _, there := t.holders[s.holder][s]; there {
			t.waitLocked(s)
		}
	}
}

// wasRefused reports whether there was no room for a session.
func (t *sessions) wasRefused(s *session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return s.refused
}

// sessionKey is the context key for the session of a request.
type sessionKey struct{}

// A heldBy is the handler that received a request, and its session.
type heldBy struct {
	handler *Handler
	session *session
}

// withSession returns the context of a request with its session.
func (h *Handler) withSession(ctx context.Context, s *session) context.Context {
	return mcpcall.WithHolder(context.WithValue(ctx, sessionKey{}, heldBy{h, s}), s.holder)
}

// followSessions is middleware of a server. It finds out which requests make
// sessions and streams, and ends calls with their session. It ignores requests
// that did not come through the handler.
func (h *Handler) followSessions(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		held, ok := ctx.Value(sessionKey{}).(heldBy)
		if !ok || held.handler != h {
			return next(ctx, method, req)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(held.session.life, cancel)()
		defer context.AfterFunc(h.killed, cancel)()
		switch {
		case method == "initialize":
			return h.pass(ctx, method, req, func(ctx context.Context, _ string, req mcp.Request) (mcp.Result, error) {
				return h.initialize(ctx, held.session, next, req)
			})
		case method == listenMethod:
			return h.pass(ctx, method, req, func(ctx context.Context, _ string, req mcp.Request) (mcp.Result, error) {
				return h.listen(ctx, held.session, cancel, next, req)
			})
		case mcpcall.IsNotification(method):
			return next(ctx, method, req)
		}
		done, err := h.sessions.beginCall(held.session)
		if err != nil {
			return nil, err
		}
		defer done()
		return h.pass(ctx, method, req, func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			leave, err := h.answers.enter(ctx, held.session.holder, method, req)
			if err != nil {
				return nil, err
			}
			defer leave()
			result, err := next(ctx, method, req)
			if err != nil {
				return nil, err
			}
			return h.answers.hold(ctx, held.session.holder, result)
		})
	}
}

// initialize begins a session, if there is room for another one of its caller.
func (h *Handler) initialize(ctx context.Context, s *session, next mcp.MethodHandler, req mcp.Request) (mcp.Result, error) {
	ours, ok := req.GetSession().(*mcp.ServerSession)
	if !ok || ours.ID() == "" { // without sessions, or over HTTP+SSE, whose session is in the table
		return next(ctx, "initialize", req)
	}
	if !h.sessions.add(s, ours.ID(), func() { ours.Close() }) {
		return nil, errNoRoom
	}
	defer h.sessions.begin(s, aCall)()
	result, err := next(ctx, "initialize", req)
	if err != nil && ours.InitializeParams() == nil {
		h.sessions.remove(s)
	}
	return result, err
}

// listen serves a stream of changes, if there is room for another one of its
// caller. The stream ends when the server stops.
func (h *Handler) listen(ctx context.Context, s *session, cancel context.CancelFunc, next mcp.MethodHandler, req mcp.Request) (mcp.Result, error) {
	if !h.sessions.add(s, "", cancel) {
		return nil, errNoRoom
	}
	defer h.sessions.remove(s)
	defer context.AfterFunc(h.stopping, cancel)()
	defer h.sessions.begin(s, aStream)()
	return next(ctx, listenMethod, req)
}

const (
	// answerTime is how long the answers of a session of HTTP+SSE may take to be
	// written, once its calls are done: each piece of one has writeTimeout, and one
	// that the SDK drops is never written.
	answerTime = 2 * writeTimeout

	// cutAfter is the time between the last answer and the end of its stream:
	// clients drop an answer that they read together with the end.
	cutAfter = 250 * time.Millisecond
)

// endAtRest calls cut to end a session of HTTP+SSE once no call of it runs, and the
// answers are written. It does not close the session earlier, as the SDK would then
// drop the answers, which come by its stream.
func (t *sessions) endAtRest(s *session, cut func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.atRest = cut
	s.restLocked()
}

// restLocked ends a session that endAtRest was called for, if it is at rest.
func (s *session) restLocked() {
	switch {
	case s.atRest == nil || s.calls > 0:
	case s.owed == 0:
		time.AfterFunc(cutAfter, s.atRest)
	default:
		time.AfterFunc(answerTime, s.atRest)
	}
}
