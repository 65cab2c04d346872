package pdf

import "slices"

const (
	maxTagDepth   = 64      // of elements in the structure of a document
	maxTagMarks   = 100_000 // pieces of content of a page that the structure knows
	maxTagNodes   = 100_000 // elements of the tables of a page
	maxTagTables  = 100     // tables of a page
	maxTagSpan    = 1_000   // rows or columns that a cell spans
	maxTagColumns = 1_000
)

// A TaggedTable is the part of a table in the structure of a document (14.8.4.8) that is on
// one page.
type TaggedTable struct {
	Caption   []int // marked content of the page, by its identifiers
	Rows      [][]TaggedCell
	Continues bool // rows stand on other pages before these
	Unclear   bool // a part cannot be told, as of a row on two pages; Rows are not a grid
}

// A TaggedCell is a cell of a [TaggedTable].
type TaggedCell struct {
	RowSpan, ColSpan int
	Header           bool
	Marks            []int // marked content of the page, by its identifiers
}

// TaggedTables returns the tables that the structure of the document has on page i,
// counted from 0, in the order of the content of the page. There are none if the structure
// is damaged or larger than a limit.
func (d *Document) TaggedTables(f *File, i int) (tables []TaggedTable, err error) {
	root, err := d.Dict(f, d.Catalog["StructTreeRoot"])
	if err != nil || root == nil {
		return nil, spared(err)
	}
	err = f.Within(4, func() error {
		r := tagReader{d: d, f: f, left: maxTagNodes, page: d.Pages[i].Ref.Num}
		tables, err = r.tables(root, i)
		return err
	})
	if err != nil {
		return nil, spared(err)
	}
	return tables, nil
}

// A tagReader reads the tables of one page.
type tagReader struct {
	d       *Document
	f       *File
	page    int // object number
	left    int // elements that may still be read
	roles   Dict
	classes Dict
}

func (r *tagReader) tables(root Dict, i int) ([]TaggedTable, error) {
	page, err := r.d.PageDict(r.f, i)
	if err != nil {
		return nil, err
	}
	key, ok := page["StructParents"].(int64)
	if !ok {
		return nil, nil
	}
	if r.roles, err = r.d.Dict(r.f, root["RoleMap"]); err != nil {
		return nil, err
	}
	if r.classes, err = r.d.Dict(r.f, root["ClassMap"]); err != nil {
		return nil, err
	}
	elements, err := r.parents(root["ParentTree"], key)
	if err != nil {
		return nil, err
	}
	var found []TaggedTable
	seen := map[Ref]bool{} // elements looked at on the way up
	for _, o := range elements[:min(len(elements), maxTagMarks)] {
		table, err := r.above(o, seen)
		if err != nil {
			return nil, err
		}
		if table == nil {
			continue
		}
		t := tagTable{tagReader: r}
		if err := t.read(table); err != nil {
			return nil, err
		}
		if !t.ok() {
			t.Unclear, t.Rows = true, nil
			for _, row := range t.rows {
				t.Rows = append(t.Rows, row.cells)
			}
		}
		found = append(found, t.TaggedTable)
		if len(found) > maxTagTables {
			return nil, ErrLimit
		}
	}
	return found, nil
}

// parents returns the elements that have the marked content of a page (14.7.4.4).
func (r *tagReader) parents(tree Object, key int64) (found Array, err error) {
	err = r.d.walkTree(r.f, tree, func(node Dict) bool {
		limits, _ := node["Limits"].(Array)
		if len(limits) != 2 {
			return true
		}
		low, okLow := limits[0].(int64)
		high, okHigh := limits[1].(int64)
		return !okLow || !okHigh || low <= key && key <= high
	}, func(node Dict) (bool, error) {
		pairs, err := r.d.Array(r.f, node["Nums"])
		if err == nil {
			err = r.f.Visit(len(pairs))
		}
		for i := 0; i+1 < len(pairs) && err == nil; i += 2 {
			if pairs[i] == Object(key) {
				found, err = r.d.Array(r.f, pairs[i+1])
				return false, err
			}
		}
		return true, err
	})
	if err == nil {
		err = r.f.Visit(len(found))
	}
	return found, err
}

// above returns the table around an element, or nil if there is none or it was found
// before.
func (r *tagReader) above(o Object, seen map[Ref]bool) (Dict, error) {
	for range maxTagDepth {
		ref, ok := o.(Ref)
		if !ok || seen[ref] {
			return nil, nil
		}
		seen[ref] = true
		element, err := r.d.Dict(r.f, ref)
		if err != nil || element == nil {
			return nil, err
		}
		if err := r.f.Visit(1); err != nil {
			return nil, err
		}
		if r.role(element) == "Table" {
			return element, nil
		}
		o = element["P"]
	}
	return nil, nil
}

// role returns the standard type of an element.
func (r *tagReader) role(element Dict) Name {
	name, _ := element["S"].(Name)
	for range maxChain {
		to, ok := r.roles[name].(Name)
		if !ok || to == name {
			break
		}
		name = to
	}
	return name
}

// A tagTable is a table that is being read.
type tagTable struct {
	*tagReader
	TaggedTable
	rows    []tagRow
	row     *tagRow // that is being read
	into    *[]int  // the content of a cell or the caption that is being read
	unclear bool
}

