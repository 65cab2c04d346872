package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/lineform"
	"github.com/citekit/citekit/textlayer"
)

const (
	// maxRecord is the longest record of comma-separated values, in bytes. A quote that
	// opens a longer one was never closed.
	maxRecord = 8 << 20

	// markEach is how far the records are apart whose starts are kept, in bytes.
	markEach = 64 << 10

	// mostForLines is how much of a table is read to see whether lines of it are records,
	// in bytes.
	mostForLines = 64 << 20

	sampleBytes = 64 << 10 // that tell the delimiter, as package modality/text has it

	tablesKept = 64 // by a Viewer
)

// A table is the comma-separated values that an address is in. Its records are those of
// package modality/text, found in the text of the layer.
type table struct {
	*rowIndex
	layer *textlayer.Layer
}

// A rowIndex has the places of the records of a table in its layer, as far as they were
// asked for. It is safe for concurrent use.
type rowIndex struct {
	in        textlayer.Bytes // of the table
	delimiter byte
	cr        bool // a CR alone also ends a line

	turn chan struct{} // held while known is read or extended
	known
}

// known are the records that were read. Copies stay valid.
type known struct {
	marks   []mark // records that begin at least markEach apart; the first one is there
	next    mark   // the first record that was not read
	isEnded bool   // no more records follow next
}

// A mark is where a record begins.
type mark struct {
	row int // its number, from 1
	at  int64
}

// A record is a row of comma-separated values with its line end.
type record struct {
	mark
	text string
}

func (r record) end() int64 { return r.at + int64(len(r.text)) }

// openTable opens the table that the address is in, if it is in one.
func (c *call) openTable(ctx context.Context) (*table, error) {
	loc := c.address().Location
	if !slices.Contains(tables, formatOf(c.part.Map, loc)) || c.layer.Modality() != citekit.Text && loc.Member == "" {
		return nil, nil
	}
	all, err := c.layer.Ranges(citekit.Location{Modality: loc.Modality, Member: loc.Member})
	if err != nil || len(all) != 1 || all[0].From == all[0].To {
		return nil, nil
	}
	key := fmt.Sprint(c.layer.SourceHash(), all[0])
	index, err := c.tables.Get(ctx, key, func(ctx context.Context) (*rowIndex, int64, error) {
		x := &rowIndex{in: all[0], turn: make(chan struct{}, 1), known: known{next: mark{1, all[0].From}}}
		err := x.sample(ctx, c.layer)
		return x, 1, err
	})
	return &table{index, c.layer}, err
}

// sample finds what separates the fields and the lines.
func (x *rowIndex) sample(ctx context.Context, layer *textlayer.Layer) error {
	head, err := layer.Text(ctx, x.in.From, min(x.in.To, x.in.From+2*sampleBytes))
	if err != nil {
		return err
	}
	for run := range layer.RunsIn(x.in.From, x.in.From+1) {
		text, err := layer.Text(ctx, run.From, run.To)
		if err != nil {
			return err
		}
		n := run.Location.Lines.Len()
		x.cr = countLines(text, "\n") != n && countLines(text, "\r\n") == n
	}
	head = strings.ReplaceAll(head, "\r\n", "\n")
	if x.cr {
		head = strings.ReplaceAll(head, "\r", "\n")
	}
	x.delimiter = lineform.Delimiter([]byte(head[:min(len(head), sampleBytes)]))
	return nil
}

// recordLen returns the length of the first record of a text with its line end, or 0 if it
// has not all of one.
func (x *rowIndex) recordLen(text string, isLast bool) int {
	state := lineform.FieldStart
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case state == lineform.InQuotes && b != '"':
			skip := strings.IndexByte(text[i:], '"')
			if skip < 0 {
				return 0
			}
			i += skip
			state = lineform.AfterQuote
		case state != lineform.InQuotes && b == '\n':
			return i + 1
		case state != lineform.InQuotes && b == '\r' && x.cr && (i+1 < len(text) || isLast) && !strings.HasPrefix(text[i+1:], "\n"):
			return i + 1
		default:
			state = state.After(b, x.delimiter)
		}
	}
	if !isLast || state == lineform.InQuotes {
		return 0
	}
	return len(text)
}

