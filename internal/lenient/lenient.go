// Package lenient reads the values of JSON that other programs and models
// wrote, in whatever form they come where only one thing can be meant: a number
// may be a string, a whole number may have zeros behind its point. It never
// guesses: what could mean two things, such as one object where a list should
// be, is for its callers.
//
// Values are those of encoding/json, with numbers as [json.Number], or int64
// and float64, as tables have them. A value of another type is read as none.
package lenient

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// maxWhole bounds whole numbers, so that an int holds them everywhere.
const maxWhole = math.MaxInt32

// First returns the value of the first of the keys that object has, and that is
// not null; nil if there is none.
func First(object map[string]any, keys ...string) any {
	for _, key := range keys {
		if v := object[key]; v != nil {
			return v
		}
	}
	return nil
}

// Text returns a string as it is, and a number as JSON writes it, but without a
// fraction that is zero: tables with gaps make 3.0 of 3. It returns "" for
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

// Number returns a finite number, also one in a string, with white space around
// it or not. Only decimal digits, a point, a sign and an exponent make one:
// "NaN", "0x10" and "1_000" do not.
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

// Whole returns what [Number] does if that has no fraction and lies within
// ±2,147,483,647.
func Whole(v any) (int, bool) {
	n, ok := Number(v)
	if !ok || n != math.Trunc(n) || math.Abs(n) > maxWhole {
		return 0, false
	}
	return int(n), true
}

func isFinite(n float64) bool { return !math.IsNaN(n) && !math.IsInf(n, 0) }
