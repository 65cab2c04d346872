package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/strictjson"
)

// Unquoted is the [Class] of a claim or an address without a quote, where the
// address exists and is up to date: a person, or a model, must judge whether the
// source supports it. Quotes never have this class.
const Unquoted Class = "unquoted"

// A Kind is the kind of statement for which an address is cited.
type Kind string

const (
	// QuoteKind is a quote: words in quotation marks, or in a block of quotation.
	QuoteKind Kind = "quote"

	// ClaimKind is a sentence, or a part of one, without a quote.
	ClaimKind Kind = "claim"

	// AddressKind is an address without a statement, as in a list of sources.
	AddressKind Kind = "address"
)

// An Entry is the verdict about one address that a text cites for one quote or
// claim.
type Entry struct {
	Kind Kind

	// Cited is the address as the text has it, and CitedAt its place there.
	Cited   string
	CitedAt Span

	// At is the place of the quote or claim in the text; zero for an address
	// alone.
	At Span

	// Verdict is the verdict on the quote, or on the words of the claim. The
	// words of a claim are searched for like those of a quote: if they are at
	// the address, the class is [Exact] or [Repaired], and if they are at
	// another place, [Elsewhere]. Otherwise it is [Unquoted], with the most
	// similar part of the source. An address alone is Unquoted. If the address
	// leads to nothing, or the source has changed, both are [Unchecked].
	Verdict

	strict bool
}

// Holds reports whether a quote is at its address, or the address of a claim
// exists, in a source that is unchanged since it was cited. With
// [TextOptions.Strict] the words of a claim must be at the address too.
func (e *Entry) Holds() bool {
	if e.Kind == QuoteKind || e.Kind == ClaimKind && e.strict {
		return e.Verdict.Holds()
	}
	return !e.Stale && e.Problem == nil
}

// A Sentence is a part of a text without a citation.
type Sentence struct {
	Text   string
	At     Span // in the text
	Quoted bool // it is or contains a quote, which was not checked

	// Meant is the address to write instead of a reference in brackets that names
	// a resource, a node or the file of one, such as "[manual.pdf, page 8]"; zero
	// if there is none.
	Meant citekit.Address

	strict bool
}

// A Report lists which citations of a text hold.
type Report struct {
	Entries []*Entry   // in the order of the text
	Uncited []Sentence // in the order of the text

	// NotChecked is the number of pairs, of a quote or claim with an address, that
	// were not checked before the deadline of the context, and of quotes without an
	// address whose references in brackets were not looked up: there are more than
	// 1,000 of them, or the deadline came before.
	NotChecked int
}

// CitesNothing reports whether nothing was checked because the text cites nothing: it
// has no address, and no sentence without one fails. Such a text neither holds nor
// fails.
func (r *Report) CitesNothing() bool {
	return len(r.Entries) == 0 && r.NotChecked == 0 && !r.fails()
}

// fails reports whether a sentence without a citation fails.
func (r *Report) fails() bool {
	return slices.ContainsFunc(r.Uncited, func(s Sentence) bool { return s.Fails() })
}

// Holds reports whether the text cites something, all its citations hold, all were
// checked, and no sentence without one fails.
func (r *Report) Holds() bool {
	return len(r.Entries) > 0 && r.NotChecked == 0 && !r.fails() &&
		!slices.ContainsFunc(r.Entries, func(e *Entry) bool { return !e.Holds() })
}

// MarshalJSON returns an object with "holds", which is null if the text
// [Report.CitesNothing], "verdicts", "uncited" and "complete", with "not_checked" if
// that is not 0, with the number of quotes without an address, if there are some, as
// "quotes_without_address", and with the "hint" that [Report.Hint] gives. A verdict
// has "kind", "holds", "cited", "cited_at" and "at", and then the members of a
// [Verdict]; an uncited sentence has "text", "at", "quoted" if it is true, and
// "meant" if a reference in it means an address.
func (r *Report) MarshalJSON() ([]byte, error) {
	entries, uncited := r.Entries, r.Uncited
	if entries == nil {
		entries = []*Entry{}
	}
	if uncited == nil {
		uncited = []Sentence{}
	}
	w := new(strictjson.Writer)
	w.Open()
	if r.CitesNothing() {
		w.Value("holds", nil)
	} else {
		w.Value("holds", r.Holds())
	}
	if n := r.Quoted(); n > 0 {
		w.Value("quotes_without_address", n)
	}
	w.Optional("hint", r.Hint())
	w.Value("verdicts", entries)
	w.Value("uncited", uncited)
	w.Value("complete", r.NotChecked == 0)
	if r.NotChecked > 0 {
		w.Value("not_checked", r.NotChecked)
	}
	w.Close()
	return w.Bytes(), w.Err
}

// MarshalJSON returns the object that [Report.MarshalJSON] describes.
func (e *Entry) MarshalJSON() ([]byte, error) {
	w := new(strictjson.Writer)
	w.Open()
	w.Text("kind", string(e.Kind))
	w.Value("holds", e.Holds())
	w.Text("cited", e.Cited)
	w.Value("cited_at", e.CitedAt)
	if e.At != (Span{}) {
		w.Value("at", e.At)
	}
	verdict, err := e.Verdict.MarshalJSON()
	w.WriteByte(',')
	w.Write(bytes.TrimPrefix(verdict, []byte("{")))
	return w.Bytes(), cmp.Or(w.Err, err)
}

// MarshalJSON returns the object that [Report.MarshalJSON] describes.
func (s Sentence) MarshalJSON() ([]byte, error) {
	meant := ""
	if s.Meant.Resource != "" {
		meant = s.Meant.String()
	}
	return json.Marshal(struct {
		Text   string `json:"text"`
		At     Span   `json:"at"`
		Quoted bool   `json:"quoted,omitempty"`
		Meant  string `json:"meant,omitempty"`
	}{s.Text, s.At, s.Quoted, meant})
}
