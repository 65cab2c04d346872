package search

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/citekit/citekit/search/internal/index"
)

// mostReaders is how many resources are read at once, so that one that takes long,
// such as a scan, delays no other.
const mostReaders = 8

// heldBytes is how much of a resource is read before it is put. What is longer is
// put by itself, in pieces of this size, so that it delays no other, and spoils none if
// it cannot be read to the end. Tests lower it.
var heldBytes = 4 << 20

// A job is one update: it reads what is outdated, and puts what is read. All of it but
// the readers is in one goroutine.
type job struct {
	*Searcher
	ctx     context.Context // nothing more is read once it is done
	running sync.WaitGroup

	again <-chan struct{}   // asks for another look at the maps
	seen  sweep             // before the last look; the one before the job until then
	taken map[string]string // versions of resources that are neither put nor given up
	todo  []staleResource
	of    int // resources that are to be read, and those
	done  int // that were read, or cannot be

	release func() // the lock of the first process; nil before there is something to do
	second  bool   // another process has it, so this one begins at the end

	readers int // that run
	ready   chan *resourceText
	long    []staleResource // to be put by themselves
	putting chan error      // the end of the one that is put so; nil if none is
	putLast staleResource   // that one
	gone    []string        // cannot be read, and must not stay in the index
}

// A resourceText is a resource that was read, or the beginning of a long one.
type resourceText struct {
	staleResource
	entries []index.Entry
	long    bool
	err     error
}

// update puts what is missing or outdated into the index.
func (s *Searcher) update(u *updateRun) error {
	ctx, stop := context.WithCancel(s.background)
	j := &job{Searcher: s, ctx: ctx, again: u.again, taken: make(map[string]string), ready: make(chan *resourceText)}
	defer func() {
		if j.release != nil {
			j.release()
		}
	}()
	defer j.running.Wait()
	defer stop()
	s.mu.Lock()
	if s.upToDate {
		j.seen = s.seen
	}
	s.mu.Unlock()
	err := j.run()
	if err == nil {
		s.mu.Lock()
		s.seen, s.upToDate = j.seen, true
		s.mu.Unlock()
	}
	if j.of > 0 && err == nil {
		s.embedChanges()
	}
	return err
}

func (j *job) run() error {
	if err := j.look(); err != nil {
		return err
	}
	for {
		if err := j.forget(); err != nil {
			return err
		}
		j.start()
		if j.readers == 0 && j.putting == nil {
			return j.ctx.Err()
		}
		select {
		case r := <-j.ready:
			if j.take(r) {
				if err := j.putBatch(r); err != nil {
					return err
				}
			}
		case err := <-j.putting:
			j.putting = nil
			if errors.Is(err, index.ErrOvertaken) {
				j.long = append(j.long, j.putLast) // goes on where the other process is
				continue
			}
			delete(j.taken, j.putLast.id)
			j.progressed()
			if err != nil {
				return err
			}
		case <-j.again:
			if err := j.look(); err != nil {
				return err
			}
		case <-j.ctx.Done():
			return j.ctx.Err()
		}
	}
}

// look finds the resources that are outdated, if maps or the index have changed.
func (j *job) look() error {
	now := sweep{at: time.Now(), stamp: j.mapsStamp(j.ctx), index: j.indexStamp(j.ctx)}
	todo, err := j.outdated(j.ctx, &now, j.seen)
	if err != nil {
		return err
	}
	j.seen = now
	for _, r := range todo {
		if j.taken[r.id] != r.version {
			j.taken[r.id] = r.version
			if j.of++; j.isBegun(r) {
				j.long = append(j.long, r)
			} else {
				j.todo = append(j.todo, r)
			}
		}
	}
	if j.done < j.of {
		j.tell(j.done, j.of)
		j.share()
	}
	return nil
}

// An indexLocker is a workspace that other processes may index too.
type indexLocker interface {
	// TryLockIndex reports whether this process is the first of those that do, until
	// release.
	TryLockIndex() (release func(), first bool)
}

// share has two processes that index the same resources begin at different ends. Each
// skips what the other has put.
func (j *job) share() {
	if locker, ok := j.lib.Workspace().(indexLocker); ok && j.release == nil {
		var first bool
		j.release, first = locker.TryLockIndex()
		j.second = !first
	}
}

