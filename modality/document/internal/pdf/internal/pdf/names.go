package pdf

import "fmt"

const (
	maxTreeNodes = 1 << 16 // nodes of a name or number tree that may be visited
	maxLabels    = 1 << 16 // ranges of page labels
	maxPrefix    = 1 << 9  // bytes of the prefix of a label
)

// Destination returns the explicit destination of o: an array whose first element is
// the page (12.3.2). It is nil if there is none.
func (d *Document) Destination(f *File, o Object) (Array, error) {
	for range maxChain {
		resolved, err := d.Resolve(f, o)
		if err != nil {
			return nil, err
		}
		switch v := resolved.(type) {
		case Array:
			return v, nil
		case Dict:
			o = v["D"]
		case Name:
			dests, err := d.Dict(f, d.Catalog["Dests"])
			if err != nil {
				return nil, err
			}
			o = dests[v]
		case String:
			names, err := d.Dict(f, d.Catalog["Names"])
			if err != nil {
				return nil, err
			}
			if o, err = d.lookUp(f, names["Dests"], v); err != nil {
				return nil, err
			}
		default:
			return nil, nil
		}
	}
	return nil, nil
}

// lookUp finds the value of a key in a name tree (7.9.6).
func (d *Document) lookUp(f *File, root Object, key String) (Object, error) {
	var found Object
	err := d.walkTree(f, root, func(node Dict) bool {
		limits, _ := node["Limits"].(Array)
		if len(limits) != 2 {
			return true
		}
		low, okLow := limits[0].(String)
		high, okHigh := limits[1].(String)
		return !okLow || !okHigh || low <= key && key <= high
	}, func(node Dict) (bool, error) {
		pairs, err := d.Array(f, node["Names"])
		if err := f.Visit(len(pairs)); err != nil {
			return false, err
		}
		for i := 0; i+1 < len(pairs); i += 2 {
			name, err := d.Resolve(f, pairs[i])
			if err != nil {
				return false, err
			}
			if name == key {
				found = pairs[i+1]
				return false, nil
			}
		}
		return true, err
	})
	return found, err
}

// walkTree visits the nodes of a name or number tree that enter accepts, in order and
// each once, until visit returns false.
func (d *Document) walkTree(f *File, root Object, enter func(Dict) bool, visit func(Dict) (bool, error)) error {
	pending := []Object{root}
	seen := map[Ref]bool{}
	for visited := 0; len(pending) > 0; visited++ {
		if visited > maxTreeNodes {
			return fmt.Errorf("a tree of more than %d nodes: %w", maxTreeNodes, ErrLimit)
		}
		o := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if ref, ok := o.(Ref); ok {
			if seen[ref] {
				continue
			}
			seen[ref] = true
		}
		node, err := d.Dict(f, o)
		if err != nil {
			return err
		}
		if node == nil || !enter(node) {
			continue
		}
		if goOn, err := visit(node); err != nil || !goOn {
			return err
		}
		kids, err := d.Array(f, node["Kids"])
		if err != nil {
			return err
		}
		if err := f.Visit(1 + len(kids)); err != nil {
			return err
		}
		for i := len(kids) - 1; i >= 0 && len(pending) < maxTreeNodes; i-- {
			if ref, ok := kids[i].(Ref); !ok || !seen[ref] {
				pending = append(pending, kids[i])
			}
		}
	}
	return nil
}

// A LabelRange defines the labels of the pages from First on (12.4.2).
type LabelRange struct {
	First int // index in Pages
	Style Dict
}

// Labels returns the page labels of the document in ascending order; nil if it has
// none. With an error matching [ErrLimit] it also returns the labels read so far.
func (d *Document) Labels(f *File) ([]LabelRange, error) {
	root := d.Catalog["PageLabels"]
	if root == nil {
		return nil, nil
	}
	r := labelReader{d: d, f: f, styles: map[Ref]Dict{}}
	all := func(Dict) bool { return true }
	err := f.Within(4, func() error { return d.walkTree(f, root, all, r.read) })
	return r.ranges, err
}

type labelReader struct {
	d      *Document
	f      *File
	ranges []LabelRange
	styles map[Ref]Dict // styles that several ranges may share
}

// read adds the labels in a node of the tree.
func (r *labelReader) read(node Dict) (bool, error) {
	pairs, err := r.d.Array(r.f, node["Nums"])
	if err != nil {
		return false, err
	}
	if err := r.f.Visit(len(pairs)); err != nil {
		return false, err
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		key, err := r.d.Resolve(r.f, pairs[i])
		if err != nil {
			return false, err
		}
		first, ok := key.(int64)
		after := len(r.ranges) == 0 || int64(r.ranges[len(r.ranges)-1].First) < first
		if !ok || !after || first < 0 || first >= int64(len(r.d.Pages)) {
			continue
		}
		if len(r.ranges) == maxLabels {
			return false, fmt.Errorf("more than %d page labels: %w", maxLabels, ErrLimit)
		}
		style, err := r.style(pairs[i+1])
		if err != nil {
			return false, err
		}
		r.ranges = append(r.ranges, LabelRange{int(first), style})
	}
	return true, nil
}

// style returns a page label dictionary with its references resolved. The caller must
// not change it.
func (r *labelReader) style(o Object) (Dict, error) {
	ref, isRef := o.(Ref)
	if style, ok := r.styles[ref]; ok && isRef {
		return style, nil
	}
	dict, err := r.d.Dict(r.f, o)
	style := Dict{}
	for _, key := range []Name{"Type", "S", "P", "St"} {
		if dict[key] == nil || err != nil {
			continue
		}
		style[key], err = r.d.Resolve(r.f, dict[key])
	}
	if prefix, ok := style["P"].(String); ok {
		style["P"] = prefix[:min(len(prefix), maxPrefix)] // part of every label
	}
	if isRef {
		r.styles[ref] = style
	}
	return style, err
}
