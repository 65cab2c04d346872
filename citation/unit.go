package citation

import (
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/textlayer"
)

// The ranges of a text count from 0, and End is exclusive. Each unit has its
// own type, so that units cannot be mixed up. Converting between them needs the
// text.
type (
	// A ByteRange counts bytes of UTF-8, as Gemini does.
	ByteRange struct{ Start, End int64 }

	// A CodePointRange counts Unicode code points, as the Web Annotation model,
	// Anthropic and OpenAI do.
	CodePointRange struct{ Start, End int64 }

	// A UTF16Range counts units of UTF-16, as strings of JavaScript and Java do.
	UTF16Range struct{ Start, End int64 }
)

// A Converter converts offsets in one text between units, as [textlayer.Layer]
// does for the text of a resource, and [textlayer.Offsets] for any text.
type Converter interface {
	Convert(off int64, from, to textlayer.Unit) (int64, error)
}

// CodePoints returns r in code points. As in all such methods, a range that is
// outside the text, ends before it begins, or cuts a character, is an error
// matching [citekit.ErrRange].
func (r ByteRange) CodePoints(text Converter) (CodePointRange, error) {
	start, end, err := convert(text, r.Start, r.End, textlayer.InBytes, textlayer.InCodePoints)
	return CodePointRange{start, end}, err
}

// UTF16 returns r in units of UTF-16.
func (r ByteRange) UTF16(text Converter) (UTF16Range, error) {
	start, end, err := convert(text, r.Start, r.End, textlayer.InBytes, textlayer.InUTF16)
	return UTF16Range{start, end}, err
}

// Bytes returns r in bytes of UTF-8.
func (r CodePointRange) Bytes(text Converter) (ByteRange, error) {
	start, end, err := convert(text, r.Start, r.End, textlayer.InCodePoints, textlayer.InBytes)
	return ByteRange{start, end}, err
}

// IsZero reports whether r is unknown. An empty range at the beginning of a
// text counts as unknown.
func (r CodePointRange) IsZero() bool { return r == CodePointRange{} }

// Bytes returns r in bytes of UTF-8.
func (r UTF16Range) Bytes(text Converter) (ByteRange, error) {
	start, end, err := convert(text, r.Start, r.End, textlayer.InUTF16, textlayer.InBytes)
	return ByteRange{start, end}, err
}

func convert(text Converter, start, end int64, from, to textlayer.Unit) (int64, int64, error) {
	if end < start {
		return 0, 0, fmt.Errorf("offsets %d to %d end before they begin: %w", start, end, citekit.ErrRange)
	}
	first, err := text.Convert(start, from, to)
	if err != nil {
		return 0, 0, err
	}
	last, err := text.Convert(end, from, to)
	return first, last, err
}

// HalfOpenPages are pages counted from 1, with an exclusive End, as Anthropic
// uses them. A [citekit.Range] includes its last page.
type HalfOpenPages struct{ Start, End int }

// HalfOpen returns r with an exclusive end. R must not be zero.
func HalfOpen(r citekit.Range) HalfOpenPages { return HalfOpenPages{r.First, r.Last + 1} }

// Range returns p with an inclusive end. A range without pages is an error
// matching [citekit.ErrSyntax].
func (p HalfOpenPages) Range() (citekit.Range, error) {
	if p.Start < 1 || p.End <= p.Start {
		return citekit.Range{}, syntaxError("pages from %d to before %d; pages count from 1, and the end must be after the start", p.Start, p.End)
	}
	return citekit.Range{First: p.Start, Last: p.End - 1}, nil
}

// A BlockRange is a run of content blocks, counted from 0; End is exclusive.
type BlockRange struct{ Start, End int }
