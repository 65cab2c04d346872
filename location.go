package citekit

import (
	"slices"
	"strings"

	form "github.com/citekit/citekit/internal/selector"
)

// A Range is a run of pages, lines, blocks, rows or parts, counted from 1, both ends
// included. The zero Range selects everything.
type Range struct{ First, Last int }

// IsZero reports whether r selects everything.
func (r Range) IsZero() bool { return r == Range{} }

// Len returns the number of units in r, which must not be zero: the zero Range stands
// for everything, and its Len means nothing.
func (r Range) Len() int { return r.Last - r.First + 1 }

// String returns the form in an address, such as "3-5", or "3" for one.
func (r Range) String() string { return form.Run(r).String() }

// A Span is a stretch of time in seconds, [Start, End). A zero End means the end of the
// resource, so the zero Span selects everything.
type Span struct{ Start, End float64 }

// IsZero reports whether s selects everything.
func (s Span) IsZero() bool { return s == Span{} }

// String returns the form in an address, such as "1.5-20", or "1.5-" up to the end.
func (s Span) String() string { return form.Span(s).String() }

// A Box is a rectangle in fractions of the width and height as displayed, 0 to 1, from
// the top left corner; X2 and Y2 are the far edges. The zero Box selects everything.
type Box struct{ X1, Y1, X2, Y2 float64 }

// IsZero reports whether b selects everything.
func (b Box) IsZero() bool { return b == Box{} }

// String returns the form in an address, such as "0.1,0.1,0.5,0.5".
func (b Box) String() string { return form.Box(b).String() }

// Pixels returns the pixels of a width by height image that b covers, as half-open
// ranges: the edges round to the nearest pixel boundary, and at least one pixel is
// covered in each direction.
func (b Box) Pixels(width, height int) (x1, y1, x2, y2 int) { return form.Box(b).Pixels(width, height) }

// A Cell is one cell of a sheet or a table: its column and its row, both counted from
// 1. Its text form is A1 notation: letters for the column, digits for the row, so that
// {2, 5} is "B5". A column has at most three letters.
type Cell struct{ Col, Row int32 }

// String returns A1 notation, such as "B5".
func (c Cell) String() string { return form.Cell(c).String() }

// Cells are a rectangle of cells, both corners included. The zero Cells are all.
type Cells struct{ First, Last Cell }

// IsZero reports whether c selects everything.
func (c Cells) IsZero() bool { return c == Cells{} }

// Has reports whether c contains the cell. The zero Cells contain every cell.
func (c Cells) Has(cell Cell) bool { return form.Cells[Cell](c).Has(cell) }

// String returns A1 notation, such as "B5:D10", or "B5" for one cell.
func (c Cells) String() string { return form.Cells[Cell](c).String() }

// UnmarshalText implements [encoding.TextUnmarshaler] with A1 notation, such as
// "B5:D10", "B5" or "$B$5". Corners in another order, such as "D5:B10", are put in
// order. The error matches [ErrSyntax].
func (c *Cells) UnmarshalText(text []byte) error {
	return asSyntax((*form.Cells[Cell])(c).Set(string(text)))
}

