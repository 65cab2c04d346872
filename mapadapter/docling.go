package mapadapter

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
)

// Docling reads the JSON of a DoclingDocument. Headings become sections, nested
// by their level. A section runs from the page of its heading to the last page
// of its content. Tables and figures have their captions as titles; paragraphs,
// list items, code and formulas are passages. All nodes except sections have
// their page, and their box if it is on one page. Page headers and footers, and
// other items outside the body, are left out.
type Docling struct{}

// Adapt implements [Adapter].
func (Docling) Adapt(ctx context.Context, in Input, opts *Options) ([]*citekit.ResourceMap, error) {
	var doc record
	j, err := newJSONJob(ctx, in, opts, "docling", &doc)
	if err != nil {
		return nil, err
	}
	if inner := doc.sub("document").sub("json_content"); inner != nil { // an answer of docling-serve
		doc = inner
	}
	if doc.text("schema_name") != "DoclingDocument" && !doc.has("body", "texts") {
		return nil, formatError("the input is no DoclingDocument: it has no schema_name, or no body and texts")
	}
	source, err := j.find(doc.sub("origin").text("filename"))
	if err != nil {
		return nil, err
	}
	r := newDoclingReader(doc, source != nil)
	r.walk(doc.sub("body"), 0)
	return j.finishOnly(&draft{
		title:  cmp.Or(r.title, doc.text("name")),
		nodes:  r.finished(),
		source: source,
	})
}

// A doclingReader goes through the body of a document in reading order.
type doclingReader struct {
	doc      record
	items    map[string]record // by reference
	seen     map[string]bool   // references already followed
	captions map[string]bool   // references of captions
	located  bool              // the source has a name, so that nodes have pages

	title string
	roots []*citekit.Node
	open  []doclingSection
	nodes int
}

// A doclingSection is an open section.
type doclingSection struct {
	node  *citekit.Node
	level int
}

func newDoclingReader(doc record, located bool) *doclingReader {
	r := &doclingReader{doc: doc, items: make(map[string]record), seen: make(map[string]bool), captions: make(map[string]bool), located: located}
	for _, list := range []string{"texts", "tables", "pictures", "groups", "key_value_items", "form_items", "field_regions", "field_items"} {
		for i, item := range doc.records(list) {
			r.items["#/"+list+"/"+strconv.Itoa(i)] = item
			for _, caption := range item.records("captions") {
				r.captions[reference(caption)] = true
			}
		}
	}
	return r
}

func reference(r record) string { return r.text("$ref", "cref") }

// walk reads the children of an item. An item is read only once, which cuts
// cycles.
func (r *doclingReader) walk(parent record, depth int) {
	for _, child := range parent.records("children") {
		ref := reference(child)
		item, ok := r.items[ref]
		if !ok || r.seen[ref] || depth > maxDepth {
			continue
		}
		r.seen[ref] = true
		if layer := item.text("content_layer"); layer != "" && layer != "body" {
			continue
		}
		if !r.captions[ref] {
			r.read(item, ref)
		}
		r.walk(item, depth+1)
	}
}

// read makes a node from an item.
func (r *doclingReader) read(item record, ref string) {
	text := item.text("text", "orig")
	switch label := item.text("label"); {
	case label == "title" || label == "section_header":
		r.beginSection(item, text, ref)
	case strings.HasPrefix(ref, "#/tables/"):
		r.add(r.captioned(item, "table", ref), item)
	case strings.HasPrefix(ref, "#/pictures/"):
		r.add(r.captioned(item, "figure", ref), item)
	case strings.HasPrefix(ref, "#/texts/") && strings.TrimSpace(text) != "":
		if label == "page_header" || label == "page_footer" {
			return
		}
		n := newNode(ref)
		n.Type, n.Title, n.Summary = "passage", firstLine(text), plain.Words(text, maxLead)
		if n.Summary == n.Title {
			n.Summary = ""
		}
		r.add(n, item)
	}
}

func (r *doclingReader) captioned(item record, kind, ref string) *citekit.Node {
	n := newNode(ref)
	n.Type = kind
	var captions []string
	for _, caption := range item.records("captions") {
		captions = append(captions, r.items[reference(caption)].text("text", "orig"))
	}
	n.Title = title(strings.Join(captions, " "))
	return n
}

