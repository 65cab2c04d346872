package ingest

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// turns lets goroutines pass one after the other, in the order of their
// numbers.
type turns struct {
	mu   sync.Mutex
	next int
	cond *sync.Cond
}

func (t *turns) init() { t.cond = sync.NewCond(&t.mu) }

// wait returns when the i lower numbers have passed. Every number must wait and
// pass.
func (t *turns) wait(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.next != i {
		t.cond.Wait()
	}
}

func (t *turns) pass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	t.cond.Broadcast()
}

// A reporter adds items to a report in the order of their numbers.
type reporter struct {
	report *Report
	each   func(Item)

	mu      sync.Mutex
	next    int
	waiting map[int]Item
}

func (r *reporter) put(i int, item Item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting == nil {
		r.waiting = make(map[int]Item)
	}
	r.waiting[i] = item
	for {
		item, ok := r.waiting[r.next]
		if !ok {
			return
		}
		delete(r.waiting, r.next)
		r.next++
		r.add(item)
	}
}

func (r *reporter) add(item Item) {
	r.report.Items = append(r.report.Items, item)
	if r.each != nil {
		r.each(item)
	}
}

// flush adds the items that still wait for others, which will not come.
func (r *reporter) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, i := range slices.Sorted(maps.Keys(r.waiting)) {
		r.add(r.waiting[i])
	}
	r.waiting = nil
}

// A budget lends parts of a fixed amount.
type budget struct {
	size int64

	mu      sync.Mutex
	free    int64
	waiting []loan
}

type loan struct {
	amount int64
	ready  chan struct{}
}

// acquire waits until amount is free, or the whole budget if amount is more.
// Callers are served in the order they came.
func (b *budget) acquire(ctx context.Context, amount int64) (release func(), err error) {
	amount = min(amount, b.size)
	b.mu.Lock()
	if len(b.waiting) == 0 && b.free >= amount {
		b.free -= amount
		b.mu.Unlock()
		return func() { b.release(amount) }, nil
	}
	l := loan{amount, make(chan struct{})}
	b.waiting = append(b.waiting, l)
	b.mu.Unlock()
	select {
	case <-l.ready:
		return func() { b.release(amount) }, nil
	case <-ctx.Done():
		b.giveUp(l)
		return nil, ctx.Err()
	}
}

// giveUp returns a loan, which may just have been granted.
func (b *budget) giveUp(l loan) {
	b.mu.Lock()
	for i, waiting := range b.waiting {
		if waiting.ready == l.ready {
			b.waiting = append(b.waiting[:i], b.waiting[i+1:]...)
			b.mu.Unlock()
			b.release(0)
			return
		}
	}
	b.mu.Unlock()
	b.release(l.amount)
}

func (b *budget) release(amount int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free += amount
	for len(b.waiting) > 0 && b.free >= b.waiting[0].amount {
		b.free -= b.waiting[0].amount
		close(b.waiting[0].ready)
		b.waiting = b.waiting[1:]
	}
}