// A Location selects a part of a resource. A selector that is zero selects everything.
//
// Methods of [Modality] make locations: [Document].Pages(12, 15), [Text].Lines(10, 25),
// [Audio].Seconds(1.5, 20). Zeros and empty names, as of a variable that was not set,
// make an invalid location, not all of a resource; only Seconds(0, 0) is all of it,
// from the start to the end.
//
// Methods of [Library] that take a Location or an [Address] accept an empty Modality,
// which means that of the resource; Modality("").Lines(10, 25) has it. Set it before
// you call [Address.String] or [Location.Validate]. In a map an empty Modality is an
// error, because other programs read maps too; ingest.Repair fills it in.
//
// Its JSON form is {"modality": …} with "pages" (a list of page numbers), "lines"
// ([first, last]), "start" and "end" (seconds), "bbox" ([x1, y1, x2, y2]), "blocks" and
// "rows" ([first, last]), "cells" (A1 notation), "sheet", "table", "part" and "member"
// (strings), "cols" (a list of strings), "message" (a number) or "virtual_address".
// Unknown fields survive a load and save.
type Location struct {
	Modality Modality // of the content; "" means that of the resource

	// Pages are runs of pages, sorted, without overlap and not adjoining;
	// [Location.WithPages] makes them so. The evidence has the pages in ascending
	// order.
	Pages []Range

	Lines Range // of a text, or of the Part or Message
	Time  Span  // of video or audio
	Box   Box   // of an image, or of the one page in Pages

	// Blocks are the children of the body of a structured text, such as paragraphs,
	// lists and tables. If Part is set, they are blocks of that part.
	Blocks Range

	// Sheet is the name of a sheet. Cells, Rows or Cols select within it.
	Sheet string

	// Cells are cells of the Sheet, of the Table or of the table in Blocks, a single block.
	Cells Cells

	Rows Range // of a Sheet or a Table, or records of comma-separated values, where 1 is the header

	// Cols are columns. For a Sheet it is one run of letters, such as "B:D"; otherwise
	// the names or numbers of columns.
	Cols []string

	// Part is the number of a part: of a book in reading order, such as "4", or "4-6" for
	// several; of a mail as RFC 3501 counts, such as "1.2".
	Part string

	Message int // of a mailbox, from 1; zero selects everything

	Table string // the name of a table of a database, or the number of one on a page, in a Part or in a text

	// Member is the name of a member of an archive or a mail, as it is stored there. If
	// that member is itself an archive, Member may have a second name after "!/".
	// Modality and all other selectors apply to the member.
	Member string

	// VirtualAddress is where a virtual location points. Citekit returns it and never
	// follows it.
	VirtualAddress string

	odd *oddLocation // what its JSON had beyond the above; nil for nearly all
}

// Pages selects the pages from first to last, counted from 1, both included.
func (m Modality) Pages(first, last int) Location {
	return Location{Modality: m, Pages: []Range{{first, last}}}
}

// Lines selects the lines from first to last, counted from 1, both included.
func (m Modality) Lines(first, last int) Location {
	return Location{Modality: m, Lines: Range(form.Counted(first, last))}
}

// Blocks selects the blocks from first to last, counted from 1, both included.
func (m Modality) Blocks(first, last int) Location {
	return Location{Modality: m, Blocks: Range(form.Counted(first, last))}
}

// Seconds selects the time from start up to end, in seconds; end 0 is the end of the
// resource.
func (m Modality) Seconds(start, end float64) Location {
	return Location{Modality: m, Time: Span{start, end}}
}

// Region selects a [Box], in fractions of width and height from the top left.
func (m Modality) Region(x1, y1, x2, y2 float64) Location {
	return Location{Modality: m, Box: Box(form.Region(x1, y1, x2, y2))}
}

// Sheet selects a sheet by its name, and cells of it in A1 notation, such as "B5:D10";
// "" selects all of it. [Location.Validate] reports malformed notation.
func (m Modality) Sheet(name, cells string) Location {
	l := Location{Modality: m, Sheet: form.Named(name)}
	if cells != "" && l.Cells.UnmarshalText([]byte(cells)) != nil {
		l.Cells.First.Col = -1 // which Validate refuses
		l.odd = &oddLocation{cells: cells}
	}
	return l
}

// Part selects a part by its number: of a book in reading order, from "1", or of a mail
// as IMAP counts, such as "1.2" (RFC 3501, section 6.4.5). "4-6" selects several parts
// of a book, both ends included.
func (m Modality) Part(number string) Location {
	return Location{Modality: m, Part: form.Named(number)}
}

