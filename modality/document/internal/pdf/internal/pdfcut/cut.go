// Package pdfcut makes a PDF file from some pages of another one.
//
// The pages keep their content, resources, annotations and form fields. Everything
// reachable from them is copied, except what leads to other pages or acts by itself:
//
//   - Links and destinations to dropped pages lose their target. Named destinations of
//     kept pages become explicit.
//   - Actions of annotations are kept if they go to a kept page, open a URI that is no
//     script, or are named
//     (such as NextPage). JavaScript, Launch, remote files, submission and all other
//     actions are dropped, and so are the actions of the document, its pages and its
//     fields that run by themselves.
//   - Fields keep only the widgets on kept pages. Signatures lose their value, which
//     can no longer be valid, and XFA is dropped.
//   - Content in other files is refused; sounds in other files are dropped.
//   - Outlines, structure trees, threads, attachments and metadata of the document, and
//     private data of programs are dropped.
//   - Page labels and the visibility of layers are kept.
//
// The output is not encrypted. The same source and request give the same bytes.
package pdfcut

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

// Numbers of the objects that every output has. The pages follow.
const (
	catalogNumber = 1
	pagesNumber   = 2
	firstPage     = 3
)

const maxObjects = 2 << 20 // objects in an output

// A Box is a part of a page as displayed, in fractions of its width and height from the
// top left corner.
type Box struct{ X1, Y1, X2, Y2 float64 }

// Cut returns a file with the pages of d, given as ascending indexes from 0. If box is
// not nil, the pages are cropped to it. The output reads from source, which must hold
// the same bytes as f.
func Cut(f *pdf.File, d *pdf.Document, source io.ReaderAt, pages []int, box *Box) (*Output, error) {
	c := &cutter{
		f: f, d: d, box: box,
		w:       newWriter(source, f.Size(), version(d)),
		numbers: map[int]int{},
		fields:  map[int]bool{},
		isRoot:  map[int]bool{},
		used:    map[int]nameSet{},
		next:    firstPage + len(pages),
	}
	for i, page := range pages {
		c.keep(d.Pages[page], firstPage+i)
	}
	for i, page := range pages {
		if err := c.page(page, firstPage+i); err != nil {
			return nil, fmt.Errorf("page %d: %w", page+1, err)
		}
	}
	// Fields depend on the kept widgets, which are all known only now.
	if err := c.drain(); err != nil {
		return nil, err
	}
	if err := c.catalog(pages); err != nil {
		return nil, err
	}
	return c.w.finish(catalogNumber), nil
}

// version returns the version of the output, which is at least 1.4.
func version(d *pdf.Document) string {
	v := max(d.Version, "1.4")
	if name, ok := d.Catalog["Version"].(pdf.Name); ok && len(name) == 3 && (name[:2] == "1." || name == "2.0") {
		v = max(v, string(name))
	}
	return v
}

// A cutter makes one output.
type cutter struct {
	f   *pdf.File
	d   *pdf.Document
	w   *writer
	box *Box

	numbers map[int]int  // object numbers in the source to those in the output
	next    int          // the next number in the output
	queue   []int        // objects of the source still to be written
	fields  map[int]bool // form fields above kept widgets
	roots   []pdf.Object // kept fields without a parent, as references in the output
	isRoot  map[int]bool // the numbers of roots
	decoded int          // bytes decoded to see which resources are used

	used      map[int]nameSet // names in content streams, by object number
	usedNames int             // number of names in used
	lookUps   int             // number of destinations looked up
	named     *pdf.Destinations
}

func (c *cutter) keep(page pdf.Page, number int) {
	if page.Dict != nil {
		return
	}
	if _, again := c.numbers[page.Ref.Num]; !again {
		c.numbers[page.Ref.Num] = number
	}
}

