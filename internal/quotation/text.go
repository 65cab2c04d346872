package quotation

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Options describe a text.
type Options struct {
	// Pages are the offsets of its pages, in bytes; nil for a text without pages. Lines
	// repeated at their edges may interrupt a quote.
	Pages []int

	// Breaks are the offsets where blocks, rows, parts or messages begin, in order. No
	// ellipsis stands for text beyond one.
	Breaks []int

	// Markdown means that signs may be markup.
	Markdown bool

	// Subtitles means that the text is a subtitle file, in which numbers and times
	// stand between what is said.
	Subtitles bool

	// Verbatim means that the text is code or data, which has no note marks.
	Verbatim bool

	// Delimiter separates the fields of a row, as a comma does in CSV: a number ends
	// there, although another may follow, and a quotation mark in a quoted field is
	// doubled. Zero means that there are no fields.
	Delimiter byte
}

// A Text is a text to search for quotes. It is safe for concurrent use.
type Text struct {
	raw string
	opt Options

	whole *form
	body  *form // without running heads and markup; nil if there are none
	bare  *form // also without note marks; nil if there are none

	struck []part // what is struck out

	raised *form // the body with raised digits and fractions as digits; nil if there are none

	words words
	lines map[uint64]int32 // in a text with pages, how often each short line occurs

	// numbers counts the pages by how far the number at their edge is from the page
	// index. It is nil unless most pages agree.
	numbers map[int]int
}

// Prepare reads a text. It takes linear time and about five times the memory of the
// text, which must be shorter than 2 GiB.
func Prepare(text string, opts Options) *Text {
	t := &Text{raw: text, opt: opts}
	t.whole = newForm(text, nil, false)
	var skips []part
	switch {
	case len(opts.Pages) > 0:
		skips = t.runningHeads()
		if marks := t.noteMarks(); len(marks) > 0 {
			t.bare = newForm(text, joined(skips, marks), false)
		}
	case opts.Markdown:
		skips = markupParts(text)
	case opts.Subtitles:
		skips = timingParts(text)
	case opts.Delimiter != 0:
		skips = doubledQuotes(text, opts.Delimiter)
	}
	if len(skips) > 0 {
		t.body = newForm(text, skips, false)
	}
	if strings.ContainsFunc(text, isRaised) {
		t.raised = newForm(text, skips, true)
	}
	if !opts.Verbatim {
		t.struck = struckParts(text)
	}
	t.words = wordsOf(text)
	return t
}

// Cost estimates the memory that the text uses, in bytes.
func (t *Text) Cost() int64 {
	n := len(t.raw) + len(t.whole.letters)*3/2 + 8*len(t.whole.marks) + 8*len(t.words.keys) + 40*len(t.lines) + 16*len(t.struck)
	for _, f := range []*form{t.body, t.bare, t.raised} {
		if f != nil {
			n += len(f.letters)*3/2 + 8*len(f.marks) + 16*len(f.skips)
		}
	}
	return int64(n)
}

// joined merges two lists of parts in order, and drops parts that overlap an earlier
// one.
func joined(a, b []part) []part {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	return slices.CompactFunc(all, func(p, before part) bool { return p.from < before.to })
}

// Raw returns the text.
func (t *Text) Raw() string { return t.raw }

// step is the distance between two marks of a form, in bytes of its letters.
const step = 64

// A form is the letters of a text, with the places of some of them.
type form struct {
	text    string
	letters []byte
	skips   []part
	raised  bool // raised digits and fractions are digits

	// marks has, for each multiple of step, the first letter that begins at or after
	// it.
	marks []mark

	grams grams
}

type mark struct{ raw, key int32 }

func newForm(text string, skips []part, raised bool) *form {
	f := &form{text: text, skips: skips, raised: raised, letters: make([]byte, 0, len(text)*7/8+16)}
	s := scanner{text: text, skips: skips, raised: raised}
	for {
		l, ok := s.next()
		if !ok {
			break
		}
		for len(f.letters) >= step*len(f.marks) {
			f.marks = append(f.marks, mark{int32(l.from), int32(len(f.letters))})
		}
		f.letters = append(f.letters, l.find()...)
		end := len(text)
		if len(s.skips) > 0 {
			end = s.skips[0].from
		}
		for ; s.at+1 < end && text[s.at] < utf8.RuneSelf && text[s.at] != '[' && len(f.letters) < step*len(f.marks); s.at++ {
			if !isAlphanumeric(text[s.at]) {
				continue
			}
			if text[s.at+1] >= utf8.RuneSelf {
				break
			}
			f.letters = append(f.letters, text[s.at]|0x20) // lower case; a digit has this bit
		}
	}
	f.letters = slices.Clip(f.letters)
	return f
}

// scannerAt returns a scanner whose next letter is at an index of the letters, or false
// if no letter begins there.
func (f *form) scannerAt(key int) (scanner, bool) {
	i := key / step
	if i >= len(f.marks) {
		return scanner{}, false
	}
	m := f.marks[i]
	if int(m.key) > key { // it is inside the previous letter
		if i == 0 {
			return scanner{}, false
		}
		m = f.marks[i-1]
	}
	s := f.scan(int(m.raw))
	if !s.skip(key - int(m.key)) {
		return scanner{}, false
	}
	return s, true
}

// scan returns a scanner that starts at an offset of the text.
func (f *form) scan(from int) scanner {
	return scanner{text: f.text, skips: f.from(from), at: from, raised: f.raised}
}

// from returns the skipped parts that end after an offset.
func (f *form) from(from int) []part {
	i, _ := slices.BinarySearchFunc(f.skips, from, func(p part, at int) int {
		if p.to <= at {
			return -1
		}
		return 1
	})
	return f.skips[i:]
}

// index returns the index in the letters of the first letter at or after an offset of
// the text.
func (f *form) index(raw int) int {
	i, _ := slices.BinarySearchFunc(f.marks, raw, func(m mark, at int) int {
		if int(m.raw) < at {
			return -1
		}
		return 1
	})
	if i == 0 {
		return 0
	}
	m := f.marks[i-1]
	s := f.scan(int(m.raw))
	for key := int(m.key); ; {
		l, ok := s.next()
		if !ok {
			return len(f.letters)
		}
		if l.from >= raw {
			return key
		}
		key += l.n
	}
}

// find yields the places of letters among those between two indexes.
func (f *form) find(letters []byte, from, to int, yield func(key int) bool) {
	to = min(to, len(f.letters))
	if found, ok := f.grams.find(f.letters, letters, from, to); ok {
		for _, key := range found {
			if !yield(key) {
				return
			}
		}
		return
	}
	f.grams.work.Add(int64(max(to-from, 0)))
	for from < to {
		i := bytes.Index(f.letters[from:to], letters)
		if i < 0 || !yield(from+i) {
			return
		}
		from += i + 1
	}
}

// runeBefore and runeAt return the characters on both sides of an offset, or
// [utf8.RuneError] at the ends.
func (t *Text) runeBefore(at int) rune {
	r, _ := utf8.DecodeLastRuneInString(t.raw[:at])
	return r
}

func (t *Text) runeAt(at int) rune {
	r, _ := utf8.DecodeRuneInString(t.raw[at:])
	return r
}
