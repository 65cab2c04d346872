package contents

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// fit returns an answer with the read parts, within the tokens of a request.
// Short texts are given whole, and long ones share the remaining space. A part
// without space is given without text. If there would be no space for the other
// texts either, it is given only through the cursor, as are parts that were not
// read.
func fit(ctx context.Context, read, all []*part, req Request) (*Contents, error) {
	for n := mostShown(read, all, req); n > 0; n = n * 3 / 4 {
		if c := fill(read[:n], all, req); c != nil {
			return c, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return nil, fmt.Errorf("max_tokens %d; there is no room for the address and some text: %w", req.MaxTokens, citekit.ErrTooLarge)
}

// mostShown returns how many parts an answer can show with some text of each,
// and at least 1.
func mostShown(read, all []*part, req Request) int {
	share(read, 0, Request{Visible: req.Visible})
	fits := func(n int) bool {
		texts := 0
		for _, p := range read[:n] {
			texts += min(p.wants(req), worthShowing)
		}
		return size(answer(read[:n], all))+texts <= req.MaxTokens
	}
	return max(1, sort.Search(len(read), func(i int) bool { return !fits(i + 1) }))
}

// fill returns an answer that shows some parts, or nil if it would not give any
// of their remaining text.
func fill(shown, all []*part, req Request) *Contents {
	share(shown, 0, req)
	free := req.MaxTokens - size(answer(shown, all))
	for room := free; room >= 0; {
		share(shown, room, req)
		c := answer(shown, all)
		over := size(c) - req.MaxTokens
		if over <= 0 {
			if goesOn(shown) {
				return c
			}
			return nil
		}
		room = room*free/(free+over) - 1 // runs take as much space as texts
	}
	return nil
}

// goesOn reports whether some of the remaining text of parts is shown, or no
// text remains.
func goesOn(parts []*part) bool {
	left := false
	for _, p := range parts {
		if p.item.Text != "" {
			return true
		}
		left = left || p.left()
	}
	return !left
}

func size(c *Contents) int {
	data, err := c.MarshalJSON()
	if err != nil {
		return 0 // a location of a million pages; such a part has no address
	}
	return plain.CountTokens(string(data))
}

// share shows as much of each part as fits into room tokens.
func share(parts []*part, room int, req Request) {
	wanted := make([]int, 0, len(parts))
	for _, p := range parts {
		wanted = append(wanted, p.wants(req))
	}
	level := waterLevel(wanted, room)
	for i, p := range parts {
		p.show(min(wanted[i], level), req)
	}
}

// waterLevel returns the largest share of room that each may have so that all
// of it is used: the space that one does not want goes to the others. At least
// one must want something.
func waterLevel(wanted []int, room int) int {
	sorted := slices.Sorted(slices.Values(wanted))
	for i, want := range sorted {
		level := max(0, room) / (len(sorted) - i)
		if want > level {
			return level
		}
		room -= want
	}
	return sorted[len(sorted)-1]
}

// wants returns approximately how many tokens the JSON of all the text of a
// part takes.
func (p *part) wants(req Request) int {
	if p.needs == 0 {
		p.needs = plain.CountTokens(p.text.string) + p.escapes(len(p.text.string), req)/4 + 1
	}
	return p.needs
}

// escapes returns how many characters JSON and codes add in the first n bytes of
// the text.
func (p *part) escapes(n int, req Request) int {
	added := 0
	if req.Visible {
		added = plain.CodesAdded(p.text.string[:n]) + plain.CountHidden(p.text.string[:n])
	}
	for i := range n {
		switch c := p.text.string[i]; {
		case c == '\n' || c == '\r' || c == '\t' || c == '"' || c == '\\':
			added++
		case c < ' ' && !req.Visible:
			added += len(`\u0000`) - 1
		}
	}
	return added
}

const (
	minText      = 8  // tokens; less of a text is not shown
	worthShowing = 60 // tokens of space that a part should have
)

// show sets the text of the item to as much as fits into some tokens.
func (p *part) show(room int, req Request) {
	n := 0
	if room >= min(minText, p.wants(req)) {
		n = plain.FitTokens(p.text.string, room)
		for n > 0 && plain.CountTokens(p.text.string[:n])+p.escapes(n, req)/4 > room {
			n -= max(1, n/16)
		}
		n = goodEnd(p.text.string, n)
	}
	p.shown = n
	p.item.Text, p.item.Hidden = p.text.string[:n], 0
	if req.Visible {
		p.item.Text, p.item.Hidden = plain.ShowHidden(p.item.Text)
	}
	p.item.Tokens = plain.CountTokens(p.item.Text)
	p.item.Runs = nil
	if req.Runs {
		p.addShownRuns(n)
	}
}

// goodEnd returns where to cut the first n bytes of a text: after a line, else
// after a word, if that keeps more than half of them.
func goodEnd(text string, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if i := strings.LastIndexByte(text[:n], '\n') + 1; i > n/2 {
		return i
	}
	if i := strings.LastIndexFunc(text[:n], unicode.IsSpace); i > n/2 {
		_, size := utf8.DecodeRuneInString(text[i:])
		return i + size
	}
	return n
}

// addShownRuns gives the item the runs of its first n bytes.
func (p *part) addShownRuns(n int) {
	points, at := 0, 0
	for _, r := range p.text.runs {
		if r.start >= n {
			break
		}
		end := min(r.end, n)
		points += utf8.RuneCountInString(p.text.string[at:r.start])
		start := points
		points += utf8.RuneCountInString(p.text.string[r.start:end])
		at = end
		a := p.item.Address
		a.Location = r.upTo(end)
		p.item.Runs = append(p.item.Runs, Run{a, start, points, r.ocr, r.confidence})
	}
	if p.item.Hidden > 0 {
		marks := make([][2]int, len(p.item.Runs))
		for i, run := range p.item.Runs {
			marks[i] = [2]int{run.Start, run.End}
		}
		for i, m := range plain.ShownMarks(p.text.string[:n], marks) {
			p.item.Runs[i].Start, p.item.Runs[i].End = m[0], m[1]
		}
	}
}

// answer returns the items of the shown parts, with a cursor for all remaining
// text.
func answer(shown, all []*part) *Contents {
	c := &Contents{Items: make([]*Item, 0, len(shown))}
	for _, p := range shown {
		c.Items = append(c.Items, p.item)
	}
	c.NextCursor = cursorFor(shown, all)
	c.Late = slices.ContainsFunc(all, func(p *part) bool { return p.late })
	return c
}

// left reports whether a part has text that its item does not have.
func (p *part) left() bool {
	return p.text.more || p.shown < len(p.text.string)
}