// page writes a page and the objects it needs.
func (c *cutter) page(index, number int) error {
	source, err := c.d.PageDict(c.f, index)
	if err != nil {
		return err
	}
	var region *rectangle
	if c.box != nil {
		r, err := c.region(source)
		if err != nil {
			return err
		}
		region = &r
	}
	out := pdf.Dict{}
	for _, key := range slices.Sorted(maps.Keys(source)) {
		if out[key], err = c.pageEntry(key, source, region); err != nil {
			return err
		}
	}
	if region != nil {
		out["MediaBox"], out["CropBox"] = region.array(), region.array()
	}
	out["Type"] = pdf.Name("Page")
	out["Parent"] = pdf.Ref{Num: pagesNumber}
	return c.w.object(number, out)
}

func (c *cutter) pageEntry(key pdf.Name, page pdf.Dict, region *rectangle) (pdf.Object, error) {
	switch key {
	case "Parent", "B", "AA", "StructParents", "PieceInfo", "PresSteps", "DPart", "SeparationInfo":
		return nil, nil
	case "Annots":
		return c.annotations(page[key], region)
	case "Resources":
		return c.pageResources(page)
	case "BleedBox", "TrimBox", "ArtBox":
		if region != nil {
			return nil, nil
		}
	}
	return c.copy(page[key])
}

// drain writes the queued objects and those that they need.
func (c *cutter) drain() error {
	for len(c.queue) > 0 {
		num := c.queue[0]
		c.queue = c.queue[1:]
		if err := c.write(num); err != nil {
			return err
		}
	}
	return nil
}

// write copies the object num of the source.
func (c *cutter) write(num int) error {
	o, err := c.d.Load(c.f, num)
	if err != nil {
		return err
	}
	number := c.numbers[num]
	if s, ok := o.(*pdf.Stream); ok {
		return c.stream(number, s)
	}
	if dict, ok := o.(pdf.Dict); ok && c.fields[num] {
		o, err = c.field(dict)
	} else {
		o, err = c.copy(o)
	}
	if err != nil {
		return err
	}
	return c.w.object(number, o)
}

// copy returns an object as it appears in the output, and queues the objects it refers
// to.
func (c *cutter) copy(o pdf.Object) (pdf.Object, error) {
	switch v := o.(type) {
	case pdf.Ref:
		return c.ref(v)
	case pdf.Array:
		return c.array(v)
	case pdf.Dict:
		switch {
		case isDropped(v):
			return nil, nil
		case v["Type"] == pdf.Name("Annot"):
			return c.field(v)
		}
		return c.dict(v)
	}
	return o, nil
}

