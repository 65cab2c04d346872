package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// A Queue holds sources of a store that workers map.
type Queue interface {
	// Add adds the sources that a request finds, those that have not changed only if all
	// is set. It calls progress from time to time.
	Add(ctx context.Context, ws citekit.Workspace, req workspace.FindRequest, all bool, progress func(Queued)) (Queued, error)

	// List returns the jobs in a state, or all for "", the latest first: at most limit,
	// with lower numbers than before, unless that is zero.
	List(ctx context.Context, state string, before int64, limit int) ([]QueueJob, error)

	// Job, Cancel and Retry return one job, which the last two change first. If there is
	// none, the error matches [fs.ErrNotExist].
	Job(ctx context.Context, id int64) (QueueJob, error)
	Cancel(ctx context.Context, id int64) (QueueJob, error)
	Retry(ctx context.Context, id int64) (QueueJob, error)

	// Work runs jobs until ctx is done, and calls done with each that has ended, is to be
	// tried again, or was given back. It calls it once at a time, and not after it returned.
	Work(ctx context.Context, lib *citekit.Library, workers int, opts ingest.Options, index ingest.Indexer, done func(QueueJob)) error

	// Ingests returns the queue as servers use it.
	Ingests(ws citekit.Workspace) ingest.Queue
}

// An eventQueue also takes what a bucket tells of its objects.
type eventQueue interface {
	// Webhook returns a handler of notifications by whoever has the token.
	Webhook(ws citekit.Workspace, token string) (http.Handler, error)

	// Receiver returns what takes notifications from a queue of SQS until its context is
	// done.
	Receiver(ws citekit.Workspace, url string, logger *slog.Logger) (func(context.Context), error)
}

// Queued says what became of sources that were to be added to a [Queue].
type Queued struct {
	Sources   int `json:"sources"`   // that were found
	Unchanged int `json:"unchanged"` // of them, those that have a map already
	Jobs      int `json:"jobs"`      // that were added
	Waiting   int `json:"waiting"`   // that waited already

	Vanished int      `json:"vanished,omitempty"` // sources with a map that are gone
	Gone     []string `json:"gone,omitempty"`     // the first 100 of them
	From     string   `json:"from,omitempty"`     // the path after which a walk went on; "" is the start
}

// A QueueJob is a job as the commands print it.
type QueueJob struct {
	ID       int64
	State    string // waiting, running, done, cancelled or discarded
	Sources  []string
	Attempts int
	Failed   []string       // of its sources, each with the reason
	Reason   string         // why the last attempt failed
	Counts   map[string]int // of its sources, once it has ended, by what became of them
	JSON     any            // all of it
}

// line describes a job in one line.
func (j *QueueJob) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-6d  %-9s  ", j.ID, j.State)
	if len(j.Sources) > 0 {
		b.WriteString(j.Sources[0])
	}
	if n := len(j.Sources) - 1; n > 0 {
		fmt.Fprintf(&b, " and %d more", n)
	}
	if j.Attempts > 1 {
		fmt.Fprintf(&b, ", attempt %d", j.Attempts)
	}
	if len(j.Failed) > 0 {
		fmt.Fprintf(&b, ", %d failed", len(j.Failed))
	}
	if j.Reason != "" {
		fmt.Fprintf(&b, ": %s", j.Reason)
	}
	return b.String()
}

// queue returns the queue of the workspace.
func (s *session) queue(ctx context.Context, ws citekit.Workspace) (Queue, error) {
	if store, ok := ws.(Store); ok && s.storeURL != "" && s.options.Queue != nil {
		return s.options.Queue(ctx, store)
	}
	return nil, hinted{fmt.Errorf("the workspace has no queue%w", silent{errors.ErrUnsupported}), "queues are of workspaces in PostgreSQL: name one with --workspace pg://…"}
}

