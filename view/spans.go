package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lineform"
	"github.com/citekit/citekit/textlayer"
)

// maxPiece is the longest span in bytes; what is longer is several spans.
const maxPiece = 16 << 10

// A piece is the bytes of a span, without the line end behind it.
type piece struct {
	from, to int64
	text     string
	run      textlayer.Run
	whole    bool // it is all of the run

	row       int                 // the number of the record that it is of, or 0
	column    int                 // of its first field, from 1
	state     lineform.FieldState // at its start
	delimiter byte                // of its fields
}

// fill adds the spans: those from the cursor on, or those at the quote or the address and
// then those around them.
func (c *call) fill(ctx context.Context) error {
	w := window{call: c}
	var err error
	switch {
	case c.req.Cursor != "" && (!strings.HasPrefix(c.layer.SourceHash(), c.from.hash) || c.from.at > c.layer.Len()):
		return &CursorError{fmt.Errorf("the source has changed since the answer that it is of; view the address again: %w", citekit.ErrStale)}
	case c.from.back:
		err = w.backward(ctx, c.from.at, MaxText, MaxSpans)
	case c.req.Cursor != "":
		err = w.forward(ctx, c.from.at, c.layer.Len(), MaxText, MaxSpans)
	default:
		err = w.around(ctx)
	}
	if err != nil {
		return err
	}
	c.pieces = w.pieces
	return c.show(ctx, w.pieces)
}

// show makes spans of pieces.
func (c *call) show(ctx context.Context, pieces []piece) error {
	v := c.view
	v.Transcribed = c.layer.Transcribed()
	a := citekit.Address{Resource: c.part.Map.ResourceID, Version: c.address().Version}
	for i, p := range pieces {
		if a.Location = p.run.Location; p.row > 0 {
			a.Location = citekit.Location{Modality: cmp.Or(a.Location.Modality, c.layer.Modality()), Member: a.Location.Member, Rows: citekit.Range{First: p.row, Last: p.row}}
		} else if !p.whole || a.Location.Modality == "" {
			var err error
			if a.Location, err = c.layer.Tight(p.from, p.to); err != nil {
				return err
			}
		}
		s := Span{Address: a.String(), Text: p.shown(), Marks: within(p, c.marks)}
		if p.column > 1 {
			s.Column = p.column
		}
		v.Spans = append(v.Spans, s)
		if !c.selects(p, a.Location) {
			continue
		}
		switch last := len(v.More) - 1; {
		case v.Selected == nil:
			v.Selected = &[2]int{i, i + 1}
		case last < 0 && v.Selected[1] == i:
			v.Selected[1]++
		case last >= 0 && v.More[last][1] == i:
			v.More[last][1]++
		default:
			v.More = append(v.More, [2]int{i, i + 1})
		}
	}
	if len(pieces) == 0 {
		return nil
	}
	hash := c.layer.SourceHash()
	first, last := pieces[0].from, pieces[len(pieces)-1].from
	before, after := window{call: c}, window{call: c}
	if err := before.backward(ctx, first, maxPiece, 1); err != nil {
		return err
	}
	if err := after.forward(ctx, last+1, c.layer.Len(), maxPiece, 1); err != nil {
		return err
	}
	if len(before.pieces) > 0 {
		v.Before = cursor{true, first, hash}.String()
	}
	if len(after.pieces) > 0 {
		v.After = cursor{false, after.pieces[0].from, hash}.String()
	}
	return nil
}

// selects reports whether the address has something of a piece, which is at loc.
func (c *call) selects(p piece, loc citekit.Location) bool {
	switch asked := c.address().Location; {
	case c.isUnplaced:
		return false
	case asked.IsWhole():
		return true
	case !asked.Lines.IsZero() && asked.Part == "" && asked.Message == 0 && (loc.Part != "" || loc.Message != 0):
		return false // its lines are counted from another start
	case !asked.Lines.IsZero() && !loc.Lines.IsZero() && (asked.Lines.Last < loc.Lines.First || loc.Lines.Last < asked.Lines.First):
		return false
	}
	for _, r := range c.ranges {
		if r.From < p.to && p.from < r.To || p.from == p.to && r.From <= p.from && p.from < r.To {
			return true
		}
	}
	return false
}

