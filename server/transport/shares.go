package transport

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/citekit/citekit/internal/mcpcall"
)

// turns are shares that holders wait for, in turn.
type turns struct {
	mu      sync.Mutex
	shares  mcpcall.Shares
	waiting []turn
}

// A turn is a holder that waits.
type turn struct {
	holder string
	ready  chan struct{} // closed once it has its share
}

func newTurns(limit int64) *turns { return &turns{shares: mcpcall.NewShares(limit, 1)} }

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
	if grant, _ := mcpcall.GrantOf(info); grant != nil && grant.ID != "" {
		return mcpcall.HolderOfGrant(grant.ID)
	}
	if info != nil && info.UserID != "" && !mcpcall.IsIdentified(info) {
		return "user " + info.UserID
	}
	return "address " + addressOf(r.RemoteAddr)
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
