package mcpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/strictjson"
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
	Jobs ingest.JobStore

	// Queue, if not nil, has workers map the files, while some run. Any server with the
	// queue and Jobs then follows an ingest, also when the one that began it is gone.
	Queue ingest.Queue
}

// An Ingester lets agents make maps: see [Options.Ingester]. Make one with
// [NewIngester].
type Ingester struct {
	lib     *citekit.Library
	opts    IngesterOptions
	jobs    *ingest.Jobs
	records *ingest.Records

	mu      sync.Mutex
	callers mcpcall.Shares // of callers over HTTP, in jobs that have not ended
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
		o.Jobs = ingest.NoteJobs(lib.Workspace())
	}
	return &Ingester{lib: lib, opts: o, jobs: ingest.NewQueueJobs(lib, o.Queue), records: ingest.NewRecords(o.Jobs), callers: mcpcall.NewShares(ingest.MaxJobs, 1)}
}

// Close ends running ingests and waits for them. Finished maps stay.
func (g *Ingester) Close() error {
	err := g.jobs.Close()
	g.records.Close()
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

// types lists the modalities that sources can have: the built-in ones, and those
// that the Library adds.
func (g *Ingester) types() []string {
	types := []string{"document", "video", "audio", "image", "text"}
	for _, modality := range g.lib.Modalities() {
		if !modality.BuiltIn() {
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

func (g *Ingester) ingest(ctx context.Context, args arguments, tell mcpcall.Notifier) (json.RawMessage, error) {
	opts := g.ingestOptions()
	opts.Type, opts.ResourceID = citekit.Modality(args.text("type")), args.text("resource_id")
	news := make(chan string, maxNews)
	// The job outlives the call, so it does not get its context.
	outside := mcpcall.Announcing(context.Background(), func(message string) {
		select {
		case news <- message:
		default: // one more than wait is dropped
		}
	})
	j, err := g.start(outside, mcpcall.CallerFrom(ctx), args.texts("paths"), &opts)
	if err != nil {
		return nil, err
	}
	follow := ingest.Follow{Within: g.opts.AnswerWithin, News: news, Tell: tell, ShownPath: func(path string) string { return shownPath(ctx, path) }}
	if err := j.Follow(ctx, follow); err != nil {
		return nil, err
	}
	g.records.Keep(j) // nobody knows the job before this
	return g.encodeJob(ctx, j.State())
}

// Start begins an ingest for the caller of ctx, with the limits that the tool ingest has;
// it goes on when ctx ends. Errors are those of [ingest.Jobs.Start], or match
// [citekit.ErrTooLarge] if the caller has too many.
func (g *Ingester) Start(ctx context.Context, paths []string) (*ingest.Job, error) {
	opts := g.ingestOptions()
	return g.start(context.WithoutCancel(ctx), mcpcall.CallerFrom(ctx), paths, &opts)
}

// start begins a job for a caller, which is nil if the call did not come over HTTP, if
// it has not too many.
func (g *Ingester) start(ctx context.Context, c *mcpcall.Caller, paths []string, opts *ingest.Options) (*ingest.Job, error) {
	if c == nil {
		return g.jobs.Start(ctx, paths, opts)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	holder := c.Holder()
	if held := g.callers.Held(holder); held > 0 && !g.callers.Fits(holder, 1) {
		return nil, fmt.Errorf("%d of your ingests are running or waiting; ask again when one has ended: %w", held, citekit.ErrTooLarge)
	}
	j, err := g.jobs.Start(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	g.callers.Take(holder, 1)
	go func() {
		<-j.Done()
		g.mu.Lock()
		defer g.mu.Unlock()
		g.callers.Take(holder, -1)
	}()
	return j, nil
}

// job returns a job that this server runs, or follows as the workers of the queue run it;
// else nil.
func (g *Ingester) job(ctx context.Context, id string) *ingest.Job {
	if j := g.jobs.Job(id); j != nil || g.opts.Queue == nil {
		return j
	}
	queued := g.records.Queued(ctx, id)
	if queued == nil {
		return nil
	}
	j, began := g.jobs.Resume(id, *queued)
	if began {
		g.records.Keep(j)
	}
	return j
}

func (g *Ingester) status(ctx context.Context, args arguments, _ mcpcall.Notifier) (json.RawMessage, error) {
	id := args.text("job_id")
	j := g.job(ctx, id)
	if j == nil {
		state, err := g.records.State(ctx, id, args.flag("cancel"), g.opts.AnswerWithin)
		if errors.Is(err, fs.ErrNotExist) {
			err = badArgument("there is no ingest %s; ingests that ended long ago are forgotten", quote(id))
		}
		if err != nil {
			return nil, err
		}
		return g.encodeJob(ctx, state)
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
	return g.encodeJob(ctx, j.State())
}

// encodeJob returns the JSON of an answer as the caller may see it: over HTTP,
// the paths of files outside the base directory are reduced to their file names.
func (g *Ingester) encodeJob(ctx context.Context, a ingest.JobState) (json.RawMessage, error) {
	if a.Outside {
		a.Hint = message.Joined(a.Hint, "only files inside the roots are mapped: "+g.rootsFor(ctx))
	}
	if mcpcall.CallerFrom(ctx) != nil {
		items := make([]json.RawMessage, len(a.Items))
		for i, item := range a.Items {
			list, err := strictjson.Members(item)
			if err != nil {
				return nil, err
			}
			w := new(strictjson.Writer)
			w.Open()
			for _, m := range list {
				if path, err := strictjson.Unquoted(m.Value); err == nil && (m.Key == "path" || m.Key == "from") {
					w.Text(m.Key, shownPath(ctx, path))
					continue
				}
				w.Raw(m.Key, m.Value)
			}
			w.Close()
			items[i] = w.Bytes()
		}
		a.Items = items
	}
	return json.Marshal(a)
}
