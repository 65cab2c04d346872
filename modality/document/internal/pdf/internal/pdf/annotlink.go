package pdf

import (
	"errors"
	"math"
	"slices"
)

const (
	maxLinks = 200_000 // link annotations that may be read
	maxNames = 20_000  // named destinations that may be listed
	maxURI   = 4 << 10 // bytes of a link target
)

// A Link is a link annotation (12.5.6.5).
type Link struct {
	Page int // index in Pages

	// X1, Y1, X2 and Y2 are the corners of its rectangle in fractions of the
	// displayed page, from the top left. They are all 0 if the page shows no part of
	// it.
	X1, Y1, X2, Y2 float64

	Contents string // the text of the annotation, or ""

	URI  string // target URI, or ""
	File string // target file, or ""

	To   int    // target page, an index in Pages of this document or of File; -1 if unknown
	Name string // name of the destination, or ""
}

// Links calls visit for the link annotations of the pages, in page order, until it
// returns false. Damaged annotations and those without a target are left out. An
// error matching [ErrLimit] comes after the links read so far.
func (d *Document) Links(f *File, visit func(Link) bool) error {
	r := linkReader{d: d, f: f, named: NewDestinations(f, d), visit: visit, left: maxLinks}
	for i := range d.Pages {
		if err := r.page(i); err != nil {
			return err
		}
		if r.left <= 0 {
			return nil
		}
	}
	return f.Err()
}

type linkReader struct {
	d     *Document
	f     *File
	named *Destinations
	visit func(Link) bool
	left  int // annotations that may still be read; reading ends at 0
}

// spareDamage returns err, or nil if it only reports damage.
func spareDamage(err error) error {
	if errors.Is(err, ErrDamaged) {
		return nil
	}
	return err
}

func (r *linkReader) page(i int) error {
	if err := r.f.Visit(1); err != nil {
		return err
	}
	page, err := r.d.PageDict(r.f, i)
	if err != nil || page["Annots"] == nil {
		return spareDamage(err)
	}
	annotations, err := r.d.Array(r.f, page["Annots"])
	if err != nil {
		return spareDamage(err)
	}
	if err := r.f.Visit(len(annotations)); err != nil {
		return err
	}
	shown, err := r.d.shownPart(r.f, page)
	if err != nil {
		return spareDamage(err)
	}
	for _, o := range annotations {
		if r.left--; r.left < 0 {
			return nil
		}
		link := Link{Page: i, To: -1}
		found, err := r.annotation(o, shown, &link)
		if err := spareDamage(err); err != nil {
			return err
		}
		if found && err == nil && !r.visit(link) {
			r.left = 0
			return nil
		}
	}
	return nil
}

// annotation reads an annotation, and reports whether it is a link with a target.
func (r *linkReader) annotation(o Object, shown shownPart, link *Link) (bool, error) {
	dict, err := r.d.Dict(r.f, o)
	if err != nil || dict == nil {
		return false, err
	}
	subtype, err := r.d.Resolve(r.f, dict["Subtype"])
	if err != nil || subtype != Name("Link") {
		return false, err
	}
	corners, ok, err := r.d.corners(r.f, dict["Rect"])
	if err != nil {
		return false, err
	}
	if ok {
		shown.place(corners, link)
	}
	if contents, err := r.text(dict["Contents"]); err == nil {
		link.Contents = contents
	}
	if dict["Dest"] != nil {
		err := r.destination(dict["Dest"], link)
		return link.To >= 0, err
	}
	return r.action(dict["A"], link)
}

// action reads the action of a link (12.6.4).
func (r *linkReader) action(o Object, link *Link) (bool, error) {
	action, err := r.d.Dict(r.f, o)
	if err != nil || action == nil {
		return false, err
	}
	kind, err := r.d.Resolve(r.f, action["S"])
	if err != nil {
		return false, err
	}
	switch kind {
	case Name("URI"):
		link.URI, err = r.text(action["URI"])
		return link.URI != "", err
	case Name("GoTo"):
		err := r.destination(action["D"], link)
		return link.To >= 0, err
	case Name("GoToR"):
		if link.File, err = r.file(action["F"]); err != nil || link.File == "" {
			return false, err
		}
		return true, r.remote(action["D"], link)
	}
	return false, nil
}

// text returns a string; "" if o is something else or too long.
func (r *linkReader) text(o Object) (string, error) {
	o, err := r.d.Resolve(r.f, o)
	s, _ := o.(String)
	if err != nil || len(s) > maxURI {
		return "", err
	}
	return s.Text(), nil
}

// destination finds the page of a destination in this document.
func (r *linkReader) destination(o Object, link *Link) error {
	name, err := r.d.Resolve(r.f, o)
	if err != nil {
		return err
	}
	link.Name = nameOf(name)
	dest, err := r.named.Find(name)
	if err == nil && len(dest) > 0 {
		link.To = r.d.pageOf(dest[0])
	}
	return err
}

