package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Queue has sources mapped by workers, such as those of a store that many machines
// share. Implementations must be safe for concurrent use, including by other processes.
type Queue interface {
	// Add finds the sources that paths name, and adds those that are new or have changed,
	// before those of ingests for which nobody waits. It calls progress with what it
	// has found so far. The id is that of the ingest; Type, ResourceID, Force, NoIgnore
	// and Hidden of opts count. If nobody would map them, it adds nothing, and the error
	// is [ErrNoWorkers].
	Add(ctx context.Context, id string, paths []string, opts *Options, progress func(Queued)) (Queued, error)

	// State returns how far the sources of an ingest are.
	State(ctx context.Context, id string) (QueueState, error)

	// Items returns the results for the sources of an ingest that workers are done with.
	Items(ctx context.Context, id string) ([]Item, error)

	// Cancel keeps the sources of an ingest from being mapped, but for those that another
	// ingest waits for too. What was mapped stays.
	Cancel(ctx context.Context, id string) error
}

// ErrNoWorkers says that nobody maps the sources of a [Queue].
var ErrNoWorkers = errors.New("no worker runs")

// Queued says what [Queue.Add] found.
type Queued struct {
	Found     int    `json:"found"`           // sources
	Unchanged int    `json:"unchanged"`       // of them, those that have a map of this version
	Items     []Item `json:"items,omitempty"` // paths that cannot be read; at most 100
}

// A QueueState says how far the sources of an ingest are.
type QueueState struct {
	Left      int  // sources that are to be mapped
	Indexing  bool // what was mapped is not searchable yet
	Cancelled bool // some were cancelled
	Idle      bool // no worker runs
}

const (
	askLeast = 50 * time.Millisecond // between two questions to a queue
	askMost  = time.Second

	// How often in a row a queue is asked, about once a second, before an ingest ends:
	mostIdle     = 300 // while no worker runs
	mostIndexing = 900 // for what was mapped to be searchable

	withdrawTime = 5 * time.Second
)

// errLeft says that a server ends and leaves an ingest to the workers and to others.
var errLeft = fmt.Errorf("the server stops; workers go on with what was found: %w", context.Canceled)

// errIdle says that the workers have gone.
var errIdle = errors.New("the workers that were to map the sources have ended; start some, or ask again")

// report returns what is known without the workers.
func (q Queued) report() *Report {
	r := &Report{Items: make([]Item, q.Unchanged, q.Unchanged+len(q.Items)), sources: q.Found}
	for i := range r.Items {
		r.Items[i].Status = Unchanged
	}
	r.Items = append(r.Items, q.Items...)
	return r
}

// queueUp has workers map the sources of a job, and waits for them.
func (s *Jobs) queueUp(ctx context.Context, j *Job, paths []string, opts *Options) (*Report, error) {
	if _, err := checked(s.lib, paths, opts); err != nil {
		return &Report{Items: []Item{}}, fmt.Errorf("ingest: %w", err)
	}
	queued, err := s.queue.Add(ctx, j.id, paths, opts, func(q Queued) { opts.Progress(Progress{Total: q.Found}) })
	if errors.Is(err, ErrNoWorkers) {
		return nil, err
	}
	if err != nil && s.ctx.Err() != nil {
		return queued.report(), errLeft
	}
	if err != nil {
		s.withdraw(ctx, j.id)
		return queued.report(), runError(ctx, err)
	}
	return s.await(ctx, j, queued, opts.Progress)
}

// await waits until workers are done with the sources of a job.
func (s *Jobs) await(ctx context.Context, j *Job, queued Queued, progress func(Progress)) (*Report, error) {
	j.leave(queued)
	report := queued.report()
	var state QueueState
	idle, indexing := 0, 0
	for wait := askLeast; ; wait = min(2*wait, askMost) {
		now, err := s.queue.State(ctx, j.id)
		if err == nil { // else the store is away; it may come back
			if now.Left != state.Left {
				wait = askLeast
			}
			state = now
			progress(Progress{Done: max(0, queued.Found-state.Left), Total: queued.Found, Part: 1})
			if idle++; !state.Idle {
				idle = 0
			}
			if state.Left == 0 {
				indexing++
			}
			if state.Left > 0 && idle >= mostIdle {
				s.withdraw(ctx, j.id)
				report.Items, _ = s.addResults(ctx, j.id, report.Items)
				return report, errIdle
			}
			if state.Left == 0 && (!state.Indexing || indexing >= mostIndexing) {
				if report.Items, err = s.addResults(ctx, j.id, report.Items); err == nil {
					break
				}
			}
		}
		select {
		case <-time.After(wait):
			continue
		case <-ctx.Done():
		}
		if s.ctx.Err() != nil {
			return report, errLeft
		}
		s.withdraw(ctx, j.id)
		report.Items, _ = s.addResults(context.WithoutCancel(ctx), j.id, report.Items)
		return report, runError(ctx, ctx.Err())
	}
	if state.Cancelled {
		return report, context.Canceled
	}
	return report, nil
}

// addResults adds the results of workers to items.
func (s *Jobs) addResults(ctx context.Context, id string, items []Item) ([]Item, error) {
	ctx, cancel := context.WithTimeout(ctx, withdrawTime)
	defer cancel()
	more, err := s.queue.Items(ctx, id)
	return append(items, more...), err
}

// withdraw cancels what is in the queue, as far as the store can be reached.
func (s *Jobs) withdraw(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTime)
	defer cancel()
	_ = s.queue.Cancel(ctx, id)
}

// Resume returns the job with an id that [Jobs] of another process began, by what that
// has left to the workers. It reports whether it was not known here.
func (s *Jobs) Resume(id string, queued Queued) (j *Job, began bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.jobs {
		if j.id == id {
			return j, false
		}
	}
	s.forget()
	j = s.begin(s.ctx, id, func(ctx context.Context, j *Job) (*Report, error) { return s.await(ctx, j, queued, j.move) })
	return j, true
}