// isBegun reports whether the index has some pieces of a long resource.
func (j *job) isBegun(r staleResource) bool {
	in, ok := j.index.(index.Continuer)
	if !ok {
		return false
	}
	have, err := in.Begun(j.ctx, r.id, r.version)
	return err == nil && have > 0
}

// start starts readers, and the putting of a long resource.
func (j *job) start() {
	for j.readers < mostReaders && len(j.todo) > 0 {
		r := j.nextStale()
		if j.isPut(r) {
			continue
		}
		j.readers++
		j.running.Go(func() {
			read := j.read(j.ctx, r)
			select {
			case j.ready <- read:
			case <-j.ctx.Done():
			}
		})
	}
	if j.putting == nil && len(j.long) > 0 {
		r, end := j.long[0], make(chan error, 1)
		j.long, j.putting, j.putLast = j.long[1:], end, r
		j.running.Go(func() { end <- j.putLong(j.ctx, r) })
	}
}

// nextStale takes the next resource that is to be read, of which there are some.
func (j *job) nextStale() (r staleResource) {
	if last := len(j.todo) - 1; j.second {
		r, j.todo = j.todo[last], j.todo[:last]
	} else {
		r, j.todo = j.todo[0], j.todo[1:]
	}
	return r
}

// isPut reports whether another process has put a resource since the last look, so that
// processes that index the same resources share the work.
func (j *job) isPut(r staleResource) bool {
	held, err := j.index.Holds(j.ctx, r.id)
	if put, _ := splitVersion(held); err != nil || put != r.version && !j.isUnread(held, r.version) {
		return false
	}
	j.noteHeld(r.id, held)
	delete(j.taken, r.id)
	j.progressed()
	return true
}

// take takes what a reader has read. It reports whether it is to be put now.
func (j *job) take(r *resourceText) bool {
	j.readers--
	switch {
	case r.err != nil && j.ctx.Err() != nil:
	case r.err != nil:
		if version, ok := j.unreadVersion(r.version, r.err); ok {
			r.version, r.entries, r.long = version, nil, false
			return true
		}
		j.setFailed(r.id, r.version, r.err)
		j.gone = append(j.gone, r.id)
		delete(j.taken, r.id)
		j.progressed()
	case r.long:
		j.long = append(j.long, r.staleResource)
	default:
		return true
	}
	return false
}

// progressed tells that one more resource was read.
func (j *job) progressed() {
	j.done++
	if j.progress != nil {
		j.progress(j.done, j.of)
	}
	j.tell(j.done, j.of)
}

// forget removes what cannot be read from the index.
func (j *job) forget() error {
	gone := j.gone
	if j.gone = nil; len(gone) == 0 {
		return nil
	}
	return j.index.Delete(j.ctx, gone...)
}

// putBatch puts a resource, together with those that are read soon after it. What was
// read is put even if the job ends meanwhile.
func (j *job) putBatch(first *resourceText) error {
	over := time.NewTimer(batchTime)
	defer over.Stop()
	var put []staleResource
	err := j.index.Put(context.WithoutCancel(j.ctx), func(yield func(index.Resource) bool) {
		for r := first; r != nil; r = j.next(over.C) {
			if !yield(index.Resource{ID: r.id, Version: r.version, Entries: entriesOf(r.entries)}) {
				return
			}
			put = append(put, r.staleResource)
			j.progressed()
		}
	})
	for _, r := range put {
		if err == nil {
			j.noteHeld(r.id, r.version)
		}
		delete(j.taken, r.id)
	}
	return err
}

// next returns the next resource that is read, or nil if none is before a batch is
// over.
func (j *job) next(over <-chan time.Time) *resourceText {
	for {
		j.start()
		if j.readers == 0 {
			return nil
		}
		var settled <-chan time.Time
		if len(j.todo) == 0 {
			settled = time.After(settleTime)
		}
		select {
		case r := <-j.ready:
			if j.take(r) {
				return r
			}
		case <-j.again:
			if j.look() != nil {
				return nil // the next look has the error too
			}
		case <-over:
			return nil
		case <-settled:
			return nil
		case <-j.ctx.Done():
			return nil
		}
	}
}

