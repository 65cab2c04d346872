package citekit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// A Range is a run of pages, lines, blocks, rows or parts, counted from 1, both
// ends included. The zero Range selects everything.
type Range struct{ First, Last int }

// IsZero reports whether r selects everything.
func (r Range) IsZero() bool { return r == Range{} }

// Len returns the number of units in r, which must not be zero: the zero Range
// stands for everything, and its Len means nothing.
func (r Range) Len() int { return r.Last - r.First + 1 }

// String returns the form in an address, such as "3-5", or "3" for one.
func (r Range) String() string {
	if r.First == r.Last {
		return fmt.Sprint(r.First)
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

// A Span is a stretch of time in seconds, [Start, End). A zero End means the
// end of the resource, so the zero Span selects everything.
type Span struct{ Start, End float64 }

// IsZero reports whether s selects everything.
func (s Span) IsZero() bool { return s == Span{} }

// String returns the form in an address, such as "1.5-20", or "1.5-" up to the
// end.
func (s Span) String() string {
	if s.End == 0 {
		return plain.FormatDecimal(s.Start) + "-"
	}
	return plain.FormatDecimal(s.Start) + "-" + plain.FormatDecimal(s.End)
}

// A Box is a rectangle in fractions of the width and height as displayed, 0 to
// 1, from the top left corner; X2 and Y2 are the far edges. The zero Box
// selects everything.
type Box struct{ X1, Y1, X2, Y2 float64 }

// IsZero reports whether b selects everything.
func (b Box) IsZero() bool { return b == Box{} }

// Pixels returns the pixels of a width by height image that b covers, as
// half-open ranges: the edges round to the nearest pixel boundary, and at
// least one pixel is covered in each direction.
func (b Box) Pixels(width, height int) (x1, y1, x2, y2 int) {
	if b.IsZero() {
		return 0, 0, width, height
	}
	x1, x2 = pixelSpan(b.X1, b.X2, width)
	y1, y2 = pixelSpan(b.Y1, b.Y2, height)
	return x1, y1, x2, y2
}

func pixelSpan(low, high float64, n int) (int, int) {
	first := min(max(int(math.Round(low*float64(n))), 0), n-1)
	end := min(int(math.Round(high*float64(n))), n)
	return first, max(end, first+1)
}

// String returns the form in an address, such as "0.1,0.1,0.5,0.5".
func (b Box) String() string {
	return strings.Join([]string{
		plain.FormatDecimal(b.X1), plain.FormatDecimal(b.Y1), plain.FormatDecimal(b.X2), plain.FormatDecimal(b.Y2),
	}, ",")
}

// A Location selects a part of a resource. A selector that is zero selects
// everything.
//
// The functions [Pages], [Lines], [Seconds], [Region], [Blocks], [Sheet],
// [Part] and [Member] make locations. They leave Modality empty, which means
// that of the resource. Set it before you call [Address.String] or
// [Location.Validate]. Zeros and empty names, as of a variable that was not set,
// make an invalid location, not all of a resource; only Seconds(0, 0) is all of
// it, from the start to the end.
//
// Methods of [Library] that take a Location or an [Address] accept an empty
// Modality. In a map an empty Modality is an error, because other programs read
// maps too; ingest.Repair fills it in.
//
// Its JSON form is {"modality": …} with "pages" (a list of page numbers),
// "lines" ([first, last]), "start" and "end" (seconds), "bbox" ([x1, y1, x2,
// y2]), "blocks" and "rows" ([first, last]), "cells" (A1 notation), "sheet",
// "table", "part" and "member" (strings), "cols" (a list of strings), "message"
// (a number) or "virtual_address". Unknown fields survive a load and save.
type Location struct {
	Modality Modality // of the content; "" means that of the resource

	// Pages are runs of pages, sorted, without overlap and not adjoining;
	// [PageRuns] makes them so. The evidence has the pages in ascending order.
	Pages []Range

	Lines Range // of a text, or of the Part or Message
	Time  Span  // of video or audio
	Box   Box   // of an image, or of the one page in Pages

	// Blocks are the children of the body of a structured text, such as
	// paragraphs, lists and tables. If Part is set, they are blocks of that
	// part.
	Blocks Range

	// Sheet is the name of a sheet. Cells, Rows or Cols select within it.
	Sheet string

	// Cells are cells of the Sheet, or, without a Sheet, of the table in
	// Blocks, which must then be a single block.
	Cells Cells

	Rows Range // of a Sheet or a Table, or records of comma-separated values, where 1 is the header

	// Cols are columns. For a Sheet it is one run of letters, such as "B:D";
	// otherwise the names or numbers of columns.
	Cols []string

	// Part is the number of a part. Parts of a book are counted in reading
	// order, such as "4", or "4-6" for several; parts of a mail as RFC 3501
	// counts them, such as "1.2".
	Part string

	Message int // of a mailbox, from 1; zero selects everything

	Table string // the name of a table of a database

	// Member is the name of a member of an archive or a mail, as it is stored
	// there. If that member is itself an archive, Member may have a second name
	// after [MemberSeparator]. Modality and all other selectors apply to the
	// member.
	Member string

	// VirtualAddress is where a virtual location points. Citekit returns it and
	// never follows it.
	VirtualAddress string

	odd *oddLocation // what its JSON had beyond the above; nil for nearly all
}

// Pages selects the pages from first to last, counted from 1, both included.
func Pages(first, last int) Location { return Location{Pages: []Range{{first, last}}} }

// Lines selects the lines from first to last, counted from 1, both included.
func Lines(first, last int) Location { return Location{Lines: counted(first, last)} }

// Seconds selects the time from start up to end, in seconds; end 0 is the end
// of the resource.
func Seconds(start, end float64) Location { return Location{Time: Span{start, end}} }

// Region selects a [Box], in fractions of width and height from the top left.
func Region(x1, y1, x2, y2 float64) Location {
	box := Box{x1, y1, x2, y2}
	if box.IsZero() {
		box = emptyBox
	}
	return Location{Box: box}
}

// emptyBox is what [Region] makes of a box at 0 without a size. The zero Box would
// select everything; [Location.Validate] refuses this one.
var emptyBox = Box{-1, -1, -1, -1}

// counted returns the range from first to last. Of 0 and 0 it is one that
// [Location.Validate] refuses, as the zero Range would select everything.
func counted(first, last int) Range {
	if first == 0 && last == 0 {
		last = -1
	}
	return Range{first, last}
}

// PageRuns returns the canonical form of runs: sorted, with overlapping and
// adjoining runs joined. It does not modify its argument.
func PageRuns(runs ...Range) []Range {
	sorted := slices.Clone(runs)
	slices.SortFunc(sorted, func(a, b Range) int { return cmp.Compare(a.First, b.First) })
	var joined []Range
	for _, run := range sorted {
		if n := len(joined); n > 0 && adjoins(joined[n-1], run) {
			joined[n-1].Last = max(joined[n-1].Last, run.Last)
			continue
		}
		joined = append(joined, run)
	}
	return joined
}

// adjoins reports whether next, which does not begin before run, overlaps it
// or follows it without a gap.
func adjoins(run, next Range) bool {
	return next.First <= run.Last || next.First == run.Last+1
}

// PageCount returns the number of pages that l selects; 0 stands for all.
func (l Location) PageCount() int {
	n := 0
	for _, run := range l.Pages {
		n += run.Len()
	}
	return n
}

// IsWhole reports whether l selects all of its resource.
func (l Location) IsWhole() bool {
	return len(l.Pages) == 0 && l.Lines.IsZero() && l.Time.IsZero() && l.Box.IsZero() && l.VirtualAddress == "" &&
		l.Blocks.IsZero() && l.Cells.IsZero() && l.Rows.IsZero() && len(l.Cols) == 0 &&
		l.Sheet == "" && l.Part == "" && l.Message == 0 && l.Table == "" && l.Member == ""
}

// Equal reports whether l and m have the same modality and selectors. It
// ignores unknown JSON fields.
func (l Location) Equal(m Location) bool {
	return l.Modality == m.Modality && slices.Equal(l.Pages, m.Pages) && l.Lines == m.Lines &&
		l.Time == m.Time && l.Box == m.Box && l.VirtualAddress == m.VirtualAddress &&
		l.Blocks == m.Blocks && l.Cells == m.Cells && l.Rows == m.Rows && slices.Equal(l.Cols, m.Cols) &&
		l.Sheet == m.Sheet && l.Part == m.Part && l.Message == m.Message && l.Table == m.Table && l.Member == m.Member
}

// Validate returns an error matching [ErrSyntax] if l is invalid whatever its
// source is: if its Modality is not valid, a number that counts from 1 is less,
// a range ends before it begins, a time is negative or too large, a box is
// empty or outside 0 to 1, Pages are not sorted, a name is too long or has
// control characters, or the selectors do not belong to the modality or do not
// go together. [Extent.Check] checks the bounds of a source.
func (l Location) Validate() error {
	if err := l.odd.issue(); err != nil {
		return err
	}
	if err := l.Modality.Validate(); err != nil {
		return err
	}
	if field := l.foreignSelector(); field != "" {
		return syntaxError("%s location cannot have %s", message.Article(l.Modality), field)
	}
	for _, check := range []func() error{
		l.checkPages, l.checkLines, l.checkTime, l.checkBox, l.checkVirtual,
		l.checkBlocks, l.checkRows, l.checkCells, l.checkPart, l.checkNames, l.checkCols, l.checkFamily,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// foreignSelector returns the JSON name of a selector that the modality does
// not have, or "". Of modalities that are not built in their resolver decides.
func (l Location) foreignSelector() string {
	m := l.Modality
	switch {
	case l.VirtualAddress != "" && m != Virtual:
		return "virtual_address"
	case !m.builtIn():
		return ""
	}
	for _, name := range l.selectorsIn() {
		if !slices.ContainsFunc(families[m], func(family []string) bool { return slices.Contains(family, name) }) {
			return name
		}
	}
	return ""
}

func (l Location) checkPages() error {
	for i, run := range l.Pages {
		switch {
		case run.First < 1:
			return syntaxError("page %d; pages count from 1", run.First)
		case run.Last < run.First:
			return syntaxError("pages %d-%d end before they begin", run.First, run.Last)
		case i > 0 && (run.First <= l.Pages[i-1].First || adjoins(l.Pages[i-1], run)):
			return syntaxError("pages %v and %v are not sorted runs", l.Pages[i-1], run)
		}
	}
	return nil
}

func (l Location) checkLines() error {
	switch {
	case l.Lines.IsZero():
		return nil
	case l.Lines.First < 1:
		return syntaxError("line %d; lines count from 1", l.Lines.First)
	case l.Lines.Last < l.Lines.First:
		return syntaxError("lines %d-%d end before they begin", l.Lines.First, l.Lines.Last)
	}
	return nil
}

func (l Location) checkTime() error {
	t := l.Time
	switch {
	case !isFinite(t.Start) || !isFinite(t.End):
		return syntaxError("time %v-%v is not a number of seconds", t.Start, t.End)
	case t.Start < 0 || t.End < 0:
		return syntaxError("time %v-%v; seconds count from 0", t.Start, t.End)
	case t.Start > plain.MaxSeconds || t.End > plain.MaxSeconds:
		return syntaxError("time %v is more than %d years", t, plain.MaxSeconds/plain.SecondsPerYear)
	case t.End != 0 && t.End <= t.Start:
		return syntaxError("time %v does not end after it begins", t)
	}
	return nil
}

func (l Location) checkBox() error {
	b := l.Box
	switch b {
	case Box{}:
		return nil
	case emptyBox:
		return syntaxError("bbox [0, 0, 0, 0] is empty; x2 and y2 are the far edges")
	}
	for _, v := range []float64{b.X1, b.Y1, b.X2, b.Y2} {
		if !isFinite(v) || v < 0 || v > 1 {
			return syntaxError("bbox [%v, %v, %v, %v]; its numbers are fractions from 0 to 1", b.X1, b.Y1, b.X2, b.Y2)
		}
	}
	if b.X2 <= b.X1 || b.Y2 <= b.Y1 {
		return syntaxError("bbox [%v, %v, %v, %v] is empty; x2 and y2 are the far edges", b.X1, b.Y1, b.X2, b.Y2)
	}
	if l.Modality == Document && l.PageCount() != 1 {
		return syntaxError("bbox with %d pages; a box is on exactly one page", l.PageCount())
	}
	return nil
}

const maxVirtualAddress = 8 << 10

func (l Location) checkVirtual() error {
	if len(l.VirtualAddress) > maxVirtualAddress {
		return syntaxError("virtual_address of %d bytes; at most %d", len(l.VirtualAddress), maxVirtualAddress)
	}
	if !message.IsPlain(l.VirtualAddress) {
		return syntaxError("virtual_address has control characters or is not UTF-8")
	}
	if rest, ok := strings.CutPrefix(l.VirtualAddress, "virtual://"); ok {
		id, _ := cutVirtual(rest)
		_, err := parseID(id)
		return err
	}
	return nil
}

func syntaxError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrSyntax)...)
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
