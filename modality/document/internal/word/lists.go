package word

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// A listNumbers is what has to change so that the lists of a cut show the same
// numbers as in the source.
type listNumbers struct {
	d        *docx
	counters *counters // count as a reader of the cut does
	now      map[string]*num
	changed  []*num         // lists with other start numbers, and new lists
	lists    map[string]int // indexes into changed, by list
	next     int            // the id of the next new list
	edits    []xmlspan.Edit // edits of the main part
}

// renumber visits the numbered paragraphs of the cut, in order. Where the cut would
// show another number, the list gets the right start number; if the list has begun
// already, a new list continues from there.
func (d *docx) renumber(paragraphs []paragraph) *listNumbers {
	r := &listNumbers{d: d, counters: newCounters(d.numbering), now: make(map[string]*num), lists: make(map[string]int)}
	for id := range d.numbering.nums {
		r.next = max(r.next, number(id, 0)+1)
	}
	for _, p := range paragraphs {
		list := p.list
		if other := r.now[list.id]; other != nil {
			list = other
		}
		if r.agrees(list, p) {
			if list.id != p.list.id && r.isNew(list) {
				r.move(p, list)
			}
			continue
		}
		if r.counters.used[list.id] {
			list = r.add(list)
		} else {
			list = r.change(list)
		}
		r.now[p.list.id] = list
		for i := range p.level + 1 {
			list.starts[i] = p.values[i]
		}
		r.counters.next(list, p.level)
		if r.isNew(list) {
			r.move(p, list)
		}
	}
	return r
}

func (r *listNumbers) isNew(list *num) bool { return list.stop == 0 }

// agrees reports whether a list gives a paragraph its number in the source. Only then
// does it count the paragraph.
func (r *listNumbers) agrees(list *num, p paragraph) bool {
	counts := r.counters.of(list)
	before, used := *counts, r.counters.used[list.id]
	values := r.counters.next(list, p.level)
	if r.d.numbering.label(list, p.level, values) == p.label {
		return true
	}
	*counts = before
	r.counters.used[list.id] = used
	return false
}

// change returns a copy of a list of the source, to be given other start numbers.
func (r *listNumbers) change(list *num) *num {
	if i, ok := r.lists[list.id]; ok {
		return r.changed[i]
	}
	own := *list
	r.lists[list.id] = len(r.changed)
	r.changed = append(r.changed, &own)
	return &own
}

// add returns a new list with the definition of another.
func (r *listNumbers) add(list *num) *num {
	own := *list
	own.id, own.pos, own.stop = strconv.Itoa(r.next), 0, 0
	r.next++
	r.lists[own.id] = len(r.changed)
	r.changed = append(r.changed, &own)
	return &own
}

// move puts a paragraph into a new list.
func (r *listNumbers) move(p paragraph, list *num) {
	d := r.d
	w := d.prefix
	numPr := fmt.Sprintf(`<%[1]snumPr><%[1]silvl %[1]sval="%[2]d"/><%[1]snumId %[1]sval="%[3]s"/></%[1]snumPr>`, w, p.level, list.id)
	s := d.scope.Fragment(p.pos, d.bodyStop)
	s.Next()
	start := span{s.Pos, s.Stop}
	for s.Next() && s.Kind == xmlspan.Text {
	}
	if s.Kind != xmlspan.Start || !s.Is("w", "pPr") {
		r.edits = append(r.edits, into(d.text, start, "<"+w+"pPr>"+numPr+"</"+w+"pPr>"))
		return
	}
	tag := span{s.Pos, s.Stop}
	props := readProperties(s, "")
	switch {
	case !props.numPr.isEmpty():
		r.edits = append(r.edits, xmlspan.Edit{Pos: props.numPr.pos, Stop: props.numPr.stop, Text: numPr})
	case props.insert == tag.stop:
		r.edits = append(r.edits, into(d.text, tag, numPr))
	default:
		r.edits = append(r.edits, xmlspan.Edit{Pos: props.insert, Stop: props.insert, Text: numPr})
	}
}

// into returns the edit that inserts content at the start of the element with the
// given start tag, which may be an empty-element tag.
func into(text string, tag span, content string) xmlspan.Edit {
	inner, isEmpty := strings.CutSuffix(text[tag.pos:tag.stop], "/>")
	if !isEmpty {
		return xmlspan.Edit{Pos: tag.stop, Stop: tag.stop, Text: content}
	}
	name := strings.TrimPrefix(inner, "<")
	if end := strings.IndexAny(name, " \t\r\n"); end >= 0 {
		name = name[:end]
	}
	return xmlspan.Edit{Pos: tag.stop - len("/>"), Stop: tag.stop, Text: ">" + content + "</" + name + ">"}
}

// numberingText returns the text of the part with the lists, including the changed
// lists.
func (r *listNumbers) numberingText() string {
	n := r.d.numbering
	var edits []xmlspan.Edit
	var added strings.Builder
	for _, list := range r.changed {
		text := n.render(list)
		if r.isNew(list) {
			added.WriteString(text)
		} else {
			edits = append(edits, xmlspan.Edit{Pos: list.pos, Stop: list.stop, Text: text})
		}
	}
	edits = append(edits, xmlspan.Edit{Pos: n.numsStop, Stop: n.numsStop, Text: added.String()})
	return xmlspan.Splice(n.text, 0, len(n.text), edits)
}

// render writes a list.
func (n *numbering) render(list *num) string {
	var b strings.Builder
	w := n.prefix
	fmt.Fprintf(&b, `<%[1]snum %[1]snumId="%[2]s"><%[1]sabstractNumId %[1]sval="%[3]s"/>`, w, xmlspan.Escape(list.id), xmlspan.Escape(list.abstract))
	for i := range levelCount {
		if list.starts[i] < 0 && list.levels[i] == nil {
			continue
		}
		fmt.Fprintf(&b, `<%[1]slvlOverride %[1]silvl="%[2]d">`, w, i)
		if list.starts[i] >= 0 {
			fmt.Fprintf(&b, `<%[1]sstartOverride %[1]sval="%[2]d"/>`, w, list.starts[i])
		}
		if list.levels[i] != nil {
			b.WriteString(list.levels[i].raw)
		}
		fmt.Fprintf(&b, "</%slvlOverride>", w)
	}
	fmt.Fprintf(&b, "</%snum>", w)
	return b.String()
}

// paragraphsIn returns the numbered paragraphs of a span that lie in none of the
// edits, which are sorted.
func (d *docx) paragraphsIn(kept span, without []xmlspan.Edit) (list []paragraph) {
	at := sort.Search(len(d.paragraphs), func(i int) bool { return d.paragraphs[i].pos >= kept.pos })
	for ; at < len(d.paragraphs) && d.paragraphs[at].pos < kept.stop; at++ {
		pos := d.paragraphs[at].pos
		next := sort.Search(len(without), func(i int) bool { return without[i].Stop > pos })
		if next == len(without) || without[next].Pos > pos {
			list = append(list, d.paragraphs[at])
		}
	}
	return list
}
