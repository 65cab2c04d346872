package llm

import (
	"fmt"
	"maps"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lenient"
	"github.com/citekit/citekit/internal/message"
)

// placeOf reads the place of a node. The fields are in the node itself, or in
// an object "location" as in the nodes of maps.
func placeOf(node map[string]any, modality citekit.Modality) (citekit.Location, error) {
	if inner, ok := node["location"].(map[string]any); ok {
		merged := maps.Clone(node)
		maps.Copy(merged, inner)
		node = merged
		if m := lenient.Text(inner["modality"]); m != "" && m != string(modality) {
			return citekit.Location{}, fmt.Errorf("%s location in %s source: %w", message.Article(clip(m)), message.Article(modality), citekit.ErrSyntax)
		}
	}
	loc := citekit.Location{Modality: modality}
	err := fillPlace(&loc, node)
	if err == nil {
		err = loc.Validate()
	}
	return loc, err
}

func fillPlace(loc *citekit.Location, node map[string]any) (err error) {
	switch loc.Modality {
	case citekit.Document:
		loc.Pages, err = documentPages(node)
		if err == nil && node["bbox"] != nil {
			loc.Box, err = boxOf(node["bbox"])
		}
	case citekit.Text:
		loc.Lines, err = textLines(node)
	case citekit.Video, citekit.Audio:
		loc.Time, err = spanOf(node)
	case citekit.Image:
		loc.Box, err = boxOf(lenient.First(node, "bbox", "box"))
	}
	return err
}

func documentPages(node map[string]any) ([]citekit.Range, error) {
	if v := lenient.First(node, "pages", "page", "page_range"); v != nil {
		return pagesOf(v)
	}
	low := lenient.First(node, "first_page", "start_page", "page_start")
	high := lenient.First(node, "last_page", "end_page", "page_end")
	if low == nil || high == nil {
		return nil, fmt.Errorf("no pages: %w", citekit.ErrSyntax)
	}
	run, ok := bounds(low, high)
	if !ok || run.First < 1 || run.Last < run.First {
		return nil, fmt.Errorf("the pages are not a range that counts from 1: %w", citekit.ErrSyntax)
	}
	return []citekit.Range{run}, nil
}

func textLines(node map[string]any) (citekit.Range, error) {
	var lines citekit.Range
	ok := false
	if v := lenient.First(node, "lines", "line", "line_range"); v != nil {
		lines, ok = rangeOf(v, true)
		if list := arrayOf(v); len(list) == 1 {
			lines, ok = bounds(list[0], list[0])
		}
	} else {
		lines, ok = bounds(lenient.First(node, "first_line", "start_line", "line_start"), lenient.First(node, "last_line", "end_line", "line_end"))
	}
	if !ok {
		return lines, fmt.Errorf("lines are not [first, last]: %w", citekit.ErrSyntax)
	}
	if lines.First < 1 {
		return lines, fmt.Errorf("line %d; lines count from 1: %w", lines.First, citekit.ErrSyntax)
	}
	return lines, nil
}

func spanOf(node map[string]any) (citekit.Span, error) {
	start, ok := secondsOf(lenient.First(node, "start", "start_time"))
	end, ok2 := secondsOf(lenient.First(node, "end", "end_time"))
	if !ok || !ok2 {
		return citekit.Span{}, fmt.Errorf("start and end are not seconds: %w", citekit.ErrSyntax)
	}
	if !(end > start) {
		return citekit.Span{}, fmt.Errorf("start %v, end %v; the end must be after the start: %w", start, end, citekit.ErrSyntax)
	}
	return citekit.Span{Start: start, End: end}, nil
}

func boxOf(v any) (citekit.Box, error) {
	list := arrayOf(v)
	if len(list) != 4 {
		return citekit.Box{}, fmt.Errorf("bbox is not [x1, y1, x2, y2]: %w", citekit.ErrSyntax)
	}
	var edges [4]float64
	for i, edge := range list {
		n, ok := lenient.Number(edge)
		if !ok {
			return citekit.Box{}, fmt.Errorf("bbox has a value that is not a number: %w", citekit.ErrSyntax)
		}
		edges[i] = n
	}
	box := citekit.Box{X1: edges[0], Y1: edges[1], X2: edges[2], Y2: edges[3]}
	if box.IsZero() {
		return box, fmt.Errorf("bbox [0, 0, 0, 0] is empty: %w", citekit.ErrSyntax)
	}
	return box, nil
}

// covers reports whether outer holds all of inner.
func covers(outer, inner citekit.Location) bool {
	if !outer.Box.IsZero() && outer.Modality == citekit.Image {
		a, b := outer.Box, inner.Box
		return a.X1 <= b.X1 && a.Y1 <= b.Y1 && a.X2 >= b.X2 && a.Y2 >= b.Y2
	}
	if !outer.Time.IsZero() && (inner.Time.Start < outer.Time.Start || inner.Time.End > outer.Time.End) {
		return false
	}
	if !outer.Lines.IsZero() && (inner.Lines.First < outer.Lines.First || inner.Lines.Last > outer.Lines.Last) {
		return false
	}
	return len(outer.Pages) == 0 || coversPages(outer.Pages, inner.Pages)
}

// coversPages reports whether every run of inner lies in one of outer; both
// are sorted.
func coversPages(outer, inner []citekit.Range) bool {
	for _, run := range inner {
		for len(outer) > 0 && outer[0].Last < run.First {
			outer = outer[1:]
		}
		if len(outer) == 0 || run.First < outer[0].First || run.Last > outer[0].Last {
			return false
		}
	}
	return true
}

// starting returns a number that sorts nodes in the order of the source.
func starting(loc citekit.Location) float64 {
	switch {
	case len(loc.Pages) > 0:
		return float64(loc.Pages[0].First)
	case !loc.Lines.IsZero():
		return float64(loc.Lines.First)
	}
	return loc.Time.Start
}
