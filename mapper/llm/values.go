package llm

import (
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lenient"
)

// In addition to package lenient, a run of pages may be a range, and a time may
// be minutes and seconds.

func arrayOf(v any) []any {
	list, _ := v.([]any)
	return list
}

// rangeOf returns a range: 12, "12", "12-15", or [12, 15] if pairs is true.
func rangeOf(v any, pairs bool) (citekit.Range, bool) {
	if n, ok := lenient.Whole(v); ok {
		return citekit.Range{First: n, Last: n}, true
	}
	if list := arrayOf(v); pairs && len(list) == 2 {
		return bounds(list[0], list[1])
	}
	text := strings.NewReplacer("–", "-", "—", "-", "..", "-", " to ", "-").Replace(lenient.Text(v))
	low, high, ok := strings.Cut(text, "-")
	if !ok {
		return citekit.Range{}, false
	}
	return bounds(low, high)
}

func bounds(low, high any) (citekit.Range, bool) {
	a, ok := lenient.Whole(low)
	b, ok2 := lenient.Whole(high)
	return citekit.Range{First: a, Last: b}, ok && ok2
}

// pagesOf returns the pages of a list of pages and ranges, or of one.
func pagesOf(v any) ([]citekit.Range, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
		if text := lenient.Text(v); strings.Contains(text, ",") {
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
	return citekit.Location{}.WithPages(runs...).Pages, nil
}

// secondsOf returns seconds, also from "1:15.5" and "01:01:15".
func secondsOf(v any) (float64, bool) {
	text, ok := v.(string)
	if !ok || !strings.Contains(text, ":") {
		return lenient.Number(v)
	}
	parts := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, ",", ".")), ":")
	if len(parts) > 3 {
		return 0, false
	}
	total := 0.0
	for _, part := range parts {
		n, ok := lenient.Number(part)
		if !ok || n < 0 {
			return 0, false
		}
		total = total*60 + n
	}
	return total, true
}
