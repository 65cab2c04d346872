package view

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lineform"
	"github.com/citekit/citekit/textlayer"
)

// mostAlone is how much text is read to find words or a place in it, in bytes.
const mostAlone = 4 << 20

// Notes on words that stand at the address and are not marked, and on an address whose
// place in the text is not known.
const (
	noteTwice    = "The words stand there more than once, so none of them are marked."
	noteUnknown  = "Where in the text shown here the words stand is not known, so nothing is marked."
	noteUnplaced = "Which part of this text is at the address is not known, so no part is shown as cited. The evidence has exactly what is cited."
)

// markAlone marks words that stand at the address, but have no known place in the text:
// where the parts of the text that are at the address have them once, letter for letter
// apart from white space. It returns a note if nothing is marked.
func (c *call) markAlone(ctx context.Context, words string) (note string, err error) {
	parts, err := c.parts(ctx)
	if err != nil {
		return "", err
	}
	left := int64(mostAlone)
	var found []textlayer.Bytes
	for _, p := range parts {
		if left -= p.To - p.From; left < 0 {
			return noteUnknown, nil
		}
		text, err := c.layer.Text(ctx, p.From, p.To)
		if err != nil {
			return "", err
		}
		for _, at := range places(text, words) {
			found = append(found, textlayer.Bytes{From: p.From + int64(at[0]), To: p.From + int64(at[1])})
		}
		if len(found) > 1 {
			return noteTwice, nil
		}
	}
	if len(found) == 0 {
		return noteUnknown, nil
	}
	c.marks = found
	return "", nil
}

// parts returns the parts of the text that are at the address, and nothing beside them; or
// none if they are not known.
func (c *call) parts(ctx context.Context) ([]textlayer.Bytes, error) {
	switch loc := c.address().Location; {
	case c.isUnplaced:
		return nil, nil
	case c.table != nil && len(loc.Cols) > 0:
		return c.table.columns(ctx, c.ranges, loc.Cols)
	case loc.Sheet != "" && (!loc.Cells.IsZero() || len(loc.Cols) > 0):
		return c.cells(ctx)
	case c.isAround:
		return c.placed(ctx, loc)
	}
	return c.ranges, nil
}

// cells returns the columns at the address of the rows of a sheet. There are none if the
// tabs of a row are not as many as its address says.
func (c *call) cells(ctx context.Context) (all []textlayer.Bytes, err error) {
	loc := c.address().Location
	first, last := loc.SheetCols()
	if !loc.Cells.IsZero() {
		first, last = int(loc.Cells.First.Col), int(loc.Cells.Last.Col)
	}
	for _, r := range c.ranges {
		if r.To-r.From > mostAlone {
			return nil, nil
		}
		for run := range c.layer.RunsIn(r.From, r.To) {
			text, err := c.layer.Text(ctx, run.From, run.To)
			if err != nil {
				return nil, err
			}
			row := run.Location.Cells
			fields := strings.Split(strings.TrimRight(text, "\r\n"), "\t")
			if row.IsZero() || row.First.Row != row.Last.Row || int32(len(fields)) != row.Last.Col-row.First.Col+1 {
				return nil, nil
			}
			at, from, to := run.From, int64(-1), int64(-1)
			for i, f := range fields {
				if col := int(row.First.Col) + i; col >= first && col <= last {
					if from < 0 {
						from = at
					}
					to = at + int64(len(f))
				}
				at += int64(len(f)) + 1
			}
			if from >= 0 {
				all = append(all, textlayer.Bytes{From: from, To: to})
			}
		}
	}
	return all, nil
}

