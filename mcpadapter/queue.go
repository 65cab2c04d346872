package mcpadapter

import (
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A queue holds back requests of a kind while as many as its limit are being
// handled. A request is handled until its answer is written, so a client that
// does not read makes no more answers than that.
type queue struct {
	limit   int
	running int
	waiting []*jsonrpc.Request
}

// next returns the request that has waited longest, if there is room for it.
func (q *queue) next() *jsonrpc.Request {
	if q.running >= q.limit || len(q.waiting) == 0 {
		return nil
	}
	request := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.running++
	return request
}

// remove takes out a request that waits, and reports whether it did.
func (q *queue) remove(id jsonrpc.ID) bool {
	i := slices.IndexFunc(q.waiting, func(r *jsonrpc.Request) bool { return r.ID == id })
	if i < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

const (
	// longCalls is how many calls are handled at a time whose answers may
	// be megabytes.
	longCalls = 2

	// otherCalls is how many other calls of tools are.
	otherCalls = 64

	// heldMessages bounds the bytes of the requests in flight, in longest
	// messages.
	heldMessages = 16
)

// queueFor returns the queue a request belongs in, or nil for one that is
// handled at once.
func (c *streamConn) queueFor(request *jsonrpc.Request) *queue {
	if request.Method != "tools/call" {
		return nil
	}
	var params struct {
		Name string `json:"name"`
	}
	// What is wrong with the parameters the SDK will say.
	if err := json.Unmarshal(request.Params, &params); err != nil {
		return &c.others
	}
	switch params.Name {
	case "getStructure", "listResources":
		return &c.long
	}
	return &c.others
}

// nextWaiting returns a request that was held back and now has room, or nil.
func (c *streamConn) nextWaiting() *jsonrpc.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, q := range []*queue{&c.long, &c.others} {
		if request := q.next(); request != nil {
			return request
		}
	}
	return nil
}
