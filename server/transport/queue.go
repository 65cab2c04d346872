package transport

import (
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/citekit/citekit/internal/strictjson"
)

// A queue holds back requests of a kind while as many as its limit are being
// handled. A request is handled until its answer is written, so a client that
// does not read cannot cause more answers than that.
type queue struct {
	limit   int
	running int
	waiting []waitingCall
}

// A waitingCall is a request that is held back.
type waitingCall struct {
	id   jsonrpc.ID
	text []byte
}

func (q *queue) add(id jsonrpc.ID, text []byte) {
	q.waiting = append(q.waiting, waitingCall{id, text})
}

// next returns the request that has waited longest, if there is room for it.
func (q *queue) next() []byte {
	if q.running >= q.limit || len(q.waiting) == 0 {
		return nil
	}
	text := q.waiting[0].text
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.running++
	return text
}

// remove removes a waiting request, and reports whether it did.
func (q *queue) remove(id jsonrpc.ID) bool {
	i := slices.IndexFunc(q.waiting, func(w waitingCall) bool { return w.id == id })
	if i < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

const (
	// longCalls is how many calls of one tool are handled at a time if its
	// answers may be megabytes.
	longCalls = 2

	// otherCalls is the same for all other tool calls together.
	otherCalls = 64

	// heldMessages bounds the bytes of the requests in flight, as a multiple of
	// MaxMessage.
	heldMessages = 16
)

// queueFor returns the queue for a request, or nil if the request is handled at
// once. The caller holds the lock.
func (g *guard) queueFor(request *jsonrpc.Request) *queue {
	if request.Method != "tools/call" {
		return nil
	}
	// The SDK reports errors in the parameters.
	params, _ := strictjson.Members(request.Params)
	for _, m := range params {
		if name, _ := strictjson.Unquoted(m.Value); m.Key == "name" && g.Tools.Tool(name, nil).Long {
			return g.longQueue(name)
		}
	}
	return &g.others
}

// longQueue returns the queue of a tool with long answers.
func (g *guard) longQueue(tool string) *queue {
	if g.long[tool] == nil {
		g.long[tool] = &queue{limit: longCalls}
	}
	return g.long[tool]
}

// nextWaiting returns a request that was held back and now has room, or nil.
func (g *guard) nextWaiting() []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, q := range g.long {
		if text := q.next(); text != nil {
			return text
		}
	}
	return g.others.next()
}
