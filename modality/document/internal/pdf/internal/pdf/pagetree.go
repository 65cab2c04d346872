package pdf

import (
	"cmp"
	"fmt"
)

const (
	maxPages     = 1 << 20
	maxTreeDepth = 1 << 10
)

// A Page is a leaf of the page tree.
type Page struct {
	Ref  Ref  // zero if the page is a direct object
	Dict Dict // the page, if it is a direct object, else nil

	// Inherited holds Resources, MediaBox, CropBox and Rotate of the ancestors
	// (7.7.3.4). It is shared between pages.
	Inherited Dict
}

var inheritable = []Name{"Resources", "MediaBox", "CropBox", "Rotate"}

// readPages walks the page tree. It ignores the counts in the file. Like other
// readers, it skips a node inside itself. A node in two places is an error, as the
// tree could grow without bound.
func (d *Document) readPages(f *File) error {
	d.nodes, d.index = map[int]bool{}, map[int]int{}
	if root, err := d.Dict(f, d.Catalog["Pages"]); err != nil || root == nil && d.Rebuilt {
		return cmp.Or(err, fmt.Errorf("no pages: %w", ErrEmpty))
	}
	w := pageWalk{d: d, f: f, open: map[int]bool{}}
	if err := w.kid(d.Catalog["Pages"], nil, 0); err != nil {
		return err
	}
	if len(d.Pages) == 0 {
		return fmt.Errorf("no pages: %w", ErrDamaged)
	}
	return nil
}

type pageWalk struct {
	d    *Document
	f    *File
	open map[int]bool // nodes from the root to the current one
}

// kid visits a node or a page.
func (w *pageWalk) kid(o Object, inherited Dict, depth int) error {
	if err := w.f.Visit(1); err != nil {
		return err
	}
	ref, isRef := o.(Ref)
	if isRef && w.open[ref.Num] {
		return nil
	}
	o, err := w.d.Resolve(w.f, o)
	if err != nil {
		return err
	}
	dict, ok := o.(Dict)
	if !ok && w.d.Rebuilt {
		return fmt.Errorf("page %d is missing: %w", len(w.d.Pages)+1, ErrDamaged)
	}
	if !ok {
		return nil // as other readers do; it has no page number
	}
	kids, err := w.kids(dict)
	if err != nil {
		return err
	}
	if kids != nil {
		return w.node(ref, dict, kids, inherited, depth)
	}
	if dict["Type"] == Name("Pages") {
		return nil
	}
	page := Page{Ref: ref, Inherited: inherited}
	if !isRef {
		page.Dict = dict
	} else if _, again := w.d.index[ref.Num]; !again {
		w.d.index[ref.Num] = len(w.d.Pages)
	}
	if len(w.d.Pages) == maxPages {
		return fmt.Errorf("more than %d pages: %w", maxPages, ErrLimit)
	}
	w.d.Pages = append(w.d.Pages, page)
	return nil
}

// kids returns the Kids of a node, nil for a page.
func (w *pageWalk) kids(dict Dict) (Array, error) {
	if dict["Kids"] == nil || dict["Type"] == Name("Page") {
		return nil, nil
	}
	return w.d.Array(w.f, dict["Kids"])
}

func (w *pageWalk) node(ref Ref, dict Dict, kids Array, inherited Dict, depth int) error {
	if depth > maxTreeDepth {
		return fmt.Errorf("a page tree of more than %d levels: %w", maxTreeDepth, ErrLimit)
	}
	if ref != (Ref{}) {
		if w.d.nodes[ref.Num] {
			return fmt.Errorf("the node %d is in the page tree twice: %w", ref.Num, ErrDamaged)
		}
		w.d.nodes[ref.Num] = true
		w.open[ref.Num] = true
		defer delete(w.open, ref.Num)
	}
	below := inherit(inherited, dict)
	for _, kid := range kids {
		if err := w.kid(kid, below, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// inherit returns the attributes that the kids of a node inherit.
func inherit(above, node Dict) Dict {
	own := false
	for _, key := range inheritable {
		own = own || node[key] != nil
	}
	if !own {
		return above
	}
	below := Dict{}
	for _, key := range inheritable {
		if v := node[key]; v != nil {
			below[key] = v
		} else if v := above[key]; v != nil {
			below[key] = v
		}
	}
	return below
}

// IsNode reports whether num is the object number of an inner node of the page tree.
func (d *Document) IsNode(num int) bool { return d.nodes[num] }

// PageIndex returns the index in Pages of the page with an object number.
func (d *Document) PageIndex(num int) (int, bool) {
	i, ok := d.index[num]
	return i, ok
}

// PageDict returns the dictionary of page i, counted from 0, including inherited
// attributes. The caller may change it.
func (d *Document) PageDict(f *File, i int) (Dict, error) {
	page := d.Pages[i]
	dict := page.Dict
	if dict == nil {
		var err error
		if dict, err = d.Dict(f, page.Ref); err != nil {
			return nil, err
		}
	}
	if err := f.Visit(len(dict)); err != nil {
		return nil, err
	}
	out := make(Dict, len(dict)+len(page.Inherited))
	for key, v := range page.Inherited {
		out[key] = v
	}
	for key, v := range dict {
		out[key] = v
	}
	return out, nil
}

// Places returns where reading pages begins, given as ascending indexes from 0: bytes
// from an offset up to another, for each page. What else pages use may be elsewhere.
func (d *Document) Places(pages []int) (places [][2]int64) {
	const (
		longest = 1 << 20 // bytes to the next page, that may belong to a page
		unknown = 1 << 10
	)
	at := func(page int) int64 {
		if page >= len(d.Pages) {
			return -1
		}
		e := d.table.get(d.Pages[page].Ref.Num)
		if e.kind == entryInside {
			e = d.table.get(int(e.offset))
		}
		if e.kind != entryOffset {
			return -1
		}
		return d.base + e.offset
	}
	for _, page := range pages {
		from, to := at(page), at(page+1)
		if from < 0 {
			continue
		}
		if to <= from || to > from+longest {
			to = from + unknown
		}
		places = append(places, [2]int64{from, to})
	}
	return places
}
