package search

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/internal/index"
)

// A TableRow is a row of a table of a page that stands in a passage as it stands in the
// table: its cells one after another, with nothing between them.
type TableRow struct {
	From, To int              // bytes of the text of the passage
	Location citekit.Location // of the row
	Header   string           // the caption and the headers of the table
	IsHeader bool             // it is one of these
	Cells    [][2]int         // bytes of the text of the passage of each cell with text

	first citekit.Location // of the table
}

const (
	mostTablePages = 2       // pages of a passage whose rows are known
	mostCompared   = 1 << 20 // words that are compared for one passage
)

// TableRows returns the rows of tables in the passage of a result, in their order: those of
// tables that the map of its resource has with their cells. A row is left out if it is not
// clear where it stands in the passage.
func (s *Searcher) TableRows(ctx context.Context, r *Result) []TableRow {
	m, err := s.lib.Map(ctx, r.ResourceID)
	if err != nil || r.Passage == nil {
		return nil
	}
	return s.rowsOf(ctx, m, r.Address, r.Passage.Text)
}

// rowsOf returns the rows in a text that is on the pages of an address.
func (s *Searcher) rowsOf(ctx context.Context, m *citekit.ResourceMap, a citekit.Address, text string) (rows []TableRow) {
	loc := a.Location
	if n := loc.PageCount(); n < 1 || n > mostTablePages || !loc.Box.IsZero() || loc.Table != "" || loc.Member != "" {
		return nil
	}
	known := pagesWithTables(m)
	words, left := wordsOf(text), mostCompared
	for _, run := range loc.Pages {
		for page := run.First; page <= run.Last; page++ {
			if !known[page] {
				continue
			}
			on := a
			on.Location = loc.Modality.Pages(page, page)
			tables, err := s.previews.Tables(ctx, on)
			if err != nil {
				continue
			}
			for i := range tables {
				t := &tables[i]
				header := t.Header()
				for run := range t.Runs() {
					row := TableRow{Location: run.Location, Header: header, first: t.Location}
					row.IsHeader = int(run.Location.Cells.First.Row) <= t.Headers
					if row.find(words, run.Text, &left) {
						rows = append(rows, row)
					}
				}
			}
		}
	}
	slices.SortFunc(rows, func(a, b TableRow) int { return a.From - b.From })
	for i := 1; i < len(rows); i++ {
		if rows[i].From < rows[i-1].To { // two tables claim it
			return nil
		}
	}
	return rows
}

// pagesWithTables returns the pages on which a map has tables with cells.
func pagesWithTables(m *citekit.ResourceMap) map[int]bool {
	list, _ := m.Metadata["page_tables"].([]any)
	pages := make(map[int]bool)
	for _, one := range list {
		about, _ := one.(map[string]any)
		at, _ := about["at"].(string)
		if loc, _, err := citekit.ParseFragment(at); err == nil && loc.PageCount() == 1 {
			pages[loc.Pages[0].First] = true
		}
	}
	return pages
}

// A word is a word of a text without white space in it.
type word struct {
	text     string
	from, to int
}

// wordsOf returns the words of a text.
func wordsOf(text string) (words []word) {
	from := -1
	for i, r := range text {
		switch {
		case !unicode.IsSpace(r):
			if from < 0 {
				from = i
			}
		case from >= 0:
			words = append(words, word{text[from:i], from, i})
			from = -1
		}
	}
	if from >= 0 {
		words = append(words, word{text[from:], from, len(text)})
	}
	return words
}

// find finds a row with tabs between its cells in the words of a text: at least two cells
// with text, at one place. Left is how many words may still be compared.
func (r *TableRow) find(words []word, row string, left *int) bool {
	var want []string
	var ends []int // of cells, in want
	for cell := range strings.SplitSeq(strings.TrimSuffix(row, "\n"), "\t") {
		if fields := strings.Fields(cell); len(fields) > 0 {
			want = append(want, fields...)
			ends = append(ends, len(want))
		}
	}
	if len(ends) < 2 {
		return false
	}
	at := -1
	for i := 0; i+len(want) <= len(words); i++ {
		n := 0
		for n < len(want) && words[i+n].text == want[n] {
			n++
		}
		if *left -= n + 1; *left < 0 {
			return false
		}
		if n < len(want) {
			continue
		}
		if at >= 0 {
			return false // it is there twice
		}
		at = i
	}
	if at < 0 {
		return false
	}
	r.From, r.To = words[at].from, words[at+len(want)-1].to
	first := at
	for _, end := range ends {
		r.Cells = append(r.Cells, [2]int{words[first].from, words[at+end-1].to})
		first = at + end
	}
	return true
}

