package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/rivertype"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/workspace"
)

// ingestOwner begins the ids of the ingests of servers, which own jobs.
const ingestOwner = "ingest-"

// Ingests is the queue for the servers of a workspace: what a caller asks for is mapped
// before what [Queue.Find] adds.
type Ingests struct {
	queue *Queue
	ws    citekit.Workspace
}

var _ ingest.Queue = (*Ingests)(nil)

// Ingests returns the queue for servers of a workspace.
func (q *Queue) Ingests(ws citekit.Workspace) *Ingests { return &Ingests{q, ws} }

// Add implements [ingest.Queue].
func (in *Ingests) Add(ctx context.Context, id string, paths []string, opts *ingest.Options, progress func(ingest.Queued)) (ingest.Queued, error) {
	var queued ingest.Queued
	if has, err := in.queue.hasWorkers(ctx); err != nil || !has {
		return queued, cmp.Or(err, ingest.ErrNoWorkers)
	}
	find := &FindOptions{
		Request: workspace.FindRequest{Paths: paths, NoIgnore: opts.NoIgnore, Hidden: opts.Hidden},
		asked:   &asked{args: ingestArgs{Force: opts.Force, Type: opts.Type, ResourceID: opts.ResourceID}, priority: Interactive, owner: id},
		failed: func(path string, err error) {
			if len(queued.Items) < mostUnread {
				queued.Items = append(queued.Items, ingest.Item{Path: path, Status: ingest.Failed, Err: err})
			}
		},
	}
	if opts.ResourceID != "" {
		if err := in.one(ctx, find.Request); err != nil {
			return queued, err
		}
	}
	found := func(f Finding) {
		queued.Found, queued.Unchanged = f.Sources+len(queued.Items), f.Unchanged
	}
	find.Progress = func(f Finding) {
		found(f)
		progress(queued)
	}
	f, err := in.queue.Find(ctx, in.ws, find)
	found(f)
	return queued, err
}

// mostUnread is how many paths an ingest names that cannot be read.
const mostUnread = 100

// one returns an error unless a request finds one source, which gets an id.
func (in *Ingests) one(ctx context.Context, req workspace.FindRequest) error {
	finder, ok := in.ws.(workspace.Finder)
	if !ok {
		return errors.ErrUnsupported
	}
	n := 0
	for c := range finder.Find(ctx, req) {
		if !c.Folder {
			n++
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if n != 1 {
		return fmt.Errorf("one id for %s; give an id for one file at a time: %w", message.Count(n, "source"), citekit.ErrSyntax)
	}
	return nil
}

const (
	wantedSQL = `kind = 'ingest' AND metadata ? $1`

	isUnfinished = `state IN ('available', 'pending', 'retryable', 'running', 'scheduled')`

	stateSQL = `SELECT
	coalesce(sum(jsonb_array_length(args->'sources')) FILTER (WHERE ` + isUnfinished + ` AND metadata->$1 = 'true'), 0),
	coalesce(bool_or(state = 'cancelled' OR metadata->$1 = 'false'), false), max(finalized_at)
FROM %s WHERE ` + wantedSQL

	// A job that failed once waits for long; what it is to index is then found by searches.
	indexingSQL = `SELECT EXISTS (SELECT 1 FROM %s
WHERE kind = 'index' AND ` + isUnfinished + ` AND state <> 'retryable' AND created_at <= $1::timestamptz + interval '5 seconds')`

	itemsSQL = `SELECT state = 'discarded', args, coalesce(metadata->'output', '{}'), coalesce(errors[array_upper(errors, 1)]->>'error', '')
FROM %s WHERE ` + wantedSQL + ` AND state IN ('completed', 'discarded') ORDER BY id`

	isSole = `NOT EXISTS (SELECT 1 FROM jsonb_each(metadata) AS o WHERE o.key <> $1 AND (o.key = 'bulk' OR o.key LIKE 'ingest-%') AND o.value = 'true')`

	disownSQL = `UPDATE %s SET
	metadata = metadata || jsonb_build_object($1::text, false),
	state = (CASE WHEN state <> 'running' AND ` + isSole + ` THEN 'cancelled' ELSE state::text END)::%s,
	finalized_at = CASE WHEN state <> 'running' AND ` + isSole + ` THEN now() END
WHERE ` + wantedSQL + ` AND ` + isUnfinished + `
RETURNING id, state = 'running' AND ` + isSole
)

// State implements [ingest.Queue].
func (in *Ingests) State(ctx context.Context, id string) (ingest.QueueState, error) {
	var s ingest.QueueState
	var last *time.Time
	q := in.queue
	err := q.pool.QueryRow(ctx, q.sql(stateSQL), id).Scan(&s.Left, &s.Cancelled, &last)
	if err == nil && s.Left == 0 && last != nil {
		err = q.pool.QueryRow(ctx, q.sql(indexingSQL), last).Scan(&s.Indexing)
	}
	if err == nil && s.Left > 0 {
		var works bool
		works, err = q.hasWorkers(ctx)
		s.Idle = !works
	}
	return s, fault(ctx, err)
}

// Items implements [ingest.Queue].
func (in *Ingests) Items(ctx context.Context, id string) ([]ingest.Item, error) {
	rows, err := in.queue.pool.Query(ctx, in.queue.sql(itemsSQL), id)
	if err != nil {
		return nil, fault(ctx, err)
	}
	var all []ingest.Item
	var discarded bool
	var args, left []byte
	var reason string
	_, err = pgx.ForEachRow(rows, []any{&discarded, &args, &left, &reason}, func() error {
		var a ingestArgs
		var o output
		if err := errors.Join(json.Unmarshal(args, &a), json.Unmarshal(left, &o)); err != nil {
			return err
		}
		if discarded {
			for _, s := range a.Sources {
				all = append(all, ingest.Item{Path: s.Path, Status: ingest.Failed, Err: whyDiscarded(reason)})
			}
			return nil
		}
		all = append(all, o.Items...)
		return nil
	})
	return all, fault(ctx, err)
}

// whyDiscarded returns why a source was given up, without what stores say of hosts and
// accounts: that is for operators.
func whyDiscarded(reason string) error {
	if reasonOf(reason) == lostWorker {
		return errors.New(lostWorker)
	}
	return fmt.Errorf("it was not mapped in %d attempts; 'citekit jobs list --state discarded' says why", maxAttempts)
}

// Cancel implements [ingest.Queue].
func (in *Ingests) Cancel(ctx context.Context, id string) error {
	q := in.queue
	rows, err := q.pool.Query(ctx, q.sql(disownSQL), id)
	if err != nil {
		return fault(ctx, err)
	}
	var running []int64
	var job int64
	var sole bool
	if _, err := pgx.ForEachRow(rows, []any{&job, &sole}, func() error {
		if sole {
			running = append(running, job)
		}
		return nil
	}); err != nil {
		return fault(ctx, err)
	}
	for _, job := range running {
		if _, err := q.client.JobCancel(ctx, job); err != nil && !errors.Is(err, rivertype.ErrNotFound) {
			return fault(ctx, err)
		}
	}
	return nil
}
