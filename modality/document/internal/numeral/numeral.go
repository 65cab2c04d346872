// Package numeral writes numbers as documents number pages, lists and notes.
package numeral

import (
	"strconv"
	"strings"
)

// Roman writes a number from 1 to most in Roman numerals, and any other in decimal.
func Roman(n, most int) string {
	if n < 1 || n > most {
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

// Letters counts A to Z, AA to ZZ, AAA to ZZZ, with at most the given number of
// letters; it writes other numbers in decimal. First is the first letter: 'A' or 'a'.
func Letters(n, most int, first byte) string {
	if n < 1 || n > 26*most {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(first+byte((n-1)%26)), (n-1)/26+1)
}
