// Package selector has the forms of the values of selectors, each once: as text in an
// address, as JSON, and what makes one invalid whatever its source is. It knows neither
// an address nor a modality. Its types have the fields of those of the root package,
// which converts pointers to them.
//
// It also guesses what was meant by a selector that does not exist.
package selector

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
)

// A Value is what a selector with a name holds. Errors say what to write.
type Value interface {
	IsZero() bool                                     // it selects everything
	Parse(name, text string) error                    // reads the value of a parameter
	String() string                                   // writes it
	Read(name string, from *strictjson.Scanner) error // reads the value of a member of JSON, which is not null
	Write(name string, to *strictjson.Writer)         // writes the member
	Check(name string) error                          // says why it means nothing
}

// A Run is a run of units, counted from 1, both ends included.
type Run struct{ First, Last int }

func (r Run) IsZero() bool { return r == Run{} }

// String returns such as "3-5", or "3" for one.
func (r Run) String() string {
	if r.First == r.Last {
		return strconv.Itoa(r.First)
	}
	return strconv.Itoa(r.First) + "-" + strconv.Itoa(r.Last)
}

// Named returns such as "lines 3-5", or "line 3" for one.
func (r Run) Named(unit string) string {
	if r.First == r.Last {
		return unit + " " + r.String()
	}
	return unit + "s " + r.String()
}

func (r *Run) Parse(name, text string) (err error) {
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		to = from
	}
	r.First, r.Last = plain.WholeNumber(from), plain.WholeNumber(to)
	switch {
	case r.First == 0 || r.Last == 0:
		return fmt.Errorf("%s=%s; %[1]s count from 1: write whole numbers from 1, such as %[1]s=3-5", name, message.Clip(text))
	case r.First < 0 || r.Last < 0:
		return fmt.Errorf("%s=%s; write whole numbers from 1, such as %[1]s=3-5", name, message.Clip(text))
	case r.Last < r.First:
		return fmt.Errorf("%s=%s ends before it begins", name, message.Clip(text))
	}
	return nil
}

func (r *Run) Read(name string, from *strictjson.Scanner) error {
	v, err := from.Counts(strings.TrimSuffix(name, "s"))
	switch {
	case err != nil:
		return err
	case len(v) != 2:
		return &strictjson.Error{Reason: "has " + strconv.Itoa(len(v)) + " numbers; it is [first, last]"}
	case v[1] < v[0]:
		return fmt.Errorf("%s [%d, %d] end before they begin", name, v[0], v[1])
	}
	*r = Run{v[0], v[1]}
	return nil
}

func (r Run) Write(name string, to *strictjson.Writer) {
	to.Raw(name, fmt.Appendf(nil, "[%d,%d]", r.First, r.Last))
}

func (r Run) Check(name string) error {
	switch {
	case r.IsZero():
		return nil
	case r.First < 1:
		return fmt.Errorf("%s %d; %s count from 1", strings.TrimSuffix(name, "s"), r.First, name)
	case r.Last < r.First:
		return fmt.Errorf("%s %d-%d end before they begin", name, r.First, r.Last)
	}
	return nil
}

// Lines are a Run that is written as a range even if it is one line.
type Lines struct{ *Run }

func (l Lines) String() string { return fmt.Sprintf("%d-%d", l.First, l.Last) }

// A Number is one unit, counted from 1.
type Number int

func (n Number) IsZero() bool   { return n == 0 }
func (n Number) String() string { return strconv.Itoa(int(n)) }

func (n *Number) Parse(name, text string) error {
	if *n = Number(plain.WholeNumber(text)); *n < 1 {
		return fmt.Errorf("%s=%s; %[1]ss count from 1: write such as %[1]s=3", name, message.Clip(text))
	}
	return nil
}

func (n *Number) Read(name string, from *strictjson.Scanner) error {
	v, err := from.Count(name)
	*n = Number(v)
	return err
}

func (n Number) Write(name string, to *strictjson.Writer) { to.Value(name, int(n)) }

func (n Number) Check(name string) error {
	if n < 0 {
		return fmt.Errorf("%s %d; %[1]ss count from 1", name, n)
	}
	return nil
}

// Pages are runs of pages, sorted, without overlap and not adjoining.
type Pages[R ~struct{ First, Last int }] []R

