package quotation

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/plain"
)

// Bounds of [Compare].
const (
	maxChanges  = 50
	maxCompared = 2000 // words of each text
)

// Compare returns the word differences between a quote and a text of about the same
// length, and the share of words that both have, from 0 to 1. Repairable differences
// are ignored. It compares the first 2,000 words and returns at most 50 changes.
func Compare(quote, source string) ([]Change, float64) {
	q, s := chunksOf(quote), chunksOf(source)
	if len(q) == 0 && len(s) == 0 {
		return nil, 1
	}
	pairs := commonChunks(q, s)
	var changes []Change
	i, j := 0, 0
	for _, p := range append(pairs, [2]int{len(q), len(s)}) {
		if p[0] > i || p[1] > j {
			changes = append(changes, changeOf(spanOf(quote, q[i:p[0]]), spanOf(source, s[j:p[1]])))
		}
		i, j = p[0]+1, p[1]+1
	}
	if len(changes) > maxChanges {
		changes = changes[:maxChanges]
	}
	return changes, 2 * float64(len(pairs)) / float64(len(q)+len(s))
}

// A chunk is a word with the signs attached to it.
type chunk struct {
	part
	key string
}

// chunksOf splits a text into words. In a script without spaces each letter, with the
// signs after it, is a chunk.
func chunksOf(s string) (chunks []chunk) {
	from := -1
	end := func(to int) {
		if from >= 0 && len(chunks) < maxCompared {
			chunks = append(chunks, chunk{part{from, to}, keyOf(s[from:to])})
		}
		from = -1
	}
	for i, r := range s {
		switch {
		case isSpace(r):
			if from >= 0 && dividesLine(s, from, i) {
				continue
			}
			end(i)
		case isAlone(r):
			end(i)
			from = i
		default:
			if from < 0 {
				from = i
			} else if last, _ := utf8.DecodeRuneInString(s[from:]); isAlone(last) && isWordRune(r) {
				end(i)
				from = i
			}
		}
	}
	end(len(s))
	return chunks
}

// dividesLine reports whether the white space at an offset follows the hyphen of a word
// that continues on the next line.
func dividesLine(s string, from, at int) bool {
	before := strings.TrimRightFunc(s[from:at], isSpace)
	r, n := utf8.DecodeLastRuneInString(before)
	letter, _ := utf8.DecodeLastRuneInString(before[:len(before)-n])
	rest := s[at:min(len(s), at+16)]
	next := strings.TrimLeftFunc(rest, isSpace)
	first, _ := utf8.DecodeRuneInString(next)
	return isHyphen(r) && unicode.IsLetter(letter) && unicode.IsLower(first) &&
		strings.ContainsAny(s[from+len(before):at]+rest[:len(rest)-len(next)], "\n\r\f")
}

// keyOf returns a word in the form in which words are compared.
func keyOf(s string) string {
	var b strings.Builder
	divided := strings.ContainsAny(s, " \n\r\f\t")
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == '\u00ad' || isJoiner(r) || isSpace(r):
		case divided && isHyphen(r) && i < len(s) && isSpace(rune(s[i])):
		case isDash(r):
			b.WriteByte('-')
		case isSingleQuote(r):
			b.WriteByte('\'')
		case isDoubleQuote(r):
			b.WriteByte('"')
		case r == '…':
			b.WriteString("...")
		default:
			b.WriteRune(plainForm(r))
		}
	}
	return lowered(mapRunes(plain.NFC(b.String()), ligatures))
}

// changeOf returns a difference, with a note if the two sides look alike.
func changeOf(quote, source string) Change {
	return Change{Quote: shown(quote), Source: shown(source), Note: unseen(quote, source)}
}

// unseen names the characters that differ between two words but look alike, because
// they are letters of different scripts.
func unseen(quote, source string) string {
	q, s := []rune(quote), []rune(source)
	if len(q) != len(s) {
		return ""
	}
	var notes []string
	for i := range q {
		if q[i] != s[i] && scriptOf(q[i]) != scriptOf(s[i]) && len(notes) < 3 {
			notes = append(notes, fmt.Sprintf("%U for %U", q[i], s[i]))
		}
	}
	return strings.Join(notes, ", ")
}

// scriptOf returns the script of a letter if letters of that script look like letters
// of another, else nil.
func scriptOf(r rune) *unicode.RangeTable {
	for _, script := range []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee} {
		if unicode.Is(script, r) {
			return script
		}
	}
	return nil
}

// shown returns a text on one line, cut at 300 bytes. Invisible characters are written
// as their codes.
func shown(s string) string {
	const most = 300
	var b strings.Builder
	for i, word := range strings.Fields(s) {
		if i > 0 {
			b.WriteByte(' ')
		}
		for _, r := range word {
			if b.Len() >= most {
				return b.String() + "…"
			}
			if r == utf8.RuneError || unicode.Is(unicode.Cf, r) || unicode.IsControl(r) {
				fmt.Fprintf(&b, "\\u%04x", r)
			} else {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// spanOf returns the text from the first of some chunks to the last.
func spanOf(s string, chunks []chunk) string {
	if len(chunks) == 0 {
		return ""
	}
	return s[chunks[0].from:chunks[len(chunks)-1].to]
}

// commonChunks returns the index pairs of a common subsequence: the common beginning
// and end, and a longest one between them.
func commonChunks(q, s []chunk) (pairs [][2]int) {
	start := 0
	for start < len(q) && start < len(s) && q[start].key == s[start].key {
		pairs = append(pairs, [2]int{start, start})
		start++
	}
	tail := 0
	for tail < len(q)-start && tail < len(s)-start && q[len(q)-1-tail].key == s[len(s)-1-tail].key {
		tail++
	}
	pairs = append(pairs, longest(q[start:len(q)-tail], s[start:len(s)-tail], start)...)
	for i := tail; i > 0; i-- {
		pairs = append(pairs, [2]int{len(q) - i, len(s) - i})
	}
	return pairs
}

// longest returns a longest common subsequence, by dynamic programming.
func longest(q, s []chunk, offset int) (pairs [][2]int) {
	n, m := len(q), len(s)
	table := make([]uint16, (n+1)*(m+1))
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if q[i].key == s[j].key {
				table[i*(m+1)+j] = table[(i+1)*(m+1)+j+1] + 1
			} else {
				table[i*(m+1)+j] = max(table[(i+1)*(m+1)+j], table[i*(m+1)+j+1])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case q[i].key == s[j].key:
			pairs = append(pairs, [2]int{offset + i, offset + j})
			i, j = i+1, j+1
		case table[(i+1)*(m+1)+j] >= table[i*(m+1)+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
