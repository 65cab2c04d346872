package pdf

import (
	"errors"
	"fmt"
	"slices"
)

const (
	maxOutlineDepth = 64       // levels; deeper items are left out
	maxOutlineItems = 200_000  // items that may be read
	maxOutlineText  = 32 << 20 // total bytes of titles
	maxOutlineTitle = 4 << 10  // bytes of one title
	maxDestinations = 500_000  // named destinations that may be read
	maxOperands     = 5        // of a view
)

// An OutlineItem is an entry of the document outline (12.3.3).
type OutlineItem struct {
	Title string // as in the file
	Depth int    // from 0

	// Page is an index in Pages. It is -1 for an item without a page in the document:
	// it has no destination, or an action other than GoTo.
	Page int

	// View is the rest of the destination after the page, such as the name XYZ and
	// its operands (12.3.2.2).
	View Array
}

// Outline returns the items of the document outline, parents before their
// children; nil if there is none. An item that is reached a second time is
// listed once more, without its children. A list of items ends where it returns
// to one of its own items.
//
// If lenient is true, a list ends at an unreadable item, and damaged destinations
// count as missing; otherwise both are errors matching [ErrDamaged]. With an
// error matching [ErrLimit] it also returns the items read so far.
func (d *Document) Outline(f *File, lenient bool) (items []OutlineItem, err error) {
	err = f.Within(2, func() (err error) {
		items, err = d.outline(f, lenient)
		return err
	})
	return items, err
}

func (d *Document) outline(f *File, lenient bool) ([]OutlineItem, error) {
	w := outlineWalk{d: d, f: f, lenient: lenient, entered: map[int]bool{}}
	w.named = Destinations{d: d, f: f}
	root, err := d.Dict(f, d.Catalog["Outlines"])
	if err := w.forgive(err); err != nil || root == nil {
		return nil, err
	}
	err = w.list(root["First"], 0)
	return w.items, err
}

type outlineWalk struct {
	d       *Document
	f       *File
	lenient bool
	named   Destinations
	items   []OutlineItem
	text    int          // bytes of titles so far
	entered map[int]bool // object numbers of items whose children were visited
}

// forgive returns err, or nil if it is damage that lenient ignores.
func (w *outlineWalk) forgive(err error) error {
	if w.lenient && errors.Is(err, ErrDamaged) {
		return nil
	}
	return err
}

// list visits the items of a list that begins with first.
func (w *outlineWalk) list(first Object, depth int) error {
	if depth >= maxOutlineDepth {
		return nil
	}
	listed := map[Ref]bool{}
	for next := first; next != nil; {
		ref, ok := next.(Ref)
		if !ok || listed[ref] {
			return nil
		}
		listed[ref] = true
		dict, err := w.d.Dict(w.f, ref)
		if err := w.forgive(err); err != nil {
			return err
		}
		if dict == nil {
			return nil
		}
		if err := w.item(dict, depth); err != nil {
			return err
		}
		if !w.entered[ref.Num] {
			w.entered[ref.Num] = true
			if err := w.list(dict["First"], depth+1); err != nil {
				return err
			}
		}
		next = dict["Next"]
	}
	return nil
}

func (w *outlineWalk) item(dict Dict, depth int) error {
	if len(w.items) == maxOutlineItems {
		return fmt.Errorf("an outline of more than %d items: %w", maxOutlineItems, ErrLimit)
	}
	if err := w.f.Err(); err != nil {
		return err
	}
	title, err := w.d.Resolve(w.f, dict["Title"])
	if err := w.forgive(err); err != nil {
		return err
	}
	text, _ := title.(String)
	text = text[:min(len(text), maxOutlineTitle)]
	if w.text += len(text); w.text > maxOutlineText { // many items may share one title
		return fmt.Errorf("an outline of more than %d bytes of titles: %w", maxOutlineText, ErrLimit)
	}
	item := OutlineItem{Title: text.Text(), Depth: depth, Page: -1}
	dest, err := w.destination(dict)
	if err := w.forgive(err); err != nil {
		return err
	}
	if len(dest) > 0 {
		item.Page, item.View = w.d.pageOf(dest[0]), slices.Clone(dest[1:min(len(dest), 1+maxOperands)])
	}
	w.items = append(w.items, item)
	return nil
}

// destination returns the explicit destination of an item; nil if it has none in this
// document.
func (w *outlineWalk) destination(item Dict) (Array, error) {
	if item["Dest"] != nil {
		return w.named.Find(item["Dest"])
	}
	action, err := w.d.Dict(w.f, item["A"])
	if err != nil {
		return nil, err
	}
	kind, err := w.d.Resolve(w.f, action["S"])
	if err != nil || kind != Name("GoTo") {
		return nil, err
	}
	return w.named.Find(action["D"])
}

// pageOf returns the index of the first element of a destination, its page, or -1.
// Some files have a page number instead of a reference.
func (d *Document) pageOf(o Object) int {
	switch v := o.(type) {
	case Ref:
		if i, ok := d.PageIndex(v.Num); ok {
			return i
		}
	case int64:
		if v >= 0 && v < int64(len(d.Pages)) {
			return int(v)
		}
	}
	return -1
}

// Destinations finds the destinations of a document by name. The first lookup reads
// them all. It is not safe for concurrent use.
type Destinations struct {
	d     *Document
	f     *File
	names map[String]Object
	dests Dict
}

// NewDestinations returns the destinations of d, which it reads with f.
func NewDestinations(f *File, d *Document) *Destinations { return &Destinations{d: d, f: f} }

// Find returns the explicit destination of o: an array whose first element is the
// page (12.3.2). It is nil if there is none.
func (t *Destinations) Find(o Object) (Array, error) {
	for range maxChain {
		resolved, err := t.d.Resolve(t.f, o)
		if err != nil {
			return nil, err
		}
		switch v := resolved.(type) {
		case Array:
			return v, nil
		case Dict:
			o = v["D"]
		case Name:
			o, err = t.named(String(v))
		case String:
			o, err = t.named(v)
		default:
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// named returns the value of a name, in the dictionary of PDF 1.1 or the name tree of
// later versions.
func (t *Destinations) named(name String) (Object, error) {
	if t.names == nil {
		if err := t.read(); err != nil {
			return nil, err
		}
	}
	if o, ok := t.names[name]; ok {
		return o, nil
	}
	return t.dests[Name(name)], nil
}

func (t *Destinations) read() error {
	t.names = map[String]Object{}
	var err error
	if t.dests, err = t.d.Dict(t.f, t.d.Catalog["Dests"]); err != nil {
		return err
	}
	names, err := t.d.Dict(t.f, t.d.Catalog["Names"])
	if err != nil {
		return err
	}
	all := func(Dict) bool { return true }
	err = t.d.walkTree(t.f, names["Dests"], all, func(node Dict) (bool, error) {
		pairs, err := t.d.Array(t.f, node["Names"])
		if err != nil {
			return false, err
		}
		if err := t.f.Visit(len(pairs)); err != nil {
			return false, err
		}
		for i := 0; i+1 < len(pairs); i += 2 {
			name, err := t.d.Resolve(t.f, pairs[i])
			if err != nil {
				return false, err
			}
			key, ok := name.(String)
			if _, known := t.names[key]; ok && !known {
				t.names[key] = pairs[i+1]
			}
		}
		return len(t.names) < maxDestinations, t.f.Err()
	})
	if errors.Is(err, ErrLimit) {
		return nil // those read so far are useful
	}
	return err
}