// Join sorts runs, and joins those that overlap or adjoin.
func Join[R ~struct{ First, Last int }](runs []R) (joined []R) {
	slices.SortFunc(runs, func(a, b R) int { return cmp.Compare(Run(a).First, Run(b).First) })
	for _, next := range runs {
		if n := len(joined); n > 0 && adjoins(Run(joined[n-1]), Run(next)) {
			joined[n-1] = R(Run{Run(joined[n-1]).First, max(Run(joined[n-1]).Last, Run(next).Last)})
			continue
		}
		joined = append(joined, next)
	}
	return joined
}

// adjoins reports whether next, which does not begin before run, overlaps it
// or follows it without a gap.
func adjoins(run, next Run) bool {
	return next.First <= run.Last || next.First == run.Last+1
}

func (p Pages[R]) IsZero() bool { return len(p) == 0 }

func (p Pages[R]) String() string {
	var b strings.Builder
	for i, run := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(Run(run).String())
	}
	return b.String()
}

func (p *Pages[R]) Parse(name, text string) error {
	runs := make([]R, 0, strings.Count(text, ",")+1)
	for part := range strings.SplitSeq(text, ",") {
		var run Run
		if err := run.Parse(name, part); err != nil {
			return err
		}
		runs = append(runs, R(run))
	}
	*p = Join(runs)
	return nil
}

// Read reads a list of page numbers. One that is in order, as nearly all are, needs
// no memory for each page.
func (p *Pages[R]) Read(_ string, from *strictjson.Scanner) error {
	var runs []R
	err := from.EachCount("page", func(n int) {
		if k := len(runs) - 1; k >= 0 && n-1 == Run(runs[k]).Last {
			runs[k] = R(Run{Run(runs[k]).First, n})
			return
		}
		runs = append(runs, R(Run{n, n}))
	})
	if err == nil && len(runs) == 0 {
		return &strictjson.Error{Reason: "is empty; leave it out for the whole document"}
	}
	*p = Join(runs)
	return err
}

// Write writes the pages one by one.
func (p Pages[R]) Write(name string, to *strictjson.Writer) {
	to.Key(name)
	separator := byte('[')
	for _, r := range p {
		for page := Run(r).First; page <= Run(r).Last; page++ {
			to.WriteByte(separator)
			to.Write(strconv.AppendInt(to.AvailableBuffer(), int64(page), 10))
			separator = ','
		}
	}
	to.WriteByte(']')
}

func (p Pages[R]) Check(string) error {
	for i, r := range p {
		run := Run(r)
		switch {
		case run.First < 1:
			return fmt.Errorf("page %d; pages count from 1", run.First)
		case run.Last < run.First:
			return fmt.Errorf("pages %d-%d end before they begin", run.First, run.Last)
		case i > 0 && (run.First <= Run(p[i-1]).First || adjoins(Run(p[i-1]), run)):
			return fmt.Errorf("pages %v and %v are not sorted runs", Run(p[i-1]), run)
		}
	}
	return nil
}

// A Span is a stretch of time in seconds, [Start, End). A zero End is that of the
// resource.
type Span struct{ Start, End float64 }

func (s Span) IsZero() bool { return s == Span{} }

// String returns such as "1.5-20", or "1.5-" up to the end.
func (s Span) String() string {
	if s.End == 0 {
		return plain.FormatDecimal(s.Start) + "-"
	}
	return plain.FormatDecimal(s.Start) + "-" + plain.FormatDecimal(s.End)
}

func (s *Span) Parse(name, text string) error {
	from, to, isSpan := strings.Cut(text, "-")
	switch {
	case !isSpan:
		return fmt.Errorf("%s=%s has no end; write t=10-20, or t=10- up to the end", name, message.Clip(text))
	case from == "":
		return fmt.Errorf("%s=%s has no start, and no time is negative; write such as t=0-20", name, message.Clip(text))
	}
	var ok bool
	if s.Start, ok = plain.Seconds(from); !ok {
		return fmt.Errorf("time %s; %s", message.Quote(from), plain.SecondsHint(from))
	}
	if to == "" {
		s.End = 0
		return nil
	}
	if s.End, ok = plain.Seconds(to); !ok {
		return fmt.Errorf("time %s; %s", message.Quote(to), plain.SecondsHint(to))
	}
	if s.End <= s.Start {
		return fmt.Errorf("%s=%s does not end after it begins", name, message.Clip(text))
	}
	return nil
}

// Read fails: JSON has a start and an end.
func (s *Span) Read(name string, _ *strictjson.Scanner) error {
	return fmt.Errorf("%s is not in JSON", name)
}

func (s Span) Write(_ string, to *strictjson.Writer) {
	to.Raw("start", json.RawMessage(plain.FormatDecimal(s.Start)))
	if s.End != 0 {
		to.Raw("end", json.RawMessage(plain.FormatDecimal(s.End)))
	}
}

