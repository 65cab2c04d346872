// Package lenient reads values of JSON that other programs and models wrote. It
// accepts every form with only one possible meaning: a number may be a string,
// and a whole number may have zeros after its point. It never guesses: its
// callers decide about values with two possible meanings, such as one object in
// place of a list.
//
// Values are those of encoding/json, with numbers as [json.Number], or as int64
// and float64, as in tables. A value of another type is treated as missing.
package lenient

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// maxWhole bounds whole numbers, so that they fit an int on every platform.
const maxWhole = math.MaxInt32

// First returns the value of the first key that object has with a value other
// than null; nil without one.
func First(object map[string]any, keys ...string) any {
	for _, key := range keys {
		if v := object[key]; v != nil {
			return v
		}
	}
	return nil
}

// Text returns a string unchanged, and a number in the form of JSON, but
// without a zero fraction: tables with gaps turn 3 into 3.0. It returns "" for
// anything else.
func Text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		whole, zeros, ok := strings.Cut(v.String(), ".")
		if ok && strings.Trim(zeros, "0") == "" {
			return whole
		}
		return v.String()
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return strconv.FormatInt(int64(v), 10)
		}
		if isFinite(v) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	return ""
}

// Number returns a finite number. The number may be in a string, with or
// without white space around it. It may have only decimal digits, a point, a
// sign and an exponent: "NaN", "0x10" and "1_000" are not numbers.
func Number(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		return parse(v.String())
	case string:
		return parse(strings.TrimSpace(v))
	case int64:
		return float64(v), true
	case float64:
		return v, isFinite(v)
	}
	return 0, false
}

func parse(text string) (float64, bool) {
	if strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// Whole is like [Number] for a number without a fraction within ±2,147,483,647.
func Whole(v any) (int, bool) {
	n, ok := Number(v)
	if !ok || n != math.Trunc(n) || math.Abs(n) > maxWhole {
		return 0, false
	}
	return int(n), true
}

func isFinite(n float64) bool { return !math.IsNaN(n) && !math.IsInf(n, 0) }
