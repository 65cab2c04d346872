package citation

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
)

// Limits on the data of a source, in bytes.
const (
	maxTitle  = 500
	maxAuthor = 300
	maxQuote  = 64 << 10 // of a parsed quote
)

// A Citation names a part of a resource, and may have the words quoted from it.
// Each form has some of the fields; the fields that a parsed form lacks are
// zero.
type Citation struct {
	// Address is the part. Without a location it is the whole resource. The
	// zero Address says that the form names a resource without an address,
	// which [Work.Title] or [Work.Path] may identify.
	Address citekit.Address

	// Quote is the quoted words, as in the text of the source; "" if the part
	// as a whole is cited. Prefix and Suffix are the text before and after it.
	Quote, Prefix, Suffix string

	// Position is the place of the quote in the text of its resource, as
	// package textlayer gives that; zero if it is not known.
	Position CodePointRange

	Work Work
}

// A Work describes a source for a bibliography. All fields may be empty.
type Work struct {
	Title   string
	Part    string   // the title of the node
	Authors []string // such as "Ada Lovelace" or "Lovelace, Ada"
	Date    string   // date of the work: ISO 8601, including "1843" and "1843-07", or as written in the source
	Path    string   // of the source

	Transcribed bool // the text of a recording is what a machine heard in it
	Recognised  bool // the quote was recognised in a picture
}

// WorkOf returns the description of a source in its map. The title of the node,
// which may be nil, becomes the part. Texts are on one line; titles are cut at
// 500 bytes and authors at 300.
func WorkOf(m *citekit.ResourceMap, n *citekit.Node) Work {
	w := Work{Title: plain.Words(m.Title, maxTitle), Path: m.SourcePath, Transcribed: about.IsTranscribed(m.Metadata)}
	if w.Title == "" {
		w.Title = m.ResourceID
	}
	if n != nil {
		w.Part = plain.Words(n.Title, maxTitle)
	}
	if authors, _ := m.Metadata[about.AuthorKey].(string); authors != "" {
		for name := range strings.SplitSeq(authors, ";") {
			if name = plain.Words(name, maxAuthor); name != "" && len(w.Authors) < about.MaxAuthors {
				w.Authors = append(w.Authors, name)
			}
		}
	}
	date, _ := m.Metadata[about.DateKey].(string)
	w.Date = plain.Words(date, maxAuthor)
	return w
}

// A date is a year with the month and day if they are known.
type date struct {
	year, month, day int
}

// date returns the date of the work, and whether it could be parsed.
func (w Work) date() (date, bool) {
	at, ok := about.Time(map[string]any{about.DateKey: w.Date})
	if !ok {
		return date{}, false
	}
	year, month, day := at.Date()
	switch len(w.Date) {
	case len("2006"):
		return date{year: year}, true
	case len("2006-01"):
		return date{year: year, month: int(month)}, true
	}
	return date{year, int(month), day}, true
}

// day returns the date without the time of the day, or as it is written if it
// cannot be parsed.
func (w Work) day() string {
	if d, ok := w.date(); ok {
		return d.String()
	}
	return w.Date
}

