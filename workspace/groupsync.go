package workspace

import "sync"

// A groupSync does one sync for all who wait for one that has not begun yet.
type groupSync struct {
	mu     sync.Mutex
	asked  int // how often a sync was asked for
	synced int // how many of those are done

	syncing sync.Mutex // held by the one who syncs
}

// sync returns once do has begun and ended after the call, whoever called it.
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
		return err // those who wait try themselves
	}
	g.mu.Lock()
	g.synced = upTo
	g.mu.Unlock()
	return nil
}
