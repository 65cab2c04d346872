package mcpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
)

const (
	maxJobs        = 8   // that run or wait to, others are refused
	keptJobs       = 32  // that have ended and can still be asked for
	maxPaths       = 100 // in one call
	maxPath        = 4096
	shownItems     = 200 // in one answer
	defaultPromise = 5 * time.Second
)

// IngesterOptions configures an [Ingester]. The zero value is ready to use.
type IngesterOptions struct {
	// Ingest are the options of every ingest but for Type and ResourceID,
	// which agents choose, and Each and Progress, which are not called.
	Ingest ingest.Options

	// AnswerWithin is how long a call waits for an ingest to end before it
	// answers that it is running; zero means 5 seconds.
	AnswerWithin time.Duration
}

// An Ingester lets agents make maps: see [Options.Ingester]. Make one with
// [NewIngester].
type Ingester struct {
	lib    *citekit.Library
	opts   IngesterOptions
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu      sync.Mutex
	last    int    // number of the last job
	jobs    []*job // oldest first
	changed []func(context.Context)
}

// NewIngester returns an Ingester over lib. A nil opts means the defaults. Close
// it before lib.
func NewIngester(lib *citekit.Library, opts *IngesterOptions) *Ingester {
	var o IngesterOptions
	if opts != nil {
		o = *opts
	}
	if o.AnswerWithin <= 0 {
		o.AnswerWithin = defaultPromise
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Ingester{lib: lib, opts: o, ctx: ctx, cancel: cancel}
}

// Close ends what is running and waits for it. What was mapped stays.
func (g *Ingester) Close() error {
	g.mu.Lock() // what has started is waited for, and nothing starts after
	g.cancel()
	g.mu.Unlock()
	g.wait.Wait()
	return nil
}

// A job is one ingest that an agent asked for.
type job struct {
	id     string
	cancel context.CancelFunc
	ended  chan struct{} // closed when report and err are set

	mu       sync.Mutex
	progress ingest.Progress
	moved    chan struct{} // closed, and replaced, when there is progress or news
	news     []string      // announced and not yet told

	report *ingest.Report
	err    error
}

// start begins an ingest.
func (g *Ingester) start(paths []string, opts ingest.Options) (*job, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ctx.Err() != nil {
		return nil, g.ctx.Err()
	}
	if running := g.forget(); running >= maxJobs {
		return nil, fmt.Errorf("%d ingests are running or waiting; ask again when one has ended: %w", running, citekit.ErrTooLarge)
	}
	g.last++
	ctx, cancel := context.WithCancel(g.ctx)
	j := &job{id: "ingest-" + strconv.Itoa(g.last), cancel: cancel, ended: make(chan struct{}), moved: make(chan struct{})}
	g.jobs = append(g.jobs, j)
	opts.Each, opts.Progress = nil, j.move
	g.wait.Go(func() {
		defer cancel()
		report, err := ingest.Run(context.WithValue(ctx, announceKey{}, j.announce), g.lib, paths, &opts)
		g.end(ctx, j, report, err)
	})
	return j, nil
}

// forget drops the oldest jobs that have ended, and returns how many have not.
func (g *Ingester) forget() (running int) {
	for _, j := range g.jobs {
		if !j.hasEnded() {
			running++
		}
	}
	for ended := len(g.jobs) - running; ended > keptJobs; ended-- {
		i := slices.IndexFunc(g.jobs, (*job).hasEnded)
		g.jobs = slices.Delete(g.jobs, i, i+1)
	}
	return running
}

func (g *Ingester) end(ctx context.Context, j *job, report *ingest.Report, err error) {
	j.report, j.err = report, err
	g.mu.Lock()
	changed := slices.Clone(g.changed)
	g.mu.Unlock()
	if report.Count(ingest.Mapped)+report.Count(ingest.Copied)+report.Count(ingest.Renamed) > 0 {
		for _, tell := range changed {
			tell(context.WithoutCancel(ctx))
		}
	}
	close(j.ended)
}

func (g *Ingester) job(id string) (*job, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, j := range g.jobs {
		if j.id == id {
			return j, nil
		}
	}
	return nil, badArgument("there is no ingest %s; those that ended long ago are forgotten", quote(id))
}

// onChange has tell called after every ingest that made a map.
func (g *Ingester) onChange(tell func(context.Context)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.changed = append(g.changed, tell)
}

func (j *job) hasEnded() bool {
	select {
	case <-j.ended:
		return true
	default:
		return false
	}
}

func (j *job) move(p ingest.Progress) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if p.Done < j.progress.Done {
		return // told late
	}
	j.progress = p
	j.wake()
}

// wake has those who follow the job look again. The caller holds the lock.
func (j *job) wake() {
	close(j.moved)
	j.moved = make(chan struct{})
}

const maxNews = 8 // that wait to be told

// announce keeps a message for whoever follows the job.
func (j *job) announce(message string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.news) < maxNews {
		j.news = append(j.news, message)
		j.wake()
	}
}

// takeNews returns what was announced since it was last called.
func (j *job) takeNews() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	news := j.news
	j.news = nil
	return news
}

func (j *job) now() (p ingest.Progress, moved <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.progress, j.moved
}

// A notifier tells a client how far a call is.
type notifier func(progress, total float64, message string)

// settle is how long an answer comes after the notifications before it.
const settle = 50 * time.Millisecond

