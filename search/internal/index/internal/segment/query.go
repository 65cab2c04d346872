package segment

import "context"

// A Query says which documents to find and how to rank them.
//
// A document matches if it has a term of one of the Words, meets all Required and none
// of the Excluded conditions, and is in the set that Only returns.
type Query struct {
	Words    []Word
	Pairs    [][2]int // indexes of Words that are neighbours in the question
	Required []Condition
	Excluded []Condition

	// Lookup has looked up terms in the views that are searched; nil if none has.
	Lookup *Lookup

	// Only returns the documents of a segment that may match; a nil Bitmap means all. A
	// nil Only means all documents of all segments.
	Only func(*Segment) (Bitmap, error)

	K       int  // number of hits wanted, at least 1; there may be more with the score of the last
	Explain bool // fill in the Parts of hits
}

// A Word is a word of a query: the terms that the index may have for it. They count as
// one term that all their documents have.
type Word struct {
	Terms []string
	Count int     // how often the word occurs in the question
	Boost float64 // weight relative to other words; usually 1
}

// A Condition holds for a document that has one of its phrases.
type Condition struct {
	Phrases []Phrase
	Title   bool // only in the title
}

// A Phrase is a sequence of terms at given distances.
type Phrase []PhraseTerm

// A PhraseTerm is a term of a phrase. Offset counts positions from the first
// one, whose offset is 0.
type PhraseTerm struct {
	Term   string
	Offset int
}

// Limits of a search.
const (
	// MaxWords is how many words of a query are used: the rarest.
	MaxWords = 32

	// MaxTerms is how many terms these words may have together; the last words lose
	// their terms first.
	MaxTerms = 256

	// CountTo is the number up to which the total of hits is exact.
	CountTo = 1000
)

// A View is a segment without its dead resources: those that another segment now holds.
// Dead documents still count when the rarity of terms is computed.
type View struct {
	Segment *Segment

	dead []int  // numbers of resources, ascending
	live Bitmap // nil for all
}

// NewView returns a view of a segment. The dead resources must be in ascending order.
func NewView(s *Segment, dead []int) View {
	v := View{Segment: s, dead: dead}
	if len(dead) > 0 {
		v.live = NewBitmap(s.docs)
		next := uint32(0)
		for _, n := range dead {
			docs := s.resources[n].Docs
			v.live.AddRange(Range{next, docs.First})
			next = docs.End
		}
		v.live.AddRange(Range{next, uint32(s.docs)})
	}
	return v
}

// Docs returns the number of live documents.
func (v View) Docs() int {
	if v.live == nil {
		return v.Segment.docs
	}
	return v.live.Count()
}

// Resources returns the number of live resources.
func (v View) Resources() int { return len(v.Segment.resources) - len(v.dead) }

// A Result is what a search returns.
type Result struct {
	Hits []Hit // best first

	// Total is the number of matching documents, or a lower bound if not Exact.
	Total int
	Exact bool

	Scale *Scale // by which the hits are scored; nil without hits
}

// A Hit is a document that matches.
type Hit struct {
	View  int // index of its view
	Doc   uint32
	Score float64
	Terms []string // terms of the query that the document has
	Parts []Part   // if Query.Explain
}

// A Part is what a term, or a pair of words, contributes to the score of a hit.
type Part struct {
	Word   int    // index of a Word in the query
	Next   int    // for a pair: index of the second word
	Term   string // empty for a pair
	Weight int    // number of occurrences, each in the title counted TitleWeight times
	Title  bool   // whether the term is in the title
	Body   bool   // whether the term is in the body
	Score  float64
}

// A DamageError names the view whose segment is damaged. It matches [ErrDamaged].
type DamageError struct{ View int }

func (e *DamageError) Error() string { return ErrDamaged.Error() }

// Unwrap returns [ErrDamaged].
func (e *DamageError) Unwrap() error { return ErrDamaged }

// Search finds the best documents of several segments. Statistics are computed over all
// of them together. An error is a [*DamageError] or ctx.Err().
func Search(ctx context.Context, views []View, q *Query) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := newPlan(views, q)
	if err != nil {
		return nil, err
	}
	if len(p.words) == 0 {
		return &Result{Exact: true}, nil
	}
	found, err := p.runAll(ctx)
	if err != nil {
		return nil, err
	}
	return p.result(found)
}