// each calls f for the records from a place on where one begins, until f returns false. It
// reports whether it ended at one that has no end, or is too long.
func (t *table) each(ctx context.Context, from mark, f func(record) bool) (isBroken bool, err error) {
	size := int64(markEach)
	for from.at < t.in.To {
		end := min(from.at+size, t.in.To)
		text, err := t.layer.Text(ctx, from.at, end)
		if err != nil {
			return false, err
		}
		took := false
		for {
			n := t.recordLen(text, end == t.in.To)
			if n == 0 || n > maxRecord {
				break
			}
			if !f(record{from, text[:n]}) {
				return false, nil
			}
			took, text = true, text[n:]
			from = mark{from.row + 1, from.at + int64(n)}
		}
		switch {
		case from.at == t.in.To:
		case took:
			size = markEach
		case int64(len(text)) > maxRecord || end == t.in.To:
			return true, nil
		default:
			size *= 2
		}
	}
	return false, nil
}

// reach reads on until that is enough, or until no records follow.
func (t *table) reach(ctx context.Context, isEnough func(next mark) bool) (known, error) {
	if err := concurrent.Acquire(ctx, t.turn); err != nil {
		return known{}, err
	}
	defer func() { <-t.turn }()
	if t.isEnded || isEnough(t.next) {
		return t.known, nil
	}
	isEnded := true
	_, err := t.each(ctx, t.next, func(r record) bool {
		if n := len(t.marks); n == 0 || r.at >= t.marks[n-1].at+markEach {
			t.marks = append(t.marks, r.mark)
		}
		t.next = mark{r.row + 1, r.end()}
		isEnded = !isEnough(t.next)
		return isEnded
	})
	t.isEnded = isEnded && err == nil
	return t.known, err
}

// before returns the last mark that is not behind some other.
func (k known) before(isBehind func(mark) bool) mark {
	n := sort.Search(len(k.marks), func(i int) bool { return isBehind(k.marks[i]) })
	return k.marks[max(n-1, 0)]
}

// recordAt returns the record that has an offset, if it is in one.
func (t *table) recordAt(ctx context.Context, at int64) (found record, ok bool, err error) {
	if at < t.in.From || at >= t.in.To {
		return found, false, nil
	}
	read, err := t.reach(ctx, func(next mark) bool { return next.at > at })
	if err != nil || read.next.at <= at {
		return found, false, err
	}
	from := read.before(func(m mark) bool { return m.at > at })
	_, err = t.each(ctx, from, func(r record) bool {
		found, ok = r, r.end() > at
		return !ok
	})
	return found, ok, err
}