func (d date) String() string {
	switch {
	case d.month == 0:
		return time.Date(d.year, 1, 1, 0, 0, 0, 0, time.UTC).Format("2006")
	case d.day == 0:
		return time.Date(d.year, time.Month(d.month), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
	}
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// title returns the title of the work; "untitled" if nothing gives one.
func (c *Citation) title() string {
	for _, title := range []string{c.Work.Title, c.Work.Path, c.Address.Resource} {
		if title = plain.Words(title, maxTitle); title != "" {
			return title
		}
	}
	return "untitled"
}

// Label returns a text for people: the title, the part and the place, such as
// "Notes on the Engine, Note G, page 12". A quote of a transcript that a machine made is
// called so.
func (c *Citation) Label() string {
	label := c.title()
	if part := plain.Words(c.Work.Part, maxTitle); part != "" && part != label {
		label += ", " + part
	}
	if place := c.place(); place != "" {
		label += ", " + place
	}
	if how := c.transcribed(); how != "" {
		label += ", " + how
	}
	return label
}

// transcribed says that the quote is not surely the words of the speaker or the picture;
// else "".
func (c *Citation) transcribed() string {
	switch {
	case c.Quote == "":
	case c.Work.Transcribed:
		return "transcribed by a machine"
	case c.Work.Recognised:
		return "recognised in a picture"
	}
	return ""
}

// slideExtensions are those of presentations, whose pages are slides.
var slideExtensions = []string{".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm", ".odp", ".otp"}

// place is [Place] with the word "slide" for a page of a presentation.
func (c *Citation) place() string {
	file := cmp.Or(c.Address.Location.Member, c.Work.Path)
	if slices.Contains(slideExtensions, strings.ToLower(path.Ext(file))) {
		return place(c.Address.Location, "slide")
	}
	return Place(c.Address.Location)
}

// Place returns a location as text for people, such as "pages 3–5", "lines
// 10–20", "sheet Q4, cells B5:D10", "1:02–1:10" or "region 25%–75% from the left,
// 0%–10% from the top"; "" if it is a whole resource or virtual. A time has fractions
// of seconds, to a thousandth, if it does not begin and end at whole seconds, such as
// "0:04.5–0:11.5". Names are on one line.
func Place(l citekit.Location) string { return place(l, "page") }

// place is Place with another word for a page.
func place(l citekit.Location, page string) string {
	var places []string
	add := func(kind, which string) {
		if which != "" {
			places = append(places, kind+" "+which)
		}
	}
	add("file", plain.Words(l.Member, maxTitle))
	if l.Message != 0 {
		add("message", strconv.Itoa(l.Message))
	}
	add(manyIf(strings.Contains(l.Part, "-"), "part"), strings.ReplaceAll(l.Part, "-", "–"))
	add("table", plain.Words(l.Table, maxTitle))
	add("sheet", plain.Words(l.Sheet, maxTitle))
	pages := make([]string, len(l.Pages))
	for i, run := range l.Pages {
		pages[i] = dashed(run)
	}
	add(manyIf(l.PageCount() > 1, page), strings.Join(pages, ", "))
	add(manyIf(l.Blocks.Len() > 1, "block"), dashed(l.Blocks))
	if !l.Cells.IsZero() {
		add(manyIf(l.Cells.First != l.Cells.Last, "cell"), l.Cells.String())
	}
	add(manyIf(l.Rows.Len() > 1, "row"), dashed(l.Rows))
	cols := plain.Words(strings.Join(l.Cols, ", "), maxTitle)
	add(manyIf(len(l.Cols) > 1 || l.Sheet != "" && strings.Contains(cols, ":"), "column"), cols)
	add(manyIf(l.Lines.Len() > 1, "line"), dashed(l.Lines))
	switch {
	case l.Time.IsZero():
	case l.Time.End == 0:
		places = append(places, "from "+clock(l.Time.Start)+fraction(l.Time.Start, 3))
	default:
		places = append(places, clockSpan(l.Time))
	}
	if b := l.Box; !b.IsZero() {
		add("region", percents(b.X1, b.X2)+" from the left, "+percents(b.Y1, b.Y2)+" from the top")
	}
	return strings.Join(places, ", ")
}

// manyIf returns a word in the plural if many is true.
func manyIf(many bool, word string) string {
	if many {
		return word + "s"
	}
	return word
}

func dashed(r citekit.Range) string {
	switch {
	case r.IsZero():
		return ""
	case r.First == r.Last:
		return strconv.Itoa(r.First)
	}
	return strconv.Itoa(r.First) + "–" + strconv.Itoa(r.Last)
}

// percents returns two fractions as "25%–75%", to a thousandth of a percent.
func percents(from, to float64) string {
	percent := func(f float64) string { return strconv.FormatFloat(math.Round(f*1e5)/1e3, 'f', -1, 64) + "%" }
	return percent(from) + "–" + percent(to)
}

// clockSpan returns a span with fractions of seconds only if it has some: to a
// thousandth, or to what its ends differ by.
func clockSpan(t citekit.Span) string {
	for digits := 3; ; digits = -1 {
		start, end := clock(t.Start)+fraction(t.Start, digits), clock(t.End)+fraction(t.End, digits)
		if start != end || digits < 0 {
			return start + "–" + end
		}
	}
}

// fraction returns the fraction of a second with its point, such as ".5", or "". It
// is cut after some digits; a negative number keeps all.
func fraction(seconds float64, digits int) string {
	_, behind, _ := strings.Cut(strconv.FormatFloat(seconds, 'f', -1, 64), ".")
	if digits >= 0 && len(behind) > digits {
		behind = behind[:digits]
	}
	if behind = strings.TrimRight(behind, "0"); behind == "" {
		return ""
	}
	return "." + behind
}

// clock returns a valid time as media players show it, without fractions of
// seconds.
func clock(seconds float64) string {
	whole := int64(seconds)
	minutes := strconv.FormatInt(whole/60%60, 10)
	text := strconv.FormatInt(whole%60, 10)
	if len(text) == 1 {
		text = "0" + text
	}
	if whole < 3600 {
		return minutes + ":" + text
	}
	if len(minutes) == 1 {
		minutes = "0" + minutes
	}
	return strconv.FormatInt(whole/3600, 10) + ":" + minutes + ":" + text
}
