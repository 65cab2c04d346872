package word

import (
	"fmt"

	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// odtListNumbers holds the changes that make the lists of a cut begin with the
// numbers shown in the source.
type odtListNumbers struct {
	edits  []xmlspan.Edit   // edits of the blocks
	starts map[odtStart]int // start numbers that differ from the source
}

// maxRuns is how often the lists of a cut are numbered at most. Each run sets the
// start of one more level.
const maxRuns = 3 * odtLevels

// renumber numbers the paragraphs of a span as a reader of the cut would, and
// corrects the numbers that differ.
func (d *odt) renumber(part span, edits []xmlspan.Edit) odtListNumbers {
	r := odtListNumbers{starts: make(map[odtStart]int)}
	dropped := make(map[int]bool)
	for _, e := range edits {
		dropped[e.Pos] = dropped[e.Pos] || e.Text == "" && e.Stop > e.Pos
	}
	for range maxRuns {
		lists := newODTLists(d.styles)
		lists.starts, lists.items = r.starts, make(map[int]int)
		again := d.number(lists, part, dropped)
		if again {
			continue
		}
		r.edits = d.begin(part, lists.items)
		break
	}
	return r
}

// number scans a span and records in lists the numbers that must be set. It reports
// whether the start number of a level is among them.
func (d *odt) number(lists *odtLists, part span, dropped map[int]bool) (again bool) {
	wanted := make(map[int]*odtParagraph)
	for i := d.paragraphAt(part.pos); i < len(d.paragraphs) && d.paragraphs[i].pos < part.stop; i++ {
		wanted[d.paragraphs[i].pos] = &d.paragraphs[i]
	}
	lists.want = func(p *odtParagraph) {
		want := wanted[p.pos]
		if want == nil {
			return
		}
		for k := range p.level {
			key := odtStart{p.style, k}
			if _, changed := lists.starts[key]; p.above[k] && p.values[k] != want.values[k] && !changed {
				lists.starts[key] = want.values[k]
				again = true
			}
		}
		if p.values[p.level] != want.values[p.level] {
			lists.items[p.item] = want.values[p.level]
		}
		p.values = want.values
	}
	s := d.scope.Fragment(part.pos, part.stop)
	for s.Next() {
		switch {
		case s.Kind == xmlspan.End:
			lists.leave(s)
		case s.Kind != xmlspan.Start:
		case dropped[s.Pos], skipsLists(s):
			s.Skip()
		default:
			lists.enter(s)
		}
	}
	return again
}

// begin returns the edits that set the numbers that elements begin with.
func (d *odt) begin(part span, items map[int]int) (edits []xmlspan.Edit) {
	if len(items) == 0 {
		return nil
	}
	s := d.scope.Fragment(part.pos, part.stop)
	for range s.Starts() {
		n, ok := items[s.Pos]
		if !ok {
			continue
		}
		edits = append(edits, setAttr(s, "text", "start-value", fmt.Sprint(n)))
		if s.Local == "h" {
			edits = append(edits, setAttr(s, "text", "restart-numbering", "true"))
		}
	}
	return edits
}

// setStarts sets the start numbers of levels in list styles.
func setStarts(text string, starts map[odtStart]int) (string, error) {
	if len(starts) == 0 || text == "" {
		return text, nil
	}
	var edits []xmlspan.Edit
	var style string
	s := odf.Scan(text)
	for range s.Starts() {
		switch s.Local {
		case "body":
			s.Skip()
		case "list-style":
			style = s.Get("style", "name")
		case "outline-style":
			style = outlineName
		case "list-level-style-number", "outline-level-style":
			if n, ok := starts[odtStart{style, odf.Number(s.Get("text", "level"), 0) - 1}]; ok {
				edits = append(edits, setAttr(s, "text", "start-value", fmt.Sprint(n)))
			}
		}
	}
	return xmlspan.Splice(text, 0, len(text), edits), xmlspan.Known(s.Err())
}
