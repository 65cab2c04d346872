package mcpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
)

// A JobStore stores the state of ingests, so that each of several servers can
// answer ingestStatus for all of them, and cancel any. Implementations must be
// safe for concurrent use, including by other processes.
type JobStore interface {
	// Load returns the record of a job with its stamp. If there is no such job,
	// the error matches [fs.ErrNotExist].
	Load(ctx context.Context, id string) ([]byte, citekit.Stamp, error)

	// Save stores a record of at most 64 KiB, if the stored record still has
	// stamp, or, with the zero stamp, if there is none. It returns the new stamp.
	// Otherwise nothing changes and the error matches [citekit.ErrConflict]. A
	// store may forget jobs that were not saved for an hour.
	Save(ctx context.Context, id string, record []byte, stamp citekit.Stamp) (citekit.Stamp, error)
}

// jobNotes is the kind of notes that hold job records.
const jobNotes = "jobs"

const (
	keptRecords = 100 // in notes; the oldest ended ones are deleted first
	pruneEvery  = 16  // jobs of a process
)

// A noteJobs stores jobs in notes of a workspace.
type noteJobs struct {
	notes citekit.NoteStore
	saved atomic.Int64 // number of first records
}

// Load implements [JobStore].
func (n *noteJobs) Load(ctx context.Context, id string) ([]byte, citekit.Stamp, error) {
	data, stamp, err := n.notes.ReadNote(ctx, jobNotes, id)
	if errors.Is(err, citekit.ErrSyntax) { // no note can have this name
		err = fs.ErrNotExist
	}
	return data, stamp, err
}

// Save implements [JobStore].
func (n *noteJobs) Save(ctx context.Context, id string, record []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	if stamp == (citekit.Stamp{}) && n.saved.Add(1)%pruneEvery == 0 {
		n.prune(ctx)
	}
	return n.notes.WriteNoteIf(ctx, jobNotes, id, record, stamp)
}

// prune deletes the oldest records above the limit, except those of running jobs.
// Records that cannot be deleted are left to the next call.
func (n *noteJobs) prune(ctx context.Context) {
	type ended struct {
		citekit.Note
		at time.Time
	}
	var records []ended
	for note, err := range n.notes.Notes(ctx, jobNotes) {
		if err != nil {
			return
		}
		var r jobRecord
		if json.Unmarshal(note.Data, &r) != nil || r.Status != running || r.lost() {
			records = append(records, ended{note, r.At})
		}
	}
	slices.SortFunc(records, func(x, y ended) int { return x.at.Compare(y.at) })
	for _, old := range records[:max(0, len(records)-keptRecords)] {
		_ = n.notes.DeleteNoteIf(ctx, jobNotes, old.Name, old.Stamp)
	}
}

// A jobRecord is the stored state of a job.
type jobRecord struct {
	ingestAnswer
	At     time.Time `json:"at"`               // when its server last wrote it
	Cancel bool      `json:"cancel,omitempty"` // another server was asked to end the job
}

const (
	readEvery   = time.Second      // by the server that runs the job
	writeEvery  = 10 * time.Second // even without news
	serverLost  = time.Minute      // without an update; the clocks of servers may differ
	recordTime  = 5 * time.Second  // for writing
	maxRecord   = 60_000           // bytes
	maxConflict = 10               // changes by others during one write
)

// lost reports whether the server of a job ended without recording it.
func (r *jobRecord) lost() bool { return r.Status == running && time.Since(r.At) > serverLost }

