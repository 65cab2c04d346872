package modalitytest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/preview"
)

// crowdCallers is the number of callers for each good case.
const crowdCallers = 4

const crowdPatience = 3 * time.Millisecond

// crowdTime is the time limit of a crowd. It is far longer than the calls take,
// so that only a deadlock reaches it.
var crowdTime = 5 * time.Minute

// checkCrowd makes all calls of a resolver from many callers at once. Some
// callers give up while they wait or work. All must end, and release what they
// held: a caller that holds part of a limited resource and waits for more can
// wait for ever. The check finds most with a resolver whose limits admit one
// caller.
func (s *suite) checkCrowd(t testing.TB) {
	ended := make(chan struct{})
	var callers sync.WaitGroup
	cases := s.Good
	if s.brief() {
		cases = cases[:min(len(cases), 2)]
	}
	for i := range crowdCallers {
		for n, c := range cases {
			callers.Go(func() { s.crowdCaller(t, i, c, n == 0) })
		}
	}
	go func() {
		callers.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(crowdTime):
		t.Errorf("callers wait for each other, or for what was not given back\n%s", stacks())
		return
	}
	s.inspectFirst(t, "after a crowd")
}

// crowdCaller makes one call of each kind; mapping is the same for all cases.
// One caller gives up after a short while.
func (s *suite) crowdCaller(t testing.TB, i int, c Case, maps bool) {
	ctx := t.Context()
	if i == crowdCallers/2 {
		limited, cancel := context.WithTimeout(ctx, crowdPatience)
		defer cancel()
		ctx = limited
	}
	src := s.memory(s.Source, i%2 == 0)
	out := s.resolve(t, ctx, src, c.request(), largePiece)
	if out.err != nil && ctx.Err() == nil {
		t.Errorf("%s, in a crowd: %v, want no error", c.Name, out.err)
	}
	if m, ok := s.resolver.(citekit.Measurer); ok {
		if _, err := m.Measure(ctx, src); err != nil && ctx.Err() == nil {
			t.Errorf("%s, measured in a crowd: %v, want no error", c.Name, err)
		}
	}
	if m, ok := s.resolver.(citekit.Mapper); ok && maps {
		m.Map(ctx, src, citekit.MapRequest{Modality: s.modality}) // any outcome is fine, in time
	}
	if _, ok := s.resolver.(preview.Previewer); ok {
		_, err := s.preview(t, ctx, src, c.Location, preview.Options{Side: smallSide})
		if err != nil && ctx.Err() == nil && !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s, shown in a crowd: %v, want no error", c.Name, err)
		}
	}
	s.readInCrowd(t, ctx, src, c)
}

// readInCrowd reads text, and resolves the location of each run while reading:
// during the callback, the reader must not hold anything that other callers
// wait for.
func (s *suite) readInCrowd(t testing.TB, ctx context.Context, src *citekit.Source, c Case) {
	if _, ok := s.resolver.(citekit.TextReader); !ok {
		return
	}
	for run, err := range s.text(ctx, src, c.Location) {
		if err == nil {
			s.resolve(t, ctx, src, citekit.Request{Location: run.Location}, largePiece)
		}
		return
	}
}
