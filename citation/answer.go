package citation

import (
	"cmp"
	"slices"

	"github.com/citekit/citekit/textlayer"
)

// An Answer is a text with citations for its parts, as models return it. The
// packages below this one convert it to and from the form of each API.
type Answer struct {
	Text   string
	Claims []Claim
}

// A Claim is a part of an answer with the citations that support it. An empty
// part is a citation mark at a place in the text.
type Claim struct {
	Part      ByteRange
	Citations []Citation
}

// AnswerOf returns an answer whose text is the quote of a citation, or its
// label, with that citation.
func AnswerOf(c Citation) *Answer {
	text := c.Quote
	if text == "" {
		text = c.Label()
	}
	return &Answer{text, []Claim{{ByteRange{0, int64(len(text))}, []Citation{c}}}}
}

// Check returns an error matching [citekit.ErrRange] if a part of a claim is not
// in the text, or cuts a character.
func (a *Answer) Check() error {
	text := textlayer.NewOffsets(a.Text)
	for _, claim := range a.Claims {
		if _, err := claim.Part.CodePoints(text); err != nil {
			return err
		}
	}
	return nil
}

// Sort puts the claims in the order of their parts.
func (a *Answer) Sort() {
	slices.SortStableFunc(a.Claims, func(x, y Claim) int {
		return cmp.Or(cmp.Compare(x.Part.Start, y.Part.Start), cmp.Compare(x.Part.End, y.Part.End))
	})
}
