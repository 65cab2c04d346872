package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/quotation"
	"github.com/citekit/citekit/textlayer"
)

// timeSlack is how much longer than the cited time a subtitle may be without a note, in
// seconds at each end: times are often rounded to seconds.
const timeSlack = 1.0

// noteLarger notes if the place where a quote was found goes beyond the cited time or
// box, as the text has no smaller places.
func (c *call) noteLarger() {
	cited, found := c.req.Address.Location, c.verdict.Address.Location
	if cited.Modality == "" {
		cited.Modality = found.Modality
	}
	longer := cited.Time
	longer.Start = max(0, longer.Start-timeSlack)
	if longer.End > 0 {
		longer.End += timeSlack
	}
	switch {
	case !cited.Time.IsZero() && !found.Time.IsZero():
		if (citekit.Location{Modality: cited.Modality, Time: longer}).Contains(citekit.Location{Modality: cited.Modality, Time: found.Time}) {
			return
		}
		c.note("the words are in subtitles of %s; whether they fall into %s is not known", secondsOf(found.Time), secondsOf(cited.Time))
	case !cited.Box.IsZero() && c.cut:
		c.note("the words are in a larger block of text; whether they are in the cited box is not known")
	}
}

// secondsOf returns a time as addresses have it, such as "4.5-12 s".
func secondsOf(t citekit.Span) string {
	end := ""
	if t.End > 0 {
		end = plain.FormatDecimal(t.End)
	}
	return plain.FormatDecimal(t.Start) + "-" + end + " s"
}

// isLayout reports whether repairs are only of the layout of a text: its spaces, its
// line ends, and words divided at them.
func isLayout(repairs []Repair) bool {
	return len(repairs) > 0 && !slices.ContainsFunc(repairs, func(r Repair) bool {
		return r.Kind != quotation.WhiteSpace && r.Kind != quotation.Hyphenation
	})
}

// noteLayout lists differences of layout.
func (c *call) noteLayout(repairs []Repair) {
	var kinds []string
	for _, r := range repairs {
		kinds = append(kinds, strings.ReplaceAll(string(r.Kind), "_", " "))
	}
	c.note("the layout differs: %s", strings.Join(kinds, ", "))
}

func (c *call) note(format string, args ...any) {
	c.verdict.Notes = append(c.verdict.Notes, fmt.Sprintf(format, args...))
}

// maxThere is how long the text at an address is at most that a note shows, in bytes.
const maxThere = 160

// noteSource says what the cited place has, if a quote is not there: that it has no
// text, or, if it is short, its text.
func (c *call) noteSource(ctx context.Context, s *source, cited []textlayer.Bytes) error {
	v := c.verdict
	if v.Class != NotFound && v.Class != Elsewhere {
		return nil
	}
	blank := false
	if mayShowWords(s.Modality(), c.req.Address.Location) {
		var err error
		if blank, err = isBlank(ctx, s, cited); err != nil {
			return err
		}
	}
	switch why := cmp.Or(s.Reason(), "it has no text, as in a scan"); {
	case blank && v.Class == NotFound:
		v.Problem = &citekit.ResolveError{Op: "verify", Address: c.req.Address, Err: noText(why)}
	case blank:
		c.note("the cited place was not searched: %s", noText(why))
	case v.Class == NotFound && !c.req.Address.Location.IsWhole() || v.Class == Elsewhere && c.isWithin(s, v.Address):
		return c.noteThere(ctx, s, cited)
	}
	return nil
}

// isWithin reports whether the cited place is a part of a place that was found, as
// cells are of their row, or its box overlaps that of it.
func (c *call) isWithin(s *source, found citekit.Address) bool {
	cited := c.req.Address.Location
	cited.Modality = cmp.Or(cited.Modality, s.Modality())
	if a, b := cited.Box, found.Location.Box; !a.IsZero() && !b.IsZero() {
		if a.X1 >= b.X2 || b.X1 >= a.X2 || a.Y1 >= b.Y2 || b.Y1 >= a.Y2 {
			return false
		}
		cited.Box = b
	}
	return found.Resource == s.resource && !cited.IsWhole() && found.Location.Modality == cited.Modality && found.Location.Contains(cited)
}

// noteThere shows the text at the address, if it is short.
func (c *call) noteThere(ctx context.Context, s *source, cited []textlayer.Bytes) error {
	there := c.there
	if len(cited) > 0 && cited[0].To-cited[0].From <= maxThere && len(cited) == 1 {
		var err error
		if there, err = s.Text(ctx, cited[0].From, cited[0].To); err != nil {
			return err
		}
	}
	switch there = plain.Line(there); {
	case there != "":
		c.note("the source has “%s” there", there)
	case len(cited) == 0 && c.read == nil && c.verdict.Class == Elsewhere:
		c.note("the cited place has none of these words")
	case c.blank && c.verdict.Class == NotFound:
		c.note("%s", lookup.NoText(c.req.Address.Location))
	}
	return nil
}

// A noText is the problem of a quote whose address has no text: why it has none. It
// matches [errors.ErrUnsupported], as words can be looked for only in text.
type noText string

func (e noText) Error() string {
	return string(e) + "; look at its picture, or have text recognized with --ocr"
}

// Is implements what [errors.Is] asks for.
func (e noText) Is(target error) bool { return target == errors.ErrUnsupported }

// mayShowWords reports whether a place without text may show words all the same, as in
// a picture of a page. A blank line or cell shows none.
func mayShowWords(m citekit.Modality, loc citekit.Location) bool {
	switch m {
	case citekit.Text:
		return false
	case citekit.Document:
		return loc.IsWhole() || len(loc.Pages) > 0
	}
	return true
}

// isBlank reports whether parts of a source have neither letters nor numbers.
func isBlank(ctx context.Context, s *source, parts []textlayer.Bytes) (bool, error) {
	if s.Empty() {
		return true, nil
	}
	for _, part := range parts {
		for from := part.From; from < part.To; from += maxBlank {
			text, err := s.Text(ctx, from, min(part.To, from+maxBlank))
			if err != nil {
				return false, err
			}
			if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
				return false, nil
			}
		}
	}
	return len(parts) > 0, nil
}

// maxBlank is how much of a text is read at a time to see whether it is blank, in
// bytes.
const maxBlank = 64 << 10
