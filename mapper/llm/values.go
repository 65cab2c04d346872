package llm

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
)

// Answers are read leniently where only one thing can be meant: a number may
// be a string, a run of pages a range, a time minutes and seconds.

// first returns the value of the first of the keys that object has.
func first(object map[string]any, keys ...string) any {
	for _, key := range keys {
		if v, ok := object[key]; ok && v != nil {
			return v
		}
	}
	return nil
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}

func arrayOf(v any) []any {
	list, _ := v.([]any)
	return list
}

// wholeOf returns a whole number, also from 12.0 and "12".
func wholeOf(v any) (int, bool) {
	n, ok := numberOf(v)
	if !ok || n != math.Trunc(n) || math.Abs(n) > 1<<31-1 {
		return 0, false
	}
	return int(n), true
}

func numberOf(v any) (float64, bool) {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	default:
		return 0, false
	}
	if strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// rangeOf returns a range: 12, "12", "12-15", or [12, 15] where a pair is one.
func rangeOf(v any, pairs bool) (citekit.Range, bool) {
	if n, ok := wholeOf(v); ok {
		return citekit.Range{First: n, Last: n}, true
	}
	if list := arrayOf(v); pairs && len(list) == 2 {
		return bounds(list[0], list[1])
	}
	text := strings.NewReplacer("–", "-", "—", "-", "..", "-", " to ", "-").Replace(textOf(v))
	low, high, ok := strings.Cut(text, "-")
	if !ok {
		return citekit.Range{}, false
	}
	return bounds(low, high)
}

func bounds(low, high any) (citekit.Range, bool) {
	a, ok := wholeOf(low)
	b, ok2 := wholeOf(high)
	return citekit.Range{First: a, Last: b}, ok && ok2
}

// pagesOf returns the pages of a list of pages and ranges, or of one.
func pagesOf(v any) ([]citekit.Range, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
		if text := textOf(v); strings.Contains(text, ",") {
			list = nil
			for part := range strings.SplitSeq(text, ",") {
				list = append(list, part)
			}
		}
	}
	var runs []citekit.Range
	for _, item := range list {
		run, ok := rangeOf(item, false)
		if !ok {
			return nil, fmt.Errorf("pages that are not numbers: %w", citekit.ErrSyntax)
		}
		if run.First < 1 || run.Last < run.First {
			return nil, fmt.Errorf("pages %v; pages count from 1 and do not run backwards: %w", run, citekit.ErrSyntax)
		}
		runs = append(runs, run)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("no pages: %w", citekit.ErrSyntax)
	}
	return citekit.PageRuns(runs...), nil
}

// secondsOf returns seconds, also from "1:15.5" and "01:01:15".
func secondsOf(v any) (float64, bool) {
	text, ok := v.(string)
	if !ok || !strings.Contains(text, ":") {
		return numberOf(v)
	}
	parts := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, ",", ".")), ":")
	if len(parts) > 3 {
		return 0, false
	}
	total := 0.0
	for _, part := range parts {
		n, ok := numberOf(part)
		if !ok || n < 0 {
			return 0, false
		}
		total = total*60 + n
	}
	return total, true
}
