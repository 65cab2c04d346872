package citation

import (
	"strconv"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
)

// Bounds of what is written of a source, in bytes.
const (
	maxTitle  = 500
	maxAuthor = 300
	maxQuote  = 64 << 10 // of a quote that is read
)

// A Citation names a part of a resource, and may hold the words that are quoted
// from it. Every form has some of it; what a form that is read does not have
// is zero.
type Citation struct {
	// Address is the part. Without a location it is the whole resource; the
	// zero one says that the form names no resource of ours, and [Work.Title]
	// or [Work.Path] may tell which.
	Address citekit.Address

	// Quote is the words, as they stand in the text of the source; "" if the
	// part as a whole is cited. Prefix and Suffix are what stands before and
	// behind it.
	Quote, Prefix, Suffix string

	// Position is where the quote stands in the text of its resource, as
	// package textlayer has it; zero if that is not known.
	Position CodePointRange

	Work Work
}

// A Work is what is known of a source for a bibliography. The zero value says
// nothing.
type Work struct {
	Title   string
	Part    string   // the title of the node
	Authors []string // such as "Ada Lovelace" or "Lovelace, Ada"
	Date    string   // when it was made: ISO 8601, "1843" and "1843-07" included, or as the source has it
	Path    string   // of the source
}

// WorkOf returns what a map says of its source. Of a node, which may be nil, its
// title is the part. Texts are on one line; titles are cut at 500 bytes and
// authors at 300.
func WorkOf(m *citekit.ResourceMap, n *citekit.Node) Work {
	w := Work{Title: plain.Words(m.Title, maxTitle), Path: m.SourcePath}
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

// A date is a year with the month and day where they are known.
type date struct {
	year, month, day int
}

// date returns when the work was made, and whether that could be read.
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

func (d date) String() string {
	switch {
	case d.month == 0:
		return time.Date(d.year, 1, 1, 0, 0, 0, 0, time.UTC).Format("2006")
	case d.day == 0:
		return time.Date(d.year, time.Month(d.month), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
	}
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// title returns what the work is called; "untitled" if nothing says it.
func (c *Citation) title() string {
	for _, title := range []string{c.Work.Title, c.Work.Path, c.Address.Resource} {
		if title = plain.Words(title, maxTitle); title != "" {
			return title
		}
	}
	return "untitled"
}

// Label returns what a person reads for c: the title, the part and the place,
// such as "Notes on the Engine, Note G, page 12".
func (c *Citation) Label() string {
	label := c.title()
	if part := plain.Words(c.Work.Part, maxTitle); part != "" && part != label {
		label += ", " + part
	}
	if place := Place(c.Address.Location); place != "" {
		label += ", " + place
	}
	return label
}

// Place returns a location as a person reads it, such as "pages 3–5",
// "lines 10–20" or "1:02–1:10"; "" if it is the whole, or virtual.
func Place(l citekit.Location) string {
	switch {
	case len(l.Pages) > 0:
		runs := make([]string, len(l.Pages))
		for i, run := range l.Pages {
			runs[i] = dashed(run)
		}
		if l.PageCount() == 1 {
			return "page " + runs[0]
		}
		return "pages " + strings.Join(runs, ", ")
	case !l.Lines.IsZero() && l.Lines.Len() == 1:
		return "line " + dashed(l.Lines)
	case !l.Lines.IsZero():
		return "lines " + dashed(l.Lines)
	case !l.Time.IsZero():
		if l.Time.End == 0 {
			return "from " + clock(l.Time.Start)
		}
		return clock(l.Time.Start) + "–" + clock(l.Time.End)
	}
	return ""
}

func dashed(r citekit.Range) string {
	if r.First == r.Last {
		return strconv.Itoa(r.First)
	}
	return strconv.Itoa(r.First) + "–" + strconv.Itoa(r.Last)
}

// clock returns a time, which is valid, as on a player. Parts of seconds are left
// out.
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
