package search

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/search/internal/index"
)

// By selects the kind of results.
type By string

// The kinds of results.
const (
	ByPassages  By = "passages"  // parts of a text: at most a page, 120 lines, a minute or 4,000 bytes; the default, also for ""
	ByNodes     By = "nodes"     // nodes of maps, each by its best passage
	ByResources By = "resources" // resources, each by its best passage
)

// Bounds of Request.TopK.
const (
	DefaultTopK = 10 // the value that zero stands for
	MaxTopK     = 50 // the largest value
)

// MaxLeftOut is the maximum number of resources that a search names as left out.
const MaxLeftOut = 5

// maxValues is how many values one filter may have.
const maxValues = 10_000

// A Request describes a search.
type Request struct {
	// Query is the query. A passage matches if it has one of the words. Words that
	// are rarer among the passages in its language, words in titles, and words that
	// are neighbours in the text too have more weight. Function words, such as
	// "what" and "the", count only in a query without others. A word that is not
	// in the index stands for the words that differ in one letter.
	//
	// In an expression, some signs are orders:
	//
	//	"exact words"   must be there, in this order
	//	head*           any word with this start
	//	-word           must not be there; also -"exact words" and -head*
	//	title:word      must be in the title; also title:"exact words"
	//
	// In a question, words in quotes count more, and other signs are ignored.
	// Every text is a query: signs without a meaning in their place are
	// ignored. A query of more than 128 KiB is cut.
	Query string

	// Syntax says how Query is read; "" means an [Expression] if all of it reads as
	// one, or else a [Question].
	Syntax Syntax

	Mode    Mode    // "" means [Auto]
	By      By      // "" means [ByPassages]
	TopK    int     // largest number of results, 1 to [MaxTopK]; zero means [DefaultTopK]
	Filters Filters // restrict the results

	// Expand also searches for the 20 words that are most typical of the ten
	// best passages, for relevance feedback after the model RM3. If the best
	// passages are right, it finds more passages that use other words; if they
	// are wrong, it leads away from the answer. It costs a second search and
	// the reading of ten passages. The added words are treated as words of the
	// query in totals and highlights.
	Expand bool

	// SameAddress also returns passages that have the address of a better one,
	// such as two on one page, copies of a better one, and nodes whose first text a
	// better one shows, such as the chapter that begins with a section.
	SameAddress bool

	// Whole returns whole passages of tables, logs and subtitles. Otherwise a result in
	// one of these is the row, the entry or the cues that match best, with what stands
	// right beside them, and up to ten rows or entries of a passage that match nearly
	// as well are results each.
	Whole bool

	NoHighlights bool // leave out Result.Highlights
	Rationale    bool // give the reasons for each result
	NoRerank     bool // do not ask the Reranker of [Semantics]

	phrases []string // that results must contain as written

	// Boxes narrows the address of each passage that is on one page to the box
	// around it, if a box has the text of the passage and no other text. It
	// takes about 140 ms of processor time for each passage. If time runs out, or
	// the layout has no such box, the address is that of the page.
	Boxes bool
}

// withDefaults returns the request with defaults in place of zeros, or an error
// matching [citekit.ErrSyntax] if a value is invalid.
func (r Request) withDefaults() (Request, error) {
	r.TopK = cmp.Or(r.TopK, DefaultTopK)
	r.By = cmp.Or(r.By, ByPassages)
	if r.TopK < 1 || r.TopK > MaxTopK {
		return r, syntaxError("top_k %d; give 1 to %d", r.TopK, MaxTopK)
	}
	if r.By != ByPassages && r.By != ByNodes && r.By != ByResources {
		return r, syntaxError("by %s; it must be passages, nodes or resources", message.Quote(string(r.By)))
	}
	if !r.Mode.valid() {
		return r, syntaxError("mode %s; it must be auto, knowledge, graph or hybrid", message.Quote(string(r.Mode)))
	}
	if !r.Syntax.Valid() {
		return r, syntaxError("syntax %s; it must be expression or question, or empty", message.Quote(string(r.Syntax)))
	}
	if strings.TrimSpace(r.Query) == "" {
		return r, syntaxError("the query is empty; give some words")
	}
	return r, checkFilters(r.Filters)
}

func checkFilters(f Filters) error {
	for _, m := range f.Modalities {
		if !m.Valid() {
			return syntaxError("modality %s; it must be a word such as document or video", message.Quote(string(m)))
		}
	}
	if n := max(len(f.Resources), len(f.Modalities), len(f.Types), len(f.Authors), len(f.Labels)); n > maxValues {
		return syntaxError("%d values of a filter; give at most %d", n, maxValues)
	}
	if !f.After.IsZero() && !f.Before.IsZero() && f.Before.Before(f.After) {
		return syntaxError("before %s is earlier than after %s", f.Before.Format("2006-01-02"), f.After.Format("2006-01-02"))
	}
	return nil
}

func syntaxError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, citekit.ErrSyntax)...)
}

// group returns the key by which hits are counted once, or "" if each hit
// counts.
func (r Request) group(h *index.Hit) string {
	switch r.By {
	case ByNodes:
		return h.Resource + "\x00" + h.Entry.Node
	case ByResources:
		return h.Resource
	}
	return ""
}

// mostHits is the largest number of hits requested from an index.
const mostHits = 1000

// hitsFor returns how many hits to request from an index at first: several may
// belong to one node or resource, and some may be left out.
func (r Request) hitsFor() int {
	if r.By == ByPassages {
		return r.TopK + 10
	}
	return min(mostHits, 10*r.TopK)
}

// rounded returns a number with three decimals, which is enough to compare.
func rounded(v float64) float64 { return math.Round(v*1000) / 1000 }
