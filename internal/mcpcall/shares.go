package mcpcall

import "context"

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

// Taken returns how much all holders have.
func (s *Shares) Taken() int64 { return s.taken }

// Free returns how much nobody has, which is negative if more was taken than there is.
func (s *Shares) Free() int64 { return s.limit - s.taken }

// Holders returns how many hold something.
func (s *Shares) Holders() int { return len(s.held) }

// Held returns how much a holder has.
func (s *Shares) Held(holder string) int64 { return s.held[holder] }

// HolderOfGrant returns whom everything is counted for that a caller with a grant holds.
func HolderOfGrant(id string) string { return "caller " + id }

type holderKey struct{}

// WithHolder returns the context of a request with the holder of its session.
func WithHolder(ctx context.Context, holder string) context.Context {
	return context.WithValue(ctx, holderKey{}, holder)
}

// HolderIn returns the holder of the session of a call, or "" if it did not come
// over HTTP.
func HolderIn(ctx context.Context) string {
	holder, _ := ctx.Value(holderKey{}).(string)
	return holder
}
