package sheet

import (
	"strings"
)

// States of a name: see nameStays.
const (
	nameUnknown = iota
	nameGone
	nameKept
)

// maxNameDepth is how deep names may depend on each other.
const maxNameDepth = 8

func equalFold(a, b string) bool { return strings.EqualFold(a, b) }

// isOwn reports whether a sheet name in a formula means the cited sheet.
func (c *cutter) isOwn(sheet string) bool { return sheet == "" || equalFold(sheet, c.entry.name) }

// lookup returns the name that a formula of the sheet refers to. A name of the sheet
// takes precedence over one of the workbook.
func (c *cutter) lookup(name string) *definedName {
	var found *definedName
	for i := range c.book.names {
		n := &c.book.names[i]
		if !equalFold(n.name, name) {
			continue
		}
		if n.local == c.number {
			return n
		}
		if n.local < 0 {
			found = n
		}
	}
	return found
}

// nameStays reports whether a name used by a formula can be kept, and if so keeps it.
func (c *cutter) nameStays(name string, depth int) bool {
	key := strings.ToLower(name)
	switch c.named[key] {
	case nameGone:
		return false
	case nameKept:
		return true
	}
	n := c.lookup(name)
	stays := n != nil && depth < maxNameDepth && c.isPlainName(n)
	if stays {
		c.named[key] = nameGone // a name that depends on itself is dropped
		f := parseFormula(n.text)
		names := f.names
		f.names = nil
		stays = c.stays(f, 0, 0)
		for _, other := range names {
			stays = stays && c.nameStays(other, depth+1)
		}
	}
	c.named[key] = nameGone
	if stays {
		c.named[key] = nameKept
	}
	return stays
}

// isPlainName reports whether a name stands for a formula without relative
// references, and is not a macro.
func (c *cutter) isPlainName(n *definedName) bool {
	for _, of := range []string{"function", "vbProcedure", "xlm"} {
		if isTrue(attrOf(n.raw, of)) {
			return false
		}
	}
	for _, ref := range parseFormula(n.text).refs {
		if ref.moveLeft || ref.moveRight || ref.moveTop || ref.moveBottom || ref.sheet == "" {
			return false
		}
	}
	return true
}

// definedNames returns the names that are kept: names of areas within the cited area,
// and names that formulas use.
func (c *cutter) definedNames(part child) string {
	var kept []string
	for i := range c.book.names {
		n := &c.book.names[i]
		if n.local >= 0 && n.local != c.number || c.lookup(n.name) != n {
			continue
		}
		if c.named[strings.ToLower(n.name)] != nameKept {
			refs, ok := references(n.text)
			if !ok || len(refs) == 0 || !c.nameStays(n.name, 0) {
				continue
			}
		}
		kept = append(kept, withAttrs(n.raw, func(name, _ string) (string, bool) {
			if name == "localSheetId" {
				return "0", true
			}
			return "", true
		}))
	}
	if len(kept) == 0 {
		return ""
	}
	name := rawName(part.raw)
	return "<" + name + ">" + strings.Join(kept, "") + "</" + name + ">"
}
