package search

import (
	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/strictjson"
)

// Results are the answer to a [Request].
type Results struct {
	Results []*Result // best first

	// Total is how many passages, nodes or resources match. If it is not
	// Exact there are more.
	Total int
	Exact bool

	// LeftOut is how many resources are not searched or not shown, as their
	// sources are not what was mapped, are gone or cannot be read.
	LeftOut int

	// Complete is false if the time was over before all of the index was up to
	// date and searched.
	Complete bool

	// Degraded says what the ranking lacks that [Semantics] should have done; ""
	// if it lacks nothing. Complete is then false.
	Degraded string

	QueryTimeMS float64

	// Hint says what to do where it helps: that texts are still being read, or,
	// where nothing was found, which values of the filters no resource has, and
	// some that there are; else it is "".
	Hint string
}

// A Result is something that was found.
type Result struct {
	ResourceID string
	NodeID     string // of the smallest node around it; "" if there is none
	Address    citekit.Address
	Title      string   // of the node, or of the resource
	Path       []string // titles of the nodes around it, from the root
	Modality   citekit.Modality

	// Snippet is text of the source with the most of what was asked for. What
	// is left out before and after it is marked by "…" alone.
	Snippet    string
	Highlights [][2]int // words of the query in the snippet, in code points, the end excluded

	// Passage is the text that the snippet is of; nil if there is none. It is
	// not in JSON.
	Passage *Passage

	Score     float64   // comparable within one answer only
	Rationale []*Reason // why it is there, if that was asked for, or is a relation
}

// A Passage is a part of the text of a source.
type Passage struct {
	Text       string
	From, To   int64  // bytes of the text layer
	SourceHash string // of the version that the layer is of
}

// A Reason is part of why something was found: a term, or a relation.
type Reason struct {
	Term   string   `json:"term,omitempty"`   // as it is in the index
	Fields []string `json:"fields,omitempty"` // "title", "text", or "vector" if it is near

	// Relation is the kind of what relates the result to a hit. From is where
	// it stands, which proves it, and To where it leads.
	Relation string          `json:"relation,omitempty"`
	From     citekit.Address `json:"from,omitzero"`
	To       citekit.Address `json:"to,omitzero"`

	Score float64 `json:"score"` // what it adds
}

// MarshalJSON returns an object with "results", "total", "query_time_ms",
// "complete", and where they say something "total_is_minimum", "left_out",
// "hint" and "degraded".
func (r *Results) MarshalJSON() ([]byte, error) {
	w := new(strictjson.Writer)
	w.Open()
	w.Key("results")
	w.WriteByte('[')
	for i, one := range r.Results {
		if i > 0 {
			w.WriteByte(',')
		}
		one.write(w)
	}
	w.WriteByte(']')
	w.Value("total", r.Total)
	if !r.Exact {
		w.Value("total_is_minimum", true)
	}
	if r.LeftOut > 0 {
		w.Value("left_out", r.LeftOut)
	}
	w.Optional("hint", r.Hint)
	w.Value("query_time_ms", rounded(r.QueryTimeMS))
	w.Value("complete", r.Complete)
	w.Optional("degraded", r.Degraded)
	w.Close()
	return w.Bytes(), w.Err
}

func (r *Result) write(w *strictjson.Writer) {
	w.Open()
	w.Text("resource_id", r.ResourceID)
	w.Optional("node_id", r.NodeID)
	w.Text("address", r.Address.String())
	w.Text("title", r.Title)
	if len(r.Path) > 0 {
		w.Value("path", r.Path)
	}
	w.Text("modality", string(r.Modality))
	w.Text("snippet", r.Snippet)
	if len(r.Highlights) > 0 {
		w.Value("highlights", r.Highlights)
	}
	w.Value("score", rounded(r.Score))
	if len(r.Rationale) > 0 {
		w.Value("rationale", r.Rationale)
	}
	w.Close()
}
