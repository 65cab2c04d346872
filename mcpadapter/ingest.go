package mcpadapter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
)

const (
	maxPaths       = 100 // in one call
	maxPath        = 4096
	shownItems     = 200 // in one answer
	defaultPromise = 5 * time.Second
)

// IngesterOptions configures an [Ingester]. The zero value is ready to use.
type IngesterOptions struct {
	// Ingest has the options of every ingest. Type and ResourceID are ignored, as
	// agents choose them. Without an Index, the Searcher of the first server that the
	// Ingester is given to makes the texts searchable.
	Ingest ingest.Options

	// NoIndex leaves the texts to the next search.
	NoIndex bool

	// AnswerWithin is how long a call waits for an ingest to end before it
	// answers that the ingest is running; zero means 5 seconds.
	AnswerWithin time.Duration

	// Jobs stores the state of ingests, so that other servers with the same store
	// answer ingestStatus too. Nil means notes of the Library's workspace, which
	// servers over one directory share. If the store fails, ingests continue, but
	// only the server that runs one knows its state.
	Jobs JobStore
}

// An Ingester lets agents make maps: see [Options.Ingester]. Make one with
// [NewIngester].
type Ingester struct {
	lib  *citekit.Library
	opts IngesterOptions
	jobs *ingest.Jobs

	mu        sync.Mutex
	closed    bool           // no further job is recorded
	recording sync.WaitGroup // of running jobs
	callers   shares         // of callers over HTTP, in jobs that have not ended
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
	if o.Jobs == nil {
		o.Jobs = &noteJobs{notes: lib.Workspace()}
	}
	return &Ingester{lib: lib, opts: o, jobs: ingest.NewJobs(lib), callers: newShares(ingest.MaxJobs, 1)}
}

// Close ends running ingests and waits for them. Finished maps stay.
func (g *Ingester) Close() error {
	err := g.jobs.Close()
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.recording.Wait()
	return err
}

// onChange calls tell after every ingest that made or moved a map.
func (g *Ingester) onChange(tell func(context.Context)) {
	g.jobs.OnEnd(func(ctx context.Context, report *ingest.Report) {
		if report.Count(ingest.Mapped)+report.Count(ingest.Copied)+report.Count(ingest.Renamed) > 0 {
			tell(ctx)
		}
	})
}

// indexWith has every ingest indexed by x, unless the options say otherwise.
func (g *Ingester) indexWith(x ingest.Indexer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opts.Ingest.Index == nil && !g.opts.NoIndex {
		g.opts.Ingest.Index = x
	}
}

// ingestOptions returns the options of an ingest.
func (g *Ingester) ingestOptions() ingest.Options {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.opts.Ingest
}

const maxNews = 8 // announcements that wait to be sent

// announce queues a message for the client that waits for a job, or drops it if
// the queue is full.
func announce(news chan<- string, message string) {
	select {
	case news <- message:
	default:
	}
}

// A notifier reports the progress of a call to its client.
type notifier func(progress, total float64, message string)

// settle is the least time between a notification and the answer after it.
const settle = 50 * time.Millisecond

