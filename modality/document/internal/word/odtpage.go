package word

import (
	"strings"

	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// An odtPage gives a cut the page layout that its first block has in the source.
type odtPage struct {
	masters []string
	edits   []xmlspan.Edit // edits of the block
	styles  []xmlspan.Edit // edits of the text before the blocks
}

// page returns the master page of a cut whose first block is b. If an earlier block
// began that master page, b gets a style that names it.
func (d *odt) page(b odtBlock, kept span) (p odtPage) {
	if b.own && b.lead.pos >= kept.pos {
		return p
	}
	p.masters = []string{b.master}
	if b.master == "" || b.master == d.styles.firstMaster {
		return p
	}
	s := d.scope.Fragment(kept.pos, kept.stop)
	for s.Next() {
		if s.Kind == xmlspan.Start && (s.Is("text", "p") || s.Is("text", "h") || s.Is("table", "table")) {
			break
		}
	}
	for a := range s.Attrs() {
		if s.Kind == xmlspan.Start && a.Local == "style-name" && a.Space == s.Space {
			if style, at := d.styleWith(a.Value, s.Space == "table", b.master); style != "" {
				p.edits = append(p.edits, xmlspan.Edit{Pos: a.ValuePos, Stop: a.ValueStop, Text: xmlspan.Escape(a.Value + pageSuffix)})
				p.styles = append(p.styles, xmlspan.Edit{Pos: at, Stop: at, Text: style})
			}
		}
	}
	return p
}

// pageSuffix ends the name of a style that a cut adds.
const pageSuffix = "_first"

// styleWith returns a copy of a style in content.xml that also begins a master page,
// and where to insert it. A style of styles.xml becomes its parent instead.
func (d *odt) styleWith(name string, table bool, master string) (style string, at int) {
	s := odf.Scan(d.text)
	family := "paragraph"
	if table {
		family = "table"
	}
	inside := false
	for s.Next() && s.Pos < d.bodyStart {
		switch {
		case s.Depth == 2 && s.Is("office", "automatic-styles"):
			inside = s.Kind == xmlspan.Start
			if !inside && s.Pos < s.Stop {
				at = s.Pos
			}
		case s.Kind == xmlspan.Start && inside && s.Is("style", "style") && s.Get("style", "name") == name && s.Get("style", "family") == family:
			pos := s.Pos
			edits := []xmlspan.Edit{setAttr(s, "style", "master-page-name", xmlspan.Escape(master)), setAttr(s, "style", "name", xmlspan.Escape(name+pageSuffix))}
			s.Skip()
			style = xmlspan.Splice(d.text, pos, s.Stop, edits)
		}
	}
	if at == 0 {
		return "", 0
	}
	if style == "" && !table && strings.Contains(d.text[:d.bodyStart], ` xmlns:style="`) {
		style = `<style:style style:name="` + xmlspan.Escape(name+pageSuffix) + `" style:family="paragraph" style:parent-style-name="` + xmlspan.Escape(name) + `" style:master-page-name="` + xmlspan.Escape(master) + `"/>`
	}
	return style, at
}
