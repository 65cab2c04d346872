package pdf

import (
	"strconv"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/numeral"
)

// Limits of labels in letters or Roman numerals. Larger numbers are decimal.
const (
	maxRoman   = 10_000
	maxLetters = 100
)

// Label returns the label of the page that is i pages after the first of r (12.4.2),
// such as "iv" or "A-3".
func (r LabelRange) Label(i int) string {
	prefix, style, start := r.Parts()
	number := start + i
	switch style {
	case "":
		return prefix
	case "R":
		return prefix + numeral.Roman(number, maxRoman)
	case "r":
		return prefix + strings.ToLower(numeral.Roman(number, maxRoman))
	case "A":
		return prefix + numeral.Letters(number, maxLetters, 'A')
	case "a":
		return prefix + numeral.Letters(number, maxLetters, 'a')
	}
	return prefix + strconv.Itoa(number)
}

// Parts returns the prefix of the labels, the number style ("D", "R", "r", "A", "a",
// or "" for no number), and the first number.
func (r LabelRange) Parts() (prefix, style string, start int) {
	p, _ := r.Style["P"].(String)
	switch s, _ := r.Style["S"].(Name); s {
	case "D", "R", "r", "A", "a":
		style = string(s)
	}
	start = 1
	if n, ok := r.Style["St"].(int64); ok && n >= 1 && n <= 1<<30 {
		start = int(n)
	}
	return p.Text(), style, start
}