func (s Span) Check(string) error {
	switch {
	case !isFinite(s.Start) || !isFinite(s.End):
		return fmt.Errorf("time %v-%v is not a number of seconds", s.Start, s.End)
	case s.Start < 0 || s.End < 0:
		return fmt.Errorf("time %v-%v; seconds count from 0", s.Start, s.End)
	case s.Start > plain.MaxSeconds || s.End > plain.MaxSeconds:
		return fmt.Errorf("time %v is more than %d years", s, plain.MaxSeconds/plain.SecondsPerYear)
	case s.End != 0 && s.End <= s.Start:
		return fmt.Errorf("time %v does not end after it begins", s)
	}
	return nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// A Box is a rectangle in fractions from 0 to 1; X2 and Y2 are the far edges.
type Box struct{ X1, Y1, X2, Y2 float64 }

func (b Box) IsZero() bool { return b == Box{} }

// String returns such as "0.1,0.1,0.5,0.5".
func (b Box) String() string {
	return strings.Join([]string{
		plain.FormatDecimal(b.X1), plain.FormatDecimal(b.Y1), plain.FormatDecimal(b.X2), plain.FormatDecimal(b.Y2),
	}, ",")
}

// Pixels returns the pixels of a width by height image that b covers, as
// half-open ranges: the edges round to the nearest pixel boundary, and at
// least one pixel is covered in each direction.
func (b Box) Pixels(width, height int) (x1, y1, x2, y2 int) {
	if b.IsZero() {
		return 0, 0, width, height
	}
	x1, x2 = pixelSpan(b.X1, b.X2, width)
	y1, y2 = pixelSpan(b.Y1, b.Y2, height)
	return x1, y1, x2, y2
}

func pixelSpan(low, high float64, n int) (int, int) {
	first := min(max(int(math.Round(low*float64(n))), 0), n-1)
	end := min(int(math.Round(high*float64(n))), n)
	return first, max(end, first+1)
}

func (b *Box) Parse(name, text string) error {
	parts := strings.SplitN(text, ",", 5)
	if len(parts) != 4 {
		return fmt.Errorf("%s=%s; write four numbers x1,y1,x2,y2", name, message.Clip(text))
	}
	var v [4]float64
	for i, part := range parts {
		var ok bool
		if v[i], ok = plain.ParseDecimal(part); !ok || v[i] > 1 {
			if full := plain.CompletedDecimal(part); full != "" {
				return fmt.Errorf("%s=%s; write %s for %s", name, message.Clip(text), full, part)
			}
			return fmt.Errorf("%s=%s; its numbers are fractions from 0 to 1, such as 0.25", name, message.Clip(text))
		}
	}
	if *b = (Box{v[0], v[1], v[2], v[3]}); b.X2 <= b.X1 || b.Y2 <= b.Y1 {
		return fmt.Errorf("%s=%s is empty; x2 and y2 are the far edges", name, message.Clip(text))
	}
	return nil
}

func (b *Box) Read(_ string, from *strictjson.Scanner) error {
	v, err := from.Floats()
	switch {
	case err != nil:
		return err
	case len(v) != 4:
		return &strictjson.Error{Reason: "has " + strconv.Itoa(len(v)) + " numbers; it is [x1, y1, x2, y2]"}
	}
	if *b = (Box{v[0], v[1], v[2], v[3]}); b.IsZero() {
		return &strictjson.Error{Reason: "[0, 0, 0, 0] is empty; x2 and y2 are the far edges"}
	}
	return nil
}

func (b Box) Write(name string, to *strictjson.Writer) {
	to.Raw(name, json.RawMessage("["+b.String()+"]"))
}

func (b Box) Check(name string) error {
	switch b {
	case Box{}:
		return nil
	case noBox:
		return fmt.Errorf("%s [0, 0, 0, 0] is empty; x2 and y2 are the far edges", name)
	}
	for _, v := range []float64{b.X1, b.Y1, b.X2, b.Y2} {
		if !isFinite(v) || v < 0 || v > 1 {
			return fmt.Errorf("%s [%v, %v, %v, %v]; its numbers are fractions from 0 to 1", name, b.X1, b.Y1, b.X2, b.Y2)
		}
	}
	if b.X2 <= b.X1 || b.Y2 <= b.Y1 {
		return fmt.Errorf("%s [%v, %v, %v, %v] is empty; x2 and y2 are the far edges", name, b.X1, b.Y1, b.X2, b.Y2)
	}
	return nil
}
