package citekit

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
)

// extraFields are the JSON members of an object that we do not know, by key.
type extraFields = map[string]json.RawMessage

// maxDepth is the deepest nesting of nodes that is read: clients refuse JSON
// nested a thousand deep, and each node takes two levels.
const maxDepth = 256

// ParseMap parses the JSON form of a map. It takes what the older
// implementations wrote: null for a field that is absent, and fields it does
// not know, which it keeps. A location that means nothing does not fail the
// map; [Location.Validate] and [ResourceMap.Validate] report it.
//
// The error matches [ErrSyntax] and names the field at fault, which may be one
// that is given twice, or [ErrTooLarge] if nodes are nested more than 256 deep.
func ParseMap(data []byte) (*ResourceMap, error) {
	m := new(ResourceMap)
	if err := m.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	return m, nil
}

// UnmarshalJSON implements [json.Unmarshaler]; see [ParseMap].
func (m *ResourceMap) UnmarshalJSON(data []byte) error {
	return readJSON(data, func(r mapReader) (err error) {
		if r.Kind() != '{' {
			return fmt.Errorf("a map is an object, not %s", strictjson.KindName(r.Kind()))
		}
		*m, err = r.resourceMap()
		return err
	})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Node) UnmarshalJSON(data []byte) error {
	return readJSON(data, func(r mapReader) error {
		node, err := r.node(0)
		if err == nil {
			*n = *node
		}
		return err
	})
}

// UnmarshalJSON implements [json.Unmarshaler]. A location that means nothing
// is an error only in [Location.Validate].
func (l *Location) UnmarshalJSON(data []byte) error {
	return readJSON(data, func(r mapReader) error {
		*l = r.location()
		return nil
	})
}

// readJSON has data read. The error matches ErrSyntax or ErrTooLarge.
func readJSON(data []byte, read func(mapReader) error) error {
	s, err := strictjson.NewScanner(data)
	if err == nil {
		err = read(mapReader{s})
	}
	switch {
	case err == nil || errors.Is(err, ErrTooLarge):
		return err
	case errors.Is(err, strictjson.ErrDepth):
		return fmt.Errorf("%w: %w", err, ErrTooLarge)
	}
	return syntaxError("%w", err)
}

// A mapReader reads the parts of a map. Null is as good as a field that is
// absent, except for a location.
type mapReader struct{ *strictjson.Scanner }

func (r mapReader) resourceMap() (m ResourceMap, err error) {
	err = r.Members(func(key string) (err error) {
		switch key {
		case "resource_id":
			return r.Name(&m.ResourceID)
		case "type":
			return r.Text((*string)(&m.Type))
		case "title":
			return r.Text(&m.Title)
		case "source_path":
			return r.Name(&m.SourcePath)
		case "nodes":
			m.Nodes, err = r.nodes(0)
			return err
		case "metadata":
			return r.Object(&m.Metadata)
		case "created_at":
			return r.Text(&m.CreatedAt)
		}
		return r.Keep(&m.extra, key)
	})
	return m, err
}

func (r mapReader) nodes(depth int) (nodes []*Node, err error) {
	if r.Null() {
		return nil, nil
	}
	if depth >= maxDepth && r.Kind() == '[' {
		return nil, fmt.Errorf("nodes nested more than %d deep: %w", maxDepth, ErrTooLarge)
	}
	nodes = []*Node{}
	err = r.Elements(func() error {
		n, err := r.node(depth)
		nodes = append(nodes, n)
		return err
	})
	return nodes, err
}

func (r mapReader) node(depth int) (*Node, error) {
	n := new(Node)
	err := r.Members(func(key string) (err error) {
		switch key {
		case "id":
			return r.Name(&n.ID)
		case "title":
			return r.Text(&n.Title)
		case "type":
			return r.Text(&n.Type)
		case "location":
			n.Location = r.location()
			return nil
		case "summary":
			return r.Text(&n.Summary)
		case "children":
			n.Children, err = r.nodes(depth + 1)
			return err
		}
		return r.Keep(&n.extra, key)
	})
	return n, err
}

// An oddLocation is what a location has beyond its selectors.
type oddLocation struct {
	cells   string // what [Sheet] got that are no cells
	extra   extraFields
	problem error  // why the JSON means nothing
	raw     string // the JSON itself, where there is a problem
}

func (o *oddLocation) issue() error {
	if o == nil {
		return nil
	}
	return o.problem
}

func (r mapReader) location() Location {
	start := r.Pos()
	loc, extra, err := r.selectors()
	if err != nil {
		r.Reset(start)
		return Location{odd: &oddLocation{problem: syntaxError("%w", err), raw: r.Skip()}}
	}
	if extra != nil {
		loc.odd = &oddLocation{extra: extra}
	}
	return loc
}

