// Package sentence finds sentences in text. It takes them out word for word,
// for summaries that state nothing beyond their source. It knows abbreviations
// and dates of English and German.
package sentence

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"

	"github.com/citekit/citekit/internal/plain"
)

// examined is how many bytes of a text are read for each requested byte.
const examined = 4

// Lead returns the first sentences of text that together have at most max
// bytes, with each run of white space replaced by one space. If not even the
// first fits, it returns as many of its first words as fit. Control characters
// are left out.
func Lead(text string, max int) string {
	if max <= 0 {
		return ""
	}
	text = plain.Line(plain.Cut(text, examined*max+utf8.UTFMax))
	if len(text) <= max {
		return text
	}
	end, tokens := 0, sentences.FromString(text)
	for tokens.Next() {
		next := tokens.End()
		if len(strings.TrimRight(text[:next], " ")) > max {
			break
		}
		if !endsInAbbreviation(text[:next]) {
			end = next
		}
	}
	if end == 0 {
		return plain.Words(text, max)
	}
	return strings.TrimRight(text[:end], " ")
}

// First returns the first sentence of text, or as many of its words as have
// at most max bytes, as [Lead] does.
func First(text string, max int) string {
	if max <= 0 {
		return ""
	}
	text = plain.Line(plain.Cut(text, examined*max+utf8.UTFMax))
	for tokens := sentences.FromString(text); tokens.Next(); {
		if end := tokens.End(); !endsInAbbreviation(text[:end]) && !isInBrackets(text, end) {
			text = text[:end]
			break
		}
	}
	text = strings.TrimRight(text, " ")
	if len(text) <= max {
		return text
	}
	return plain.Words(text, max)
}

// isInBrackets reports whether a bracket is open at a place of text, and closed
// after it.
func isInBrackets(text string, at int) bool {
	for _, pair := range [][2]string{{"(", ")"}, {"[", "]"}, {"（", "）"}} {
		if strings.Count(text[:at], pair[0]) > strings.Count(text[:at], pair[1]) && strings.Contains(text[at:], pair[1]) {
			return true
		}
	}
	return false
}

// endsInAbbreviation reports whether the full stop at the end of text more
// likely ends an abbreviation or an initial than a sentence.
func endsInAbbreviation(text string) bool {
	text = strings.TrimRight(text, " ")
	word, ok := strings.CutSuffix(text[strings.LastIndexByte(text, ' ')+1:], ".")
	if !ok {
		return false
	}
	word = strings.TrimLeft(word, "([{\"'“‘")
	if utf8.RuneCountInString(word) == 1 {
		r, _ := utf8.DecodeRuneInString(word)
		return unicode.IsUpper(r) || strings.ContainsRune(lettersOfAbbreviations, r)
	}
	return abbreviations[strings.ToLower(word)]
}

// lettersOfAbbreviations are the small letters that stand alone before a full stop
// in abbreviations, such as "z. B.", "d. h.", "u. a." and "p. 3".
const lettersOfAbbreviations = "zdupsvoh"

// abbreviations are those of English and German that are more often within a
// sentence than at its end.
var abbreviations = func() map[string]bool {
	all := make(map[string]bool)
	for word := range strings.FieldsSeq(`mr mrs ms dr prof st jr sr vs etc cf e.g i.e al fig figs eq eqs no nos vol pp ed eds inc ltd co corp ca approx resp sec chap
		ch dept est ref refs rev gen col lt sgt capt mt ft viz
		bzw usw vgl evtl ggf inkl exkl zzgl abb bd nr abs aufl bsp ca d.h z.b u.a o.ä i.d.r s.o s.u hrsg jh mio mrd sog str tel dipl`) {
		all[word] = true
	}
	return all
}()
