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

// A JobStore keeps what is known of ingests, so that each of several servers can
// answer ingestStatus for all of them, and end any. Implementations must be safe
// for concurrent use, also by other processes.
type JobStore interface {
	// Load returns the record of a job with the stamp it has. A job that is
	// not there is an error matching [fs.ErrNotExist].
	Load(ctx context.Context, id string) ([]byte, citekit.Stamp, error)

	// Save stores a record, of at most 64 KiB, if that of the job still has
	// the stamp, or, with the zero stamp, if there is none. It returns the new
	// stamp. If the record has another stamp, is there or is gone, that is an
	// error matching [citekit.ErrConflict] and nothing changes. A store may
	// forget jobs that nobody has saved for an hour.
	Save(ctx context.Context, id string, record []byte, stamp citekit.Stamp) (citekit.Stamp, error)
}

// jobNotes is the kind of the notes that records of jobs are.
const jobNotes = "jobs"

const (
	keptRecords = 100 // in notes; the oldest that have ended go first
	pruneEvery  = 16  // jobs of a process
)

// A noteJobs keeps jobs in notes of a workspace.
type noteJobs struct {
	notes citekit.NoteStore
	saved atomic.Int64 // first records
}

// Load implements [JobStore].
func (n *noteJobs) Load(ctx context.Context, id string) ([]byte, citekit.Stamp, error) {
	data, stamp, err := n.notes.ReadNote(ctx, jobNotes, id)
	if errors.Is(err, citekit.ErrSyntax) { // no note can have that name
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

// prune deletes the oldest records beyond those that are kept, but none of a job
// that runs. What cannot be deleted is left to the next time.
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

// A jobRecord is what a store keeps of a job.
type jobRecord struct {
	ingestAnswer
	At     time.Time `json:"at"`               // when its server last wrote it
	Cancel bool      `json:"cancel,omitempty"` // somebody asked another server to end it
}

const (
	readEvery   = time.Second      // by the server of a job
	writeEvery  = 10 * time.Second // even if there is nothing new
	serverLost  = time.Minute      // without a word; clocks of servers may differ
	recordTime  = 5 * time.Second  // that writing may take
	maxRecord   = 60_000           // bytes
	maxConflict = 10               // changes by others during one write
)

// lost reports whether the server of a job ended without saying so.
func (r *jobRecord) lost() bool { return r.Status == running && time.Since(r.At) > serverLost }

// record writes how a job stands. If the job runs, it is written until the job
// has ended, or another server asked for that. What cannot be written only other
// servers miss.
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

// writeRecord writes how a job stands unless that is what was written, and ends
// the job if the record asks for that. It returns what is written now.
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

// shortAnswer returns an answer with as many of its items as a record has room
// for.
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

// loadRecord returns what is kept of a job. A record that cannot be read is an
// error matching [citekit.ErrDamaged].
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

// otherStatus answers for a job of another server. If cancel is set, that server
// is asked to end it.
func (g *Ingester) otherStatus(ctx context.Context, id string, cancel bool) (ingestAnswer, error) {
	due := time.NewTimer(g.opts.AnswerWithin)
	defer due.Stop()
	look := time.NewTicker(max(min(readEvery, g.opts.AnswerWithin)/4, time.Millisecond))
	defer look.Stop()
	for {
		r, stamp, err := g.loadRecord(ctx, id)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, citekit.ErrDamaged):
			return ingestAnswer{}, badArgument("there is no ingest %s; those that ended long ago are forgotten", quote(id))
		case err != nil:
			return ingestAnswer{}, fmt.Errorf("read how the ingest stands: %w", err)
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
	a.Error = "the server that ran it ended before it was done; ingest the paths again, what was mapped is left alone"
	return a
}
