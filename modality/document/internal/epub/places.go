package epub

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/modality/document/internal/zipread"
)

// A mapper is the making of nodes from a table of contents.
type mapper struct {
	*book
	places []*place // in the order of the table, parents before children
}

// A place is where an entry is: blocks [first, last] of a part. A last of 0 is
// the end of the part.
type place struct {
	*entry
	parent      *place
	end         int // the index of the first place after those of its children
	part        int // 0 if it is not known
	first, last int
	blocks      int           // of the part, if it was read; else 0
	parts       citekit.Range // its own and those of the places below it; zero if none is known
}

// list lists the entries with their parts.
func (m *mapper) list(entries []*entry, parent *place) {
	for _, e := range entries {
		p := &place{entry: e, parent: parent, first: 1}
		if it := m.byName[e.name]; it != nil && e.name != "" {
			p.part = it.first
		}
		m.places = append(m.places, p)
		m.list(e.children, p)
		p.end = len(m.places)
	}
}

// findBlocks finds the blocks that entries lead to. What cannot be read has
// none.
func (m *mapper) findBlocks(ctx context.Context) error {
	wanted := make(map[int][]*place)
	var order []int
	for _, p := range m.places {
		if p.part == 0 || p.fragment == "" {
			continue
		}
		if wanted[p.part] == nil {
			order = append(order, p.part)
		}
		wanted[p.part] = append(wanted[p.part], p)
	}
	counts := make(map[int]int, len(order))
	for read, i := 0, 0; i < len(order) && read < maxMapRead; i++ {
		number := order[i]
		part, _, err := m.book.part(ctx, number)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if isBadPart(err) {
				continue
			}
			return err
		}
		read += len(part.data)
		counts[number] = len(part.blocks)
		ids := make(map[string]bool)
		for _, p := range wanted[number] {
			ids[p.fragment] = true
		}
		anchors := part.anchors(ids)
		for _, p := range wanted[number] {
			if at, ok := anchors[p.fragment]; ok {
				p.first = max(part.atMark(at), 1)
			}
		}
	}
	for _, p := range m.places {
		p.blocks = counts[p.part]
	}
	m.addSplit()
	return nil
}

// addSplit adds to the last entry of a part those parts after it that no entry
// leads to and that a converter split from it.
func (m *mapper) addSplit() {
	lasts := make(map[int]*place)
	for _, p := range m.places {
		if last := lasts[p.part]; p.part != 0 && (last == nil || p.first >= last.first) {
			lasts[p.part] = p
		}
	}
	for number, p := range lasts {
		stem, end := m.stem(number), number
		for stem != "" && lasts[end+1] == nil && m.stem(end+1) == stem {
			end++
		}
		if end > number {
			p.parts = citekit.Range{First: number, Last: end}
		}
	}
}

// stem returns what the names of parts have in common that a converter split from
// one: "ch1" of "ch1_split_000.xhtml", as Calibre names them. It is "" for others.
func (m *mapper) stem(number int) string {
	if number > len(m.spine) || !m.isThere(number) {
		return ""
	}
	name := m.spine[number-1].item.name
	name = strings.TrimSuffix(name, path.Ext(name))
	stem, ok := strings.CutSuffix(strings.TrimRight(name, "0123456789"), "_split_")
	if !ok {
		return ""
	}
	return stem
}

// isBadPart reports whether an error is of the content of a part alone.
func isBadPart(err error) bool {
	for _, bad := range []error{errNoText, errMarkup, citekit.ErrFormat, zipread.ErrDamaged, zipread.ErrLimit, zipread.ErrMethod, zipread.ErrEncrypted} {
		if errors.Is(err, bad) {
			return true
		}
	}
	return false
}

// nodes makes the nodes, and ends each place where the next begins.
func (m *mapper) nodes() []*citekit.Node {
	for _, p := range slices.Backward(m.places) {
		m.endPlace(p)
	}
	for _, p := range m.places {
		p.stayWithin(p.parent)
	}
	for _, p := range slices.Backward(m.places) {
		p.parts = spanned(p.parts, citekit.Range{First: p.part, Last: p.part})
		p.parent.cover(p)
	}
	var nodes []*citekit.Node
	made := make(map[*place]*citekit.Node, len(m.places))
	for _, p := range m.places {
		n := &citekit.Node{Title: plain.Words(p.title, maxTitle), Type: "section", Location: p.location()}
		made[p] = n
		if p.parent != nil {
			made[p.parent].Children = append(made[p.parent].Children, n)
		} else {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// endPlace ends a place before the next entry that leads to a later block of
// the part and is none of its children. Later places have their ends.
func (m *mapper) endPlace(p *place) {
	if p.part == 0 || p.blocks == 0 || p.end == len(m.places) {
		return
	}
	switch next := m.places[p.end]; {
	case next.part != p.part || next.first < p.first:
	case next.first == p.first:
		p.last = next.last
	default:
		p.last = next.first - 1
	}
}

// stayWithin ends a place where the one above it ends, if that has it.
func (p *place) stayWithin(above *place) {
	if above == nil || above.part != p.part || above.last == 0 || p.first > above.last {
		return
	}
	if p.last == 0 || p.last > above.last {
		p.last = above.last
	}
}

// cover widens a place to one below it. A place whose part is not known becomes
// that of the one below.
func (p *place) cover(below *place) {
	if p == nil || below.part == 0 {
		return
	}
	p.parts = spanned(p.parts, below.parts)
	switch {
	case p.part == 0:
		p.part, p.first, p.last, p.blocks = below.part, below.first, below.last, below.blocks
	case p.part == below.part && p.blocks != 0:
		p.first = min(p.first, below.first)
		if p.last > 0 && (below.last == 0 || below.last > p.last) {
			p.last = below.last
		}
	}
}

// spanned returns the parts from the first to the last of two ranges. Either may
// be zero.
func spanned(a, b citekit.Range) citekit.Range {
	switch {
	case a.IsZero():
		return b
	case b.IsZero():
		return a
	}
	return citekit.Range{First: min(a.First, b.First), Last: max(a.Last, b.Last)}
}

// location returns that of a place; of one that is not known, that of the nearest
// above it.
func (p *place) location() citekit.Location {
	for ; p != nil; p = p.parent {
		if p.part != 0 {
			return p.own()
		}
	}
	return citekit.Location{Modality: citekit.Document}
}

func (p *place) own() citekit.Location {
	if p.parts.Len() > 1 {
		return locationOf(p.parts)
	}
	last := p.last
	if last == 0 {
		last = p.blocks
	}
	if p.blocks == 0 || p.first == 1 && last == p.blocks {
		return location(p.part, citekit.Range{})
	}
	return location(p.part, citekit.Range{First: p.first, Last: last})
}
