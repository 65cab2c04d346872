package about

import (
	"encoding/json"
	"math"
)

// Number returns a number in the metadata of a map. A string of digits is not a number.
func Number(metadata map[string]any, key string) (n float64, ok bool) {
	switch v := metadata[key].(type) {
	case json.Number:
		n, err := v.Float64()
		return n, err == nil
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// Whole returns a number without a fraction that is exact, which is below 1<<53.
func Whole(metadata map[string]any, key string) (int64, bool) {
	n, ok := Number(metadata, key)
	return int64(n), ok && n == math.Trunc(n) && math.Abs(n) < 1<<53
}

// Count returns a whole number from 1, or 0.
func Count(metadata map[string]any, key string) int {
	n, ok := Whole(metadata, key)
	if !ok || n < 0 || n > math.MaxInt {
		return 0
	}
	return int(n)
}
