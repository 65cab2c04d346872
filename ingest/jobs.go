package ingest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/citekit/citekit"
)

// MaxJobs is how many jobs of [Jobs] run or wait at a time. More are refused.
const MaxJobs = 8

const keptJobs = 32 // ended jobs that are kept

// Jobs run ingests in the background, for servers whose callers come back to
// ask for progress. Make them with [NewJobs]. All methods are safe for
// concurrent use.
type Jobs struct {
	lib     *citekit.Library
	queue   Queue           // nil means none
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu    sync.Mutex
	jobs  []*Job // oldest first
	onEnd []func(context.Context, *Report)
}

// NewJobs returns Jobs over lib. Close them before lib.
func NewJobs(lib *citekit.Library) *Jobs { return NewQueueJobs(lib, nil) }

// NewQueueJobs returns Jobs over lib whose sources are mapped by the workers of a queue,
// while there are some. A nil queue is none.
func NewQueueJobs(lib *citekit.Library, queue Queue) *Jobs {
	ctx, cancel := context.WithCancel(context.Background())
	return &Jobs{lib: lib, queue: queue, ctx: ctx, cancel: cancel}
}

// Close cancels running jobs and waits for them. Finished maps stay, and so does what
// was indexed. Workers go on with what was found for them until then; [Jobs.Resume] finds
// it again.
func (s *Jobs) Close() error {
	s.mu.Lock() // waits for started jobs; none starts afterwards
	s.cancel()
	s.mu.Unlock()
	s.running.Wait()
	return nil
}

// Start begins [Run] with paths and opts. The job has the values of ctx but is
// not cancelled with it: only [Job.Cancel] and Close end it early. At most
// [MaxJobs] run or wait for each other; for one more, the error matches
// [citekit.ErrTooLarge]. After Close, the error is [context.Canceled].
func (s *Jobs) Start(ctx context.Context, paths []string, opts *Options) (*Job, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil, s.ctx.Err()
	}
	if running := s.forget(); running >= MaxJobs {
		return nil, fmt.Errorf("%d ingests are running or waiting; ask again when one has ended: %w", running, citekit.ErrTooLarge)
	}
	progress := o.Progress
	return s.begin(context.WithoutCancel(ctx), "ingest-"+strings.ToLower(rand.Text()[:16]), func(ctx context.Context, j *Job) (report *Report, err error) {
		o.Progress = func(p Progress) {
			j.move(p)
			if progress != nil {
				progress(p)
			}
		}
		err = ErrNoWorkers
		if s.queue != nil {
			report, err = s.queueUp(ctx, j, paths, &o)
		}
		byWorkers := !errors.Is(err, ErrNoWorkers)
		if !byWorkers {
			report, err = makeMaps(ctx, s.lib, paths, &o)
		}
		s.tell(ctx, report)
		if err == nil && !byWorkers {
			err = makeSearchable(ctx, report, &o)
		}
		return report, err
	}), nil
}

// begin begins a job with what it does. The lock must be held.
func (s *Jobs) begin(ctx context.Context, id string, do func(context.Context, *Job) (*Report, error)) *Job {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.ctx, cancel)
	j := &Job{id: id, cancel: cancel, done: make(chan struct{}), moved: make(chan struct{})}
	s.jobs = append(s.jobs, j)
	s.running.Go(func() {
		defer cancel()
		defer stop()
		defer close(j.done)
		j.report, j.err = do(ctx, j)
	})
	return j
}

// forget drops the oldest ended jobs, and returns how many jobs are running.
func (s *Jobs) forget() (running int) {
	for _, j := range s.jobs {
		if !j.ended() {
			running++
		}
	}
	for ended := len(s.jobs) - running; ended > keptJobs; ended-- {
		i := slices.IndexFunc(s.jobs, (*Job).ended)
		s.jobs = slices.Delete(s.jobs, i, i+1)
	}
	return running
}

// Job returns the job with an id, or nil if there is none. The last 32 ended
// jobs are kept.
func (s *Jobs) Job(id string) *Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.jobs {
		if j.id == id {
			return j
		}
	}
	return nil
}

// OnEnd registers f, which is called with the report of every job that has made its
// maps, or has failed, from now on, before its Done is closed. The report has no Index
// yet. The context has the values of the job's context.
func (s *Jobs) OnEnd(f func(context.Context, *Report)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onEnd = append(s.onEnd, f)
}

func (s *Jobs) tell(ctx context.Context, report *Report) {
	s.mu.Lock()
	told := slices.Clone(s.onEnd)
	s.mu.Unlock()
	for _, f := range told {
		f(context.WithoutCancel(ctx), report)
	}
}

// A Job is an ingest that [Jobs.Start] began. All methods are safe for
// concurrent use.
type Job struct {
	id     string
	cancel context.CancelFunc
	done   chan struct{} // closed when report and err are set
	report *Report
	err    error

	mu       sync.Mutex
	progress Progress
	moved    chan struct{} // closed, and replaced, on progress
	queued   *Queued       // what was left to workers; nil while nothing was
}

// ID identifies the job, also among those of other processes. It is random,
// with 80 bits, so that nobody can guess it.
func (j *Job) ID() string { return j.id }

// Cancel ends the job without waiting for the end. Finished maps stay.
func (j *Job) Cancel() { j.cancel() }

// Done returns a channel that is closed when the job ends.
func (j *Job) Done() <-chan struct{} { return j.done }

// Result waits until the job has ended and returns the results of [Run].
func (j *Job) Result() (*Report, error) {
	<-j.done
	return j.report, j.err
}

// Progress returns the progress of the job, and a channel that is closed when
// there is more.
func (j *Job) Progress() (p Progress, moved <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.progress, j.moved
}

func (j *Job) move(p Progress) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if p.Done < j.progress.Done {
		return // a late report
	}
	j.progress = p
	close(j.moved)
	j.moved = make(chan struct{})
}

// leave notes what is left to workers.
func (j *Job) leave(queued Queued) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.queued = &queued
}

// left returns what is left to workers, or nil.
func (j *Job) left() *Queued {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.queued
}

func (j *Job) ended() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}
