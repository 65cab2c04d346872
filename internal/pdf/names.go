package pdf

import "fmt"

const maxTreeNodes = 1 << 16 // nodes of a name or number tree that are visited

// Destination returns the explicit destination that o stands for: an array
// whose first element is the page (12.3.2). It is nil if there is none.
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

// walkTree visits the nodes of a name or number tree that enter accepts, in
// order, until visit says stop.
func (d *Document) walkTree(f *File, root Object, enter func(Dict) bool, visit func(Dict) (bool, error)) error {
	pending := []Object{root}
	for visited := 0; len(pending) > 0; visited++ {
		if visited > maxTreeNodes {
			return fmt.Errorf("a tree of more than %d nodes: %w", maxTreeNodes, ErrLimit)
		}
		o := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
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
		for i := len(kids) - 1; i >= 0 && len(pending) < maxTreeNodes; i-- {
			pending = append(pending, kids[i])
		}
	}
	return nil
}

// A LabelRange says how the pages from First on are labelled (12.4.2).
type LabelRange struct {
	First int // index in Pages
	Style Dict
}

// Labels returns the page labels of the document in ascending order; nil if
// it has none.
func (d *Document) Labels(f *File) ([]LabelRange, error) {
	var ranges []LabelRange
	root := d.Catalog["PageLabels"]
	if root == nil {
		return nil, nil
	}
	all := func(Dict) bool { return true }
	err := d.walkTree(f, root, all, func(node Dict) (bool, error) {
		pairs, err := d.Array(f, node["Nums"])
		for i := 0; i+1 < len(pairs); i += 2 {
			key, err := d.Resolve(f, pairs[i])
			if err != nil {
				return false, err
			}
			style, err := d.labelStyle(f, pairs[i+1])
			if err != nil {
				return false, err
			}
			first, ok := key.(int64)
			after := len(ranges) == 0 || int64(ranges[len(ranges)-1].First) < first
			if !ok || !after || first < 0 || first >= int64(len(d.Pages)) {
				continue
			}
			ranges = append(ranges, LabelRange{int(first), style})
		}
		return true, err
	})
	return ranges, err
}

// labelStyle returns a page label dictionary whose entries are no references.
func (d *Document) labelStyle(f *File, o Object) (Dict, error) {
	dict, err := d.Dict(f, o)
	style := Dict{}
	for _, key := range []Name{"Type", "S", "P", "St"} {
		if dict[key] == nil || err != nil {
			continue
		}
		style[key], err = d.Resolve(f, dict[key])
	}
	return style, err
}
