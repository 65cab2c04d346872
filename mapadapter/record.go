package mapadapter

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

// A record is a JSON object or a row of a table. Its values are those of
// encoding/json, with [json.Number], or int64 and float64 from tables.
type record map[string]any

// text returns the first of the members that is a text or a number and not
// empty, or "".
func (r record) text(keys ...string) string {
	for _, key := range keys {
		if s := textOf(r[key]); s != "" {
			return s
		}
	}
	return ""
}

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return wholeText(v.String())
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return strconv.FormatInt(int64(v), 10)
		}
	}
	return ""
}

// wholeText writes "3.0" as "3": tables with gaps make floats of numbers.
func wholeText(number string) string {
	digits, zeros, ok := strings.Cut(number, ".")
	if ok && strings.Trim(zeros, "0") == "" {
		return digits
	}
	return number
}

// whole returns the first of the members that is a whole number, also one
// written as a text.
func (r record) whole(keys ...string) (int, bool) {
	for _, key := range keys {
		if n, err := strconv.Atoi(strings.TrimSpace(textOf(r[key]))); err == nil {
			return n, true
		}
	}
	return 0, false
}

// number returns a member as a finite number.
func (r record) number(key string) (float64, bool) {
	var n float64
	switch v := r[key].(type) {
	case json.Number:
		var err error
		if n, err = v.Float64(); err != nil {
			return 0, false
		}
	case float64:
		n = v
	case int64:
		n = float64(v)
	default:
		return 0, false
	}
	return n, !math.IsNaN(n) && !math.IsInf(n, 0)
}

// texts returns the texts and numbers in a list.
func (r record) texts(key string) []string {
	list, _ := r[key].([]any)
	var texts []string
	for _, v := range list {
		if s := textOf(v); s != "" {
			texts = append(texts, s)
		}
	}
	return texts
}

// records returns the objects in a list.
func (r record) records(key string) []record { return recordsOf(r[key]) }

func recordsOf(v any) []record {
	list, _ := v.([]any)
	var records []record
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			records = append(records, m)
		}
	}
	return records
}

// sub returns a member that is an object, or nil.
func (r record) sub(key string) record {
	m, _ := r[key].(map[string]any)
	return m
}

func (r record) has(keys ...string) bool {
	for _, key := range keys {
		if _, ok := r[key]; !ok {
			return false
		}
	}
	return true
}

// title returns text as a title, cut at a word.
func title(text string) string { return plain.Words(text, maxTitle) }

// firstLine returns the first line of text that is not empty, as a title for
// what has none.
func firstLine(text string) string {
	const enough = 100 // bytes of a title that is part of a text
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return plain.Words(strings.TrimLeft(line, "#*-> "), enough)
}
