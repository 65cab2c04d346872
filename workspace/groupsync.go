package workspace

import "sync"

// A groupSync performs one sync for all callers that wait for a sync to begin.
type groupSync struct {
	mu     sync.Mutex
	asked  int // how many syncs were requested
	synced int // how many of those are done

	syncing sync.Mutex // held by whoever syncs
}

// sync returns once a run of do has begun and ended after the call, whichever
// caller ran it.
func (g *groupSync) sync(do func() error) error {
	g.mu.Lock()
	g.asked++
	turn := g.asked
	g.mu.Unlock()

	g.syncing.Lock()
	defer g.syncing.Unlock()
	g.mu.Lock()
	done, upTo := g.synced >= turn, g.asked
	g.mu.Unlock()
	if done {
		return nil
	}
	if err := do(); err != nil {
		return err // the callers that wait try themselves
	}
	g.mu.Lock()
	g.synced = upTo
	g.mu.Unlock()
	return nil
}
