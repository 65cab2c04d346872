package textlayer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/citekit/citekit"
)

// Bytes is a range of the text in bytes, [From, To).
type Bytes struct{ From, To int64 }

// Location returns the smallest location that contains the bytes [start, end):
// the pages or lines that they are on, the time in which they are said, or the
// box around them. For an empty range, it is the location of the text that
// follows. A text without runs has the location of the whole source. If the
// bytes are outside the text, the error matches [citekit.ErrRange].
func (l *Layer) Location(start, end int64) (citekit.Location, error) {
	all := citekit.Location{Modality: l.modality}
	if err := l.check(start, end); err != nil || len(l.runs) == 0 {
		return all, err
	}
	end = max(end, min(start+1, l.size))
	first := l.at(start)
	last := l.at(end - 1)
	for first < last && l.runs[first].to <= start { // it is in the gap between two runs
		first++
	}
	loc := l.runs[first].loc
	for _, r := range l.runs[first+1 : last+1] {
		if r.from < r.to {
			loc = union(loc, r.loc)
		}
	}
	loc.Modality = cmp.Or(loc.Modality, l.modality)
	if loc.Lines.IsZero() {
		return loc, nil
	}
	var err error
	if loc.Lines.First, err = l.lineAt(l.runs[first], start); err != nil {
		return all, err
	}
	if l.runs[last].ends != noEnds {
		loc.Lines.Last, err = l.lineAt(l.runs[last], end-1)
	}
	return loc, err
}

// Tight is [Layer.Location] with only those cells of a row of a sheet that the bytes
// are in, where the location is in one row. In the text of such a row, a tab stands
// between two cells.
func (l *Layer) Tight(start, end int64) (citekit.Location, error) {
	loc, err := l.Location(start, end)
	if err != nil || loc.Sheet == "" || loc.Cells.First.Row != loc.Cells.Last.Row || loc.Cells.First == loc.Cells.Last {
		return loc, err
	}
	r := l.runs[l.at(start)]
	if start < r.from || end > r.to || start == end || r.loc.Cells != loc.Cells {
		return loc, nil
	}
	row, err := l.textOf(r)
	if err != nil {
		return citekit.Location{Modality: l.modality}, err
	}
	cells := loc.Cells
	if int32(strings.Count(row, "\t")) != cells.Last.Col-cells.First.Col {
		return loc, nil // not one text for each cell
	}
	before := row[:start-r.from]
	loc.Cells.First.Col += int32(strings.Count(before, "\t"))
	loc.Cells.Last.Col = loc.Cells.First.Col + int32(strings.Count(row[len(before):end-r.from], "\t"))
	return loc, nil
}

// lineAt returns the line of a byte in a run, or the first line of the run if
// its lines cannot be found.
func (l *Layer) lineAt(r run, off int64) (int, error) {
	if r.ends == noEnds || off <= r.from {
		return r.loc.Lines.First, nil
	}
	starts, err := l.lineStarts(r)
	if err != nil {
		return 0, err
	}
	n, _ := slices.BinarySearch(starts, int(min(off, r.to)-r.from)+1)
	n-- // lines that end before the run
	return min(r.loc.Lines.First+n, r.loc.Lines.Last), nil
}

// union returns the smallest location that contains both.
func union(a, b citekit.Location) citekit.Location {
	if isStructured(a) || isStructured(b) {
		a = unionStructure(a, b)
	}
	if len(a.Pages) == 0 || len(b.Pages) == 0 {
		a.Pages = nil
	} else if len(a.Pages) != 1 || len(b.Pages) != 1 || a.Pages[0] != b.Pages[0] {
		a = a.WithPages(slices.Concat(a.Pages, b.Pages)...)
	}
	if a.Lines.IsZero() || b.Lines.IsZero() {
		a.Lines = citekit.Range{}
	} else {
		a.Lines = citekit.Range{First: min(a.Lines.First, b.Lines.First), Last: max(a.Lines.Last, b.Lines.Last)}
	}
	a.Time = unionSpan(a.Time, b.Time)
	if a.Box.IsZero() || b.Box.IsZero() || a.PageCount() > 1 {
		a.Box = citekit.Box{}
	} else {
		a.Box = citekit.Box{X1: min(a.Box.X1, b.Box.X1), Y1: min(a.Box.Y1, b.Box.Y1), X2: max(a.Box.X2, b.Box.X2), Y2: max(a.Box.Y2, b.Box.Y2)}
	}
	if a.VirtualAddress != b.VirtualAddress {
		a.VirtualAddress = ""
	}
	return a
}

