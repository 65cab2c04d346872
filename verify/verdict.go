package verify

import (
	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/quotation"
	"github.com/citekit/citekit/internal/strictjson"
)

// A Class says how a quote stands in its source.
type Class string

const (
	// Exact is a quote that stands at the address, letter for letter.
	Exact Class = "exact"

	// Repaired is one that stands there but for what copying and typesetting
	// change, which [Verdict.Repairs] lists.
	Repaired Class = "repaired"

	// Elsewhere is one that stands, as it is or repaired, at another place than
	// the one that was named, which [Verdict.Address] tells.
	Elsewhere Class = "elsewhere"

	// Altered is one that is like a part of the source and is not it;
	// [Verdict.Difference] says in which words.
	Altered Class = "altered"

	// NotFound is one that nothing in the source is like.
	NotFound Class = "not_found"
)

// The kinds of a [Repair] and the fields of a [Change] are of package quotation,
// where quotes are compared.
type (
	// A Repair is a difference between quote and source that changes nothing of
	// what is said.
	Repair = quotation.Repair

	// A Change is a difference by words.
	Change = quotation.Change
)

// A Span is the place of a quote in the text of its resource, as package
// textlayer has it, in three units: bytes of UTF-8, Unicode code points, and
// units of UTF-16. Each is counted from 0, and the end is not in it.
type Span struct {
	Bytes      [2]int64 `json:"bytes"`
	CodePoints [2]int64 `json:"code_points"`
	UTF16      [2]int64 `json:"utf16"`
}

// A PageBox is where a line of a quote stands on a page.
type PageBox struct {
	Page int // from 1
	Box  citekit.Box
}

// A Verdict says whether a quote is in its source, and where.
type Verdict struct {
	Quote string
	Class Class

	// Address is where the quote stands, or what it is like stands; zero if it
	// was not found.
	Address citekit.Address

	// Text is what the source has there; "" if the quote was not found.
	Text string

	Span  Span      // zero if it was not found
	Boxes []PageBox // where the text stands on its pages, if that was asked for

	Repairs    []Repair // what had to be repaired; each kind once
	Difference []Change // of an altered quote, in the order of the quote

	// Similarity is 1 for what was found, and for an altered quote the share
	// of words that both have, from 0 to 1.
	Similarity float64

	// Others are further places where the quote stands, at most [MaxOthers].
	// Places is how many there are with the first, at least if Counted is false.
	Others  []citekit.Address
	Places  int
	Counted bool

	// Stale says that the source changed since it was mapped or cited: the
	// verdict is then about the text of the version that was cited where that is
	// kept, else about the text as it is now.
	Stale bool

	// Problem says why the quote could not be looked for where it was to be; nil
	// if it was. The class is then [NotFound].
	Problem error
}

// Holds reports whether the quote stands where it was said to, in a source that
// is as it was cited.
func (v *Verdict) Holds() bool {
	return !v.Stale && v.Problem == nil && (v.Class == Exact || v.Class == Repaired)
}

// MarshalJSON returns an object with "quote", "class", "address" (null if not
// found), "similarity", and where they say something "text", "span", "boxes",
// "repairs", "difference", "others", "places", "stale" and "error". What is
// exact has no "text", which is the quote.
func (v *Verdict) MarshalJSON() ([]byte, error) {
	w := new(strictjson.Writer)
	v.write(w)
	return w.Bytes(), w.Err
}
