// The numbers of addresses are digits and at most one point, without sign, exponent or
// white space.

package plain

import (
	"strconv"
	"strings"
)

const (
	// SecondsPerYear is the number of seconds in a year of 365 days.
	SecondsPerYear = 365 * 24 * 3600

	// MaxSeconds is the largest time that is read, a thousand years.
	MaxSeconds = 1000 * SecondsPerYear

	maxInt = int(^uint(0) >> 1)

	// maxLength is the longest decimal that is read, in bytes: the shortest
	// exact form of the smallest float64 fits.
	maxLength = 400
)

// IsDigits reports whether s is one or more of 0 to 9.
func IsDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// WholeNumber returns the value of a string of digits, or -1 for anything else and
// for a number that no int can hold.
func WholeNumber(digits string) int {
	if !IsDigits(digits) {
		return -1
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n == maxInt {
		return -1
	}
	return n
}

// ParseDecimal returns the value of digits with at most one point between them.
func ParseDecimal(text string) (v float64, ok bool) {
	whole, decimals, hasPoint := strings.Cut(text, ".")
	if len(text) > maxLength || !IsDigits(whole) || hasPoint && !IsDigits(decimals) {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// FormatDecimal returns the shortest decimal that Parse reads as v, without an
// exponent, and negative zero without its sign. v must not be negative.
func FormatDecimal(v float64) string { return strconv.FormatFloat(v+0, 'f', -1, 64) }

// CompletedDecimal returns the correct form of a decimal without digits before or
// after its point, or "" for any other text.
func CompletedDecimal(text string) string {
	whole, decimals, hasPoint := strings.Cut(text, ".")
	if len(text) > maxLength || !hasPoint {
		return ""
	}
	switch {
	case whole == "" && IsDigits(decimals):
		return "0." + decimals
	case decimals == "" && IsDigits(whole):
		return whole
	}
	return ""
}

// Seconds reads seconds, mm:ss or hh:mm:ss. Only the last part may have
// decimals, a part after a colon has two digits and is below 60, and no part
// is above MaxSeconds.
func Seconds(text string) (seconds float64, ok bool) {
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return 0, false
	}
	last := len(parts) - 1
	whole, decimals, hasPoint := strings.Cut(parts[last], ".")
	parts[last] = whole
	total := 0
	for i, part := range parts {
		n := WholeNumber(part)
		if n < 0 || n > MaxSeconds || i > 0 && (n >= 60 || len(part) != 2) {
			return 0, false
		}
		total = total*60 + n
	}
	exact := strconv.Itoa(total)
	if hasPoint {
		exact += "." + decimals
	}
	return ParseDecimal(exact)
}

// SecondsHint returns how to write a text that Seconds does not read.
func SecondsHint(text string) string {
	if full := CompletedDecimal(text); full != "" {
		return "write " + full
	}
	if unit := overflowing(text); unit != "" {
		return unit + " after a colon run to 59; write seconds, mm:ss or hh:mm:ss"
	}
	return "write seconds, mm:ss or hh:mm:ss, with decimals if need be"
}

// overflowing returns the unit of the first part after a colon that is above
// 59, or "".
func overflowing(text string) string {
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return ""
	}
	for i, part := range parts {
		whole, _, _ := strings.Cut(part, ".")
		switch {
		case i == 0 || WholeNumber(whole) < 60:
		case i == len(parts)-1:
			return "seconds"
		default:
			return "minutes"
		}
	}
	return ""
}