// follow waits until a job has ended, or an answer is due, and reports its
// progress and news. If ctx is cancelled, it cancels the job.
func (g *Ingester) follow(ctx context.Context, j *ingest.Job, news <-chan string, tell notifier) error {
	due := time.NewTimer(g.opts.AnswerWithin)
	defer due.Stop()
	told, last := -1.0, time.Time{}
	say := func(done float64, p ingest.Progress, message string) {
		tell(done, float64(p.Total+p.ToIndex), message)
		told, last = done, time.Now()
	}
	// If a notification and the answer come at the same time, clients may handle
	// the answer first, and then no longer know the progress token.
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
		p, moved := j.Progress()
		done := float64(p.Done + p.Indexed)
		if p.Part < 1 { // otherwise the part is already counted in Done
			done += p.Part
		}
		if p.Total > 0 && done > told {
			message := fmt.Sprintf("%d of %d: %s", p.Done, p.Total, clip(printable(shownPath(ctx, p.Path))))
			if p.ToIndex > 0 {
				message = indexingStatus(p)
			}
			say(done, p, message)
		}
		for len(news) > 0 {
			say(max(told, 0)+leastStep, p, <-news)
		}
		select {
		case <-j.Done():
			return apart()
		case <-due.C:
			return apart()
		case <-ctx.Done():
			j.Cancel()
			return ctx.Err()
		case message := <-news:
			say(max(told, 0)+leastStep, p, message)
		case <-moved:
		}
		select { // not more often than a person can read
		case <-j.Done():
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// running is the status of an ingest that has not ended.
const running = "running"

// jobStatuses are the possible statuses of an ingest.
var jobStatuses = []string{running, "done", "cancelled", "failed"}

// An ingestAnswer is the state of a job as agents see it.
type ingestAnswer struct {
	JobID  string                `json:"job_id"`
	Status string                `json:"status"` // one of jobStatuses
	Done   int                   `json:"done"`   // sources
	Total  int                   `json:"total"`
	Counts map[ingest.Status]int `json:"counts,omitempty"`

	// Searchable is of how many resources a search finds all text, also of earlier
	// ingests; nil if that is not known.
	Searchable *int `json:"searchable,omitempty"`

	Items   []json.RawMessage `json:"items,omitempty"` // each an [ingest.Item]
	Omitted int               `json:"items_omitted,omitempty"`
	Error   string            `json:"error,omitempty"`
	Code    citekit.Code      `json:"code,omitempty"`
	Hint    string            `json:"hint,omitempty"` // what to do about items, or what they mean

	outside bool // an item failed as it is outside the roots
}

// answerOf returns the state of a job. If the job has ended, the items are those
// that changed, failures first.
func answerOf(j *ingest.Job) ingestAnswer {
	p, _ := j.Progress()
	a := ingestAnswer{JobID: j.ID(), Status: running, Done: p.Done, Total: p.Total}
	select {
	case <-j.Done():
	default:
		if p.ToIndex > 0 {
			a.Hint = indexingStatus(p)
		}
		return a
	}
	report, err := j.Result()
	switch {
	case err == nil:
		a.Status = "done"
	case errors.Is(err, context.Canceled):
		a.Status = "cancelled"
	default:
		a.Status, a.Error, a.Code = "failed", printable(err.Error()), citekit.CodeOf(err)
	}
	a.Counts = make(map[ingest.Status]int)
	var news []ingest.Item
	for _, item := range report.Items {
		a.Counts[item.Status]++
		a.outside = a.outside || isOutside(item.Err)
		if item.Status != ingest.Unchanged {
			news = append(news, item)
		}
	}
	if n := a.Counts[ingest.Failed]; err == nil && n > 0 && n == len(report.Items) {
		a.Error, a.Code = whyAllFailed(report.Items), citekit.CodeOf(report.Items[0].Err)
	}
	slices.SortStableFunc(news, func(x, y ingest.Item) int { return urgency(x) - urgency(y) })
	shown := news[:min(len(news), shownItems)]
	a.Omitted = len(news) - len(shown)
	for _, item := range shown {
		data, err := json.Marshal(item)
		if err != nil {
			a.Omitted++
			continue
		}
		a.Items = append(a.Items, data)
	}
	if a.Counts[ingest.Copied] > 0 {
		a.Hint = "copied: a file of the same bytes had a map already, which stays under its old id; the new id is a second resource with a copy of that map"
	}
	if x := report.Index; x != nil && x.Err == nil {
		a.Searchable = &x.Searchable
	}
	a.Hint = joined(a.Hint, whyNotSearchable(report.Index))
	return a
}

// indexingStatus says how far the reading of texts is.
func indexingStatus(p ingest.Progress) string {
	return fmt.Sprintf("all is mapped; texts are read for search: %d of %d", p.Indexed, p.ToIndex)
}

// mostUnsearchable is how many resources an answer names that cannot be searched.
const mostUnsearchable = 5

// whyNotSearchable says which resources cannot be searched by their text, unless that was
// told before; "" if there are none.
func whyNotSearchable(x *ingest.Indexed) string {
	if x == nil {
		return ""
	}
	if x.Err != nil {
		return printable(x.Err.Error()) + "; the next search tries again"
	}
	var named []string
	news := 0
	for _, one := range x.Missing {
		if one.Before {
			continue
		}
		if news++; news > mostUnsearchable {
			continue
		}
		begun := ""
		if one.Begun {
			begun = "only a part of it is: "
		}
		named = append(named, clip(printable(one.ResourceID+": "+begun+one.Err.Error())))
	}
	if news == 0 {
		return ""
	}
	if news > len(named) {
		named = append(named, "…")
	}
	return fmt.Sprintf("%d mapped, but not searchable by text: ", news) + strings.Join(named, "; ") + "; getContents may read other parts by address"
}

// joined returns two hints as one; either may be "".
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// rootsFor says which folders the caller may ingest. Over HTTP it gives only the
// names of the folders.
func (g *Ingester) rootsFor(ctx context.Context) string {
	const relative = "a path is relative to the base directory"
	roots := shownRoots(ctx, g.lib)
	if len(roots) == 0 {
		return relative
	}
	list, _ := json.Marshal(roots) // strings always encode
	return string(list) + "; " + relative + ", which is the first"
}

// shownRoots returns the folders that sources may be in, the base directory first,
// as the caller may see them; nil if the workspace has none.
func shownRoots(ctx context.Context, lib *citekit.Library) []string {
	ws, ok := lib.Workspace().(interface{ RootPaths() []string })
	if !ok {
		return nil
	}
	var shown []string
	for _, path := range ws.RootPaths() {
		shown = append(shown, shownPath(ctx, path))
	}
	return shown
}

// whyAllFailed returns why the first of some sources failed, and how many more did.
func whyAllFailed(items []ingest.Item) string {
	why := "nothing could be mapped: "
	if items[0].Err != nil {
		why += items[0].Err.Error()
	}
	if more := len(items) - 1; more > 0 {
		why += fmt.Sprintf(" (and %d more, see items)", more)
	}
	return printable(why)
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

// types lists the modalities that sources can have: the built-in ones, and those
// that the Library adds.
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
			description: "Map files and folders inside the roots that info names, and make them searchable. " +
				"Unchanged files are left alone. Returns when done, or after some seconds with status running: then call ingestStatus.",
			parameters: []parameter{
				{name: "paths", kind: texts, required: true, longest: maxPath,
					description: "Files, folders and patterns such as docs/**/*.pdf, relative to the base directory or absolute."},
				{name: "type", kind: text, choices: g.types(), description: "If the content does not show it."},
				{name: "resource_id", kind: text, description: "For a single file. Default: from its name."},
			},
			output: ingestSchema(),
			adds:   true,
			follow: g.ingest,
		},
		{
			name:        "ingestStatus",
			title:       "Follow or end an ingest",
			description: "Report the progress of an ingest and, at its end, the result for each file. With cancel true it ends; what was mapped stays.",
			parameters: []parameter{
				{name: "job_id", kind: text, required: true, description: "The job_id from ingest."},
				{name: "cancel", kind: flag},
			},
			output: object(jobFields), // as for ingest
			follow: g.status,
		},
	}
}