// addToQueue adds the sources of an ingest to the queue of the workspace.
func (in *ingestion) addToQueue(ctx context.Context) error {
	q, err := in.queue(ctx, in.lib.Workspace())
	if err == nil && in.flags.shards > 0 {
		err = in.startIndex(ctx)
	}
	if err != nil {
		return err
	}
	var tell func(Queued)
	if in.showsProgress() {
		bar := term.NewBar(in.stderr)
		defer bar.Stop()
		tell = func(n Queued) { bar.Set(0, message.Count(n.Jobs, "job"), message.Count(n.Sources, "source")+" found") }
	}
	req := workspace.FindRequest{Paths: in.paths, NoIgnore: in.flags.noIgnore, Hidden: in.flags.hidden}
	n, err := q.Add(ctx, in.lib.Workspace(), req, in.flags.force, tell)
	if err != nil {
		return err
	}
	if in.json {
		return in.printJSON(n)
	}
	if n.From != "" {
		in.printf("went on after %s, where the walk before was interrupted\n", term.Line(n.From))
	}
	in.printf("%s found, %d unchanged; %s added, %d waiting already\n", message.Count(n.Sources, "source"), n.Unchanged, message.Count(n.Jobs, "job"), n.Waiting)
	if n.Vanished > 0 {
		in.printf("%s vanished, whose maps stay: 'citekit prune' deletes them\n", message.Count(n.Vanished, "source"))
		for _, name := range n.Gone {
			in.printf("  %s\n", term.Line(name))
		}
	}
	return nil
}

func workerCommand(s *session) *cobra.Command {
	workers := max(2, runtime.NumCPU())
	var noIndex bool
	var outside workerListener
	transcriber := transcriberFlags{command: "worker"}
	c := &cobra.Command{
		Use:   "worker",
		Short: "Map the sources that wait in the queue of the workspace",
		Long: `Maps what 'citekit ingest --queue' has added, and makes it searchable, until it is
interrupted: it ends what takes less than half a minute, and gives the rest back
to the queue. As many workers may run as there are machines. A source in work
when one is killed is mapped by another. Give --transcriber, as for 'citekit
ingest', to all workers or to none.

--listen serves /metrics for Prometheus, /healthz and /readyz. With a token of at
least 16 characters in CITEKIT_EVENTS_TOKEN it also takes notifications of S3 about
the bucket of the sources, by POST to /events: from MinIO with that auth_token, from
versitygw at http://x:TOKEN@HOST:PORT/events. --events-queue takes those of AWS from a
queue of SQS, also through SNS, with the keys of the bucket. What changed is then in
the queue at once. Beyond one network put a proxy with TLS before it.`,
		Example: lines(`citekit --workspace "$WORKSPACE" worker --jobs 8`, `citekit worker --listen 127.0.0.1:9809`),
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.work(cmd.Context(), workers, noIndex, &transcriber, &outside)
		},
	}
	f := c.Flags()
	f.IntVarP(&workers, "jobs", "j", workers, "run `N` jobs at a time (default: the number of processors, at least 2)")
	f.BoolVar(&noIndex, "no-index", false, "leave the search index to other workers")
	transcriber.register(f)
	outside.register(f)
	return c
}

func (s *session) work(ctx context.Context, workers int, noIndex bool, speech *transcriberFlags, outside *workerListener) error {
	if workers < 1 || workers > 1000 {
		return usagef("worker", "--jobs %d; it is 1 to 1000", workers)
	}
	transcriber, err := speech.open()
	if err != nil {
		return err
	}
	s.tellRemote(transcriber)
	in := &ingestion{session: s, flags: &ingestFlags{concurrency: 5}, asSearch: true}
	if in.lib, err = in.openWith(configure(modality.All(), in.extra, in.compiling), nil); err != nil {
		return err
	}
	defer in.lib.Close()
	defer in.closeIndex()
	q, err := in.queue(ctx, in.lib.Workspace())
	if err != nil {
		return err
	}
	var index ingest.Indexer
	if !noIndex {
		index = in
	}
	stop, err := outside.start(ctx, s, in.lib.Workspace(), q)
	if err != nil {
		return err
	}
	defer stop()
	serving.Store(int64(workerPatience))
	defer serving.Store(0)
	givenBack := 0
	err = q.Work(ctx, in.lib, workers, ingest.Options{Program: programKey(false, false), Transcriber: transcriber}, index, func(j QueueJob) {
		outside.count(&j)
		if ctx.Err() != nil && j.State == "waiting" {
			givenBack++
		}
		if s.json {
			_ = s.printJSONLine(j.JSON)
			return
		}
		s.printf("%s\n", term.Line(j.line()))
		s.out.Flush()
	})
	if err == nil && ctx.Err() != nil {
		if !s.json {
			s.printf("stopped; %s given back to the queue\n", message.Count(givenBack, "job"))
		}
		return stopped(ctx)
	}
	return err
}

