package ingest

import (
	"context"
	"fmt"
	"time"
)

// Follow says how [Job.Follow] tells the progress of a job.
type Follow struct {
	// Within is how long to wait for the end of the job.
	Within time.Duration

	// Tell gets the progress, which rises with each call, the total, and a message.
	Tell func(progress, total float64, message string)

	// News are further messages for Tell; nil means none.
	News <-chan string

	// ShownPath returns the path of a source as messages have it; nil means as it is.
	ShownPath func(path string) string
}

const (
	// apart is the least time between the last progress told and the return.
	apart = 50 * time.Millisecond

	// tellEvery is the least time between messages: as often as a person can read.
	tellEvery = 100 * time.Millisecond

	// leastStep is the least increase of progress.
	leastStep = 0.001
)

// Follow waits until the job has ended, or a time is over, and tells its progress. If
// ctx is cancelled, it cancels the job, and returns the error of ctx. It returns a little
// after the last progress: who gets both at the same time may handle the end first, and
// then no longer know what the progress is of.
func (j *Job) Follow(ctx context.Context, f Follow) error {
	due := time.NewTimer(f.Within)
	defer due.Stop()
	told, last := -1.0, time.Time{}
	say := func(done float64, p Progress, message string) {
		f.Tell(done, float64(p.Total+p.ToIndex), message)
		told, last = done, time.Now()
	}
	for {
		p, moved := j.Progress()
		if done := p.done(); p.Total > 0 && done > told {
			say(done, p, p.message(f.ShownPath))
		}
		for len(f.News) > 0 {
			say(max(told, 0)+leastStep, p, <-f.News)
		}
		select {
		case <-j.Done():
			return pause(ctx, time.Until(last.Add(apart)))
		case <-due.C:
			return pause(ctx, time.Until(last.Add(apart)))
		case <-ctx.Done():
			j.Cancel()
			return ctx.Err()
		case message := <-f.News:
			say(max(told, 0)+leastStep, p, message)
		case <-moved:
		}
		select {
		case <-j.Done():
		case <-ctx.Done():
		case <-time.After(tellEvery):
		}
	}
}

// done returns how many sources are mapped and indexed.
func (p Progress) done() float64 {
	done := float64(p.Done + p.Indexed)
	if p.Part < 1 { // otherwise the part is already counted in Done
		done += p.Part
	}
	return done
}

// message says how far a job is.
func (p Progress) message(shown func(path string) string) string {
	if p.ToIndex > 0 {
		return p.Indexing()
	}
	if p.Path == "" {
		return fmt.Sprintf("%d of %d", p.Done, p.Total)
	}
	path := p.Path
	if shown != nil {
		path = shown(path)
	}
	return fmt.Sprintf("%d of %d: %s", p.Done, p.Total, printable(path))
}

// pause waits for a while, or until ctx is done.
func pause(ctx context.Context, wait time.Duration) error {
	select {
	case <-time.After(wait):
	case <-ctx.Done():
	}
	return nil
}