func (g *Ingester) ingest(ctx context.Context, args arguments, tell notifier) (json.RawMessage, error) {
	opts := g.ingestOptions()
	opts.Type, opts.ResourceID = citekit.Modality(args.text("type")), args.text("resource_id")
	news := make(chan string, maxNews)
	// The job outlives the call, so it does not get its context.
	outside := context.WithValue(context.Background(), announceKey{}, func(message string) { announce(news, message) })
	j, err := g.start(outside, callerFrom(ctx), args.texts("paths"), &opts)
	if err != nil {
		return nil, err
	}
	if err := g.follow(ctx, j, news, tell); err != nil {
		return nil, err
	}
	g.record(j) // nobody knows the job before this
	return g.encodeJob(ctx, answerOf(j))
}

// start begins a job for a caller, which is nil if the call did not come over HTTP, if
// it has not too many.
func (g *Ingester) start(ctx context.Context, c *caller, paths []string, opts *ingest.Options) (*ingest.Job, error) {
	if c == nil {
		return g.jobs.Start(ctx, paths, opts)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	holder := c.holder()
	if held := g.callers.held[holder]; held > 0 && !g.callers.fits(holder, 1) {
		return nil, fmt.Errorf("%d of your ingests are running or waiting; ask again when one has ended: %w", held, citekit.ErrTooLarge)
	}
	j, err := g.jobs.Start(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	g.callers.take(holder, 1)
	go func() {
		<-j.Done()
		g.mu.Lock()
		defer g.mu.Unlock()
		g.callers.take(holder, -1)
	}()
	return j, nil
}

func (g *Ingester) status(ctx context.Context, args arguments, _ notifier) (json.RawMessage, error) {
	j := g.jobs.Job(args.text("job_id"))
	if j == nil {
		a, err := g.otherStatus(ctx, args.text("job_id"), args.flag("cancel"))
		if err != nil {
			return nil, err
		}
		return g.encodeJob(ctx, a)
	}
	if args.flag("cancel") {
		j.Cancel()
	}
	due := time.NewTimer(g.opts.AnswerWithin)
	defer due.Stop()
	select {
	case <-j.Done():
	case <-due.C:
	case <-ctx.Done(): // a caller that only asks does not end the job
		return nil, ctx.Err()
	}
	return g.encodeJob(ctx, answerOf(j))
}

// encodeJob returns the JSON of an answer as the caller may see it: over HTTP,
// the paths of files outside the base directory are reduced to their file names.
func (g *Ingester) encodeJob(ctx context.Context, a ingestAnswer) (json.RawMessage, error) {
	if a.outside {
		a.Hint = joined(a.Hint, "only files inside the roots are mapped: "+g.rootsFor(ctx))
	}
	if callerFrom(ctx) != nil {
		items := make([]json.RawMessage, len(a.Items))
		for i, item := range a.Items {
			list, err := members(item)
			if err != nil {
				return nil, err
			}
			b := bytes.NewBufferString("{")
			for _, m := range list {
				if path, err := unquoted(m.value); err == nil && (m.key == "path" || m.key == "from") {
					m.value = appendString(nil, shownPath(ctx, path))
				}
				writeMember(b, m.key, m.value)
			}
			b.WriteByte('}')
			items[i] = b.Bytes()
		}
		a.Items = items
	}
	return json.Marshal(a)
}