// Member selects a member of an archive by its name, where m is the modality of the
// member. [Location.In] selects within it.
func (m Modality) Member(name string) Location {
	return Location{Modality: m, Member: form.Named(name)}
}

// WithPages returns l with the pages of runs in any order: sorted, with overlapping and
// adjoining runs joined.
func (l Location) WithPages(runs ...Range) Location {
	l.Pages = form.Join(slices.Clone(runs))
	return l
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

// Equal reports whether the modalities and selectors of l and m are the same.
func (l Location) Equal(m Location) bool {
	return l.Modality == m.Modality && slices.Equal(l.Pages, m.Pages) && l.Lines == m.Lines &&
		l.Time == m.Time && l.Box == m.Box && l.VirtualAddress == m.VirtualAddress &&
		l.Blocks == m.Blocks && l.Cells == m.Cells && l.Rows == m.Rows && slices.Equal(l.Cols, m.Cols) &&
		l.Sheet == m.Sheet && l.Part == m.Part && l.Message == m.Message && l.Table == m.Table && l.Member == m.Member
}

// In returns l as a location in the member with the given name. The other selectors of
// l then select a part of that member.
func (l Location) In(member string) Location {
	l.Member = member
	return l
}

// cutMember returns the name of the member that a location begins with, and the
// location within that; "" if it has none.
func (l Location) cutMember() (name string, inner Location) {
	name, l.Member, _ = strings.Cut(l.Member, form.MemberSeparator)
	return name, l
}

// Parts returns the parts of a book that l selects, counted from 1, both included. It
// is zero if l selects no part, or a part within one, such as "1.2" of a mail.
func (l Location) Parts() Range { return Range(form.Part(l.Part).Run()) }

// SheetCols returns the first and the last column that Cols selects of a sheet, counted
// from 1, or zeros if Cols are not letters.
func (l Location) SheetCols() (first, last int) { return form.Columns(l.Cols).Letters() }

// TableNumber returns the number that Table is, from 1, or 0.
func (l Location) TableNumber() int { return form.TableNumber(l.Table) }

// normalizeCols writes columns of a sheet in upper case, and one column without a range.
func (l *Location) normalizeCols() {
	if first, last := l.SheetCols(); l.Sheet != "" && first > 0 {
		l.Cols = []string{form.ColRun(first, last)}
	}
}

// Contains reports whether inner lies inside l. Both must be valid locations of one
// source. A location that selects everything contains every other; a page contains a
// box on it. Locations of different modalities pass. Ends of time may differ by .1 s.
func (l Location) Contains(inner Location) bool {
	switch {
	case l.Member != "" && !form.ContainsMember(l.Member, inner.Member):
		return false
	case l.Modality != inner.Modality || l.IsWhole():
		return true
	case l.Member != "" && l.Member != inner.Member:
		return l.In("").IsWhole()
	case inner.IsWhole():
		return false
	}
	same := func(outer, inner string) bool { return outer == "" || outer == inner }
	return form.ContainsMember(l.Member, inner.Member) &&
		same(l.Sheet, inner.Sheet) && same(l.Table, inner.Table) && (l.Message == 0 || l.Message == inner.Message) &&
		form.Part(l.Part).Contains(form.Part(inner.Part)) &&
		form.Pages[Range](l.Pages).Contains(inner.Pages) &&
		form.Run(l.Blocks).Contains(form.Run(inner.Blocks)) &&
		form.Run(l.Lines).Contains(form.Run(inner.Lines)) &&
		form.Span(l.Time).Contains(form.Span(inner.Time), timeSlack) &&
		form.Box(l.Box).Contains(form.Box(inner.Box)) &&
		l.grid().Contains(inner.grid())
}

func (l Location) grid() form.Grid[Cell] {
	return form.Grid[Cell]{Cells: form.Cells[Cell](l.Cells), Rows: form.Run(l.Rows), Cols: l.Cols, Sheets: l.Sheet != ""}
}
