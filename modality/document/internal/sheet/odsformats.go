package sheet

import (
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// odsCellStyles are the cell styles in a file, by name.
type odsCellStyles struct {
	mapped  map[string]bool   // styles with their own conditional format
	parents map[string]string // parent of each style, or ""
}

func newODSCellStyles() odsCellStyles {
	return odsCellStyles{make(map[string]bool), make(map[string]string)}
}

// begin records the current style and returns its name; "" if it is not a cell style.
func (o odsCellStyles) begin(s *xmlspan.Scanner) string {
	if s.Get("style", "family") != "table-cell" {
		return ""
	}
	name := s.Get("style", "name")
	o.parents[name] = s.Get("style", "parent-style-name")
	return name
}

// defaultCellStyle is the style of cells without a style name. ODF does not define
// its name; LibreOffice and OpenOffice use this one.
const defaultCellStyle = "Default"

// hasMapped reports whether a style used in the evidence, or the default style, has
// or inherits a conditional format. Styles in content.xml take precedence over common
// styles, and inherit only from these.
func (c *odsCut) hasMapped(own, common odsCellStyles) bool {
	c.named[defaultCellStyle] = true
	delete(c.named, "")
	seen := make(map[string]bool) // common styles may inherit in a cycle
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

// name records the cell style of the current row or column.
func (c *odsCut) name(s *xmlspan.Scanner) {
	if name := s.Get("table", "default-cell-style-name"); name != "" {
		c.named[name] = true
	}
}

// columnStyles records the cell styles of the columns of the area.
func (c *odsCut) columnStyles() {
	next := int32(1)
	for _, at := range c.e.columns {
		s := c.b.root.Fragment(at.pos, at.stop)
		for range s.Starts() {
			if !s.Is("table", "table-column") {
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