func nameOf(o Object) string {
	switch v := o.(type) {
	case Name:
		return string(v[:min(len(v), maxURI)])
	case String:
		return v[:min(len(v), maxURI)].Text()
	}
	return ""
}

// remote reads a destination in another file: a name or a page number.
func (r *linkReader) remote(o Object, link *Link) error {
	o, err := r.d.Resolve(r.f, o)
	if err != nil {
		return err
	}
	link.Name = nameOf(o)
	if dest, ok := o.(Array); ok && len(dest) > 0 {
		if n, ok := dest[0].(int64); ok && n >= 0 && n < maxPages {
			link.To = int(n)
		}
	}
	return nil
}

// file returns the path of a file specification (7.11).
func (r *linkReader) file(o Object) (string, error) {
	o, err := r.d.Resolve(r.f, o)
	if dict, ok := o.(Dict); ok && err == nil {
		for _, key := range []Name{"UF", "F"} {
			if path, err := r.text(dict[key]); err != nil || path != "" {
				return path, err
			}
		}
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return r.text(o)
}

// corners reads a rectangle: its left, bottom, right and top (7.9.5).
func (d *Document) corners(f *File, o Object) (c [4]float64, ok bool, err error) {
	array, err := d.Array(f, o)
	if err != nil || len(array) < len(c) {
		return c, false, err
	}
	for i := range c {
		v, err := d.Resolve(f, array[i])
		if err != nil {
			return c, false, err
		}
		if c[i], ok = Number(v); !ok || math.IsNaN(c[i]) || math.IsInf(c[i], 0) {
			return c, false, nil
		}
	}
	c[0], c[2] = min(c[0], c[2]), max(c[0], c[2])
	c[1], c[3] = min(c[1], c[3]), max(c[1], c[3])
	return c, c[0] < c[2] && c[1] < c[3], nil
}

// A shownPart is the displayed part of a page: its crop box within its media box,
// turned clockwise by quarters.
type shownPart struct {
	corners [4]float64
	turns   int
}

func (d *Document) shownPart(f *File, page Dict) (shownPart, error) {
	s := shownPart{corners: [4]float64{0, 0, 612, 792}} // the size of a page that declares none
	media, ok, err := d.corners(f, page["MediaBox"])
	if err != nil {
		return s, err
	}
	if ok {
		s.corners = media
	}
	crop, ok, err := d.corners(f, page["CropBox"])
	if err != nil {
		return s, err
	}
	both := [4]float64{max(crop[0], s.corners[0]), max(crop[1], s.corners[1]), min(crop[2], s.corners[2]), min(crop[3], s.corners[3])}
	if ok && both[0] < both[2] && both[1] < both[3] {
		s.corners = both
	}
	rotate, err := d.Resolve(f, page["Rotate"])
	angle, _ := Number(rotate)
	s.turns = (int(math.Mod(angle, 360))/90 + 4) % 4
	return s, err
}

// place sets the rectangle of a link from its corners in page coordinates.
func (s shownPart) place(c [4]float64, link *Link) {
	width, height := s.corners[2]-s.corners[0], s.corners[3]-s.corners[1]
	fraction := func(v, low, size float64) float64 {
		const precision = 1e4
		return math.Round(min(max((v-low)/size, 0), 1)*precision) / precision
	}
	left, right := fraction(c[0], s.corners[0], width), fraction(c[2], s.corners[0], width)
	bottom, top := fraction(c[1], s.corners[1], height), fraction(c[3], s.corners[1], height)
	if left >= right || bottom >= top {
		return
	}
	switch s.turns {
	case 0:
		link.X1, link.Y1, link.X2, link.Y2 = left, 1-top, right, 1-bottom
	case 1:
		link.X1, link.Y1, link.X2, link.Y2 = bottom, left, top, right
	case 2:
		link.X1, link.Y1, link.X2, link.Y2 = 1-right, bottom, 1-left, top
	case 3:
		link.X1, link.Y1, link.X2, link.Y2 = 1-top, 1-right, 1-bottom, 1-left
	}
}

// Each calls visit for the named destinations in the document, in name order, with
// their page indexes.
func (t *Destinations) Each(visit func(name string, page int)) error {
	if t.names == nil {
		if err := t.read(); err != nil {
			return err
		}
	}
	all := make([]String, 0, len(t.names)+len(t.dests))
	for name := range t.names {
		all = append(all, name)
	}
	for name := range t.dests {
		if _, again := t.names[String(name)]; !again {
			all = append(all, String(name))
		}
	}
	slices.Sort(all)
	for _, name := range all[:min(len(all), maxNames)] {
		dest, err := t.Find(name)
		if err := spareDamage(err); err != nil {
			return err
		}
		if len(dest) == 0 {
			continue
		}
		if page := t.d.pageOf(dest[0]); page >= 0 {
			visit(nameOf(name), page)
		}
	}
	return nil
}