// columns returns the fields of some records in the columns with some names or numbers;
// none if there is no such column, or several are so named.
func (t *table) columns(ctx context.Context, ranges []textlayer.Bytes, names []string) (all []textlayer.Bytes, err error) {
	header, ok, err := t.recordAt(ctx, t.in.From)
	if err != nil || !ok {
		return nil, err
	}
	text := strings.TrimRight(header.text, "\r\n")
	var picked []int
	for _, name := range names {
		column, isUnique := lineform.Column(name, lineform.Fields([]byte(text), t.delimiter))
		if !isUnique {
			return nil, nil
		}
		picked = append(picked, column)
	}
	for _, b := range ranges {
		first, ok, err := t.recordAt(ctx, b.From)
		if err != nil || !ok || b.To-b.From > mostAlone {
			return nil, err
		}
		if _, err := t.each(ctx, first.mark, func(r record) bool {
			if r.at >= b.To {
				return false
			}
			for i, f := range t.fields(r) {
				if slices.Contains(picked, i) {
					all = append(all, f)
				}
			}
			return true
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// fields returns the fields of a record.
func (t *table) fields(r record) (all []textlayer.Bytes) {
	text := r.text[:len(r.text)-lineEnd(r.text)]
	state, from := lineform.FieldStart, r.at
	for i := range len(text) {
		if state = state.After(text[i], t.delimiter); state == lineform.FieldStart {
			all = append(all, textlayer.Bytes{From: from, To: r.at + int64(i)})
			from = r.at + int64(i) + 1
		}
	}
	return append(all, textlayer.Bytes{From: from, To: r.at + int64(len(text))})
}

// locateBlocks finds the blocks at the address in a text that is stored by lines.
func (c *call) locateBlocks(ctx context.Context) error {
	loc := textlayer.Widened(c.address().Location)
	if _, err := c.layer.Ranges(loc); !errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	all, err := c.placed(ctx, loc)
	if err != nil {
		return err
	}
	if c.isUnplaced = len(all) == 0; !c.isUnplaced {
		c.ranges, c.isAround = all, !c.address().Location.Cells.IsZero()
	}
	return nil
}

// placed returns the places of what is read at a location: each run of it is in the text
// around it once. There are none if not all have such a place.
func (c *call) placed(ctx context.Context, loc citekit.Location) (all []textlayer.Bytes, err error) {
	if c.view.State != Current {
		return nil, nil
	}
	left := int64(mostAlone)
	for run, err := range c.lib.ReadText(ctx, c.part.Map.ResourceID, loc) {
		if err != nil {
			return nil, ctx.Err()
		}
		around, err := c.layer.Around(run.Location)
		if err != nil || len(around) != 1 {
			return nil, nil
		}
		if len(c.ranges) == 1 && around[0].From <= c.ranges[0].From && c.ranges[0].To <= around[0].To {
			around = c.ranges
		}
		if left -= around[0].To - around[0].From + int64(len(run.Text)); left < 0 {
			return nil, nil
		}
		text, err := c.layer.Text(ctx, around[0].From, around[0].To)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(run.Text) == "" {
			continue
		}
		at := places(text, run.Text)
		if len(at) != 1 {
			return nil, nil
		}
		all = append(all, textlayer.Bytes{From: around[0].From + int64(at[0][0]), To: around[0].From + int64(at[0][1])})
	}
	return all, nil
}

// places returns at most two places in a text that have some words, in bytes. All white
// space is alike.
func places(text, words string) (all [][2]int) {
	in, sought := squeeze(text), squeeze(strings.TrimSpace(words))
	for at := 0; sought.text != "" && len(all) < 2; at++ {
		i := strings.Index(in.text[at:], sought.text)
		if i < 0 {
			break
		}
		at += i
		all = append(all, [2]int{in.raw(at), in.raw(at + len(sought.text))})
	}
	return all
}

// A squeezed text has one space for each run of white space.
type squeezed struct {
	text   string
	shifts [][2]int // bytes of it, and of the raw text, from which on they go in step
}

func squeeze(raw string) squeezed {
	s := squeezed{shifts: [][2]int{{0, 0}}}
	var b strings.Builder
	inSpace, start := false, 0
	end := func(at int) {
		if inSpace {
			b.WriteByte(' ')
			if at-start != 1 {
				s.shifts = append(s.shifts, [2]int{b.Len(), at})
			}
		}
	}
	for i, r := range raw {
		if is := unicode.IsSpace(r); is {
			if !inSpace {
				inSpace, start = true, i
			}
			continue
		}
		end(i)
		inSpace = false
		_, size := utf8.DecodeRuneInString(raw[i:])
		b.WriteString(raw[i : i+size])
	}
	end(len(raw))
	s.text = b.String()
	return s
}

// raw returns the offset in the raw text of an offset.
func (s squeezed) raw(at int) int {
	i, found := slices.BinarySearchFunc(s.shifts, at, func(shift [2]int, at int) int { return shift[0] - at })
	if !found {
		i--
	}
	return s.shifts[i][1] + at - s.shifts[i][0]
}
