package slides

import (
	"strconv"

	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// editMain removes from the main part what is not kept. The first slide keeps the
// number that it shows in the source.
func (c *cutter) editMain() error {
	isKept := make(map[int]bool, len(c.indexes))
	keptIDs := make(map[string]bool, len(c.indexes))
	for _, i := range c.indexes {
		isKept[i] = true
		keptIDs[c.slides[i].id] = true
	}
	gone, err := c.omitted(c.pkg.Main())
	if err != nil {
		return err
	}
	m := mainEditor{cutter: c, isKept: isKept, keptIDs: keptIDs, gone: gone}
	root, err := parse(c.text, m.visit)
	if err != nil {
		return err
	}
	for i := len(m.emptied) - 1; i >= 0; i-- { // inner ones first
		e := m.emptied[i]
		e.removeIfEmpty()
		if list := e.child("p14", "sldIdLst"); list != nil && list.edit.removed {
			e.edit.removed = true // a section without slides
		}
	}
	c.print(c.pkg.Main(), c.text, root)
	return nil
}

// A mainEditor decides about the elements of the main part.
type mainEditor struct {
	*cutter
	isKept  map[int]bool    // slides by index
	keptIDs map[string]bool // by the ids that sections use
	gone    omissions
	next    int        // index of the next slide in the list
	emptied []*element // elements that are removed if all their children are
}

func (m *mainEditor) visit(e *element, s *xmlspan.Scanner) {
	switch {
	case e.is("p", "presentation") && s.Depth == 1:
		m.number(e, s)
	case e.is("p", "sldId") && s.Depth == 3 && e.parent.is("p", "sldIdLst"):
		e.edit.removed = !m.isKept[m.next]
		m.next++
	case e.is("p", "custShowLst"):
		e.edit.removed = true
		m.change("custom shows left out")
	case e.is("p", "custDataLst"), e.is("p", "smartTags"), e.is("p", "handoutMasterIdLst"):
		e.edit.removed = true
	case e.is("p14", "sldId"):
		e.edit.removed = !m.keptIDs[s.Get("", "id")]
	case e.is("p", "notesMasterIdLst"), e.is("p", "extLst"), e.is("p", "embeddedFontLst"),
		e.is("p14", "section"), e.is("p14", "sectionLst"), e.is("p14", "sldIdLst"):
		m.emptied = append(m.emptied, e)
	case e.is("p", "ext") && s.Depth == 3:
		if s.Get("", "uri") == sectionsURI {
			m.emptied = append(m.emptied, e)
		}
	default:
		m.unname(e)
	}
}

// sectionsURI is the name of the extension that lists sections.
const sectionsURI = "{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"

// unname removes an element that refers to something left out. If the element
// belongs to an extension or an embedded font, all of that is removed.
func (m *mainEditor) unname(e *element) {
	for _, a := range e.refs {
		if m.gone.of(a.Value) == 0 {
			continue
		}
		whole := e
		for _, name := range []string{"ext", "embeddedFont"} {
			if outer := e.around("p", name); outer != nil {
				whole = outer
			}
		}
		whole.edit.removed = true
	}
}

// number sets the number of the first slide to its number in the source.
func (m *mainEditor) number(e *element, s *xmlspan.Scanner) {
	number := strconv.Itoa(m.first + m.indexes[0])
	for a := range s.Attrs() {
		if a.Space == "" && a.Local == "firstSlideNum" {
			e.edit.attrs = append(e.edit.attrs, xmlspan.Edit{Pos: a.ValuePos, Stop: a.ValueStop, Text: number})
			return
		}
	}
	if number != "1" {
		e.edit.extra = ` firstSlideNum="` + number + `"`
	}
}
