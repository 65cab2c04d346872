package odf

import (
	"net/url"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// omissions counts the things that were left out of a file.
type omissions struct{ macros, objects, controls, links int }

func (o *omissions) add(more omissions) {
	o.macros += more.macros
	o.objects += more.objects
	o.controls += more.controls
	o.links += more.links
}

// A cleaner makes a file of a cut consistent: no range lacks its start or end, no
// reference leads to something left out, and no field shows another text than in
// the source.
type cleaner struct {
	s    *xmlspan.Scanner
	size int // of the file
	cut  *Cut
	dir  string // directory of the embedded object with the file, such as "Object 1/", or ""
	body bool   // the file is the content, not the styles with headers and footers
	omissions
	edits   []xmlspan.Edit
	ranges  xmlspan.Ranges
	targets map[string]bool // possible targets of references
	open    []*wrapped      // elements whose end tags were not reached yet
	refs    []*wrapped
}

// A wrapped element may lose its tags and keeps its content.
type wrapped struct {
	depth       int
	target      string       // of its reference; if it exists, the tags stay; "" if it has none
	name        string       // of the element that takes its place, or ""
	start, stop xmlspan.Edit // which remove its tags
}

// clean returns the edited text of a file of a cut.
func (c *Cut) clean(text, dir string, body bool) (string, omissions, error) {
	x := &cleaner{s: Scan(text), size: len(text), cut: c, dir: dir, body: body, ranges: make(xmlspan.Ranges), targets: make(map[string]bool)}
	for x.s.Next() {
		switch x.s.Kind {
		case xmlspan.Start:
			x.element()
		case xmlspan.End:
			x.leave()
		}
	}
	if err := x.s.Err(); err != nil {
		return "", omissions{}, xmlspan.Known(err)
	}
	for key := range x.ranges {
		x.drop(x.ranges.Unpaired(key)...)
	}
	for _, w := range x.refs {
		if !x.targets[w.target] {
			x.drop(w.start, w.stop)
		}
	}
	return xmlspan.Splice(text, 0, len(text), x.edits), x.omissions, nil
}

func (c *cleaner) drop(edits ...xmlspan.Edit) { c.edits = append(c.edits, edits...) }

// unwrap removes the tags of the element at hand, unless target exists.
func (c *cleaner) unwrap(target string) {
	w := &wrapped{depth: c.s.Depth, target: target, start: xmlspan.Edit{Pos: c.s.Pos, Stop: c.s.Stop}}
	c.open = append(c.open, w)
}

func (c *cleaner) leave() {
	if len(c.open) == 0 || c.open[len(c.open)-1].depth != c.s.Depth {
		return
	}
	w := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	w.stop = xmlspan.Edit{Pos: c.s.Pos, Stop: c.s.Stop}
	switch {
	case w.target != "":
		c.refs = append(c.refs, w)
	case w.name != "":
		c.rename(w)
	default:
		c.drop(w.start, w.stop)
	}
}

// rename puts tags without attributes in the place of those of an element.
func (c *cleaner) rename(w *wrapped) {
	w.start.Text, w.stop.Text = "<"+w.name+">", "</"+w.name+">"
	c.drop(w.start, w.stop)
}

// lose leaves out what the element at hand shows of a file. The text that it has
// of its own is kept in a text box.
func (c *cleaner) lose() {
	s := c.s
	prefix, _, ok := strings.Cut(s.Name(), ":")
	if ok && s.Space == "draw" && c.hasText() {
		c.open = append(c.open, &wrapped{depth: s.Depth, name: prefix + ":text-box", start: xmlspan.Edit{Pos: s.Pos, Stop: s.Stop}})
		return
	}
	c.drop(c.s.Drop())
}

// hasText reports whether there are paragraphs in the element at hand.
func (c *cleaner) hasText() bool {
	s := c.s.Fragment(c.s.Pos, c.size)
	for s.Next() && (s.Kind != xmlspan.End || s.Depth > 1) {
		if s.Kind == xmlspan.Start && (s.Is("text", "p") || s.Is("text", "h")) {
			return true
		}
	}
	return false
}

func (c *cleaner) element() {
	s := c.s
	switch s.Space {
	case "text":
		if c.text() {
			return
		}
	case "office":
		if c.office() {
			return
		}
	case "script", "form":
		c.macros += one(s.Local == "event-listener")
		c.drop(c.s.Drop())
		return
	case "draw":
		if s.Local == "control" {
			c.controls++
			c.drop(c.s.Drop())
			return
		}
	}
	for a := range s.Attrs() {
		if a.Space == "xlink" && a.Local == "href" {
			c.link(a)
			return
		}
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// office handles an element of the namespace "office". It reports whether nothing
// else is to be done with the element.
func (c *cleaner) office() bool {
	s := c.s
	switch s.Local {
	case "scripts":
		c.drop(c.s.Drop())
	case "forms":
		c.drop(c.s.Drop())
	case "dde-source":
		c.links++
		c.drop(c.s.Drop())
	case "annotation":
		if name := s.Get("office", "name"); name != "" {
			c.targets["annotation "+name] = true
		}
		return false
	case "annotation-end":
		c.unwrap("annotation " + s.Get("office", "name"))
	default:
		return false
	}
	return true
}

// text handles an element of the namespace "text", as office does.
func (c *cleaner) text() bool {
	s := c.s
	if base, isStart, ok := rangeOf(s.Local); ok {
		c.half(base, isStart)
		return true
	}
	switch s.Local {
	case "bookmark", "reference-mark":
		c.targets[s.Local+" "+s.Get("text", "name")] = true
	case "sequence":
		c.targets["sequence "+s.Get("text", "ref-name")] = true
	case "note":
		c.targets["note "+s.Get("text", "id")] = true
	case "bookmark-ref", "sequence-ref", "note-ref":
		c.unwrap(strings.TrimSuffix(s.Local, "-ref") + " " + s.Get("text", "ref-name"))
	case "reference-ref":
		c.unwrap("reference-mark " + s.Get("text", "ref-name"))
	case "script":
		c.macros++
		c.drop(c.s.Drop())
		return true
	case "section-source":
		c.links++
		c.drop(c.s.Drop())
		return true
	case "alphabetical-index-auto-mark-file", "dde-connection-decls", "variable-decls", "user-field-decls":
		c.drop(c.s.Drop())
		return true
	case "execute-macro":
		c.macros++
		c.unwrap("")
	default:
		if isVolatile(s, c.body) {
			c.unwrap("")
		}
	}
	return false
}

// rangeOf splits the name of an element that begins or ends a range.
func rangeOf(local string) (base string, isStart, ok bool) {
	if base, ok = strings.CutSuffix(local, "-start"); ok {
		isStart = true
	} else if base, ok = strings.CutSuffix(local, "-end"); !ok {
		return "", false, false
	}
	switch base {
	case "bookmark", "reference-mark", "alphabetical-index-mark", "toc-mark", "user-index-mark", "change":
		return base, isStart, true
	}
	return "", false, false
}

// half records the start or the end of a range.
func (c *cleaner) half(base string, isStart bool) {
	s := c.s
	var id string
	switch base {
	case "bookmark", "reference-mark":
		id = s.Get("text", "name")
		if isStart {
			c.targets[base+" "+id] = true
		}
	case "change":
		id = s.Get("text", "change-id")
	default:
		id = s.Get("text", "id")
	}
	c.ranges.Add(base+" "+id, isStart, s.Drop())
}

// isVolatile reports whether the field at hand would show another text without the
// rest of its document, or on another day.
func isVolatile(s *xmlspan.Scanner, body bool) bool {
	switch s.Local {
	case "date", "time":
		return s.Get("text", "fixed") != "true"
	case "title", "subject", "keywords", "description", "initial-creator", "creator", "printed-by", "author-name", "author-initials",
		"file-name", "template-name", "sheet-name", "user-defined", "editing-cycles", "editing-duration",
		"creation-date", "creation-time", "modification-date", "modification-time", "print-date", "print-time",
		"variable-set", "variable-get", "variable-input", "user-field-get", "user-field-input", "expression", "text-input", "table-formula",
		"database-display", "database-name", "database-next", "database-row-select", "database-row-number",
		"dde-connection", "conditional-text", "hidden-text":
		return true
	case "chapter", "page-count", "paragraph-count", "word-count", "character-count", "table-count", "image-count", "object-count",
		"page-variable-get":
		return body
	}
	return strings.HasPrefix(s.Local, "sender-")
}

// link handles an element with a link or a reference to a file.
func (c *cleaner) link(a xmlspan.Attr) {
	s := c.s
	switch s.Local {
	case "a":
		if c.isGone(a.Value) {
			c.unwrap("")
		}
	case "area-rectangle", "area-circle", "area-polygon":
		if c.isGone(a.Value) {
			c.drop(c.s.Drop())
		}
	case "event-listener":
		if !strings.HasPrefix(a.Value, "#") || c.isGone(a.Value) {
			c.drop(c.s.Drop())
		}
	case "object-ole", "applet":
		c.objects++
		c.lose()
	case "object":
		if !c.cut.p.isShown(c.dir + localName(a.Value) + "/") {
			c.objects++
			c.drop(c.s.Drop())
		}
	case "list-level-style-image":
		if c.isOutside(a.Value) {
			c.links++
			c.drop(xmlspan.Edit{Pos: a.Pos, Stop: a.Stop})
		}
	case "chart", "p", "h": // in an object these refer to the document itself
	default:
		if c.isOutside(a.Value) {
			c.links++
			c.lose()
		}
	}
}

// isGone reports whether a link leads to a part that is left out.
func (c *cleaner) isGone(href string) bool {
	return c.cut.Gone != nil && strings.HasPrefix(href, "#") && c.cut.Gone(href[1:])
}

// isOutside reports whether the target of a reference is not a file of the package.
func (c *cleaner) isOutside(href string) bool {
	return href != "" && !c.cut.p.Has(c.cut.p.named(c.dir, href))
}

// localName returns the name of a file that a reference is to.
func localName(href string) string { return strings.TrimSuffix(strings.TrimPrefix(href, "./"), "/") }

// named returns the name in the package of the file that a reference in a
// directory leads to. References are percent-encoded, but not by all programs.
func (p *Package) named(dir, href string) string {
	name := dir + localName(href)
	if !p.Has(name) {
		if plain, err := url.PathUnescape(name); err == nil {
			return plain
		}
	}
	return name
}

// Shown returns the name of the content of an object, given a reference to it in
// the content of the package. It returns false unless the object is a chart or a
// formula, which show all that they hold.
func (p *Package) Shown(href string) (file string, ok bool) {
	dir := localName(href) + "/"
	return dir + Content, p.isShown(dir)
}

// isShown reports whether a directory has a chart or a formula, which show all
// that they hold.
func (p *Package) isShown(dir string) bool {
	mediaType := strings.TrimPrefix(p.types[dir], "application/vnd.oasis.opendocument.")
	return (mediaType == "chart" || mediaType == "formula") && p.Has(dir+Content)
}