func unionSpan(a, b citekit.Span) citekit.Span {
	if a.IsZero() || b.IsZero() {
		return citekit.Span{}
	}
	span := citekit.Span{Start: min(a.Start, b.Start), End: max(a.End, b.End)}
	if a.End == 0 || b.End == 0 {
		span.End = 0
	}
	return span
}

// Ranges returns the ranges of the text at a location, in order and without
// overlap: whole pages, whole lines, and the runs that overlap a time or a box.
// An empty modality means that of the source. If the location is beyond the
// text, the error matches [citekit.ErrRange], or [citekit.ErrTooLarge] if the
// text is incomplete. If the location is smaller than the runs of the layer,
// the error matches [errors.ErrUnsupported]: a box or a table on a page, cells or columns
// of a row, rows or blocks of a text that is stored by lines.
// [citekit.Library.ReadText] can read these. An empty result means that the
// source has no text at loc, or does not have the part, message, table, sheet
// or time that loc names.
func (l *Layer) Ranges(loc citekit.Location) ([]Bytes, error) {
	if loc.Modality == "" {
		loc.Modality = l.modality
	}
	if err := loc.Validate(); err != nil {
		return nil, err
	}
	bounds := maxBound
	bounds.Modality, bounds.Pages, bounds.Lines, bounds.Blocks = l.modality, l.lastPage, l.lastLine, l.lastBlock
	if err := bounds.Check(loc); err != nil {
		if l.incomplete && errors.Is(err, citekit.ErrRange) {
			err = fmt.Errorf("%s: %w", l.Reason(), citekit.ErrTooLarge)
		}
		return nil, err
	}
	if loc.IsWhole() {
		return []Bytes{{0, l.size}}, nil
	}
	if isTableOnPage(loc) {
		return nil, fmt.Errorf("which of the text of the page is in this table: %w", errors.ErrUnsupported)
	}
	return l.rangesAt(loc)
}

// rangesAt is [Layer.Ranges] for a location that is valid and not the whole source.
func (l *Layer) rangesAt(loc citekit.Location) ([]Bytes, error) {
	var parts []Bytes
	joins := false // the previous run was taken up to its end
	take := func(from, to int64) {
		if joins {
			parts[len(parts)-1].To = to
		} else {
			parts = append(parts, Bytes{from, to})
		}
	}
	near := l.near(loc)
	for i := near.first; i < near.end; i++ {
		l.looked.Add(1)
		if i == near.in && near.in < near.out {
			take(l.runs[i].from, l.runs[near.out-1].to)
			joins, i = true, near.out-1
			continue
		}
		r := l.runs[i]
		if !overlap(r.loc, loc) {
			joins = joins && r.from == r.to
			continue
		}
		if !loc.Box.IsZero() && r.loc.Box.IsZero() {
			return nil, fmt.Errorf("where on its page the text is: %w", errors.ErrUnsupported)
		}
		if splits(loc, r.loc) {
			return nil, fmt.Errorf("which of the text is in these rows, blocks or cells: %w", errors.ErrUnsupported)
		}
		part, err := l.cut(r, loc.Lines)
		if err != nil {
			return nil, err
		}
		joins = joins && part.From == r.from
		take(part.From, part.To)
		joins = part.To == r.to
	}
	return parts, nil
}

// boxSlack is how much a run may be larger than a box that is meant to hold it, of the
// width and the height at each side: boxes are often rounded to hundredths.
const boxSlack = .01

// Cuts reports whether a location holds only parts of some runs, by its box or its
// lines, so that [Layer.Ranges] returns words beside it. [citekit.Library.ReadText] may
// separate them.
func (l *Layer) Cuts(loc citekit.Location) bool {
	if loc.Box.IsZero() && loc.Lines.IsZero() {
		return false
	}
	near := l.near(loc)
	for _, r := range l.runs[near.first:near.end] {
		if overlap(r.loc, loc) && (cutsBox(r.loc.Box, loc.Box) || r.ends == noEnds && r.from < r.to && cutsLines(r.loc, loc)) {
			return true
		}
	}
	return false
}

