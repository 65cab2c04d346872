package quotation

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// words are the hashes of a text's words in order, and the offsets where they begin.
type words struct {
	keys []uint32
	at   []int32
}

// wordsOf returns the words of a text: letters that stand together, numbers with their
// decimal points, words joined by hyphens; in scripts without spaces, single letters.
func wordsOf(text string) words {
	var w words
	s := scanner{text: text}
	var key []byte
	var last letter
	flush := func() {
		if len(key) > 0 {
			w.keys[len(w.keys)-1] = hash(key)
			key = key[:0]
		}
	}
	for l, ok := s.next(); ok; l, ok = s.next() {
		joined := len(key) > 0 && goesOn(text, last, l)
		if !joined {
			flush()
			w.keys, w.at = append(w.keys, 0), append(w.at, int32(l.from))
		} else if l.from > last.to && isNumeric(text, last) {
			key = append(key, text[last.to:l.from]...)
		}
		key = append(key, l.find()...)
		last = l
		if text[l.from] >= utf8.RuneSelf {
			continue
		}
		// The word goes on with letters of ASCII that no mark follows.
		for ; s.at+1 < len(text) && isAlphanumeric(text[s.at]) && text[s.at+1] < utf8.RuneSelf; s.at++ {
			key = append(key, text[s.at]|0x20) // lower case; a digit has this bit
			last.part = part{s.at, s.at + 1}
		}
	}
	flush()
	w.keys, w.at = slices.Clip(w.keys), slices.Clip(w.at)
	return w
}

// hash is FNV-1a.
func hash(b []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range b {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// goesOn reports whether a letter belongs to the same word as the one before.
func goesOn(text string, last, l letter) bool {
	before, _ := utf8.DecodeRuneInString(text[last.from:])
	r, _ := utf8.DecodeRuneInString(text[l.from:])
	if isAlone(before) || isAlone(r) {
		return false
	}
	gap := text[last.to:l.from]
	switch {
	case gap == "":
		return true
	case len(gap) > 12:
		return false
	case unicode.IsDigit(before) && unicode.IsDigit(r):
		return gap == "." || gap == ","
	case !unicode.IsLetter(before) || !unicode.IsLetter(r):
		return false
	}
	first, n := utf8.DecodeRuneInString(gap)
	if !isHyphen(first) {
		return first == '\u200c' || first == '\u200d'
	}
	for _, c := range gap[n:] {
		if !isSpace(c) {
			return false
		}
	}
	return true
}

func isNumeric(text string, l letter) bool {
	r, _ := utf8.DecodeRuneInString(text[l.from:])
	return unicode.IsDigit(r)
}

// end returns the offset where the i-th word ends.
func (w words) end(text string, i int) int {
	limit := len(text)
	if i+1 < len(w.at) {
		limit = int(w.at[i+1])
	}
	s := scanner{text: text[:limit], at: int(w.at[i])}
	last, ok := s.next()
	for ok {
		l, more := s.next()
		if !more || !goesOn(text, last, l) {
			break
		}
		last = l
	}
	return last.to
}

// index returns the index of the first word at or after an offset.
func (w words) index(at int) int {
	i, _ := slices.BinarySearch(w.at, int32(at))
	return i
}