// beginSection ends the sections that are not above a heading and begins one.
func (r *doclingReader) beginSection(item record, text, ref string) {
	level, ok := item.whole("level")
	switch {
	case item.text("label") == "title":
		level = 0
		if r.title == "" {
			r.title = plain.Line(text)
		}
	case !ok || level < 1:
		level = 1
	}
	for len(r.open) > 0 && (r.open[len(r.open)-1].level >= level || len(r.open) >= maxDepth) {
		r.open = r.open[:len(r.open)-1]
	}
	n := newNode(ref)
	n.Type, n.Title = "section", title(text)
	r.add(n, item)
	n.Location.Box = citekit.Box{}
	r.open = append(r.open, doclingSection{n, level})
}

// add adds a node to the innermost open section. Its pages become those of all
// open sections too.
func (r *doclingReader) add(n *citekit.Node, item record) {
	if r.nodes++; r.nodes > about.MaxMappedNodes && n.Type == "passage" || r.nodes > 2*about.MaxMappedNodes {
		return
	}
	if r.located {
		n.Location = r.place(item)
	}
	for _, s := range r.open {
		s.node.Location = joined(s.node.Location, n.Location)
	}
	if len(r.open) == 0 {
		r.roots = append(r.roots, n)
		return
	}
	last := r.open[len(r.open)-1].node
	last.Children = append(last.Children, n)
}

// joined returns the run of pages from the first to the last of two locations.
func joined(a, b citekit.Location) citekit.Location {
	if len(b.Pages) == 0 {
		return a
	}
	run := b.Pages[0]
	if len(a.Pages) > 0 {
		run = citekit.Range{First: min(a.Pages[0].First, run.First), Last: max(a.Pages[0].Last, run.Last)}
	}
	return citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{run}}
}

// place returns the pages of an item, and the box if the item is on one page.
func (r *doclingReader) place(item record) citekit.Location {
	var first, last, boxes int
	var box citekit.Box
	for _, prov := range item.records("prov") {
		page, ok := prov.whole("page_no")
		if !ok || page < 1 {
			continue
		}
		if first == 0 {
			first, last = page, page
		}
		first, last = min(first, page), max(last, page)
		boxes++
		box = r.box(prov.sub("bbox"), page)
	}
	if first == 0 {
		return citekit.Location{}
	}
	loc := citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: first, Last: last}}}
	if boxes == 1 {
		loc.Box = box
	}
	return loc
}

// box returns a box in fractions of its page, or the zero Box if it is not
// valid there.
func (r *doclingReader) box(b record, page int) citekit.Box {
	size := r.doc.sub("pages").sub(strconv.Itoa(page)).sub("size")
	width, ok1 := size.number("width")
	height, ok2 := size.number("height")
	left, ok3 := b.number("l")
	top, ok4 := b.number("t")
	right, ok5 := b.number("r")
	bottom, ok6 := b.number("b")
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6) || width <= 0 || height <= 0 {
		return citekit.Box{}
	}
	if b.text("coord_origin") == "BOTTOMLEFT" { // as in PDF
		top, bottom = height-top, height-bottom
	}
	part := func(v, of float64) float64 { return min(max(v/of, 0), 1) }
	box := citekit.Box{X1: part(left, width), Y1: part(top, height), X2: part(right, width), Y2: part(bottom, height)}
	if box.X1 >= box.X2 || box.Y1 >= box.Y2 {
		return citekit.Box{}
	}
	return box
}

// finished returns the nodes, without passages if there are too many nodes.
func (r *doclingReader) finished() []*citekit.Node {
	if r.nodes > about.MaxMappedNodes {
		return withoutPassages(r.roots)
	}
	return r.roots
}

func withoutPassages(nodes []*citekit.Node) []*citekit.Node {
	var kept []*citekit.Node
	for _, n := range nodes {
		if n.Type != "passage" {
			n.Children = withoutPassages(n.Children)
			kept = append(kept, n)
		}
	}
	return kept
}