func (c *cutter) array(a pdf.Array) (pdf.Object, error) {
	if err := c.f.Visit(len(a)); err != nil {
		return nil, err
	}
	out := make(pdf.Array, len(a))
	for i, o := range a {
		var err error
		if out[i], err = c.copy(o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *cutter) dict(d pdf.Dict) (pdf.Dict, error) {
	if err := c.f.Visit(4 * len(d)); err != nil { // sorting takes time
		return nil, err
	}
	out := make(pdf.Dict, len(d))
	for _, key := range slices.Sorted(maps.Keys(d)) {
		var err error
		if out[key], err = c.copy(d[key]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ref returns the reference in the output for one in the source. It returns nil for
// dropped pages, for objects that lead to all pages, and for missing objects.
func (c *cutter) ref(ref pdf.Ref) (pdf.Object, error) {
	if number, ok := c.numbers[ref.Num]; ok {
		return pdf.Ref{Num: number}, nil
	}
	if _, ok := c.d.PageIndex(ref.Num); ok || c.d.IsNode(ref.Num) {
		return nil, nil
	}
	if root, ok := c.d.Trailer["Root"].(pdf.Ref); ok && root.Num == ref.Num {
		return nil, nil
	}
	if !c.d.Has(ref.Num) {
		if c.d.Rebuilt {
			return nil, fmt.Errorf("object %d, which is needed, is missing: %w", ref.Num, pdf.ErrDamaged)
		}
		return nil, nil
	}
	if c.next > maxObjects {
		return nil, fmt.Errorf("pages of more than %d objects: %w", maxObjects, pdf.ErrLimit)
	}
	c.numbers[ref.Num] = c.next
	c.queue = append(c.queue, ref.Num)
	c.next++
	return pdf.Ref{Num: c.numbers[ref.Num]}, nil
}

// isDropped reports whether a dictionary leads to the rest of the document, or is an
// action that is dropped wherever it occurs.
func isDropped(d pdf.Dict) bool {
	switch d["Type"] {
	case pdf.Name("Page"), pdf.Name("Pages"), pdf.Name("Catalog"), pdf.Name("StructElem"), pdf.Name("StructTreeRoot"):
		return true
	}
	switch d["S"] {
	case pdf.Name("JavaScript"):
		return d["JS"] != nil
	case pdf.Name("Launch"):
		return d["F"] != nil || d["Win"] != nil || d["Unix"] != nil || d["Mac"] != nil
	case pdf.Name("SubmitForm"), pdf.Name("ImportData"):
		return d["F"] != nil
	case pdf.Name("URI"):
		uri, ok := d["URI"].(pdf.String)
		return ok && runsScript(string(uri))
	}
	return false
}

// stream writes a stream as object number.
func (c *cutter) stream(number int, s *pdf.Stream) error {
	if s.Dict["Type"] == pdf.Name("Sound") && s.Dict["F"] != nil {
		return c.w.object(number, nil) // the sound is in another file
	}
	filters, err := c.d.Filters(c.f, s)
	if err != nil {
		return err
	}
	dict, err := c.streamDict(s)
	if err != nil {
		return err
	}
	offset, length, ok := s.Extent()
	if ok && (length >= minRange && !isRecoded(filters) || length > maxRecoded) {
		if err := c.setFilters(dict, filters); err != nil {
			return err
		}
		sample, err := c.d.Sample(c.f, s, sampled)
		if err != nil {
			return err
		}
		return c.w.sourceStream(number, dict, offset, length, sample)
	}
	data, err := c.d.Raw(c.f, s)
	if err != nil {
		return err
	}
	data, filters, err = c.recode(data, filters)
	if err != nil {
		return err
	}
	if err := c.setFilters(dict, filters); err != nil {
		return err
	}
	return c.w.stream(number, dict, data)
}

// streamDict copies the dictionary of a stream.
func (c *cutter) streamDict(s *pdf.Stream) (pdf.Dict, error) {
	if err := c.f.Visit(len(s.Dict)); err != nil {
		return nil, err
	}
	source := maps.Clone(s.Dict)
	for _, key := range []pdf.Name{"Length", "Filter", "DecodeParms"} {
		delete(source, key)
	}
	var resources pdf.Object
	if hasContent(source) && source["Resources"] != nil {
		var err error
		if resources, err = c.streamResources(s); err != nil {
			return nil, err
		}
		delete(source, "Resources")
	}
	dict, err := c.dict(source)
	if err != nil {
		return nil, err
	}
	if resources != nil {
		dict["Resources"] = resources
	}
	return dict, nil
}

// setFilters sets the filters in the dictionary of a stream.
func (c *cutter) setFilters(dict pdf.Dict, filters []pdf.Filter) error {
	names, parms, any := pdf.Array{}, pdf.Array{}, false
	for _, filter := range filters {
		names = append(names, filter.Name)
		if filter.Parms == nil {
			parms = append(parms, nil)
			continue
		}
		copied, err := c.dict(filter.Parms)
		if err != nil {
			return err
		}
		parms, any = append(parms, copied), true
	}
	switch len(names) {
	case 0:
		return nil
	case 1:
		dict["Filter"] = names[0]
		dict["DecodeParms"] = parms[0]
		return nil
	}
	dict["Filter"] = names
	if any {
		dict["DecodeParms"] = parms
	}
	return nil
}

// isSoft reports whether an error only means that something cannot be examined.
func isSoft(err error) bool {
	return errors.Is(err, pdf.ErrDamaged) || errors.Is(err, pdf.ErrLimit) || errors.Is(err, errors.ErrUnsupported)
}