func (r mapReader) selectors() (loc Location, extra extraFields, err error) {
	var hasEnd bool
	err = r.Members(func(key string) error {
		switch key {
		case "modality":
			return r.Text((*string)(&loc.Modality))
		case "virtual_address":
			return r.Name(&loc.VirtualAddress)
		case "pages":
			return r.pages(&loc.Pages)
		case "lines":
			return r.run("line", &loc.Lines)
		case "blocks":
			return r.run("block", &loc.Blocks)
		case "rows":
			return r.run("row", &loc.Rows)
		case "cells":
			return r.cells(&loc.Cells)
		case "cols":
			return r.cols(&loc.Cols)
		case "sheet":
			return r.Name(&loc.Sheet)
		case "part":
			return r.Name(&loc.Part)
		case "table":
			return r.Name(&loc.Table)
		case "member":
			return r.Name(&loc.Member)
		case "message":
			return r.message(&loc.Message)
		case "bbox":
			return r.bbox(&loc.Box)
		case "start":
			return r.seconds(&loc.Time.Start)
		case "end":
			hasEnd = r.Kind() != 'n'
			return r.seconds(&loc.Time.End)
		}
		return r.Keep(&extra, key)
	})
	if err == nil && hasEnd && loc.Time.End <= loc.Time.Start {
		err = fmt.Errorf("start %s, end %s; the end must be after the start",
			plain.FormatDecimal(loc.Time.Start), plain.FormatDecimal(loc.Time.End))
	}
	return loc, extra, err
}

// wholes calls yield with each number of an array of pages or lines, as unit
// says. They are whole and at least 1; 12.0 is whole, too.
func (r mapReader) wholes(unit string, yield func(n int)) error {
	return r.Elements(func() error {
		literal, err := r.Number()
		if err != nil {
			return err
		}
		n, ok := strictjson.Whole(literal)
		if !ok || n < 1 {
			return fmt.Errorf("%s %s; %ss are whole numbers from 1", unit, message.Clip(literal), unit)
		}
		yield(n)
		return nil
	})
}

// pages reads a list of page numbers as runs. A list that is in order, as
// nearly all are, needs no memory for each page.
func (r mapReader) pages(pages *[]Range) error {
	if r.Null() {
		return nil
	}
	var runs []Range
	err := r.wholes("page", func(n int) {
		if k := len(runs) - 1; k >= 0 && n-1 == runs[k].Last {
			runs[k].Last = n
			return
		}
		runs = append(runs, Range{n, n})
	})
	if err == nil && len(runs) == 0 {
		return &strictjson.Error{Reason: "is empty; leave it out for the whole document"}
	}
	*pages = PageRuns(runs...)
	return err
}

// run reads [first, last] of lines, blocks or rows, as unit says.
func (r mapReader) run(unit string, run *Range) error {
	if r.Null() {
		return nil
	}
	var v []int
	if err := r.wholes(unit, func(n int) { v = append(v, n) }); err != nil {
		return err
	}
	if len(v) != 2 {
		return &strictjson.Error{Reason: "has " + strconv.Itoa(len(v)) + " numbers; it is [first, last]"}
	}
	if v[1] < v[0] {
		return fmt.Errorf("%ss [%d, %d] end before they begin", unit, v[0], v[1])
	}
	*run = Range{v[0], v[1]}
	return nil
}

func (r mapReader) cells(cells *Cells) error {
	var text string
	if err := r.Text(&text); err != nil || text == "" {
		return err
	}
	parsed, err := ParseCells(text)
	*cells = parsed
	return err
}

func (r mapReader) cols(cols *[]string) error {
	if r.Null() {
		return nil
	}
	return r.Elements(func() error {
		var col string
		err := r.Name(&col)
		*cols = append(*cols, col)
		return err
	})
}

func (r mapReader) message(n *int) error {
	if r.Null() {
		return nil
	}
	literal, err := r.Number()
	if err != nil {
		return err
	}
	var ok bool
	if *n, ok = strictjson.Whole(literal); !ok || *n < 1 {
		return fmt.Errorf("message %s; messages are whole numbers from 1", message.Clip(literal))
	}
	return nil
}

func (r mapReader) bbox(box *Box) error {
	if r.Null() {
		return nil
	}
	var v []float64
	err := r.Elements(func() error {
		n, err := r.Float()
		v = append(v, n)
		return err
	})
	if err != nil {
		return err
	}
	if len(v) != 4 {
		return &strictjson.Error{Reason: "has " + strconv.Itoa(len(v)) + " numbers; it is [x1, y1, x2, y2]"}
	}
	*box = Box{v[0], v[1], v[2], v[3]}
	if box.IsZero() {
		return &strictjson.Error{Reason: "[0, 0, 0, 0] is empty; x2 and y2 are the far edges"}
	}
	return nil
}

func (r mapReader) seconds(field *float64) (err error) {
	if !r.Null() {
		*field, err = r.Float()
	}
	return err
}