// jobActions are the actions of the command jobs, with what those of them do that take
// numbers of jobs.
var jobActions = map[string]func(Queue, context.Context, int64) (QueueJob, error){
	"list": nil, "show": Queue.Job, "retry": Queue.Retry, "cancel": Queue.Cancel,
}

// jobsFlags are the flags of jobs list.
type jobsFlags struct {
	state  string
	before int64
	limit  int
}

func jobsCommand(s *session) *cobra.Command {
	var flags jobsFlags
	c := &cobra.Command{
		Use:   "jobs list|show|retry|cancel [job]...",
		Short: "Look at the queue of the workspace",
		Long: `'citekit jobs list' lists the jobs, the latest first. 'jobs show' prints all sources
of jobs, 'jobs retry' has jobs run again once a worker is free, and 'jobs cancel'
ends jobs, or keeps them from running; what they have mapped stays. The exit code
is 1 if a job cannot be cancelled, as it has ended, or tried again, as it runs.`,
		Example: lines("citekit jobs list --state discarded", "citekit jobs show 17", "citekit jobs retry 17 18"),
		Args:    between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.jobs(cmd.Context(), args[0], args[1:], &flags)
		},
	}
	f := c.Flags()
	f.StringVar(&flags.state, "state", "", "list: those in a `STATE`: waiting, running, done, cancelled or discarded")
	f.Int64Var(&flags.before, "before", 0, "list: those with lower numbers than `N`")
	f.IntVarP(&flags.limit, "limit", "n", 50, "list: at most `N`")
	return c
}

func (s *session) jobs(ctx context.Context, action string, args []string, flags *jobsFlags) error {
	do, known := jobActions[action]
	switch {
	case !known:
		return usagef("jobs", "jobs %s; it is one of list, show, retry and cancel", term.Line(action))
	case do == nil && len(args) > 0, do != nil && len(args) == 0:
		return usagef("jobs", "'jobs list' takes no jobs, the others at least one")
	case flags.limit < 1 || flags.limit > 1000:
		return usagef("jobs", "--limit %d; it is 1 to 1000", flags.limit)
	}
	var ids []int64
	for _, arg := range args {
		id, err := strconv.ParseInt(arg, 10, 64)
		if err != nil || id < 1 {
			return usagef("jobs", "%s is no number of a job; 'citekit jobs list' has them", term.Line(arg))
		}
		ids = append(ids, id)
	}
	ws, err := s.workspace(nil)
	if err != nil {
		return err
	}
	defer ws.Close()
	q, err := s.queue(ctx, ws)
	if err != nil {
		return err
	}
	var found []QueueJob
	if do == nil {
		found, err = q.List(ctx, flags.state, flags.before, flags.limit)
	}
	for _, id := range ids {
		j, failed := do(q, ctx, id)
		switch {
		case failed != nil && err != nil:
			err = fmt.Errorf("%w; job %d: %w", err, id, failed)
			continue
		case failed != nil:
			err = fmt.Errorf("job %d: %w", id, failed)
			continue
		}
		found = append(found, j)
	}
	return errors.Join(s.printJobs(found, action == "show"), err)
}

func (s *session) printJobs(found []QueueJob, whole bool) error {
	all := []any{}
	for _, j := range found {
		if all = append(all, j.JSON); !s.json {
			s.printJob(j, whole)
		}
	}
	if s.json {
		return s.printJSON(map[string]any{"jobs": all})
	}
	return nil
}

// printJob prints a job, with all its sources if whole is set.
func (s *session) printJob(j QueueJob, whole bool) {
	s.printf("%s\n", term.Line(j.line()))
	if whole {
		for _, source := range j.Sources {
			s.printf("  %s\n", term.Line(source))
		}
		for _, failed := range j.Failed {
			s.printf("  failed: %s\n", term.Line(failed))
		}
	}
}
