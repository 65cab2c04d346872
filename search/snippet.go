package search

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/plain"
)

// cutMark marks an omission in a snippet.
const cutMark = "…"

// A mark is a word in a text that matches the query.
type mark struct {
	from, to int // bytes of the text
	term     string
}

// snippet returns the part of a text that matches a query best, in about room
// tokens, and the marks in it as runs of code points, the end excluded. An
// omission before or after it is marked. The marks must be in text order.
func snippet(text string, marks []mark, room int) (shown string, highlights [][2]int) {
	from, to := window(text, best(text, marks, room), room)
	if from > 0 {
		shown = cutMark
	}
	points, at := utf8.RuneCountInString(shown), from
	for _, m := range marks {
		if m.from < from || m.to > to || m.from < at {
			continue
		}
		points += utf8.RuneCountInString(text[at:m.from])
		end := points + utf8.RuneCountInString(text[m.from:m.to])
		highlights = append(highlights, [2]int{points, end})
		points, at = end, m.to
	}
	shown += text[from:to]
	if to < len(text) {
		shown += cutMark
	}
	return shown, highlights
}

// best returns the neighbouring marks that fit into room tokens and have the
// most different terms; among equals, the first with the most marks.
func best(text string, marks []mark, room int) []mark {
	var most []mark
	mostTerms := 0
	for i := range marks {
		near := marks[i:near(text, marks, i, room)]
		terms := distinct(near)
		if terms > mostTerms || terms == mostTerms && len(near) > len(most) {
			most, mostTerms = near, terms
		}
	}
	return most
}

// near returns the index after the last mark that fits with the mark at i.
func near(text string, marks []mark, i, room int) int {
	limit := marks[i].from + plain.FitTokens(text[marks[i].from:], room)
	end := i + 1
	for end < len(marks) && marks[end].to <= limit {
		end++
	}
	return end
}

func distinct(marks []mark) int {
	var terms []string
	for _, m := range marks {
		if !slices.Contains(terms, m.term) {
			terms = append(terms, m.term)
		}
	}
	return len(terms)
}

// window returns the part of a text that has the marks in its middle and takes
// room tokens, from word to word. Without marks it is the start of the text.
func window(text string, marks []mark, room int) (from, to int) {
	if len(marks) > 0 {
		from, to = marks[0].from, marks[len(marks)-1].to
	}
	spare := max(0, room-plain.CountTokens(text[from:to]))
	start := from - plain.FitTokensEnd(text[:from], spare/2)
	spare = max(0, room-plain.CountTokens(text[start:to]))
	end := to + plain.FitTokens(text[to:], spare)
	return wordStart(text, start, from), wordEnd(text, end, to)
}

// longWord is how far the start or the end of a word is searched for, in bytes:
// some scripts put no spaces between words.
const longWord = 32

// cuts say whether a text may be cut between a character that is left out and one that
// is kept: from the best to the last resort, which is to keep numbers whole.
var cuts = []func(out, kept rune) bool{
	func(out, _ rune) bool { return unicode.IsSpace(out) },
	func(out, kept rune) bool { return !inWord(out) || !inWord(kept) },
	func(out, kept rune) bool { return !inNumber(out) || !inNumber(kept) },
}

func inNumber(r rune) bool { return unicode.IsNumber(r) || r == '.' || r == ',' }
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) || r == '.'
}

// wordStart returns the start of the first word at or after an offset, but at
// most limit.
func wordStart(text string, at, limit int) int {
	if at == 0 {
		return 0
	}
	for _, may := range cuts {
		out, _ := utf8.DecodeLastRuneInString(text[:at])
		for i, r := range text[at:min(limit, at+longWord)] {
			if may(out, r) && !unicode.IsSpace(r) {
				return at + i
			}
			out = r
		}
	}
	return at
}

// wordEnd returns the end of the last word at or before an offset, but at least
// limit.
func wordEnd(text string, at, limit int) int {
	if at == len(text) {
		return at
	}
	for _, may := range cuts {
		out, _ := utf8.DecodeRuneInString(text[at:])
		for end := at; end > max(limit, at-longWord); {
			r, size := utf8.DecodeLastRuneInString(text[limit:end])
			if may(out, r) && !unicode.IsSpace(r) {
				return end
			}
			out = r
			end -= size
		}
	}
	return at
}