// find returns the bytes of some rows. If not all of these are among the records, the error
// matches [citekit.ErrRange], or [citekit.ErrFormat] if lines follow that are no records.
func (t *table) find(ctx context.Context, rows citekit.Range) (b textlayer.Bytes, err error) {
	read, err := t.reach(ctx, func(next mark) bool { return next.row > rows.Last })
	next := read.next
	switch {
	case err != nil:
		return b, err
	case next.row > rows.Last:
	case next.at < t.in.To:
		return b, fmt.Errorf("row %d does not end, or is too long: %w", next.row, citekit.ErrFormat)
	default:
		return b, fmt.Errorf("row %d of %d: %w", max(rows.First, next.row), next.row-1, citekit.ErrRange)
	}
	b = textlayer.Bytes{From: next.at, To: next.at}
	for _, edge := range []struct {
		row int
		at  *int64
	}{{rows.First, &b.From}, {rows.Last + 1, &b.To}} {
		if edge.row == next.row {
			continue
		}
		from := read.before(func(m mark) bool { return m.row > edge.row })
		_, err = t.each(ctx, from, func(r record) bool {
			*edge.at = r.at
			return r.row < edge.row
		})
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

// are reports whether some bytes are whole records.
func (t *table) are(ctx context.Context, b textlayer.Bytes) (bool, error) {
	if b.From >= b.To || b.To > t.in.From+mostForLines {
		return false, nil
	}
	first, ok, err := t.recordAt(ctx, b.From)
	if err != nil || !ok || first.at != b.From {
		return false, err
	}
	last, ok, err := t.recordAt(ctx, b.To-1)
	return ok && last.end() == b.To, err
}

// header returns the values of the first record, separated by tabs.
func (t *table) header(ctx context.Context) (string, error) {
	first, ok, err := t.recordAt(ctx, t.in.From)
	if err != nil || !ok {
		return "", err
	}
	p := t.split(first)[0]
	return p.shown(), nil
}

// locateRows finds the rows at the address, if it is in a table.
func (c *call) locateRows(ctx context.Context) error {
	t, err := c.openTable(ctx)
	if err != nil || t == nil {
		return err
	}
	if c.view.Header, err = t.header(ctx); err != nil {
		return err
	}
	loc := c.address().Location
	switch {
	case !loc.Rows.IsZero():
		at, err := t.find(ctx, loc.Rows)
		switch {
		case err == nil:
			c.ranges = []textlayer.Bytes{at}
		case errors.Is(err, citekit.ErrFormat):
			c.isUnplaced = true
		case errors.Is(err, citekit.ErrRange) && c.layer.Incomplete():
			c.ranges = nil
		default:
			return err
		}
	case !loc.Lines.IsZero():
		if len(c.ranges) != 1 {
			return nil
		}
		if ok, err := t.are(ctx, c.ranges[0]); err != nil || !ok {
			return err
		}
	}
	c.table = t
	return nil
}

// rowsOf returns the pieces that begin in a run of a table, and where its records end in
// the run: behind that are lines.
func (t *table) rowsOf(ctx context.Context, run textlayer.Run) (all []piece, end int64, err error) {
	at := max(run.From, t.in.From)
	for at < run.To {
		first, ok, err := t.recordAt(ctx, at)
		if err != nil || !ok {
			return all, at, err
		}
		broken, err := t.each(ctx, first.mark, func(r record) bool {
			if r.at >= run.To {
				return false
			}
			for _, p := range t.split(r) {
				if p.from >= run.From && p.from < run.To {
					p.run = run
					all = append(all, p)
				}
			}
			at = r.end()
			return true
		})
		if err != nil || broken {
			return all, at, err
		}
	}
	return all, run.To, nil
}

// split returns the pieces of a record. One that is too long is divided between two
// fields, if these are not too long themselves.
func (t *table) split(r record) (all []piece) {
	text := r.text[:len(r.text)-lineEnd(r.text)]
	p := piece{from: r.at, row: r.row, column: 1, delimiter: t.delimiter}
	for len(text) > maxPiece {
		state, next := p.state, p
		n := 0
		for i := range maxPiece {
			if state = state.After(text[i], t.delimiter); state == lineform.FieldStart {
				n, next.state, next.column = i+1, state, next.column+1
			}
		}
		if n == 0 {
			n = maxPiece
			for n > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[n]) {
				n--
			}
			for i := range n {
				next.state = next.state.After(text[i], t.delimiter)
			}
		}
		p.text, p.to = text[:n], p.from+int64(n)
		all = append(all, p)
		p, text = next, text[n:]
		p.from = all[len(all)-1].to
	}
	p.text, p.to = text, p.from+int64(len(text))
	return append(all, p)
}

// lastOf returns the last piece of a record that does not begin behind an offset.
func (t *table) lastOf(r record, at int64) piece {
	all := t.split(r)
	n := len(all) - 1
	for n > 0 && all[n].from > at {
		n--
	}
	return all[n]
}

// shown returns the text of a span: of a record, its values, separated by tabs.
func (p piece) shown() string {
	if p.row == 0 {
		return p.text
	}
	text, _ := p.values()
	return text
}

// values returns the values of a record without the quotes around them, separated by tabs,
// and the offset in them of each byte of the record. A tab in a value is a space.
func (p piece) values() (text string, at []int) {
	values := make([]byte, 0, len(p.text))
	at = make([]int, 0, len(p.text)+1)
	state := p.state
	for i := range len(p.text) {
		b, before := p.text[i], state
		at = append(at, len(values))
		switch state = state.After(b, p.delimiter); {
		case state == lineform.FieldStart:
			values = append(values, '\t')
		case state == lineform.AfterQuote, state == lineform.InQuotes && before == lineform.FieldStart:
		case b == '\t':
			values = append(values, ' ')
		default:
			values = append(values, b)
		}
	}
	return string(values), append(at, len(values))
}
