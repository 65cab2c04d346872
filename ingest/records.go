package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

// A JobStore stores the states of jobs, so that each of several servers knows those of
// all, and can cancel any. Implementations must be
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

// NoteJobs returns a store of jobs in notes of a workspace, which servers over one
// directory share.
func NoteJobs(notes citekit.NoteStore) JobStore { return &noteJobs{notes: notes} }

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
		if json.Unmarshal(note.Data, &r) != nil || r.Status != JobRunning || r.lost() {
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
	JobState
	At     time.Time `json:"at"`               // when its server last wrote it
	Cancel bool      `json:"cancel,omitempty"` // another server was asked to end the job
	Queued *Queued   `json:"queued,omitempty"` // what the server has left to workers
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
func (r *jobRecord) lost() bool { return r.Status == JobRunning && time.Since(r.At) > serverLost }

// Records keep the states of the jobs of a server in a store. If the store fails, jobs
// go on, but only the server that runs one knows its state. Make them with [NewRecords].
// All methods are safe for concurrent use.
type Records struct {
	store JobStore

	mu     sync.Mutex
	closed bool           // no further job is recorded
	kept   sync.WaitGroup // running jobs
}

// NewRecords returns records in a store.
func NewRecords(store JobStore) *Records { return &Records{store: store} }

// Close waits for the last states of jobs, which must be closed before.
func (rs *Records) Close() {
	rs.mu.Lock()
	rs.closed = true
	rs.mu.Unlock()
	rs.kept.Wait()
}

// Keep writes the state of a job, and while it runs, keeps that current in the
// background.
func (rs *Records) Keep(j *Job) {
	r := rs.write(j, jobRecord{})
	if r.Status != JobRunning {
		return
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return
	}
	rs.kept.Go(func() {
		beat := time.NewTicker(readEvery)
		defer beat.Stop()
		for over := false; r.Status == JobRunning && !over; { // an ended job that runs is one that was left to others
			select {
			case <-j.Done():
			case <-beat.C:
			}
			over = j.ended()
			r = rs.write(j, r)
		}
	})
}

// write writes the state of a job unless it is unchanged, and cancels the job if its
// record asks for that. It returns the record as it now is.
func (rs *Records) write(j *Job, last jobRecord) jobRecord {
	ctx, cancel := context.WithTimeout(context.Background(), recordTime)
	defer cancel()
	r := jobRecord{JobState: j.State().short(), At: time.Now(), Cancel: last.Cancel}
	if r.Status == JobRunning {
		r.Queued = j.left().short()
	}
	for range maxConflict {
		known, stamp, err := rs.load(ctx, j.ID())
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrDamaged) {
			break
		}
		if known.Cancel {
			j.Cancel()
			r.Cancel = true
		}
		if reflect.DeepEqual(r.JobState, last.JobState) && (r.Queued == nil) == (last.Queued == nil) && r.At.Sub(last.At) < writeEvery {
			return last
		}
		data, err := json.Marshal(r)
		if err != nil {
			break
		}
		if _, err := rs.store.Save(ctx, j.ID(), data, stamp); !errors.Is(err, citekit.ErrConflict) {
			break
		}
	}
	return r
}

// short returns a state without the last items, if they do not fit into a record.
func (s JobState) short() JobState {
	for len(s.Items) > 0 {
		if data, err := json.Marshal(s); err == nil && len(data) <= maxRecord {
			break
		}
		kept := len(s.Items) / 2
		s.Omitted += len(s.Items) - kept
		s.Items = s.Items[:kept]
	}
	return s
}

// short returns what was left to workers with at most so many items that they fit into a
// record.
func (q *Queued) short() *Queued {
	if q == nil {
		return nil
	}
	short := *q
	for len(short.Items) > 0 {
		if data, err := json.Marshal(short); err == nil && len(data) <= maxRecord/2 {
			break
		}
		short.Items = short.Items[:len(short.Items)/2]
	}
	return &short
}

// Queued returns what the server of a running job has left to workers, or nil.
func (rs *Records) Queued(ctx context.Context, id string) *Queued {
	r, _, err := rs.load(ctx, id)
	if err != nil || r.Status != JobRunning {
		return nil
	}
	return r.Queued
}

// load returns the record of a job. If it cannot be decoded, the error matches
// [citekit.ErrDamaged].
func (rs *Records) load(ctx context.Context, id string) (r jobRecord, stamp citekit.Stamp, err error) {
	data, stamp, err := rs.store.Load(ctx, id)
	if err != nil {
		return r, stamp, err
	}
	if json.Unmarshal(data, &r) != nil || !slices.Contains(jobStatuses, r.Status) {
		return jobRecord{}, stamp, citekit.ErrDamaged
	}
	return r, stamp, nil
}

// State returns the state of a job of any server of the store, once it has ended or
// within has passed. If cancel is set, it asks the server that runs the job to end it.
// The error matches [fs.ErrNotExist] if no such job is known.
func (rs *Records) State(ctx context.Context, id string, cancel bool, within time.Duration) (JobState, error) {
	due := time.NewTimer(within)
	defer due.Stop()
	look := time.NewTicker(max(min(readEvery, within)/4, time.Millisecond))
	defer look.Stop()
	for {
		r, stamp, err := rs.load(ctx, id)
		switch {
		case errors.Is(err, citekit.ErrDamaged):
			return JobState{}, fmt.Errorf("the record of the ingest is damaged: %w", fs.ErrNotExist)
		case err != nil:
			return JobState{}, fmt.Errorf("read the state of the ingest: %w", err)
		case r.lost():
			return r.interrupted(), nil
		case r.Status != JobRunning:
			return r.JobState, nil
		}
		if cancel && !r.Cancel {
			r.Cancel = true
			data, err := json.Marshal(r)
			if err == nil {
				_, err = rs.store.Save(ctx, id, data, stamp)
			}
			if err != nil && !errors.Is(err, citekit.ErrConflict) {
				return JobState{}, fmt.Errorf("ask the ingest's server to end it: %w", err)
			}
		}
		select {
		case <-look.C:
		case <-due.C:
			return r.JobState, nil
		case <-ctx.Done():
			return JobState{}, ctx.Err()
		}
	}
}

// interrupted returns the state of a job whose server ended while it ran.
func (r *jobRecord) interrupted() JobState {
	s := r.JobState
	s.Status, s.Code = jobFailed, message.CodeInternal
	s.Error = "the server that ran it stopped before it was done; ingest the paths again: files already mapped are left alone"
	return s
}