// onRows narrows passages to the row of a table that alone, under the header of the table,
// has all words of the query that the passage has. The scores stay: rows rank as their
// passages do. Passages that then show the row of a better one are dropped. It stops when
// half of the remaining time of the context is used.
func (f *searchCall) onRows(ctx context.Context, weights *index.Weights, shown []candidate) []candidate {
	if weights == nil || f.req.Whole || f.req.By != ByPassages && f.req.By != "" {
		return shown
	}
	if deadline, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	seen := make(map[string]bool)
	kept := shown[:0]
	for _, c := range shown {
		if ctx.Err() == nil && f.onRow(ctx, weights, &c) {
			at := c.result.Address.String()
			if seen[at] && !f.req.SameAddress {
				continue
			}
			seen[at] = true
		}
		kept = append(kept, c)
	}
	return kept
}

// onRow narrows a candidate, and reports whether it did. A table that was found by its title
// or its headers gets its rows as its text.
func (f *searchCall) onRow(ctx context.Context, weights *index.Weights, c *candidate) bool {
	in, r := f.resources[c.result.ResourceID], c.result
	text, from, at := c.text, int64(0), r.Address
	table := at.Location
	switch {
	case c.hit == nil || in.layer == nil:
		return false
	case table.Table != "" && len(table.Pages) == 1:
		at.Location = table.Modality.Pages(table.Pages[0].First, table.Pages[0].First)
		page, err := in.layer.Ranges(at.Location)
		if err != nil || len(page) != 1 {
			return false
		}
		if from = page[0].From; page[0].To-from > mostTableText {
			return false
		}
		if text, err = in.layer.Text(ctx, from, page[0].To); err != nil {
			return false
		}
	case r.Passage == nil || c.byStart:
		return false
	default:
		from, table = r.Passage.From, citekit.Location{}
	}
	rows := f.rowsOf(ctx, in.m, at, text)
	if table.Table != "" {
		rows = slices.DeleteFunc(rows, func(row TableRow) bool { return !row.first.Equal(table) })
	}
	if len(rows) == 0 {
		return false
	}
	show := func(row TableRow) {
		c.text = text[row.From:row.To]
		c.marks, c.goesOn = marksOf(c.hit, c.text), false
		r.Passage = &Passage{Text: c.text, From: from + int64(row.From), To: from + int64(row.To), SourceHash: in.layer.SourceHash()}
	}
	best := bestRow(weights, c.hit, rows, text)
	switch {
	case best >= 0 && hasPhrases(r.Title+"\n"+text[rows[best].From:rows[best].To], f.req.phrases):
	case table.Table != "":
		show(TableRow{From: rows[0].From, To: rows[len(rows)-1].To})
		return false
	default:
		return false
	}
	row := rows[best]
	show(row)
	r.Address.Location = row.Location
	for _, p := range in.nodes {
		if p.node.Location.Equal(row.first) {
			r.NodeID, r.Title, r.Path = p.node.ID, p.node.Title, p.path
		}
	}
	return true
}

// mostTableText is how long the text of a page may be in which a table is looked for, in
// bytes.
const mostTableText = 64 << 10

// bestRow returns the index of the row that with its header has all words of the query which
// the text has, some of them itself, and the best score; -1 if there is none, or several.
func bestRow(weights *index.Weights, h *index.Hit, rows []TableRow, text string) int {
	whole := termsOf(weights.Weigh(h, "", text, [][2]int{{0, len(text)}})[0])
	best, score, again := -1, 0.0, false
	for i, row := range rows {
		if row.IsHeader {
			continue
		}
		weighed := weights.Weigh(h, row.Header, text, [][2]int{{row.From, row.To}})[0]
		if !termsOf(weighed).has(whole) || len(h.Highlights(text[row.From:row.To])) == 0 {
			continue
		}
		switch {
		case best < 0 || weighed.Score > score:
			best, score, again = i, weighed.Score, false
		case weighed.Score == score:
			again = true
		}
	}
	if again {
		return -1
	}
	return best
}

// A termSet is some words of a query.
type termSet map[string]bool

// termsOf returns the words of the query that a part has.
func termsOf(w index.Weighed) termSet {
	found := make(termSet)
	for _, p := range w.Parts {
		if p.Next == "" && !p.Vector {
			found[p.Term] = true
		}
	}
	return found
}

func (t termSet) has(all termSet) bool {
	for term := range all {
		if !t[term] {
			return false
		}
	}
	return true
}
