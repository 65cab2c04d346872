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

// crowdCallers is how many callers there are for each good case.
const crowdCallers = 4

const crowdPatience = 3 * time.Millisecond

// crowdTime is how long a crowd has to end: far longer than it takes, so that
// only callers who wait for each other need it.
var crowdTime = 5 * time.Minute

// checkCrowd lets many callers do all that a resolver can at once, some of
// whom give up while they wait or work. All must end, and what they held must
// be free again: who holds a part of what is limited and waits for more can
// wait for ever. It finds most with a resolver whose limits let one caller in.
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
		t.Errorf("%s, in a crowd: %v", c.Name, out.err)
	}
	if m, ok := s.resolver.(citekit.Measurer); ok {
		if _, err := m.Measure(ctx, src); err != nil && ctx.Err() == nil {
			t.Errorf("%s, measured in a crowd: %v", c.Name, err)
		}
	}
	if m, ok := s.resolver.(citekit.Mapper); ok && maps {
		m.Map(ctx, src, citekit.MapRequest{Modality: s.modality}) // any outcome will do, in time
	}
	if _, ok := s.resolver.(preview.Previewer); ok {
		_, err := s.preview(t, ctx, src, c.Location, preview.Options{Side: smallSide})
		if err != nil && ctx.Err() == nil && !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s, shown in a crowd: %v", c.Name, err)
		}
	}
	s.readInCrowd(t, ctx, src, c)
}

// readInCrowd reads text, and resolves where it stands while it is read: who
// is called back must hold nothing that others wait for.
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
