package pdfcut

import (
	"maps"
	"slices"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

const (
	maxAnnotations = 1 << 16 // on a page
	maxFieldDepth  = 64
)

// annotations copies the annotations of a page; if region is not nil, only those that
// touch it.
func (c *cutter) annotations(o pdf.Object, region *rectangle) (pdf.Object, error) {
	source, err := c.d.Array(c.f, o)
	if err != nil || len(source) == 0 {
		return nil, err
	}
	out := pdf.Array{}
	source = source[:min(len(source), maxAnnotations)]
	if err := c.f.Visit(len(source)); err != nil {
		return nil, err
	}
	for _, o := range source {
		dict, err := c.d.Dict(c.f, o)
		if err != nil {
			return nil, err
		}
		keep, err := c.touches(dict, region)
		if err != nil {
			return nil, err
		}
		if dict == nil || !keep {
			continue
		}
		copied, err := c.annotation(o, dict)
		if err != nil {
			return nil, err
		}
		out = append(out, copied)
	}
	return out, nil
}

func (c *cutter) touches(annotation pdf.Dict, region *rectangle) (bool, error) {
	if region == nil {
		return true, nil
	}
	r, ok, err := c.rectangle(annotation["Rect"])
	if err != nil || !ok {
		return false, err
	}
	return !r.intersect(*region).isEmpty(), nil
}

func (c *cutter) annotation(o pdf.Object, dict pdf.Dict) (pdf.Object, error) {
	ref, ok := o.(pdf.Ref)
	if !ok {
		return c.field(dict)
	}
	c.fields[ref.Num] = true
	if dict["Subtype"] == pdf.Name("Widget") {
		if err := c.keepField(ref, dict); err != nil {
			return nil, err
		}
	}
	return c.ref(ref)
}

// keepField marks the fields above a widget as kept, and also the widget if it is a
// field.
func (c *cutter) keepField(ref pdf.Ref, dict pdf.Dict) error {
	for range maxFieldDepth {
		parent, ok := dict["Parent"].(pdf.Ref)
		if !ok || parent == ref {
			break
		}
		above, err := c.d.Dict(c.f, parent)
		if err != nil {
			return err
		}
		if above == nil || isDropped(above) {
			break
		}
		if c.fields[parent.Num] {
			return nil // the fields above it are already kept
		}
		c.fields[parent.Num] = true
		ref, dict = parent, above
	}
	root, err := c.ref(ref)
	if err != nil {
		return err
	}
	if number := root.(pdf.Ref).Num; !c.isRoot[number] {
		c.isRoot[number] = true
		c.roots = append(c.roots, root)
	}
	return nil
}

// field copies an annotation or a form field, or a dictionary that is both.
func (c *cutter) field(source pdf.Dict) (pdf.Object, error) {
	out := pdf.Dict{}
	if err := c.f.Visit(4 * len(source)); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(source)) {
		var err error
		if out[key], err = c.fieldEntry(key, source); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *cutter) fieldEntry(key pdf.Name, source pdf.Dict) (pdf.Object, error) {
	switch key {
	case "AA", "PA", "StructParent":
		return nil, nil
	case "A":
		return c.action(source[key])
	case "Dest":
		return c.destination(source[key])
	case "Kids":
		return c.kids(source[key])
	case "V", "Lock", "SV":
		if source["FT"] == pdf.Name("Sig") {
			return nil, nil
		}
	case "Popup", "IRT", "Parent":
		if ref, ok := source[key].(pdf.Ref); ok {
			return c.related(ref)
		}
	}
	return c.copy(source[key])
}

// related copies a reference from one annotation to another.
func (c *cutter) related(ref pdf.Ref) (pdf.Object, error) {
	dict, err := c.d.Dict(c.f, ref)
	if err != nil || dict == nil || isDropped(dict) {
		return nil, err
	}
	c.fields[ref.Num] = true
	return c.ref(ref)
}

// kids returns the kept kids of a field. Fields are written after the pages, when the
// kept kids are known.
func (c *cutter) kids(o pdf.Object) (pdf.Object, error) {
	source, err := c.d.Array(c.f, o)
	if err != nil {
		return nil, err
	}
	out := pdf.Array{}
	if err := c.f.Visit(len(source)); err != nil {
		return nil, err
	}
	for _, o := range source {
		ref, ok := o.(pdf.Ref)
		if !ok || !c.fields[ref.Num] {
			continue
		}
		kid, err := c.ref(ref)
		if err != nil {
			return nil, err
		}
		out = append(out, kid)
	}
	return out, nil
}

// action copies an action if its kind is kept.
func (c *cutter) action(o pdf.Object) (pdf.Object, error) {
	source, err := c.d.Dict(c.f, o)
	if err != nil || source == nil {
		return nil, err
	}
	out := pdf.Dict{"S": source["S"]}
	switch source["S"] {
	case pdf.Name("URI"):
		target, err := c.d.Resolve(c.f, source["URI"])
		uri, ok := target.(pdf.String)
		if err != nil || !ok || runsScript(string(uri)) {
			return nil, err
		}
		out["URI"] = uri
		out["IsMap"], _ = source["IsMap"].(bool)
	case pdf.Name("Named"):
		name, ok := source["N"].(pdf.Name)
		if !ok {
			return nil, nil
		}
		out["N"] = name
	case pdf.Name("GoTo"):
		target, err := c.destination(source["D"])
		if err != nil || target == nil {
			return nil, err
		}
		out["D"] = target
	default:
		return nil, nil
	}
	return out, nil
}

// runsScript reports whether a URI is a script. Programs leave out what cannot be seen, as in
// a scheme of several lines or in UTF-16.
func runsScript(uri string) bool {
	scheme := ""
	for _, b := range []byte(uri) {
		switch {
		case b <= ' ' || b > '~':
		case b == ':':
			return scheme == "javascript" || scheme == "vbscript"
		case len(scheme) > len("javascript"):
			return false
		default:
			scheme += strings.ToLower(string(rune(b)))
		}
	}
	return false
}

const fewLookUps = 16 // destinations that are looked up one at a time

// explicit returns the explicit destination for o, or nil.
func (c *cutter) explicit(o pdf.Object) (pdf.Array, error) {
	if c.lookUps++; c.lookUps <= fewLookUps {
		return c.d.Destination(c.f, o)
	}
	if c.named == nil {
		c.named = pdf.NewDestinations(c.f, c.d)
	}
	return c.named.Find(o)
}

// destination returns an explicit destination if its page is kept.
func (c *cutter) destination(o pdf.Object) (pdf.Object, error) {
	dest, err := c.explicit(o)
	if err != nil || len(dest) == 0 {
		return nil, err
	}
	page, ok := dest[0].(pdf.Ref)
	if !ok {
		return nil, nil
	}
	number, ok := c.numbers[page.Num]
	if _, isPage := c.d.PageIndex(page.Num); !ok || !isPage {
		return nil, nil
	}
	out := pdf.Array{pdf.Ref{Num: number}}
	for _, o := range dest[1:min(len(dest), 6)] {
		switch o.(type) {
		case nil, pdf.Name, int64, pdf.Real:
			out = append(out, o)
		}
	}
	return out, nil
}
