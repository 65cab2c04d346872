package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/strictjson"
)

// Calls of a session continue when the request that carried them has ended. So
// limits on connections do not bound the number of calls or the size of their
// requests.
const (
	maxSessionCalls = 500    // of one session at a time
	maxAllCalls     = 10_000 // of all sessions; see shares

	// maxOwed is how many calls of a session of HTTP+SSE may be unanswered. A
	// call counts until the client has read its answer from the stream.
	maxOwed = 100

	// maxUnanswered bounds the bodies of a session's calls that no request waits
	// for, in bytes. Above it the next long body is refused.
	maxUnanswered = 8 << 20
)

var tooMuchUnanswered = &refusal{http.StatusServiceUnavailable, "too many long calls of this session are not answered; try again"}

// beginCall is begin for a call that a message asks for, if there is room for it.
// The error is a protocol error.
func (t *sessions) beginCall(s *session) (done func(), err error) {
	t.mu.Lock()
	if s.running >= maxSessionCalls || !t.running.Fits(s.holder, 1) {
		t.mu.Unlock()
		return nil, mcpcall.Detailed(&jsonrpc.Error{Code: codeBusy, Message: fmt.Sprintf("busy; a session has at most %d calls at a time, and a caller as many as are left for others, of %d", maxSessionCalls, maxAllCalls)})
	}
	s.running++
	t.running.Take(s.holder, 1)
	t.mu.Unlock()
	end := t.begin(s, aCall)
	return func() {
		end()
		t.mu.Lock()
		s.running--
		t.running.Take(s.holder, -1)
		t.mu.Unlock()
	}, nil
}

// owesMuch reports whether a session, which may be nil, has too many unanswered
// calls for another body of size bytes.
func (t *sessions) owesMuch(s *session, size int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return s != nil && s.unanswered > maxUnanswered && size > smallBody
}

// releaseLater calls release once no call of a session runs or waits for its
// answer, as the body may belong to any of them. The session may be nil.
func (t *sessions) releaseLater(s *session, size int, release func()) {
	t.mu.Lock()
	if s == nil || s.calls == 0 && s.owed == 0 {
		t.mu.Unlock()
		release()
		return
	}
	s.unanswered += int64(size)
	s.bodies = append(s.bodies, release)
	t.mu.Unlock()
}

// releaseLocked releases the bodies of calls, if none runs or waits for its
// answer.
func (s *session) releaseLocked() {
	if s.calls > 0 || s.owed > 0 {
		return
	}
	for _, release := range s.bodies {
		release()
	}
	s.bodies, s.unanswered = nil, 0
}

// nameSSE sets the id with which the client of a session of HTTP+SSE names it.
func (t *sessions) nameSSE(s *session, id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, there := t.holders[s.holder][s]; there {
		s.id = sseID(id)
		t.byID[s.id] = s
	}
}

// sseID returns the id of a session of HTTP+SSE in the table. No request to /mcp
// can have such an id.
func sseID(id string) string { return "sse\n" + id }

// ask records calls of a session of HTTP+SSE that will be answered on its stream,
// if there is room for them. Calls with the id of one that is not answered are
// rejected: the SDK would never answer them.
func (t *sessions) ask(s *session, calls []*jsonrpc.Request) (rejected *rejection, isRoom bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range calls {
		if s.asked[c.ID] {
			id, _ := json.Marshal(c.ID.Raw()) // texts and numbers always encode
			return &rejection{id, jsonrpc.CodeInvalidRequest, idInUse(c.ID)}, true
		}
	}
	if s.owed+len(calls) > maxOwed && len(calls) > 0 {
		return nil, false
	}
	s.owed += len(calls)
	for _, c := range calls {
		if s.asked == nil {
			s.asked = make(map[jsonrpc.ID]bool)
		}
		s.asked[c.ID] = true
	}
	return nil, true
}

// idInUse says that the id of a call is in use.
func idInUse(id jsonrpc.ID) string {
	return fmt.Sprintf("id %v is in use by a call in flight", id.Raw())
}

// answering lets the client use the id of a call again, whose answer it is about to
// read. The call counts until then.
func (t *sessions) answering(s *session, id jsonrpc.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(s.asked, id)
}

// withdraw is settle for calls that the SDK refused.
func (t *sessions) withdraw(s *session, calls []*jsonrpc.Request) {
	for _, c := range calls {
		t.answering(s, c.ID)
	}
	t.settle(s, len(calls))
}

// settle records that calls of a session of HTTP+SSE are answered, or never will
// be.
func (t *sessions) settle(s *session, calls int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.owed = max(0, s.owed-calls)
	s.releaseLocked()
	s.restLocked()
}

// An sseStream is the stream of a session of HTTP+SSE. Its first event tells the
// client where to send messages, with the id that the SDK made. The other events
// are messages.
type sseStream struct {
	http.ResponseWriter
	session  *session
	sessions *sessions
	isNamed  bool // the id of the session is known
}

// Unwrap is for [http.ResponseController].
func (w *sseStream) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write implements [io.Writer].
func (w *sseStream) Write(event []byte) (int, error) {
	if !w.isNamed {
		if _, id, found := bytes.Cut(event, []byte("?sessionid=")); found {
			id, _, _ = bytes.Cut(id, []byte("\n"))
			w.sessions.nameSSE(w.session, string(id))
			w.isNamed = true
		}
	}
	id, isAnswer := answerID(event)
	if isAnswer {
		w.sessions.answering(w.session, id)
		defer w.sessions.settle(w.session, 1)
	}
	return w.ResponseWriter.Write(event)
}

// answerID returns the id of an event that is a message with an id and no method,
// as the SDK writes it, and reports whether it is one.
func answerID(event []byte) (id jsonrpc.ID, isAnswer bool) {
	_, rest, found := bytes.Cut(event, []byte(`data: {"jsonrpc":"2.0","id":`))
	if !found {
		return id, false
	}
	end := strictjson.ValueEnd(rest, 0)
	if bytes.HasPrefix(rest[end:], []byte(`,"method":`)) {
		return id, false
	}
	var value any
	if json.Unmarshal(rest[:end], &value) == nil {
		id, _ = jsonrpc.MakeID(value)
	}
	return id, true
}
