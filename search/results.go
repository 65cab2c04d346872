package search

import (
	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/strictjson"
)

// Results are the answer to a [Request].
type Results struct {
	Results []*Result // best first

	// Total is the number of passages, nodes or resources that match; of passages of
	// tables and logs, rows that are results by themselves count. Copies and passages with
	// the address of a better one, as far as they were met, do not count. If Exact is
	// false, there are more.
	Total int
	Exact bool

	// LeftOut is how many resources are not searched or not shown, because
	// their sources have changed since they were mapped, are gone or cannot be
	// read. If there are more than 100 resources, and TopK results or a workspace that
	// is not on this machine, only those count that were met, now or when the index
	// was brought up to date.
	LeftOut int

	// LeftOutIDs are the ids of these resources, at most [MaxLeftOut], in order.
	// They are not in JSON.
	LeftOutIDs []string

	// Unreadable is how many of these have a source that cannot be read, although
	// it has not changed, such as a damaged image. UnreadableIDs are the ids of the
	// first [MaxLeftOut] of them, in order. They are not in JSON.
	Unreadable    int
	UnreadableIDs []string

	// Complete is false if time ran out before the whole index was up to date
	// and searched, or it is not known whether a source changed.
	Complete bool
	unsure   string // what is not known, or not done, as an end of Hint; "" if nothing is

	// Degraded describes a step of [Semantics] that is missing in the ranking;
	// "" if none is. If it is set, Complete is false.
	Degraded string

	QueryTimeMS float64 // duration of the search in milliseconds

	// Hint is advice for the caller, or "". It reports that texts are still
	// being read, or, if nothing was found, that the query only excludes, that
	// there are no maps yet, which values of the filters no resource has, and
	// some that exist, or what else to try. It also names excluded words that
	// look like options, or that may be the reason for few results.
	Hint string
}

// MaxCopies is the maximum number of copies that a result names.
const MaxCopies = 3

// A Result is one passage, node or resource that was found.
type Result struct {
	ResourceID string           // the resource it belongs to
	NodeID     string           // of the smallest node around it; "" without a node
	Address    citekit.Address  // of the result
	Title      string           // of the node, or of the resource
	Path       []string         // titles of the enclosing nodes, from the root
	Modality   citekit.Modality // of Address

	// Transcribed says that the text is what a machine heard in a recording.
	Transcribed bool

	// Snippet is the part of the source's text that matches the query best.
	// Each omission at its ends is marked by "…" and nothing else.
	Snippet    string
	Highlights [][2]int // words of the query in the snippet, in code points, the end excluded

	// OCR says that some of the Passage was recognised in a picture, so that nobody takes
	// it for the words of the source.
	OCR bool

	// Copies are the addresses of passages found with the same letters and digits, in
	// the order of their scores, at most [MaxCopies]. They are no results by themselves.
	Copies []citekit.Address

	// CopyCount is how many such passages were met, at least len(Copies). It is not in
	// JSON.
	CopyCount int

	// Passage is the text that the snippet is taken from, or nil. It is not in
	// JSON.
	Passage *Passage

	Score     float64   // comparable within one answer only
	Rationale []*Reason // reasons for the result, if requested or if it is a relation
}

// A Passage is a part of the text of a source.
type Passage struct {
	Text       string // as it is in the source
	From, To   int64  // bytes of the text layer
	SourceHash string // of the version of the layer

	// Location is the place of a passage of [Searcher.Passages]; that of a result is in
	// its address.
	Location citekit.Location
}

// A Reason is one reason for a result: a term, or a relation.
type Reason struct {
	Term   string   `json:"term,omitempty"`   // in the form it has in the index
	Fields []string `json:"fields,omitempty"` // "title", "text", or "vector" for a near vector

	// Relation is the kind of the relation between the result and a hit. From
	// is the place that states it, and To the place it leads to.
	Relation string          `json:"relation,omitempty"`
	From     citekit.Address `json:"from,omitzero"`
	To       citekit.Address `json:"to,omitzero"`

	Score float64 `json:"score"` // its share of the result's score
}

// MarshalJSON returns an object with "results", "total", "query_time_ms" and
// "complete", and, unless empty, "total_is_minimum", "left_out", "hint" and
// "degraded".
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
	w.Flag("total_is_minimum", !r.Exact)
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
	w.Flag("transcribed", r.Transcribed)
	w.Text("snippet", r.Snippet)
	if len(r.Highlights) > 0 {
		w.Value("highlights", r.Highlights)
	}
	w.Flag("ocr", r.OCR)
	if len(r.Copies) > 0 {
		w.Value("copies", r.Copies)
	}
	w.Value("score", rounded(r.Score))
	if len(r.Rationale) > 0 {
		w.Value("rationale", r.Rationale)
	}
	w.Close()
}