// A tagRow is a row on any page.
type tagRow struct {
	cells      []TaggedCell
	here, away bool // it has content on the page, and on others
}

func (t *tagTable) read(table Dict) error {
	return t.kids(table, t.pageOf(table, 0), 0)
}

// pageOf returns the object number of the page of an element.
func (t *tagTable) pageOf(element Dict, around int) int {
	if ref, ok := element["Pg"].(Ref); ok {
		return ref.Num
	}
	return around
}

func (t *tagTable) kids(element Dict, page, depth int) error {
	if depth > maxTagDepth {
		return ErrLimit
	}
	k, err := t.d.Resolve(t.f, element["K"])
	if err != nil {
		return err
	}
	kids, ok := k.(Array)
	if !ok {
		kids = Array{element["K"]}
	}
	if err := t.f.Visit(len(kids)); err != nil {
		return err
	}
	for _, o := range kids {
		if t.left--; t.left < 0 {
			return ErrLimit
		}
		kid, err := t.d.Resolve(t.f, o)
		if err != nil {
			return err
		}
		switch kid := kid.(type) {
		case int64:
			t.mark(kid, page)
		case Dict:
			if err := t.kid(kid, page, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tagTable) kid(kid Dict, page, depth int) error {
	switch kid["Type"] {
	case Name("MCR"):
		id, ok := kid["MCID"].(int64)
		if t.unclear = t.unclear || kid["Stm"] != nil; ok {
			t.mark(id, t.pageOf(kid, page))
		}
		return nil
	case Name("OBJR"):
		return nil
	}
	page = t.pageOf(kid, page)
	switch role := t.role(kid); {
	case role == "TR":
		if t.into != nil || t.row != nil {
			t.unclear = true
			return nil
		}
		t.rows = append(t.rows, tagRow{})
		t.row = &t.rows[len(t.rows)-1]
		defer func() { t.row = nil }()
	case role == "TH" || role == "TD":
		if t.into != nil || t.row == nil || len(t.row.cells) == maxTagColumns {
			t.unclear = true
			return nil
		}
		cell, err := t.cell(kid)
		if err != nil {
			return err
		}
		cell.Header = role == "TH"
		t.row.cells = append(t.row.cells, cell)
		t.into = &t.row.cells[len(t.row.cells)-1].Marks
		defer func() { t.into = nil }()
	case role == "Caption" && t.row == nil:
		if t.into != nil {
			t.unclear = true
			return nil
		}
		t.into = &t.Caption
		defer func() { t.into = nil }()
	case role == "Table":
		t.unclear = true // a table in a cell
		return nil
	}
	return t.kids(kid, page, depth+1)
}

// mark adds content to the cell that is being read.
func (t *tagTable) mark(id int64, page int) {
	here := page == t.page
	if t.row != nil {
		t.row.here, t.row.away = t.row.here || here, t.row.away || !here
	}
	switch {
	case id < 0 || id > maxTagMarks || here && t.into == nil && t.row != nil:
		t.unclear = true
	case here && t.into != nil:
		*t.into = append(*t.into, int(id))
	}
}

// cell returns the spans of a cell (14.8.5.7).
func (t *tagTable) cell(element Dict) (TaggedCell, error) {
	cell := TaggedCell{RowSpan: 1, ColSpan: 1}
	for _, key := range []Name{"C", "A"} {
		o, err := t.d.Resolve(t.f, element[key])
		if err != nil {
			return cell, err
		}
		list, ok := o.(Array)
		if !ok {
			list = Array{o}
		}
		if err := t.f.Visit(len(list)); err != nil {
			return cell, err
		}
		for _, o := range list {
			if name, ok := o.(Name); ok && key == "C" {
				o = t.classes[name]
			}
			attributes, err := t.d.Dict(t.f, o)
			if err != nil {
				return cell, err
			}
			for name, to := range map[Name]*int{"RowSpan": &cell.RowSpan, "ColSpan": &cell.ColSpan} {
				if n, ok := attributes[name].(int64); ok {
					if *to = int(min(max(n, 0), maxTagSpan+1)); *to < 1 || *to > maxTagSpan {
						t.unclear, *to = true, 1
					}
				}
			}
		}
	}
	return cell, nil
}

// ok reports whether the part of the table on the page can be told, and keeps that part.
func (t *tagTable) ok() bool {
	first := slices.IndexFunc(t.rows, func(r tagRow) bool { return r.here })
	if t.unclear || first < 0 {
		return false
	}
	last := first
	for i, r := range t.rows {
		if r.here {
			last = i
		}
		if r.here && r.away {
			return false
		}
	}
	for i, r := range t.rows {
		for _, c := range r.cells {
			if i < first && i+c.RowSpan > first || i <= last && i+c.RowSpan > last+1 && last+1 < len(t.rows) {
				return false // it spans rows of two pages
			}
		}
		if i < first && r.away {
			t.Continues = true
		}
		if i >= first && i <= last {
			if r.away {
				return false
			}
			t.Rows = append(t.Rows, r.cells)
		}
	}
	return true
}
