package sheet

import (
	"fmt"
	"strings"

	"github.com/citekit/citekit"
)

// An area is a rectangle of cells, both corners included, counted from 1. The
// zero area is empty.
type area struct{ left, top, right, bottom int32 }

const maxInt32 = 1<<31 - 1

// everywhere is the area of all cells.
var everywhere = area{1, 1, maxInt32, maxInt32}

func (a area) isEmpty() bool { return a.right < a.left || a.bottom < a.top || a.right == 0 }

func (a area) has(col, row int32) bool {
	return a.left <= col && col <= a.right && a.top <= row && row <= a.bottom
}

func (a area) contains(b area) bool { return a.has(b.left, b.top) && a.has(b.right, b.bottom) }

// meet returns the intersection of a and b, which may be empty.
func (a area) meet(b area) area {
	m := area{max(a.left, b.left), max(a.top, b.top), min(a.right, b.right), min(a.bottom, b.bottom)}
	if m.isEmpty() {
		return area{}
	}
	return m
}

// join returns the smallest area that contains a and b.
func (a area) join(b area) area {
	switch {
	case a.isEmpty():
		return b
	case b.isEmpty():
		return a
	}
	return area{min(a.left, b.left), min(a.top, b.top), max(a.right, b.right), max(a.bottom, b.bottom)}
}

func (a area) cells() citekit.Cells {
	return citekit.Cells{First: citekit.Cell{Col: a.left, Row: a.top}, Last: citekit.Cell{Col: a.right, Row: a.bottom}}
}

// String returns A1 notation.
func (a area) String() string { return a.cells().String() }

// areaOf parses an area in A1 notation, such as "B5:D10".
func areaOf(ref string) (area, bool) {
	var c citekit.Cells
	if c.UnmarshalText([]byte(ref)) != nil || c.Last.Col > maxColumn {
		return area{}, false
	}
	return area{c.First.Col, c.First.Row, c.Last.Col, c.Last.Row}, true
}

// areasOf parses a list of areas separated by spaces.
func areasOf(list string) ([]area, bool) {
	var areas []area
	for ref := range strings.FieldsSeq(list) {
		a, ok := areaOf(ref)
		if !ok {
			return nil, false
		}
		areas = append(areas, a)
	}
	return areas, len(areas) > 0
}

// allIn reports whether a contains all of the areas.
func (a area) allIn(areas []area) bool {
	for _, b := range areas {
		if !a.contains(b) {
			return false
		}
	}
	return true
}

// clip returns the parts of areas that are in a.
func (a area) clip(areas []area) []area {
	var kept []area
	for _, b := range areas {
		if m := a.meet(b); !m.isEmpty() {
			kept = append(kept, m)
		}
	}
	return kept
}

func listOf(areas []area) string {
	refs := make([]string, len(areas))
	for i, a := range areas {
		refs[i] = a.String()
	}
	return strings.Join(refs, " ")
}

// selected returns the area of a sheet that a location selects. The bottom right
// corner of used is that of the sheet.
func selected(loc citekit.Location, used area) (area, error) {
	a := everywhere
	switch {
	case !loc.Cells.IsZero():
		a = area{loc.Cells.First.Col, loc.Cells.First.Row, loc.Cells.Last.Col, loc.Cells.Last.Row}
		if a.right > used.right || a.bottom > used.bottom {
			return area{}, pastEnd("cells "+loc.Cells.String(), used)
		}
	case !loc.Rows.IsZero():
		if loc.Rows.Last > int(used.bottom) {
			return area{}, pastEnd("rows "+loc.Rows.String(), used)
		}
		a.top, a.bottom = int32(loc.Rows.First), int32(loc.Rows.Last)
	case len(loc.Cols) > 0:
		first, last := loc.SheetCols()
		if last > int(used.right) {
			return area{}, pastEnd("cols "+loc.Cols[0], used)
		}
		a.left, a.right = int32(first), int32(last)
	}
	return a, nil
}

func pastEnd(what string, used area) error {
	if used.isEmpty() {
		return fmt.Errorf("%s of a sheet that has no cells: %w", what, citekit.ErrRange)
	}
	return fmt.Errorf("%s of a sheet that ends at %s: %w", what, citekit.Cell{Col: used.right, Row: used.bottom}, citekit.ErrRange)
}
