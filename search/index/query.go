package index

import (
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/terms"
)

// A Query says which entries are looked for.
type Query struct {
	// Text is the query. Entries that have one of its words match; rarer
	// words, words in titles, and words that are neighbours in the text too
	// count more. A word that the index lacks stands for those that differ in
	// one letter.
	//
	//	"exact words"   must be there, in this order
	//	head*           any word with this start
	//	-word           must not be there; also -"exact words" and -head*
	//	title:word      must be in the title; also title:"exact words"
	//
	// Every text is a query: signs that mean nothing where they stand are left
	// out. A query of more than 64 KiB is cut.
	Text string

	Filters Filters
	TopK    int  // at most so many hits; zero means 10, and at most 1,000 are returned
	Explain bool // hits say how their scores come about
}

// Filters leave only some entries. An entry must pass all that are set; of a
// list it must have one. Letter case counts only in Resources and Path.
type Filters struct {
	Resources  []string
	Modalities []citekit.Modality
	Types      []string
	Authors    []string
	Labels     []string

	Without []string // resources that do not pass

	// After and Before bound the time of creation, both included. Entries of
	// unknown time do not pass.
	After, Before time.Time

	// Path is a pattern for the path of the source, as for [path.Match]. One
	// without a slash is for the last element, and one that ends in a slash
	// for all that is below.
	Path string
}

// A Result is what a search returns.
type Result struct {
	Hits []Hit // scores descend

	// Total is how many entries match. If it is not Exact there are more than
	// that.
	Total int
	Exact bool
}

// A Hit is an entry that matches.
type Hit struct {
	Resource string // id
	Version  string // as it was put
	Entry    Entry  // without Text

	Score float64 // compares only within one result

	// Terms are the words of the query that the entry has, as the index
	// writes them, and Language is what its words were stemmed in.
	Terms    []string
	Language string

	Parts []Part // if asked for
}

// A Part is what one word, or two that are neighbours, add to a score.
type Part struct {
	Term    string // as the index writes it
	Next    string // of a pair: the second word
	Times   int    // how often it is there; in a title it counts four times
	InTitle bool
	InBody  bool // or in the path or the summary
	Vector  bool // it is near by its vector, whatever its words
	Score   float64
}

// Highlights returns where a text has the words that made it a hit: ranges of
// bytes, the end excluded, in ascending order and without overlap.
func (h *Hit) Highlights(text string) [][2]int {
	wanted := make(map[string]bool, len(h.Terms))
	for _, t := range h.Terms {
		wanted[t] = true
	}
	var ranges [][2]int
	for t := range terms.New(terms.Language(h.Language)).Terms(text) {
		if !wanted[t.Text] {
			continue
		}
		if n := len(ranges); n > 0 && t.Start < ranges[n-1][1] {
			ranges[n-1][1] = max(ranges[n-1][1], t.End)
			continue
		}
		ranges = append(ranges, [2]int{t.Start, t.End})
	}
	return ranges
}
