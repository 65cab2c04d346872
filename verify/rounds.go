package verify

import (
	"context"
	"fmt"
	"sync"
)

// sharedPasses goes through the parts of a long text once for many quotes of one call. A quote
// that is looked for in such a text waits until all others that are judged do, or are
// done: then each part is prepared once, and all that wait for that text look into it.
type sharedPasses struct {
	cpus chan struct{} // a place for each quote that is worked on

	mu      sync.Mutex
	active  int       // workers that neither wait nor have ended
	waiting []*waiter // in the order in which they came
}

// A waiter is a quote that waits for the parts of a text.
type waiter struct {
	verifier *Verifier
	source   *source
	look     func(segment) bool
	done     chan struct{}
	err      error
}

// mostUnderway is how many quotes of a call are judged at a time. Each may hold its text
// open.
const mostUnderway = 64

type roundsKey struct{}

// work works on a quote that one of the workers has taken. ctx is for its work.
func (r *sharedPasses) work(ctx context.Context, f func(ctx context.Context)) {
	r.cpus <- struct{}{}
	defer func() { <-r.cpus }()
	f(context.WithValue(ctx, roundsKey{}, r))
}

// textKey identifies the text of a source.
func (s *source) textKey() string {
	return s.resource + "\x00" + s.SourceHash() + fmt.Sprint("\x00", s.Len(), s.stale)
}

// wait waits for a round of the parts of a source.
func (r *sharedPasses) wait(ctx context.Context, v *Verifier, s *source, look func(segment) bool) error {
	w := &waiter{verifier: v, source: s, look: look, done: make(chan struct{})}
	r.mu.Lock()
	r.waiting = append(r.waiting, w)
	r.mu.Unlock()
	<-r.cpus
	r.rest(ctx)
	<-w.done
	r.cpus <- struct{}{}
	return w.err
}

// rest is called by a worker that waits or ends. The last one goes through the text that
// was waited for first. Those that waited for it are active then.
func (r *sharedPasses) rest(ctx context.Context) {
	r.mu.Lock()
	if r.active--; r.active > 0 || len(r.waiting) == 0 {
		r.mu.Unlock()
		return
	}
	var now, later []*waiter
	for _, w := range r.waiting {
		if w.source.textKey() == r.waiting[0].source.textKey() {
			now = append(now, w)
		} else {
			later = append(later, w)
		}
	}
	r.waiting, r.active = later, len(now)
	r.mu.Unlock()
	r.goThrough(ctx, now)
}

// goThrough has waiters look into the parts of their text.
func (r *sharedPasses) goThrough(ctx context.Context, all []*waiter) {
	looking := make([]*waiter, len(all))
	copy(looking, all)
	err := all[0].verifier.parted(ctx, all[0].source, func(text segment) bool {
		goesOn := make([]bool, len(looking))
		var looks sync.WaitGroup
		for i, w := range looking {
			r.cpus <- struct{}{}
			looks.Go(func() {
				goesOn[i] = w.look(text)
				<-r.cpus
			})
		}
		looks.Wait()
		n := 0
		for i, w := range looking {
			if goesOn[i] {
				looking[n] = w
				n++
			}
		}
		looking = looking[:n]
		return n > 0
	})
	for _, w := range looking {
		w.err = err
	}
	for _, w := range all {
		close(w.done)
	}
}
