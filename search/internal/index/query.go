package index

import (
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/terms"
)

// A Query describes the wanted entries.
type Query struct {
	// Text is the query, as package search documents it.
	Text string

	Syntax Syntax // how Text is read

	Filters Filters // restrict the entries
	TopK    int     // largest number of hits; zero means 10, and at most 1,000 are returned
	Explain bool    // hits explain their scores
}

// Filters restrict the entries. An entry must pass all filters that are set; of
// a list it must match one value. Case matters only in Resources and Path.
type Filters struct {
	Resources  []string           // ids
	Modalities []citekit.Modality // of the entry
	Types      []string           // of nodes
	Authors    []string           // of the source
	Labels     []string           // of the source

	// Sources are ids of resources, and paths and patterns as Path has them. Forms are
	// modalities, and formats by the extension of the source, such as "pdf".
	Sources, Forms []string

	Without []string // resources to exclude

	// After and Before bound the time of creation, both included. Entries of
	// unknown time do not pass.
	After, Before time.Time

	// Path is the path of a source or of a folder, or a pattern: "*", "?" and
	// "[a-z]" match characters within one name, "**" matches any number of
	// folders, and a backslash takes the next character literally. Leading names
	// that a source has as they are written are not a pattern. A pattern without
	// a slash is for the last name; one that ends in a slash is for everything
	// below the folders that match it, and so is the path of a folder. It has at
	// most 4,096 bytes.
	Path string
}

// ParseTime parses a bound of [Filters]: a time in ISO 8601, or a day, which stands for its
// beginning, or as the last for its last second. The zero time is "".
func ParseTime(text string, last bool) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err == nil && last {
		t = t.Add(24*time.Hour - time.Second)
	}
	return t, err
}

// A Result is the answer to a search.
type Result struct {
	Hits []Hit // by descending score

	// Total is the number of entries that match. If Exact is false, there are
	// more.
	Total int
	Exact bool

	// Weights score parts of the entries as the hits are scored; nil if the index
	// cannot, or has no hits.
	Weights *Weights
}

// A Hit is an entry that matches.
type Hit struct {
	Resource string // id
	Version  string // as given to Put
	Entry    Entry  // without Text

	Score float64 // comparable within one result only

	// Terms are the words of the query that the entry has, in the form that
	// they have in the index. Language is the language in which its words were
	// stemmed.
	Terms    []string
	Language string

	Parts []Part // if requested

	group int // of its Result
}

// A Part is the share of a score from one word, or from two neighbouring words.
type Part struct {
	Term    string  // in the form it has in the index
	Next    string  // of a pair: the second word
	Times   int     // number of occurrences; an occurrence in a title counts four times
	InTitle bool    // the word is in the title
	InBody  bool    // or in the path or the summary
	Vector  bool    // the entry is near by its vector, whatever its words
	Score   float64 // its share of the score
}

// Highlights returns the ranges of a text with the words that made it a hit: in
// bytes, the end excluded, in ascending order and without overlap.
func (h *Hit) Highlights(text string) [][2]int {
	wanted := make(map[string]bool, len(h.Terms))
	for _, t := range h.Terms {
		wanted[t] = true
	}
	var ranges [][2]int
	a, done := terms.Borrow(terms.Language(h.Language))
	defer done()
	for t := range a.All(text) {
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
