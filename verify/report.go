package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/citekit/citekit/internal/strictjson"
)

// Unquoted is the [Class] of what cites an address without quoting it: whether the
// source says so is for a person, or a model, to judge. It is no class of quotes.
const Unquoted Class = "unquoted"

// A Kind says what an address is cited for.
type Kind string

const (
	// QuoteKind is a quote: words in quotation marks, or in a block of quotation.
	QuoteKind Kind = "quote"

	// ClaimKind is a sentence, or a part of one, without a quote.
	ClaimKind Kind = "claim"

	// AddressKind is an address of which nothing is said, as in a list of sources.
	AddressKind Kind = "address"
)

// An Entry is the verdict about one address that a text cites for one quote or
// claim.
type Entry struct {
	Kind Kind

	// Cited is the address as the text has it, and CitedAt its place there.
	Cited   string
	CitedAt Span

	// At is the place of the quote or claim in the text; zero of an address alone.
	At Span

	// Verdict is about the quote, or the words of the claim. Those of a claim are
	// looked for as those of a quote are: where they stand at the address the
	// class is [Exact] or [Repaired], and where they stand at another place
	// [Elsewhere]. Else it is [Unquoted], with what the source has that is most
	// like them. An address alone is Unquoted.
	Verdict

	strict bool
}

// Holds reports whether a quote stands where it is said to, and whether the
// address of a claim is there, in a source that is as it was cited. With
// [TextOptions.Strict] the words of a claim must stand there too.
func (e *Entry) Holds() bool {
	if e.Kind == QuoteKind || e.Kind == ClaimKind && e.strict {
		return e.Verdict.Holds()
	}
	return !e.Stale && e.Problem == nil
}

// A Sentence is a part of a text that cites nothing.
type Sentence struct {
	Text   string
	At     Span // in the text
	Quoted bool // it is, or has, a quote
}

// A Report says what of a text holds.
type Report struct {
	Entries []*Entry   // in the order of the text
	Uncited []Sentence // in the order of the text

	// LeftOut is how many quotes and claims with their addresses could not be
	// judged before the time of the context was over.
	LeftOut int
}

// Holds reports whether all that the text cites holds, and all was judged.
func (r *Report) Holds() bool {
	return r.LeftOut == 0 && !slices.ContainsFunc(r.Entries, func(e *Entry) bool { return !e.Holds() })
}

// MarshalJSON returns an object with "holds", "verdicts", "uncited" and
// "complete", and with "left_out" if that is not 0. A verdict has "kind", "holds",
// "cited", "cited_at" and "at", and then what a [Verdict] has; an uncited sentence
// "text", "at", and "quoted" if it is.
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
	w.Value("holds", r.Holds())
	w.Value("verdicts", entries)
	w.Value("uncited", uncited)
	w.Value("complete", r.LeftOut == 0)
	if r.LeftOut > 0 {
		w.Value("left_out", r.LeftOut)
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
	return json.Marshal(struct {
		Text   string `json:"text"`
		At     Span   `json:"at"`
		Quoted bool   `json:"quoted,omitempty"`
	}{s.Text, s.At, s.Quoted})
}
