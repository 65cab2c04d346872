package charset

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/encoding/charmap"
)

// The cost, in bits, of reading two adjacent bytes in some charset.
const (
	costUnseen  = 14 // letters that are never adjacent in the language
	costCase    = 6  // a capital within a word
	costMark    = 5  // a mark common in texts, such as a quote
	costBeside  = 6  // a mark that is usually on the other side of a letter
	costMixed   = 8  // a letter of another script beside an ASCII one
	costSymbol  = 14 // any other mark
	costControl = 16 // a control character, or an unassigned byte
)

const (
	maxDetected = 64 << 10 // bytes of a text that are examined
	maxPairCost = 10.5     // bits of a pair, on average, in a text of some language
	margin      = 12       // bits by which a charset must beat a Western one
	marginPart  = 12       // and by this fraction (1/12) of all bits
)

// A candidate is a charset of one byte for each character, with the languages
// that are written in it. Among charsets with the same letters, the one with
// fewer characters comes first.
type candidate struct {
	name      string
	chars     *charmap.Charmap
	languages string
}

const (
	western  = "de fr es it pt nl sv da nb fi is ca ga oc"
	central  = "cs hu pl hr sk sl ro sq"
	cyrillic = "ru uk bg sr mk be"
)

var candidates = []candidate{
	{"", charmap.Windows1252, western},
	{"macintosh", charmap.Macintosh, western},
	{"iso-8859-2", charmap.ISO8859_2, central},
	{"windows-1250", charmap.Windows1250, central},
	{"iso-8859-9", charmap.ISO8859_9, "tr"},
	{"windows-1254", charmap.Windows1254, "tr"},
	{"iso-8859-13", charmap.ISO8859_13, "lt lv et"},
	{"windows-1257", charmap.Windows1257, "lt lv et"},
	{"iso-8859-5", charmap.ISO8859_5, cyrillic},
	{"windows-1251", charmap.Windows1251, cyrillic},
	{"koi8-r", charmap.KOI8R, "ru bg"},
	{"koi8-u", charmap.KOI8U, "uk be"},
	{"ibm855", charmap.CodePage855, cyrillic},
	{"ibm866", charmap.CodePage866, cyrillic},
	{"x-mac-cyrillic", charmap.MacintoshCyrillic, cyrillic},
	{"iso-8859-7", charmap.ISO8859_7, "el"},
	{"windows-1253", charmap.Windows1253, "el"},
	{"iso-8859-8", charmap.ISO8859_8, "he"},
	{"windows-1255", charmap.Windows1255, "he"},
	{"iso-8859-6", charmap.ISO8859_6, "ar"},
	{"windows-1256", charmap.Windows1256, "ar fa"},
	{"windows-874", charmap.Windows874, "th"},
}

// Detect returns the charset of a text that is neither ASCII nor UTF-8 and has
// one byte for each character. It compares the adjacent letters of the text
// with those of the languages that are written in each charset. It returns ""
// for the Western charsets, and if no other charset is clearly more likely. The
// names are those of the WHATWG index, which are registered with IANA except
// x-mac-cyrillic, and ibm855.
func Detect(text []byte) string {
	pairs, total := countPairs(text[:min(len(text), maxDetected)])
	if total == 0 {
		return ""
	}
	name, least := "", 0
	for i, c := range candidates {
		cost := c.cost(pairs)
		if i == 0 {
			least = cost - margin - cost/marginPart
			continue
		}
		if cost < least && float64(cost) <= maxPairCost*float64(total) {
			name, least = c.name, cost
		}
	}
	return name
}

// countPairs returns how often each pair of adjacent bytes occurs, if at least
// one of them is not ASCII, and the total number of such pairs. ASCII that is
// not a letter is counted as a space, and so are the places before and after
// the text.
func countPairs(text []byte) (pairs map[[2]byte]int, total int) {
	pairs = make(map[[2]byte]int)
	before := byte(' ')
	count := func(b byte) {
		if before >= 0x80 || b >= 0x80 {
			pairs[[2]byte{before, b}]++
			total++
		}
		before = b
	}
	for _, b := range text {
		if b < 0x80 && !isASCIILetter(b) {
			b = ' '
		}
		count(b)
	}
	count(' ')
	return pairs, total
}

func isASCIILetter[T byte | rune](b T) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// cost returns how unlikely a text is in c, in the language that fits best.
func (c candidate) cost(pairs map[[2]byte]int) int {
	least := -1
	for _, language := range strings.Fields(c.languages) {
		sum := 0
		for pair, n := range pairs {
			sum += n * pairCost(c.chars.DecodeByte(pair[0]), c.chars.DecodeByte(pair[1]), languages()[language])
		}
		if least < 0 || sum < least {
			least = sum
		}
	}
	return least
}

// pairCost returns the cost of b after a in a language.
func pairCost(a, b rune, language map[[2]rune]int) int {
	cost := 0
	first, second := isLetter(a), isLetter(b)
	if !first {
		if second && (a == '»' || a == '’') {
			cost = costBeside
		}
		cost, a = cost+markCost(a, second), ' '
	}
	if !second {
		cost, b = cost+markCost(b, first), ' '
	}
	if a < 0x80 && b < 0x80 {
		return cost
	}
	if unicode.IsLower(a) && unicode.IsUpper(b) {
		cost += costCase
	}
	if isASCIILetter(a) && !unicode.Is(unicode.Latin, b) || isASCIILetter(b) && !unicode.Is(unicode.Latin, a) {
		if a != ' ' && b != ' ' {
			cost += costMixed
		}
	}
	usual, ok := language[[2]rune{lower(a), lower(b)}]
	if !ok {
		usual = costUnseen
	}
	return cost + usual
}

// isLetter reports whether r can be part of a word.
func isLetter(r rune) bool {
	return isASCIILetter(r) || r >= 0x80 && r != 'µ' && r != 'ª' && r != 'º' && (unicode.IsLetter(r) || unicode.Is(unicode.Mn, r))
}

// markCost returns the cost of a character that is not a letter, beside a
// letter or not.
func markCost(r rune, beside bool) int {
	switch {
	case r < 0x80:
		return 0
	case r == unicode.ReplacementChar || unicode.IsControl(r):
		return costControl
	case strings.ContainsRune("’‘“”„‚«»‹›¿¡…–—\u00a0\u00ad؟،؛", r):
		return costMark
	case !beside && strings.ContainsRune("©®™§°·•€№₪ªº¹²³½¼¾£¥¢±×÷†", r):
		return costMark
	}
	return costSymbol
}

// lower returns r in lower case, but does not change a capital letter whose
// lower case is ASCII.
func lower(r rune) rune {
	if r == 'İ' {
		return r
	}
	return unicode.ToLower(r)
}

// languages returns the cost of each pair of letters in each language.
var languages = sync.OnceValue(func() map[string]map[[2]rune]int {
	all := make(map[string]map[[2]rune]int)
	for language, list := range letterPairs {
		all[language] = parsePairs(list)
	}
	return all
})

func parsePairs(list string) map[[2]rune]int {
	pairs := make(map[[2]rune]int)
	cost := 0
	var first rune
	for _, r := range list {
		if r == '_' {
			r = ' '
		}
		switch {
		case '0' <= r && r <= '9':
			cost = int(r-'0') + 2
		case first == 0:
			first = r
		default:
			pairs[[2]rune{first, r}] = cost
			first = 0
		}
	}
	return pairs
}