// follow waits until a job has ended, but not longer than the time in which an
// answer is due, and tells of its progress. A call that is cancelled cancels
// the job.
func (g *Ingester) follow(ctx context.Context, j *job, tell notifier) error {
	due := time.NewTimer(g.opts.AnswerWithin)
	defer due.Stop()
	told, last := -1.0, time.Time{}
	// Clients hear of a notification later than of the answer if both come at
	// once, and then do not know its token any more.
	apart := func() error {
		if wait := time.Until(last.Add(settle)); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
		return nil
	}
	for {
		p, moved := j.now()
		done := float64(p.Done)
		if p.Part < 1 { // else it is one of those that are done
			done += p.Part
		}
		if p.Total > 0 && done > told {
			told = done
			tell(done, float64(p.Total), fmt.Sprintf("%d of %d: %s", p.Done, p.Total, clip(printable(p.Path))))
			last = time.Now()
		}
		for _, message := range j.takeNews() {
			told = max(told, 0) + leastStep
			tell(told, float64(p.Total), message)
			last = time.Now()
		}
		select {
		case <-j.ended:
			return apart()
		case <-due.C:
			return apart()
		case <-ctx.Done():
			j.cancel()
			return ctx.Err()
		case <-moved:
		}
		select { // not more often than a person can read
		case <-j.ended:
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// An ingestAnswer is what agents hear of a job.
type ingestAnswer struct {
	JobID   string                `json:"job_id"`
	Status  string                `json:"status"` // running, done, cancelled or failed
	Done    int                   `json:"done"`   // sources
	Total   int                   `json:"total"`
	Counts  map[ingest.Status]int `json:"counts,omitempty"`
	Items   []ingest.Item         `json:"items,omitempty"`
	Omitted int                   `json:"items_omitted,omitempty"`
	Error   string                `json:"error,omitempty"`
	Code    citekit.Code          `json:"code,omitempty"`
}

// answer tells how a job stands. Of one that has ended it has what is news,
// failures first.
func (j *job) answer() (json.RawMessage, error) {
	p, _ := j.now()
	a := ingestAnswer{JobID: j.id, Status: "running", Done: p.Done, Total: p.Total}
	if !j.hasEnded() {
		return json.Marshal(a)
	}
	switch {
	case j.err == nil:
		a.Status = "done"
	case errors.Is(j.err, context.Canceled):
		a.Status = "cancelled"
	default:
		a.Status, a.Error, a.Code = "failed", printable(j.err.Error()), citekit.CodeOf(j.err)
	}
	a.Counts = make(map[ingest.Status]int)
	for _, item := range j.report.Items {
		a.Counts[item.Status]++
		if item.Status != ingest.Unchanged {
			a.Items = append(a.Items, item)
		}
	}
	slices.SortStableFunc(a.Items, func(x, y ingest.Item) int { return urgency(x) - urgency(y) })
	if len(a.Items) > shownItems {
		a.Omitted = len(a.Items) - shownItems
		a.Items = a.Items[:shownItems]
	}
	return json.Marshal(a)
}

func urgency(item ingest.Item) int {
	switch item.Status {
	case ingest.Failed:
		return 0
	case ingest.Skipped:
		return 2
	}
	return 1
}

// types lists the modalities that sources can have: the built-in ones, and
// those that the Library adds.
func (g *Ingester) types() []string {
	types := []string{"document", "video", "audio", "image", "text"}
	for _, modality := range g.lib.Modalities() {
		if !slices.Contains(citekit.Modalities(), modality) {
			types = append(types, string(modality))
		}
	}
	return types
}

// tools returns the tools of an ingester.
func (g *Ingester) tools() []tool {
	return []tool{
		{
			name:  "ingest",
			title: "Map files, so that they can be cited",
			description: "Make maps of files and folders inside the server's roots: chapters and pages of documents, chapters and words of recordings, sections of texts, symbols of code. " +
				"Files that have not changed are left alone. Answers when it is done, or after some seconds with status running: then ask ingestStatus.",
			parameters: []parameter{
				{name: "paths", kind: texts, required: true, longest: maxPath,
					description: "Files, folders and patterns such as docs/**/*.pdf, relative to the base directory or absolute."},
				{name: "type", kind: text, choices: g.types(), description: "What the files are, if that is not to be told from their content."},
				{name: "resource_id", kind: text, description: "Id for the map of a single file; made from its name by default."},
			},
			output: ingestSchema(),
			adds:   true,
			follow: g.ingest,
		},
		{
			name:        "ingestStatus",
			title:       "Follow or end an ingest",
			description: "Tell how far an ingest is and, when it is done, what became of each file. With cancel true it is ended; what was mapped stays.",
			parameters: []parameter{
				{name: "job_id", kind: text, required: true, description: "job_id of the answer of ingest."},
				{name: "cancel", kind: flag, description: "End it. Default false."},
			},
			output: ingestSchema(),
			follow: g.status,
		},
	}
}

func (g *Ingester) ingest(ctx context.Context, args arguments, tell notifier) (json.RawMessage, error) {
	opts := g.opts.Ingest
	opts.Type, opts.ResourceID = citekit.Modality(args.text("type")), args.text("resource_id")
	j, err := g.start(args.texts("paths"), opts)
	if err != nil {
		return nil, err
	}
	if err := g.follow(ctx, j, tell); err != nil {
		return nil, err
	}
	return j.answer()
}

func (g *Ingester) status(ctx context.Context, args arguments, _ notifier) (json.RawMessage, error) {
	j, err := g.job(args.text("job_id"))
	if err != nil {
		return nil, err
	}
	if args.flag("cancel") {
		j.cancel()
	}
	due := time.NewTimer(g.opts.AnswerWithin)
	defer due.Stop()
	select {
	case <-j.ended:
	case <-due.C:
	case <-ctx.Done(): // who only asks does not end it
		return nil, ctx.Err()
	}
	return j.answer()
}
