package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

// A Status is the result for one source.
type Status string

// The values of a Status.
const (
	Mapped    Status = "mapped"    // it has a new map
	Copied    Status = "copied"    // its new map is a copy of the map of a source with the same bytes
	Unchanged Status = "unchanged" // its map is still right
	Renamed   Status = "renamed"   // its map followed the source to another path; From is the old one
	Skipped   Status = "skipped"   // there is nothing to map; Err gives the reason
	Vanished  Status = "vanished"  // the source of this map is gone; the map stays; Err gives the new location of its bytes, if known
	Failed    Status = "failed"    // Err gives the reason
)

// An Item is the result for one source.
type Item struct {
	Path       string           `json:"path"` // as [workspace.Candidate.Path]
	Status     Status           `json:"status"`
	ResourceID string           `json:"resource_id,omitempty"` // of a failed source: the resource made from an earlier version, whose map stays
	Type       citekit.Modality `json:"type,omitempty"`
	Nodes      int              `json:"nodes,omitempty"`
	Method     string           `json:"method,omitempty"`     // as [citekit.Draft.Method]
	From       string           `json:"from,omitempty"`       // path of the source before it was renamed
	Unsearched int              `json:"unsearched,omitempty"` // members of a newly mapped archive whose text is too large to search
	Damaged    int              `json:"damaged,omitempty"`    // members of a newly mapped archive that are damaged, and so have no node

	// SkippedMembers is how many members of a newly mapped archive have no node, the
	// damaged ones among them. "skipped" in the metadata of the map has the reasons.
	SkippedMembers int `json:"skipped_members,omitempty"`

	// TextState has the pages of a newly mapped document of which the text cannot be read,
	// or not all, by state, as in the metadata of its map; Pages is how many it has.
	TextState map[string]any `json:"text_state,omitempty"`
	Pages     int            `json:"pages,omitempty"`

	// Damage says why a newly mapped source could only be read by repairing it, so that
	// parts of it may be missing; "" for one that is sound.
	Damage string `json:"damage,omitempty"`

	// FailedBefore is set for a source found in a folder that failed in an earlier
	// run for the same reason, and has not changed since.
	FailedBefore bool `json:"failed_before,omitempty"`

	Err error `json:"-"` // why a source was skipped or failed
}

// MarshalJSON implements [json.Marshaler]. The error becomes "reason" and, for
// a failed source, "code".
func (i Item) MarshalJSON() ([]byte, error) {
	type plain Item
	item := struct {
		plain
		Reason string `json:"reason,omitempty"`
		Code   string `json:"code,omitempty"`
	}{plain: plain(i)}
	if i.Err != nil {
		item.Reason = i.Err.Error()
		if i.Status == Failed {
			item.Code = citekit.CodeOf(i.Err)
		}
	}
	return json.Marshal(item)
}

// UnmarshalJSON implements [json.Unmarshaler]. Err has the reason, and matches an error
// of the code.
func (i *Item) UnmarshalJSON(data []byte) error {
	type plain Item
	var item struct {
		plain
		Reason string `json:"reason"`
		Code   string `json:"code"`
	}
	if err := json.Unmarshal(data, &item); err != nil {
		return err
	}
	*i = Item(item.plain)
	if item.Reason != "" {
		i.Err = &toldError{item.Reason, item.Code}
	}
	return nil
}

// A toldError is an error of another process.
type toldError struct{ reason, code string }

func (e *toldError) Error() string { return e.reason }

// Unwrap returns an error of the same code.
func (e *toldError) Unwrap() error { return errorsOf[e.code] }

// errorsOf has an error of each code that [citekit.CodeOf] gives, but for internal ones.
var errorsOf = map[string]error{
	message.CodeInvalidInput: citekit.ErrSyntax, message.CodeStale: citekit.ErrStale, message.CodeForbidden: citekit.ErrForbidden,
	message.CodeTooLarge: citekit.ErrTooLarge, message.CodeNotFound: fs.ErrNotExist, message.CodeUnsupported: errors.ErrUnsupported,
	message.CodeTimeout: context.DeadlineExceeded,
}

// A Report has the results for all sources, in discovery order; vanished ones
// come last.
type Report struct {
	Items []Item `json:"items"`

	// Index is what the index has afterwards; nil without Options.Index, or if the
	// ingest ended early.
	Index *Indexed `json:"index,omitempty"`

	sources int // that were found
}

// Count returns how many items have the status.
func (r *Report) Count(status Status) int {
	n := 0
	for _, item := range r.Items {
		if item.Status == status {
			n++
		}
	}
	return n
}

// Err returns an error with the first failure and the number of failed sources,
// such as `"a.pdf" cannot be mapped: it is damaged; nor can 2 other sources of 9`, or nil
// if no source failed. The other sources are mapped all the same. It matches what the
// first failure matches; Items has all. Sources that were found in a folder and are
// larger than Options.MaxSourceBytes are skipped, and are no failures. If none failed, it
// is Index.Err; a source that is mapped, and whose text cannot be read, is no failure.
func (r *Report) Err() error {
	failed := r.Count(Failed)
	for _, item := range r.Items {
		switch {
		case item.Status != Failed:
		case failed == 1:
			return fmt.Errorf("%s cannot be mapped: %w", message.Quote(item.Path), item.Err)
		default:
			return fmt.Errorf("%s cannot be mapped: %w; nor can %s of %d", message.Quote(item.Path), item.Err, message.Count(failed-1, "other source"), len(r.Items))
		}
	}
	if r.Index != nil {
		return r.Index.Err
	}
	return nil
}

// A Progress is the progress of an ingest.
type Progress struct {
	Done  int    `json:"done"`  // sources that are done
	Total int    `json:"total"` // sources that were found
	Path  string `json:"path"`  // of the source that this progress is about, as [workspace.Candidate].Path; several may be in progress

	// Part is the finished part of the source at Path, from 0 to 1.
	Part float64 `json:"part"`

	// Speech is how far the source is transcribed; nil if it is not being transcribed.
	Speech *Speech `json:"speech,omitempty"`

	// Indexed is how many resources were indexed, of ToIndex that are to be. Both are
	// 0 until all sources are done; Path is then "". ToIndex may rise.
	Indexed int `json:"indexed,omitempty"`
	ToIndex int `json:"to_index,omitempty"`
}