// within returns the part of some bytes that a piece has, as code points of the text of
// its span.
func within(p piece, all []textlayer.Bytes) (marks [][2]int) {
	for _, b := range all {
		from, to := max(b.From, p.from)-p.from, min(b.To, p.to)-p.from
		if from >= to {
			continue
		}
		text := p.text
		if p.row > 0 {
			var at []int
			text, at = p.values()
			if from, to = int64(at[from]), int64(at[to]); from == to {
				continue
			}
		}
		start := utf8.RuneCountInString(text[:from])
		marks = append(marks, [2]int{start, start + utf8.RuneCountInString(text[from:to])})
	}
	return marks
}

// A window collects pieces of the text, in order.
type window struct {
	*call
	pieces []piece
	bytes  int
	spans  int // by cost
}

// around collects the pieces at the quote or the address, then those behind it and those
// before it.
func (w *window) around(ctx context.Context) error {
	from, to := w.at()
	if len(w.marks) > 0 && (to-from > MaxText || from < 0) {
		from, to = w.marks[0].From, w.marks[len(w.marks)-1].To
	}
	if from < 0 {
		return nil // the place has no text, and its neighbours are unknown
	}
	from, err := w.startOf(ctx, from)
	if err != nil {
		return err
	}
	if err := w.forward(ctx, from, to, MaxText, MaxSpans); err != nil {
		return err
	}
	next := from
	if n := len(w.pieces); n > 0 {
		next = w.pieces[n-1].from + 1
	}
	room, spans := MaxText-w.bytes, MaxSpans-w.spans
	behind, before := window{call: w.call}, window{call: w.call}
	if err := behind.forward(ctx, next, w.layer.Len(), room/2, spans/2); err != nil {
		return err
	}
	if err := before.backward(ctx, from, room-behind.bytes, spans-behind.spans); err != nil {
		return err
	}
	w.pieces = slices.Concat(before.pieces, w.pieces, behind.pieces)
	return nil
}

// cost returns how many of [MaxSpans] a piece takes.
func cost(p piece) int {
	switch at := p.run.Location; {
	case p.row > 0:
		return 1 + strings.Count(p.text, string(p.delimiter))/10
	case at.Cells.IsZero() && at.Rows.IsZero():
		return 1
	}
	return 1 + strings.Count(p.text, "\t")/10
}

// startOf returns where the piece begins that has an offset.
func (c *call) startOf(ctx context.Context, at int64) (int64, error) {
	if c.table != nil {
		r, ok, err := c.table.recordAt(ctx, at)
		if err != nil {
			return at, err
		}
		if ok {
			return c.table.lastOf(r, at).from, nil
		}
	}
	for run := range c.layer.RunsIn(at, at+1) {
		all, err := c.piecesOf(ctx, run)
		if err != nil {
			return at, err
		}
		for _, p := range slices.Backward(all) {
			if p.from <= at {
				return p.from, nil
			}
		}
	}
	return at, nil
}

// forward adds the pieces that begin in the bytes [from, end), as far as there is room.
func (w *window) forward(ctx context.Context, from, end int64, room, spans int) error {
	for run := range w.layer.RunsIn(from, end) {
		all, err := w.piecesOf(ctx, run)
		if err != nil {
			return err
		}
		for _, p := range all {
			if p.from < from {
				continue
			}
			if p.from >= end || spans <= 0 || len(p.text) > room {
				return nil
			}
			w.pieces = append(w.pieces, p)
			w.bytes += len(p.text)
			w.spans += cost(p)
			room, spans = room-len(p.text), spans-cost(p)
		}
	}
	return nil
}