// read reads the entries of a resource, or the first of many.
func (s *Searcher) read(ctx context.Context, r staleResource) *resourceText {
	read := &resourceText{staleResource: r}
	size := 0
	var kind string
	kind, read.err = s.entries(ctx, r.id, func(e index.Entry) bool {
		read.entries = append(read.entries, e)
		size += sizeOf(e)
		read.long = size >= heldBytes
		return !read.long
	})
	if errors.Is(read.err, errTooMuch) {
		kind, read.err = begun, nil
	}
	if read.err == nil {
		read.version = inPart(r.version, kind)
	}
	return read
}

// entries yields the entries of a resource. It returns of which kind they are.
func (s *Searcher) entries(ctx context.Context, id string, yield func(index.Entry) bool) (kind string, err error) {
	m, err := s.lib.Map(ctx, id)
	if err != nil {
		return "", err
	}
	work := newMeter(ctx, s.lib, m)
	err = makeEntries(ctx, s.layers, m, work, yield)
	return work.kind, err
}

// putLong puts a resource whose entries are not held, piece by piece if the index takes
// it so: what another process has put of it before is left as it is. If it is too much,
// only its beginning stays.
func (s *Searcher) putLong(ctx context.Context, r staleResource) error {
	put := s.putWhole
	if _, ok := s.index.(index.Continuer); ok {
		put = s.putPieces
	}
	failed, err := put(ctx, r)
	if ctx.Err() != nil || failed == nil {
		if err == nil {
			s.noteHeld(r.id, r.version)
		}
		return err
	}
	if errors.Is(failed, errTooMuch) {
		first := s.read(ctx, r)
		if first.err != nil {
			if ctx.Err() == nil {
				version, _ := splitVersion(r.version)
				s.setFailed(r.id, version, first.err)
				return s.index.Delete(ctx, r.id)
			}
			return first.err
		}
		version := inPart(r.version, begun)
		err := s.index.Put(ctx, func(yield func(index.Resource) bool) {
			yield(index.Resource{ID: r.id, Version: version, Entries: entriesOf(first.entries)})
		})
		if err == nil {
			s.noteHeld(r.id, version)
		}
		return err
	}
	version, _ := splitVersion(r.version)
	if version, ok := s.unreadVersion(version, failed); ok {
		err := s.index.Put(ctx, slices.Values([]index.Resource{{ID: r.id, Version: version}}))
		if err == nil {
			s.noteHeld(r.id, version)
		}
		return err
	}
	s.setFailed(r.id, version, failed)
	return s.index.Delete(ctx, r.id)
}

// putWhole puts a resource in one call. It returns why its entries end too early, or why
// they cannot be put.
func (s *Searcher) putWhole(ctx context.Context, r staleResource) (failed, err error) {
	limited, abort := context.WithCancel(ctx)
	defer abort()
	err = s.index.Put(limited, func(yield func(index.Resource) bool) {
		yield(index.Resource{ID: r.id, Version: r.version, Entries: func(yield func(index.Entry) bool) {
			if _, failed = s.entries(limited, r.id, yield); failed != nil {
				abort() // nothing is put
			}
		}})
	})
	return failed, err
}

// putPieces is putWhole in pieces of heldBytes. Each stays once it is put.
func (s *Searcher) putPieces(ctx context.Context, r staleResource) (failed, err error) {
	in := s.index.(index.Continuer)
	have, err := in.Begun(ctx, r.id, r.version)
	if err != nil {
		return nil, err
	}
	var piece []index.Entry
	size := 0
	put := func(last bool) error {
		one := index.Resource{ID: r.id, Version: r.version, Entries: entriesOf(piece)}
		err := in.Continue(context.WithoutCancel(ctx), one, have, last)
		have += len(piece)
		piece, size = nil, 0
		return err
	}
	_, failed = s.entries(ctx, r.id, func(e index.Entry) bool {
		if e.Ordinal < have {
			return true
		}
		piece = append(piece, e)
		if size += sizeOf(e); size >= heldBytes {
			err = put(false)
		}
		return err == nil && ctx.Err() == nil
	})
	switch {
	case err != nil:
	case ctx.Err() != nil && len(piece) > 0: // what is read stays
		err = put(false)
	case failed == nil && ctx.Err() == nil:
		err = put(true)
	}
	return failed, cmp.Or(ctx.Err(), err)
}

func entriesOf(entries []index.Entry) iter.Seq[index.Entry] {
	return func(yield func(index.Entry) bool) {
		for _, e := range entries {
			if !yield(e) {
				return
			}
		}
	}
}
