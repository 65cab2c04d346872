package sheet

import (
	"path"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// reportParts records content of the area in other parts, which evidence leaves out:
// comments, drawings, pivot tables and objects.
func (c *cutter) reportParts() error {
	rels, err := c.p.Rels(c.ctx, c.entry.part)
	if err != nil {
		return err
	}
	var comments, drawings, pivots, objects int
	for _, rel := range rels {
		if rel.External {
			continue
		}
		switch rel.Kind() {
		case "comments":
			comments += c.count(rel.Target, "comment", func(s *xmlspan.Scanner) (area, bool) { return areaOf(s.Get("", "ref")) })
		case "drawing":
			drawings += c.drawn(rel.Target)
		case "pivotTable":
			pivots += c.count(rel.Target, "location", func(s *xmlspan.Scanner) (area, bool) { return areaOf(s.Get("", "ref")) })
		case "oleObject", "package", "control", "ctrlProp":
			objects++
		}
	}
	c.lost(comments, "comment")
	c.lost(drawings, "drawing")
	c.lost(objects, "embedded object")
	if pivots > 0 {
		c.change("a pivot table kept as its values")
	}
	return c.ctx.Err()
}

// count counts the elements of a part that are at cells of the area. A damaged part
// counts as empty.
func (c *cutter) count(part, local string, at func(*xmlspan.Scanner) (area, bool)) int {
	p := c.p.Part(part)
	if p == nil {
		return 0
	}
	text, err := p.Text(c.ctx)
	if err != nil {
		return 0
	}
	n := 0
	s := ooxml.Scan(text)
	for range s.Starts() {
		if s.Local != local {
			continue
		}
		if a, ok := at(s); ok && !c.area.meet(a).isEmpty() {
			n++
		}
	}
	return n
}

// drawn counts the drawings that overlap the area.
func (c *cutter) drawn(part string) int {
	p := c.p.Part(part)
	if p == nil || !strings.EqualFold(path.Ext(p.Name), ".xml") {
		return 0
	}
	text, err := p.Text(c.ctx)
	if err != nil {
		return 0
	}
	n := 0
	_, _, anchors, err := children(text)
	if err != nil {
		return 0
	}
	for _, a := range anchors {
		if place, ok := anchorArea(a); !ok || !c.area.meet(place).isEmpty() {
			n++
		}
	}
	return n
}

// anchorArea returns the cells that a drawing covers.
func anchorArea(anchor child) (area, bool) {
	corners := map[string]*[2]int32{"from": {}, "to": {}}
	found := false
	for _, part := range anchor.within() {
		corner := corners[part.local]
		if corner == nil {
			continue
		}
		for _, edge := range part.within() {
			n, ok := wholeNumber([]byte(elementText(edge.raw)))
			if !ok || n > 1<<30 {
				continue
			}
			switch edge.local {
			case "col":
				corner[0], found = int32(n)+1, true
			case "row":
				corner[1] = int32(n) + 1
			}
		}
	}
	from, to := *corners["from"], *corners["to"]
	if to[0] == 0 {
		to = from
	}
	return area{from[0], from[1], max(to[0], from[0]), max(to[1], from[1])}, found
}