func cutsBox(in, by citekit.Box) bool {
	return !in.IsZero() && !by.IsZero() && (in.X1 < by.X1-boxSlack || in.Y1 < by.Y1-boxSlack || in.X2 > by.X2+boxSlack || in.Y2 > by.Y2+boxSlack)
}

func cutsLines(r, loc citekit.Location) bool {
	return !r.Lines.IsZero() && !loc.Lines.IsZero() && countAlike(r, loc) && (r.Lines.First < loc.Lines.First || r.Lines.Last > loc.Lines.Last)
}

// Around returns what [Layer.Ranges] returns for the smallest location around
// loc that the runs separate from other text: loc, what [citekit.Location.Widened]
// returns, or the part, message, table or sheet that loc is in, else the whole
// text.
func (l *Layer) Around(loc citekit.Location) ([]Bytes, error) {
	named := citekit.Location{Modality: loc.Modality, Member: loc.Member, Part: loc.Part, Message: loc.Message, Table: loc.Table, Sheet: loc.Sheet}
	if isTableOnPage(loc) {
		named = Widened(loc)
	}
	var parts []Bytes
	var err error
	for _, wider := range []citekit.Location{loc, Widened(loc), named} {
		if parts, err = l.Ranges(wider); !errors.Is(err, errors.ErrUnsupported) {
			return parts, err
		}
	}
	return parts, err
}

// cut returns the part of a run on some lines.
func (l *Layer) cut(r run, lines citekit.Range) (Bytes, error) {
	all := Bytes{r.from, r.to}
	own := r.loc.Lines
	if r.ends == noEnds || lines.IsZero() || lines.First <= own.First && lines.Last >= own.Last {
		return all, nil
	}
	starts, err := l.lineStarts(r)
	if err != nil {
		return all, err
	}
	part := all
	if n := lines.First - own.First; n > 0 && n < len(starts) {
		part.From += int64(starts[n])
	}
	if n := lines.Last - own.First + 1; n < len(starts) {
		part.To = r.from + int64(starts[n])
	}
	return part, nil
}

// overlap reports whether a run overlaps a location.
func overlap(r, loc citekit.Location) bool {
	return overlapStructure(r, loc) && overlapPages(r.Pages, loc.Pages) && (overlapLines(r.Lines, loc.Lines) || !countAlike(r, loc)) &&
		overlapTime(r.Time, loc.Time) && overlapBox(r.Box, loc.Box)
}

func overlapPages(a, b []citekit.Range) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	for _, p := range a {
		i, _ := slices.BinarySearchFunc(b, p.First, func(q citekit.Range, first int) int { return cmp.Compare(q.Last, first) })
		if i < len(b) && overlapLines(p, b[i]) {
			return true
		}
	}
	return false
}

func overlapLines(a, b citekit.Range) bool {
	return a.IsZero() || b.IsZero() || a.First <= b.Last && b.First <= a.Last
}

func overlapTime(a, b citekit.Span) bool {
	return (b.End == 0 || a.Start < b.End) && (a.End == 0 || b.Start < a.End)
}

func overlapBox(a, b citekit.Box) bool {
	return a.IsZero() || b.IsZero() || a.X1 < b.X2 && b.X1 < a.X2 && a.Y1 < b.Y2 && b.Y1 < a.Y2
}

// isTableOnPage reports whether a location is a table on a page, or cells of one, which have
// no runs.
func isTableOnPage(l citekit.Location) bool { return l.Table != "" && len(l.Pages) > 0 }

// Widened returns a location without the selectors that divide a run of text: a box or a table on a page becomes the
// page, cells of a table become the block of the table, cells of a sheet become their rows, and columns are left out. Other locations
// are returned unchanged, as are boxes of images.
func Widened(l citekit.Location) citekit.Location {
	if l.Modality != citekit.Image {
		l.Box = citekit.Box{}
	}
	if c := l.Cells; !c.IsZero() && l.Sheet != "" {
		l.Rows = citekit.Range{First: int(c.First.Row), Last: int(c.Last.Row)}
	}
	if isTableOnPage(l) {
		l.Table = ""
	}
	l.Cells, l.Cols = citekit.Cells{}, nil
	return l
}
