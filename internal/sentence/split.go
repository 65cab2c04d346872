package sentence

import (
	"bytes"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// Split yields the sentences of a text in order, each as the bytes from start
// to end, end exclusive, without the white space around them. Sentences end
// where Unicode's UAX #29 ends them, but not after an abbreviation or an
// initial, nor before a lower-case letter. A line end alone does not end a
// sentence; an empty line does. It takes linear time.
func Split(text string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for start := 0; start < len(text); {
			end := paragraphEnd(text, start)
			if !splitParagraph(text, start, end, yield) {
				return
			}
			start = end
		}
	}
}

// paragraphEnd returns where the paragraph that begins at start ends: after the
// first empty line.
func paragraphEnd(text string, start int) int {
	for at := start; ; {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
		rest := strings.TrimLeft(text[at:], " \t\r")
		if rest == "" {
			return len(text)
		}
		if rest[0] == '\n' {
			return len(text) - len(rest) + 1
		}
	}
}

// splitParagraph yields the sentences of a paragraph. It reports whether to
// continue.
func splitParagraph(text string, start, end int, yield func(start, end int) bool) bool {
	// Line ends become spaces, which keeps all offsets.
	line := []byte(text[start:end])
	for i, c := range line {
		if '\t' <= c && c <= '\r' {
			line[i] = ' '
		}
	}
	from := 0
	for tokens := sentences.FromBytes(line); tokens.Next(); {
		to := tokens.End()
		to -= openingEnd(line[from:to])
		if to < len(line) && joins(string(line[from:to]), string(line[to:min(to+8, len(line))])) {
			continue
		}
		if !yieldTrimmed(text, start+from, start+to, yield) {
			return false
		}
		from = to
	}
	return from == len(line) || yieldTrimmed(text, start+from, end, yield)
}

// openingEnd returns the length of the opening brackets and quotation marks at the
// end of a sentence, which belong to the next one.
func openingEnd(sentence []byte) int {
	rest := bytes.TrimRightFunc(sentence, func(r rune) bool { return unicode.In(r, unicode.Ps, unicode.Pi) })
	return len(sentence) - len(rest)
}

// spaces turns spaces at which no line may end into others.
var spaces = strings.NewReplacer("\u00a0", " ", "\u2007", " ", "\u2009", " ", "\u202f", " ")

// joins reports whether the next sentence continues this one.
func joins(sentence, next string) bool {
	sentence, next = spaces.Replace(sentence), spaces.Replace(next)
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(next, " (["))
	return unicode.IsLower(r) || endsInAbbreviation(sentence) || isOrdinal(sentence) && beginsMonth(next)
}

// isOrdinal reports whether a sentence ends in the number of a day in its
// German form.
func isOrdinal(sentence string) bool {
	sentence = strings.TrimRight(sentence, " ")
	word := strings.TrimSuffix(sentence[strings.LastIndexByte(sentence, ' ')+1:], ".")
	return len(word) >= 1 && len(word) <= 2 && strings.Trim(word, "0123456789") == ""
}

// beginsMonth reports whether a German month comes next.
func beginsMonth(next string) bool {
	next = strings.TrimLeft(next, " ")
	for _, month := range []string{"Jan", "Jän", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"} {
		if strings.HasPrefix(next, month) {
			return true
		}
	}
	return false
}

func yieldTrimmed(text string, start, end int, yield func(start, end int) bool) bool {
	trimmed := strings.TrimSpace(text[start:end])
	if trimmed == "" {
		return true
	}
	start += strings.Index(text[start:end], trimmed)
	return yield(start, start+len(trimmed))
}
