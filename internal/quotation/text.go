package quotation

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"
)

// Options say what is known of a text.
type Options struct {
	// Pages are where its pages begin, in bytes; nil for a text without pages.
	// Lines that are repeated at their edges may stand inside a quote.
	Pages []int

	// Markdown says that signs may be markup.
	Markdown bool

	// Subtitles says that the text is a file of subtitles, whose numbers and times stand
	// between what is said.
	Subtitles bool

	// Verbatim says that the text is code or data, in which what looks like the
	// mark of a note is none.
	Verbatim bool
}

// A Text is a text in which quotes are looked for. It is safe for concurrent use.
type Text struct {
	raw string
	opt Options

	whole *form
	body  *form // without running heads and markup; nil if there are none
	bare  *form // without the marks of notes too; nil if there are none

	words words
	lines map[uint64]int32 // how often short lines stand in a text with pages

	// numbers has how many pages have a number at their edge that is so far from the
	// number of the page, if most have the same; else nil.
	numbers map[int]int
}

// Prepare reads a text. It takes linear time and about four times the memory of
// the text. The text must be of less than 2 GiB.
func Prepare(text string, opts Options) *Text {
	t := &Text{raw: text, opt: opts}
	t.whole = newForm(text, nil)
	var skips []part
	switch {
	case len(opts.Pages) > 0:
		skips = t.runningHeads()
		if marks := t.noteMarks(); len(marks) > 0 {
			t.bare = newForm(text, joined(skips, marks))
		}
	case opts.Markdown:
		skips = markupParts(text)
	case opts.Subtitles:
		skips = timingParts(text)
	}
	if len(skips) > 0 {
		t.body = newForm(text, skips)
	}
	t.words = wordsOf(text)
	return t
}

// Cost returns about how many bytes of memory the text holds.
func (t *Text) Cost() int64 {
	n := len(t.raw) + len(t.whole.letters) + 8*len(t.whole.marks) + 8*len(t.words.keys) + 40*len(t.lines)
	for _, f := range []*form{t.body, t.bare} {
		if f != nil {
			n += len(f.letters) + 8*len(f.marks) + 16*len(f.skips)
		}
	}
	return int64(n)
}

// joined returns the parts of two lists in order, without those that lie in others.
func joined(a, b []part) []part {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	return slices.CompactFunc(all, func(p, before part) bool { return p.from < before.to })
}

// Raw returns the text.
func (t *Text) Raw() string { return t.raw }

// step is how many bytes of letters there are between two marks of a form.
const step = 64

// A form is the letters of a text, with where some of them stand.
type form struct {
	text    string
	letters []byte
	skips   []part

	// marks has, for each multiple of step, the first letter that begins there or
	// behind it.
	marks []mark
}

type mark struct{ raw, key int32 }

func newForm(text string, skips []part) *form {
	f := &form{text: text, skips: skips, letters: make([]byte, 0, len(text)*7/8+16)}
	s := scanner{text: text, skips: skips}
	for {
		l, ok := s.next()
		if !ok {
			break
		}
		for len(f.letters) >= step*len(f.marks) {
			f.marks = append(f.marks, mark{int32(l.from), int32(len(f.letters))})
		}
		f.letters = append(f.letters, l.find()...)
	}
	f.letters = slices.Clip(f.letters)
	return f
}

// scannerAt returns a scanner whose next letter is at an index of the letters, or
// false if none begins there.
func (f *form) scannerAt(key int) (scanner, bool) {
	i := key / step
	if i >= len(f.marks) {
		return scanner{}, false
	}
	m := f.marks[i]
	if int(m.key) > key { // it is inside the letter before
		if i == 0 {
			return scanner{}, false
		}
		m = f.marks[i-1]
	}
	s := f.scan(int(m.raw))
	for at := int(m.key); at < key; {
		l, ok := s.next()
		if !ok {
			return scanner{}, false
		}
		if at += l.n; at > key {
			return scanner{}, false
		}
	}
	return s, true
}

// scan returns a scanner from an offset of the text.
func (f *form) scan(from int) scanner {
	return scanner{text: f.text, skips: f.from(from), at: from}
}

// from returns what is skipped that ends behind an offset.
func (f *form) from(from int) []part {
	i, _ := slices.BinarySearchFunc(f.skips, from, func(p part, at int) int {
		if p.to <= at {
			return -1
		}
		return 1
	})
	return f.skips[i:]
}

// index returns the index in the letters of the first letter at or behind an
// offset of the text.
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

// find yields where letters stand among those from an index up to another.
func (f *form) find(letters []byte, from, to int, yield func(key int) bool) {
	to = min(to, len(f.letters))
	for from < to {
		i := bytes.Index(f.letters[from:to], letters)
		if i < 0 || !yield(from+i) {
			return
		}
		from += i + 1
	}
}

// runeBefore and runeAt return the characters on both sides of an offset;
// [utf8.RuneError] at the ends.
func (t *Text) runeBefore(at int) rune {
	r, _ := utf8.DecodeLastRuneInString(t.raw[:at])
	return r
}

func (t *Text) runeAt(at int) rune {
	r, _ := utf8.DecodeRuneInString(t.raw[at:])
	return r
}
