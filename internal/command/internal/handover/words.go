package handover

import (
	"errors"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/verify"
)

// marked reports whether the words of a quote may be marked: they are where it says.
func (q *Quote) marked() bool { return q.Verdict != nil && q.Verdict.Holds() }

// holds reports whether a quote, a claim or an address holds.
func (q *Quote) holds() bool {
	if q.entry != nil {
		return q.entry.Holds()
	}
	return q.marked()
}

// state returns how a verdict is shown: "holds", "fails", or "open" if a reader must judge.
func (q *Quote) state() string {
	switch {
	case !q.holds():
		return "fails"
	case q.marked():
		return "holds"
	}
	return "open"
}

// summaries say in words what a class means.
var summaries = map[verify.Class]string{
	verify.Exact:     "Exact: the source has these words",
	verify.Repaired:  "Repaired: the source has these words, apart from typesetting",
	verify.Elsewhere: "Elsewhere: the words are not at the address",
	verify.Altered:   "Altered: the source has other words",
	verify.NotFound:  "Not found: the source has nothing similar",
	verify.Unchecked: "Unchecked",
	verify.Unquoted:  "No quote: the address exists; whether it supports the sentence is for the reader",
}

// summary says what was found out about a quote.
func (q *Quote) summary() string {
	switch v := q.Verdict; {
	case v == nil:
		return ""
	case v.Stale || errors.Is(v.Problem, citekit.ErrStale):
		return "Source changed since it was cited"
	case v.Class == "":
		return summaries[verify.Unchecked]
	default:
		return summaries[v.Class]
	}
}

const maxRemark = 300 // bytes

// remark says more about a quote that is not exact.
func (q *Quote) remark() string {
	v := q.Verdict
	if v == nil {
		return ""
	}
	var all []string
	for _, r := range v.Repairs {
		all = append(all, strings.ReplaceAll(string(r.Kind), "_", " "))
	}
	switch {
	case v.Class == verify.Altered && v.Text != "":
		all = append(all, fmt.Sprintf("%s has: “%s”", v.Address, plain.Line(v.Text)))
	case v.Class == verify.Elsewhere:
		all = append(all, fmt.Sprintf("they are at %s", v.Address))
	}
	if v.Problem != nil {
		err := v.Problem
		if e := new(citekit.ResolveError); errors.As(err, &e) && e.Op == "verify" {
			err = e.Err // the address stands beside it
		}
		all = append(all, strings.TrimPrefix(err.Error(), "citekit: "))
	}
	all = append(all, v.Notes...)
	return plain.Shorten(plain.Line(strings.Join(all, "; ")), maxRemark)
}

// nothingShown stands for evidence without text or picture.
const nothingShown = "There is neither text nor a picture of this evidence."

// shownWords returns the words of a citation on one line, those of a quote in quotation
// marks.
func shownWords(q *Quote, most int) string {
	words := plain.Shorten(plain.Line(q.Words), most)
	if q.entry != nil && q.entry.Kind != verify.QuoteKind || words == "" {
		return words
	}
	return "“" + words + "”"
}
