package pdf

import (
	"strconv"
	"strings"
)

// Limits of labels in letters or Roman numerals. Larger numbers are decimal.
const (
	maxRoman   = 10_000
	maxLetters = 26 * 100
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
		return prefix + roman(number)
	case "r":
		return prefix + strings.ToLower(roman(number))
	case "A":
		return prefix + letters(number, 'A')
	case "a":
		return prefix + letters(number, 'a')
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

func roman(n int) string {
	if n < 1 || n > maxRoman {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, sign := range []struct {
		value int
		text  string
	}{
		{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"},
		{50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},
	} {
		for ; n >= sign.value; n -= sign.value {
			b.WriteString(sign.text)
		}
	}
	return b.String()
}

// letters counts A to Z, AA to ZZ, AAA to ZZZ.
func letters(n int, first byte) string {
	if n < 1 || n > maxLetters {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(first+byte((n-1)%26)), (n-1)/26+1)
}
