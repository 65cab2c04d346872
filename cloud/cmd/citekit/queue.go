package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/cloud/jobs"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/command"
	"github.com/citekit/citekit/workspace"
)

// A queue is the queue of a workspace as the commands use it.
type queue struct {
	*jobs.Queue
	ws *cloud.Workspace
}

// openQueue returns the queue of a store.
func openQueue(ctx context.Context, store command.Store) (command.Queue, error) {
	ws, ok := store.(*cloud.Workspace)
	if !ok {
		return nil, fmt.Errorf("the workspace has no queue: %w", errors.ErrUnsupported)
	}
	q, err := ws.Queue(ctx)
	if err != nil {
		return nil, err
	}
	return queue{q, ws}, nil
}

func (q queue) Add(ctx context.Context, ws citekit.Workspace, req workspace.FindRequest, all bool, progress func(command.Queued)) (command.Queued, error) {
	opts := &jobs.FindOptions{Request: req, All: all}
	if progress != nil {
		opts.Progress = func(f jobs.Finding) { progress(queued(f)) }
	}
	found, err := q.Find(ctx, ws, opts)
	for _, f := range found.Failed {
		err = errors.Join(err, fmt.Errorf("%s: %s", f.Path, f.Reason))
	}
	return queued(found), err
}

func queued(f jobs.Finding) command.Queued {
	return command.Queued{
		Sources: f.Sources, Unchanged: f.Unchanged, Jobs: f.Jobs, Waiting: f.Waiting, Vanished: f.Vanished, Gone: f.Gone, From: f.From,
	}
}

func (q queue) List(ctx context.Context, state string, before int64, limit int) ([]command.QueueJob, error) {
	found, err := q.Queue.List(ctx, jobs.State(state), before, limit)
	all := make([]command.QueueJob, len(found))
	for i, j := range found {
		all[i] = shown(j)
	}
	return all, err
}

func (q queue) Job(ctx context.Context, id int64) (command.QueueJob, error) {
	return one(q.Queue.Job(ctx, id))
}

func (q queue) Cancel(ctx context.Context, id int64) (command.QueueJob, error) {
	return one(q.Queue.Cancel(ctx, id))
}

func (q queue) Retry(ctx context.Context, id int64) (command.QueueJob, error) {
	return one(q.Queue.Retry(ctx, id))
}

func one(j *jobs.Job, err error) (command.QueueJob, error) {
	if err != nil {
		return command.QueueJob{}, err
	}
	return shown(j), nil
}

func shown(j *jobs.Job) command.QueueJob {
	s := command.QueueJob{ID: j.ID, State: string(j.State), Attempts: j.Attempts, Reason: j.Reason, Counts: j.Counts, JSON: j}
	for _, source := range j.Sources {
		s.Sources = append(s.Sources, source.Path)
	}
	for _, f := range j.Failed {
		s.Failed = append(s.Failed, f.Path+": "+f.Reason)
	}
	return s
}

func (q queue) Work(ctx context.Context, lib *citekit.Library, workers int, opts ingest.Options, index ingest.Indexer, done func(command.QueueJob)) error {
	spareTheHeap()
	return q.Queue.Work(ctx, lib, &jobs.WorkOptions{Workers: workers, Ingest: opts, Index: index, Done: func(j *jobs.Job) { done(shown(j)) }})
}

func (q queue) Ingests(ws citekit.Workspace) ingest.Queue { return q.Queue.Ingests(ws) }
