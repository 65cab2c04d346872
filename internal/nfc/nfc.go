// Package nfc brings text into Unicode's Normalization Form C, in which text
// that looks the same is the same. Its tables are a fraction of those of
// golang.org/x/text, which the root package does without.
package nfc

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// String returns s in Normalization Form C. Bytes that are not UTF-8 become
// U+FFFD.
func String(s string) string {
	if isASCII(s) {
		return s
	}
	t := loadTables()
	runes := make([]rune, 0, len(s))
	for _, r := range s {
		runes = t.decompose(runes, r)
	}
	t.order(runes)
	return string(t.compose(runes))
}

// Base returns the character that r is when its marks are taken away: r itself
// if it has none.
func Base(r rune) rune { return loadTables().decompose(nil, r)[0] }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// tables hold what package unicode does not.
type tables struct {
	parts map[rune][]rune  // canonical decomposition; the first may have parts again
	whole map[[2]rune]rune // primary composites
	class map[rune]uint8   // canonical combining class, if not 0
}

var loadTables = sync.OnceValue(func() *tables {
	t := &tables{make(map[rune][]rune), make(map[[2]rune]rune), make(map[rune]uint8)}
	all := []rune(compositions)
	for i := 0; i < len(all); i += 3 {
		pair := [2]rune{all[i+1], all[i+2]}
		t.parts[all[i]], t.whole[pair] = all[i+1:i+3], all[i]
	}
	for entry := range strings.SplitSeq(replacements, "\x00") {
		runes := []rune(entry)
		t.parts[runes[0]] = runes[1:]
	}
	for _, run := range classes {
		for r := run.first; r <= run.last; r++ {
			t.class[r] = run.class
		}
	}
	return t
})

// A classRun is a run of characters of one combining class.
type classRun struct {
	first, last rune
	class       uint8
}

// Hangul syllables are composed by arithmetic: The Unicode Standard, section
// 3.12.
const (
	hangul      = 0xac00
	leading     = 0x1100
	vowel       = 0x1161
	trailing    = 0x11a7
	leadings    = 19
	vowels      = 21
	trailings   = 28
	perLeading  = vowels * trailings
	allHanguls  = leadings * perLeading
	lastLeading = leading + leadings - 1
)

// decompose appends the canonical decomposition of r.
func (t *tables) decompose(runes []rune, r rune) []rune {
	if i := r - hangul; i >= 0 && i < allHanguls {
		runes = append(runes, leading+i/perLeading, vowel+i%perLeading/trailings)
		if i%trailings != 0 {
			runes = append(runes, trailing+i%trailings)
		}
		return runes
	}
	parts, ok := t.parts[r]
	if !ok {
		return append(runes, r)
	}
	return append(t.decompose(runes, parts[0]), parts[1:]...)
}

// order sorts runs of marks by their class.
func (t *tables) order(runes []rune) {
	for start := 0; start < len(runes); start++ {
		end := start
		for end < len(runes) && t.class[runes[end]] > 0 {
			end++
		}
		slices.SortStableFunc(runes[start:end], func(a, b rune) int { return int(t.class[a]) - int(t.class[b]) })
		start = max(start, end)
	}
}

// compose joins each starter with the marks behind it, in place.
func (t *tables) compose(runes []rune) []rune {
	kept, starter := 0, -1
	var last uint8 // class of the last rune that was kept behind the starter
	for _, r := range runes {
		class := t.class[r]
		if starter >= 0 && (kept == starter+1 || last < class) && (last == 0 || class > 0) {
			if whole, ok := t.pair(runes[starter], r); ok {
				runes[starter] = whole
				continue
			}
		}
		if class == 0 {
			starter = kept
		}
		last = class
		runes[kept] = r
		kept++
	}
	return runes[:kept]
}

// pair returns what two characters compose to.
func (t *tables) pair(a, b rune) (rune, bool) {
	if a >= leading && a <= lastLeading && b >= vowel && b < vowel+vowels {
		return hangul + ((a-leading)*vowels+b-vowel)*trailings, true
	}
	if i := a - hangul; i >= 0 && i < allHanguls && i%trailings == 0 && b > trailing && b < trailing+trailings {
		return a + b - trailing, true
	}
	whole, ok := t.whole[[2]rune{a, b}]
	return whole, ok
}
