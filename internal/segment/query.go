package segment

import "context"

// A Query says which documents are looked for and how they are ranked.
//
// A document matches if it has a term of one of the Words, meets all Required
// and none of the Excluded conditions, and is in what Only returns.
type Query struct {
	Words    []Word
	Pairs    [][2]int // indexes of Words that follow each other in what was asked
	Required []Condition
	Excluded []Condition

	// Only returns the documents of a segment that may match; nil means all.
	// A nil Only means all documents of all segments.
	Only func(*Segment) (Bitmap, error)

	K       int  // how many hits are wanted, at least 1
	Explain bool // hits have their Parts
}

// A Word is a word of a query: the terms that it may be in the index. They
// count as one term whose documents are those of all together.
type Word struct {
	Terms []string
	Count int     // how often the word was asked for
	Boost float64 // what it counts beside others; usually 1
}

// A Condition holds in a document where one of its phrases is found.
type Condition struct {
	Phrases []Phrase
	Title   bool // in the title
}

// A Phrase is terms at distances from each other.
type Phrase []PhraseTerm

// A PhraseTerm is a term of a phrase. Offset counts positions from the first
// one, whose offset is 0.
type PhraseTerm struct {
	Term   string
	Offset int
}

// Limits of what a search looks at.
const (
	// MaxWords is how many words of a query count: the rarest.
	MaxWords = 32

	// MaxTerms is how many terms these words may have together. The last words
	// lose theirs.
	MaxTerms = 256

	// CountTo is up to where the total of hits is exact.
	CountTo = 1000
)

// A View is a segment without some of its resources, which are dead: others
// hold what is held of them now. Their documents still count in how rare terms
// are.
type View struct {
	Segment *Segment

	dead []int  // numbers of resources, ascending
	live Bitmap // nil for all
}

// NewView returns a view of a segment. The numbers of the dead resources ascend.
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

// Docs returns how many documents are not dead.
func (v View) Docs() int {
	if v.live == nil {
		return v.Segment.docs
	}
	return v.live.Count()
}

// Resources returns how many resources are not dead.
func (v View) Resources() int { return len(v.Segment.resources) - len(v.dead) }

// A Result is what a search returns.
type Result struct {
	Hits []Hit // best first

	// Total is how many documents match. If it is not Exact there are more.
	Total int
	Exact bool
}

// A Hit is a document that matches.
type Hit struct {
	View  int // index of the view that has it
	Doc   uint32
	Score float64
	Terms []string // what the document has of the words
	Parts []Part   // if asked for
}

// A Part is what a term, or a pair of words, adds to the score of a hit.
type Part struct {
	Word   int    // index in the query
	Next   int    // of a pair: that of the second word
	Term   string // empty for a pair
	Weight int    // how often the term is there, TitleWeight times in the title
	Title  bool   // whether it is in the title
	Body   bool   // and in the body
	Score  float64
}

// A DamageError says which view has a damaged segment. It matches
// [ErrDamaged].
type DamageError struct{ View int }

func (e *DamageError) Error() string { return ErrDamaged.Error() }

// Unwrap returns [ErrDamaged].
func (e *DamageError) Unwrap() error { return ErrDamaged }

// Search looks for the best documents of several segments. Statistics are those
// of all of them together. An error is a [*DamageError] or that of the context.
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