// backward adds the pieces that begin before end, as far as there is room.
func (w *window) backward(ctx context.Context, end int64, room, spans int) error {
	if spans <= 0 || end <= 0 {
		return nil
	}
	var all []piece
	for run := range w.layer.RunsIn(max(0, end-int64(room)-gap), end) {
		some, err := w.piecesOf(ctx, run)
		if err != nil {
			return err
		}
		for len(some) > 0 && some[len(some)-1].from >= end {
			some = some[:len(some)-1]
		}
		all = append(all[max(0, len(all)-spans):], some...)
	}
	for _, p := range slices.Backward(all) {
		if spans <= 0 || len(p.text) > room {
			break
		}
		w.pieces = append(w.pieces, p)
		w.bytes += len(p.text)
		w.spans += cost(p)
		room, spans = room-len(p.text), spans-cost(p)
	}
	slices.Reverse(w.pieces)
	return nil
}

// gap is more than the bytes of the line ends between two pieces.
const gap = 4

// piecesOf returns the pieces that begin in a run: its rows or its lines, if they are known,
// or else all of it.
func (c *call) piecesOf(ctx context.Context, run textlayer.Run) (all []piece, err error) {
	if c.table == nil || run.From >= c.table.in.To || run.To <= c.table.in.From {
		return c.linesOf(ctx, run)
	}
	rows, end, err := c.table.rowsOf(ctx, run)
	if err != nil || end >= run.To {
		return rows, err
	}
	lines, err := c.linesOf(ctx, run)
	for i, p := range lines {
		if p.from >= end {
			return append(rows, lines[i:]...), err
		}
	}
	return rows, err
}

// linesOf returns the lines of a run, if they are known, or else all of it.
func (c *call) linesOf(ctx context.Context, run textlayer.Run) (all []piece, err error) {
	text, err := c.read(ctx, run.From, run.To)
	if err != nil {
		return nil, err
	}
	end := unsplit
	if lines := run.Location.Lines; !lines.IsZero() {
		for _, ends := range []string{"\n", "\r\n"} {
			if countLines(text, ends) == lines.Len() {
				end = ends
				break
			}
		}
	}
	for at := 0; at < len(text); {
		n := nextLine(text[at:], end)
		line := text[at : at+n]
		shown := len(line) - lineEnd(line)
		for shown > maxPiece {
			k := cut(line)
			all = append(all, piece{from: run.From + int64(at), to: run.From + int64(at+k), text: line[:k], run: run})
			at, n, line, shown = at+k, n-k, line[k:], shown-k
		}
		all = append(all, piece{from: run.From + int64(at), to: run.From + int64(at+shown), text: line[:shown], run: run, whole: n == len(text)})
		at += n
	}
	return all, nil
}

// readAhead is how much text is read at once, in bytes, because many runs are short.
const readAhead = 32 << 10

// read returns the bytes [from, to) of the text.
func (c *call) read(ctx context.Context, from, to int64) (string, error) {
	if from < c.start || to > c.start+int64(len(c.ahead)) {
		start, end := from, min(max(to, from+readAhead), c.layer.Len())
		text, err := c.layer.Text(ctx, start, end)
		if err != nil {
			return "", err
		}
		c.start, c.ahead = start, text
	}
	return c.ahead[from-c.start : to-c.start], nil
}

// unsplit are the line ends of a text that is not divided.
const unsplit = ""

// nextLine returns the length of the first line of a text with its end. If ends are
// "\r\n", a line also ends with a carriage return alone.
func nextLine(text, ends string) int {
	if ends == unsplit {
		return len(text)
	}
	i := strings.IndexAny(text, ends)
	switch {
	case i < 0:
		return len(text)
	case strings.HasPrefix(text[i:], "\r\n"):
		return i + 2
	}
	return i + 1
}

func countLines(text, ends string) (n int) {
	for ; text != ""; n++ {
		text = text[nextLine(text, ends):]
	}
	return n
}

// lineEnd returns the length of the line end at the end of a text.
func lineEnd(text string) int {
	switch {
	case strings.HasSuffix(text, "\r\n"):
		return 2
	case strings.HasSuffix(text, "\n"), strings.HasSuffix(text, "\r"):
		return 1
	}
	return 0
}

// cut returns where to divide a text that is too long for one span: behind a line end if
// there is one, or else between two characters.
func cut(text string) int {
	if i := strings.LastIndexByte(text[:maxPiece], '\n'); i > 0 {
		return i + 1
	}
	at := maxPiece
	for at > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