// record writes the state of a job. While the job runs, record keeps it current
// in the background. If a write fails, only other servers miss the state.
func (g *Ingester) record(j *ingest.Job) {
	r := g.writeRecord(j, jobRecord{})
	if r.Status != running {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	g.recording.Go(func() {
		beat := time.NewTicker(readEvery)
		defer beat.Stop()
		for r.Status == running {
			select {
			case <-j.Done():
			case <-beat.C:
			}
			r = g.writeRecord(j, r)
		}
	})
}

// writeRecord writes the state of a job unless it is unchanged, and cancels the
// job if its record asks for that. It returns the record as it now is.
func (g *Ingester) writeRecord(j *ingest.Job, last jobRecord) jobRecord {
	ctx, cancel := context.WithTimeout(context.Background(), recordTime)
	defer cancel()
	r := jobRecord{ingestAnswer: shortAnswer(answerOf(j)), At: time.Now(), Cancel: last.Cancel}
	for range maxConflict {
		known, stamp, err := g.loadRecord(ctx, j.ID())
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrDamaged) {
			break
		}
		if known.Cancel {
			j.Cancel()
			r.Cancel = true
		}
		if reflect.DeepEqual(r.ingestAnswer, last.ingestAnswer) && r.At.Sub(last.At) < writeEvery {
			return last
		}
		data, err := json.Marshal(r)
		if err != nil {
			break
		}
		if _, err := g.opts.Jobs.Save(ctx, j.ID(), data, stamp); !errors.Is(err, citekit.ErrConflict) {
			break
		}
	}
	return r
}

// shortAnswer returns an answer without the last items, if they do not fit into a
// record.
func shortAnswer(a ingestAnswer) ingestAnswer {
	for len(a.Items) > 0 {
		if data, err := json.Marshal(a); err == nil && len(data) <= maxRecord {
			break
		}
		kept := len(a.Items) / 2
		a.Omitted += len(a.Items) - kept
		a.Items = a.Items[:kept]
	}
	return a
}

// loadRecord returns the record of a job. If it cannot be decoded, the error
// matches [citekit.ErrDamaged].
func (g *Ingester) loadRecord(ctx context.Context, id string) (r jobRecord, stamp citekit.Stamp, err error) {
	data, stamp, err := g.opts.Jobs.Load(ctx, id)
	if err != nil {
		return r, stamp, err
	}
	if json.Unmarshal(data, &r) != nil || !slices.Contains(jobStatuses, r.Status) {
		return jobRecord{}, stamp, citekit.ErrDamaged
	}
	return r, stamp, nil
}

// otherStatus answers for a job of another server. If cancel is set, it asks that
// server to end the job.
func (g *Ingester) otherStatus(ctx context.Context, id string, cancel bool) (ingestAnswer, error) {
	due := time.NewTimer(g.opts.AnswerWithin)
	defer due.Stop()
	look := time.NewTicker(max(min(readEvery, g.opts.AnswerWithin)/4, time.Millisecond))
	defer look.Stop()
	for {
		r, stamp, err := g.loadRecord(ctx, id)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, citekit.ErrDamaged):
			return ingestAnswer{}, badArgument("there is no ingest %s; ingests that ended long ago are forgotten", quote(id))
		case err != nil:
			return ingestAnswer{}, fmt.Errorf("read the state of the ingest: %w", err)
		case r.lost():
			return interrupted(r.ingestAnswer), nil
		case r.Status != running:
			return r.ingestAnswer, nil
		}
		if cancel && !r.Cancel {
			r.Cancel = true
			data, err := json.Marshal(r)
			if err == nil {
				_, err = g.opts.Jobs.Save(ctx, id, data, stamp)
			}
			if err != nil && !errors.Is(err, citekit.ErrConflict) {
				return ingestAnswer{}, fmt.Errorf("ask the ingest's server to end it: %w", err)
			}
		}
		select {
		case <-look.C:
		case <-due.C:
			return r.ingestAnswer, nil
		case <-ctx.Done():
			return ingestAnswer{}, ctx.Err()
		}
	}
}

// interrupted returns the answer for a job whose server ended while it ran.
func interrupted(a ingestAnswer) ingestAnswer {
	a.Status, a.Code = "failed", citekit.CodeInternal
	a.Error = "the server that ran it stopped before it was done; ingest the paths again: files already mapped are left alone"
	return a
}
