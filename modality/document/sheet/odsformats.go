package sheet

import (
	"github.com/citekit/citekit/internal/xmlspan"
)

// odsCellStyles are the styles of cells in a file, by name.
type odsCellStyles struct {
	mapped  map[string]bool   // those that have a conditional format of their own
	parents map[string]string // what each inherits from, or ""
}

func newODSCellStyles() odsCellStyles {
	return odsCellStyles{make(map[string]bool), make(map[string]string)}
}

// begin notes the style at hand, and returns its name; "" if it is not one of
// cells.
func (o odsCellStyles) begin(s *xmlspan.Scanner) string {
	if s.Get("style", "family") != "table-cell" {
		return ""
	}
	name := s.Get("style", "name")
	o.parents[name] = s.Get("style", "parent-style-name")
	return name
}

// defaultCellStyle is the style of cells that name none: ODF leaves it to the
// program, and LibreOffice and OpenOffice call it so.
const defaultCellStyle = "Default"

// hasMapped reports whether a style that the evidence names, or the default one,
// has a conditional format or inherits one. Styles of the content come before
// common ones, and inherit from common ones alone.
func (c *odsCut) hasMapped(own, common odsCellStyles) bool {
	c.named[defaultCellStyle] = true
	delete(c.named, "")
	seen := make(map[string]bool) // common styles, which may inherit in a circle
	for name := range c.named {
		if parent, isOwn := own.parents[name]; isOwn {
			if own.mapped[name] {
				return true
			}
			name = parent
		}
		for ; name != "" && !seen[name]; name = common.parents[name] {
			if common.mapped[name] {
				return true
			}
			seen[name] = true
		}
	}
	return false
}

// name notes the style that the row or the column at hand gives its cells.
func (c *odsCut) name(s *xmlspan.Scanner) {
	if name := s.Get("table", "default-cell-style-name"); name != "" {
		c.named[name] = true
	}
}

// columnStyles notes the styles that the columns of the area give their cells.
func (c *odsCut) columnStyles() {
	next := int32(1)
	for _, at := range c.e.columns {
		s := c.b.root.Fragment(at.pos, at.stop)
		for s.Next() {
			if s.Kind != xmlspan.Start || !s.Is("table", "table-column") {
				continue
			}
			n := min(count(s, "number-columns-repeated", maxColumn), maxColumn+1-next)
			if n < 1 {
				return
			}
			if next <= c.area.right && next+n > c.area.left {
				c.name(s)
			}
			next += n
		}
	}
}
