package transport

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// Shares divide a quantity among its holders: each may hold a part of what is left
// free. So the more others hold, the less one may have, and there is a part for one
// that holds nothing yet. Whoever uses them has a lock.
type Shares struct {
	limit int64
	part  int64
	taken int64
	held  map[string]int64 // by holder; never zero
}

// NewShares returns shares of a limit. With part 1 a holder may have as much as is left
// free, so one alone half of all; with part 3 a third of that, so a quarter.
func NewShares(limit, part int64) Shares {
	return Shares{limit: limit, part: part, held: make(map[string]int64)}
}

// Fits reports whether a holder may have n more.
func (s *Shares) Fits(holder string, n int64) bool {
	free, held := s.limit-s.taken, s.held[holder]
	return held == 0 && n == 1 && free > 0 || s.part*(held+n) <= free
}

// Take adds n, which may be negative, to what a holder has.
func (s *Shares) Take(holder string, n int64) {
	s.taken += n
	if s.held[holder] += n; s.held[holder] == 0 {
		delete(s.held, holder)
	}
}

// Held returns how much a holder has.
func (s *Shares) Held(holder string) int64 { return s.held[holder] }

// turns are shares that holders wait for, in turn.
type turns struct {
	mu      sync.Mutex
	shares  Shares
	waiting []turn
}

// A turn is a holder that waits.
type turn struct {
	holder string
	ready  chan struct{} // closed once it has its share
}

func newTurns(limit int64) *turns { return &turns{shares: NewShares(limit, 1)} }

// take waits for one of the shares for a holder, until leave is called. The error is
// that of ctx.
func (t *turns) take(ctx context.Context, holder string) (leave func(), err error) {
	mine := turn{holder, make(chan struct{})}
	t.mu.Lock()
	t.waiting = append(t.waiting, mine)
	t.nextLocked()
	t.mu.Unlock()
	leave = func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.shares.Take(holder, -1)
		t.nextLocked()
	}
	select {
	case <-mine.ready:
		return leave, nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	i := slices.Index(t.waiting, mine)
	if i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	t.mu.Unlock()
	if i < 0 { // it got its share by now
		leave()
	}
	return nil, ctx.Err()
}

// nextLocked gives shares to those who wait, as far as they fit.
func (t *turns) nextLocked() {
	t.waiting = slices.DeleteFunc(t.waiting, func(next turn) bool {
		if !t.shares.Fits(next.holder, 1) {
			return false
		}
		t.shares.Take(next.holder, 1)
		close(next.ready)
		return true
	})
}

// holderOf returns whom everything is counted for that a request holds: the caller
// of its grant, whichever workspace it names, or the user. Requests without
// authentication are counted by their address.
func holderOf(r *http.Request) string {
	info := auth.TokenInfoFromContext(r.Context())
	if grant, _ := GrantOf(info); grant != nil && grant.ID != "" {
		return holderOfGrant(grant.ID)
	}
	if info != nil && info.UserID != "" && info.Extra[grantKey] == nil {
		return "user " + info.UserID
	}
	return "address " + addressOf(r.RemoteAddr)
}

func holderOfGrant(id string) string { return "caller " + id }

// HolderIn returns the holder of the session of a call, or "" if it did not come
// through a handler.
func HolderIn(ctx context.Context) string {
	held, ok := ctx.Value(sessionKey{}).(heldBy)
	if !ok {
		return ""
	}
	return held.session.holder
}

// addressOf returns the address of a client without its port. Of IPv6 it is the
// network, as one machine may have all addresses of it.
func addressOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return ""
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if address = address.Unmap().WithZone(""); address.Is6() && !address.IsLoopback() {
		network, _ := address.Prefix(64) // which every IPv6 address has
		address = network.Addr()
	}
	return address.String()
}
