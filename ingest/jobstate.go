package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// The statuses of a [JobState].
const (
	JobRunning   = "running"
	jobDone      = "done"
	jobCancelled = "cancelled"
	jobFailed    = "failed"
)

// jobStatuses are the possible statuses of a job.
var jobStatuses = []string{JobRunning, jobDone, jobCancelled, jobFailed}

// shownItems is how many items a [JobState] has at most.
const shownItems = 200

// A JobState is the state of a job, as one tells it. It encodes as JSON.
type JobState struct {
	JobID  string         `json:"job_id"`
	Status string         `json:"status"` // one of jobStatuses
	Done   int            `json:"done"`   // sources
	Total  int            `json:"total"`
	Counts map[Status]int `json:"counts,omitempty"`

	// Searchable is of how many resources a search finds all text, also of earlier
	// ingests; nil if that is not known.
	Searchable *int `json:"searchable,omitempty"`

	Items   []json.RawMessage `json:"items,omitempty"` // each an [Item]
	Omitted int               `json:"items_omitted,omitempty"`
	Error   string            `json:"error,omitempty"`
	Code    string            `json:"code,omitempty"`
	Hint    string            `json:"hint,omitempty"` // what to do about items, or what they mean

	Outside bool `json:"-"` // an item failed as it is outside the roots; not in records
}

// State returns the state of the job. If it has ended, the items are those that
// changed, failures first, at most 200.
func (j *Job) State() JobState {
	p, _ := j.Progress()
	a := JobState{JobID: j.ID(), Status: JobRunning, Done: p.Done, Total: p.Total}
	select {
	case <-j.Done():
	default:
		if p.ToIndex > 0 {
			a.Hint = p.Indexing()
		} else if p.Speech != nil {
			a.Hint = p.Speech.String()
		}
		return a
	}
	report, err := j.Result()
	switch {
	case err == errLeft:
		return a
	case err == nil:
		a.Status = "done"
	case errors.Is(err, context.Canceled):
		a.Status = jobCancelled
	default:
		a.Status, a.Error, a.Code = jobFailed, printable(err.Error()), citekit.CodeOf(err)
	}
	a.Counts = make(map[Status]int)
	var news []Item
	for _, item := range report.Items {
		a.Counts[item.Status]++
		a.Outside = a.Outside || IsOutside(item.Err)
		if item.Status != Unchanged {
			news = append(news, item)
		}
	}
	if n := a.Counts[Failed]; err == nil && n > 0 && n == len(report.Items) {
		a.Error, a.Code = whyAllFailed(report.Items), citekit.CodeOf(report.Items[0].Err)
	}
	slices.SortStableFunc(news, func(x, y Item) int { return urgency(x) - urgency(y) })
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
	if a.Counts[Copied] > 0 {
		a.Hint = "copied: a file of the same bytes had a map already, which stays under its old id; the new id is a second resource with a copy of that map"
	}
	if x := report.Index; x != nil && x.Err == nil {
		a.Searchable = &x.Searchable
	}
	a.Hint = message.Joined(a.Hint, whyNotSearchable(report.Index))
	return a
}

// Indexing says how far the reading of texts is, once all is mapped.
func (p Progress) Indexing() string {
	return fmt.Sprintf("all is mapped; texts are read for search: %d of %d", p.Indexed, p.ToIndex)
}

// mostUnsearchable is how many resources an answer names that cannot be searched.
const mostUnsearchable = 5

// whyNotSearchable says which resources cannot be searched by their text, unless that was
// told before; "" if there are none.
func whyNotSearchable(x *Indexed) string {
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
		named = append(named, plain.Shorten(printable(one.ResourceID+": "+begun+one.Err.Error()), maxTold))
	}
	if news == 0 {
		return ""
	}
	if news > len(named) {
		named = append(named, "…")
	}
	return fmt.Sprintf("%d mapped, but not searchable by text: ", news) + strings.Join(named, "; ") + "; getContents may read other parts by address"
}

// whyAllFailed returns why the first of some sources failed, and how many more did.
func whyAllFailed(items []Item) string {
	why := "nothing could be mapped: "
	if items[0].Err != nil {
		why += items[0].Err.Error()
	}
	if more := len(items) - 1; more > 0 {
		why += fmt.Sprintf(" (and %d more, see items)", more)
	}
	return printable(why)
}

func urgency(item Item) int {
	switch item.Status {
	case Failed:
		return 0
	case Skipped:
		return 2
	}
	return 1
}

// maxTold is how many bytes of an error or a path a state tells.
const maxTold = 2000

func printable(s string) string { return plain.ShowLine(s, maxTold) }
