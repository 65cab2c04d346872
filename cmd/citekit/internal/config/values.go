package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Duration is a duration in the form of Go, such as 1m30s.
type Duration time.Duration

// String returns the duration without zeros at its end: 10m and not 10m0s.
func (d Duration) String() string {
	text := time.Duration(d).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// MarshalJSON implements [json.Marshaler].
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

func parseDuration(text string) (Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("write a time with its unit, such as 30s, 500ms or 10m")
	}
	return Duration(d), nil
}

// A Size is a number of bytes.
type Size int64

var units = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// String returns the size as a whole number of the largest possible unit.
func (s Size) String() string {
	for i := 3; i >= 0; i-- {
		if unit := int64(units[i].bytes); s != 0 && int64(s)%unit == 0 {
			return strconv.FormatInt(int64(s)/unit, 10) + units[i].name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// MarshalJSON implements [json.Marshaler]: a size is a number in JSON.
func (s Size) MarshalJSON() ([]byte, error) { return json.Marshal(int64(s)) }

func parseSize(text string) (Size, error) {
	number, unit := text, 1.0
	for _, u := range units {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	whole, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("write a number of bytes, or one with its unit, such as 512MiB or 10GB")
	}
	if math.Abs(float64(whole))*unit >= 1<<62 {
		return 0, fmt.Errorf("it is too large")
	}
	return Size(whole * int64(unit)), nil
}

// JSON is a JSON object for a part of the program with its own settings; "" if
// there is none.
type JSON string

// MarshalJSON implements [json.Marshaler].
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == "" {
		return []byte("{}"), nil
	}
	return []byte(j), nil
}

func parseJSON(text string) (JSON, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &members); err != nil || members == nil {
		return "", fmt.Errorf("write a JSON object, such as {\"model\": \"…\"}")
	}
	var short bytes.Buffer
	if err := json.Compact(&short, []byte(text)); err != nil {
		return "", err
	}
	return JSON(short.String()), nil
}
