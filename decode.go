package citekit

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/decimal"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/strictjson"
)

// extraFields are the JSON members of an object that we do not know, by key.
type extraFields map[string]json.RawMessage

// maxDepth is the deepest nesting of nodes that is read: clients refuse JSON
// nested a thousand deep, and each node takes two levels.
const maxDepth = 256

// ParseMap parses the JSON form of a map. It takes what the older
// implementations wrote: null for a field that is absent, and fields it does
// not know, which it keeps. A location that means nothing does not fail the
// map; [Location.Validate] and [ResourceMap.Check] report it.
//
// The error matches [ErrSyntax] and names the field at fault, or
// [ErrTooLarge] if nodes are nested more than 256 deep.
func ParseMap(data []byte) (*ResourceMap, error) {
	m := new(ResourceMap)
	if err := m.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	return m, nil
}

// UnmarshalJSON implements [json.Unmarshaler]; see [ParseMap].
func (m *ResourceMap) UnmarshalJSON(data []byte) error {
	s, err := scanJSON(data)
	if err != nil {
		return err
	}
	if s.Kind() != '{' {
		return syntaxError("a map is an object, not %s", strictjson.KindName(s.Kind()))
	}
	*m = ResourceMap{}
	r := mapReader{s}
	return r.resourceMap(m)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Node) UnmarshalJSON(data []byte) error {
	s, err := scanJSON(data)
	if err != nil {
		return err
	}
	node, err := mapReader{s}.node("node", 0)
	if err != nil {
		return err
	}
	*n = *node
	return nil
}

// UnmarshalJSON implements [json.Unmarshaler]. A location that means nothing
// is an error only in [Location.Validate].
func (l *Location) UnmarshalJSON(data []byte) error {
	s, err := scanJSON(data)
	if err != nil {
		return err
	}
	*l = mapReader{s}.location()
	return nil
}

// scanJSON returns a scanner of data. The error matches ErrSyntax or
// ErrTooLarge.
func scanJSON(data []byte) (*strictjson.Scanner, error) {
	s, err := strictjson.NewScanner(data)
	switch {
	case errors.Is(err, strictjson.ErrDepth):
		return nil, fmt.Errorf("%w: %w", err, ErrTooLarge)
	case err != nil:
		return nil, syntaxError("%w", err)
	}
	return s, nil
}

// A mapReader reads the parts of a map.
type mapReader struct{ *strictjson.Scanner }

func (r mapReader) resourceMap(m *ResourceMap) error {
	return r.fields("", &m.extra, map[string]func(path string) error{
		"resource_id": func(path string) error { return r.text(path, &m.ResourceID) },
		"type":        func(path string) error { return r.text(path, (*string)(&m.Type)) },
		"title":       func(path string) error { return r.text(path, &m.Title) },
		"source_path": func(path string) error { return r.text(path, &m.SourcePath) },
		"nodes":       func(path string) (err error) { m.Nodes, err = r.nodes(path, 0); return err },
		"metadata":    func(path string) error { return r.metadata(path, &m.Metadata) },
		"created_at":  func(path string) error { return r.text(path, &m.CreatedAt) },
	})
}

// fields reads an object. Members that are not in known go to extra; null
// counts as absent.
func (r mapReader) fields(path string, extra *extraFields, known map[string]func(path string) error) error {
	seen := make(map[string]bool, len(known))
	return r.Object(func(key string) error {
		read, ok := known[key]
		if !ok {
			r.keep(extra, key)
			return nil
		}
		if seen[key] {
			return syntaxError("%s is given twice", joinPath(path, key))
		}
		seen[key] = true
		if r.Kind() == 'n' {
			r.Skip()
			return nil
		}
		return read(joinPath(path, key))
	})
}

func (r mapReader) keep(extra *extraFields, key string) {
	if *extra == nil {
		*extra = make(extraFields)
	}
	(*extra)[key] = json.RawMessage(r.Skip())
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func (r mapReader) text(path string, field *string) error {
	if kind := r.Kind(); kind != '"' {
		return syntaxError("%s is %s, not a string", path, strictjson.KindName(kind))
	}
	*field = r.Quoted()
	return nil
}

func (r mapReader) metadata(path string, field *map[string]any) error {
	if kind := r.Kind(); kind != '{' {
		return syntaxError("%s is %s, not an object", path, strictjson.KindName(kind))
	}
	decoder := json.NewDecoder(strings.NewReader(r.Skip()))
	decoder.UseNumber()
	if err := decoder.Decode(field); err != nil {
		return syntaxError("%s: %v", path, err)
	}
	return nil
}

func (r mapReader) nodes(path string, depth int) ([]*Node, error) {
	if kind := r.Kind(); kind != '[' {
		return nil, syntaxError("%s is %s, not an array", path, strictjson.KindName(kind))
	}
	if depth >= maxDepth {
		return nil, fmt.Errorf("nodes nested more than %d deep: %w", maxDepth, ErrTooLarge)
	}
	nodes := []*Node{}
	err := r.Array(func(i int) error {
		n, err := r.node(path+"["+strconv.Itoa(i)+"]", depth)
		nodes = append(nodes, n)
		return err
	})
	return nodes, err
}

// node reads a node without a table of closures, because a map may have
// hundreds of thousands.
func (r mapReader) node(path string, depth int) (*Node, error) {
	if kind := r.Kind(); kind != '{' {
		return nil, syntaxError("%s is %s, not an object", path, strictjson.KindName(kind))
	}
	n := new(Node)
	var seen nodeField
	err := r.Object(func(key string) error {
		field := nodeFields[key]
		if field == 0 {
			r.keep(&n.extra, key)
			return nil
		}
		if seen&field != 0 {
			return syntaxError("%s is given twice", joinPath(path, key))
		}
		seen |= field
		if field != nodeLocation && r.Kind() == 'n' {
			r.Skip()
			return nil
		}
		return r.nodeField(n, field, joinPath(path, key), depth)
	})
	return n, err
}

type nodeField uint8

const (
	nodeID nodeField = 1 << iota
	nodeTitle
	nodeType
	nodeLocation
	nodeSummary
	nodeChildren
)

var nodeFields = map[string]nodeField{
	"id": nodeID, "title": nodeTitle, "type": nodeType,
	"location": nodeLocation, "summary": nodeSummary, "children": nodeChildren,
}

func (r mapReader) nodeField(n *Node, field nodeField, path string, depth int) (err error) {
	switch field {
	case nodeID:
		return r.text(path, &n.ID)
	case nodeTitle:
		return r.text(path, &n.Title)
	case nodeType:
		return r.text(path, &n.Type)
	case nodeSummary:
		return r.text(path, &n.Summary)
	case nodeChildren:
		n.Children, err = r.nodes(path, depth+1)
		return err
	}
	n.Location = r.location()
	return nil
}

// An oddLocation is what a location has beyond its selectors.
type oddLocation struct {
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
	loc, extra, err := r.readLocation()
	if err != nil {
		r.Reset(start)
		return Location{odd: &oddLocation{problem: err, raw: r.Skip()}}
	}
	if extra != nil {
		loc.odd = &oddLocation{extra: extra}
	}
	return loc
}

func (r mapReader) readLocation() (loc Location, extra extraFields, err error) {
	if kind := r.Kind(); kind != '{' {
		return loc, nil, syntaxError("location is %s, not an object", strictjson.KindName(kind))
	}
	var hasEnd bool
	seen := make(map[string]bool, 4)
	err = r.Object(func(key string) error {
		if seen[key] {
			return syntaxError("location.%s is given twice", key)
		}
		seen[key] = true
		if r.Kind() == 'n' && locationKeys[key] {
			r.Skip()
			return nil
		}
		switch key {
		case "modality":
			return r.text("modality", (*string)(&loc.Modality))
		case "virtual_address":
			return r.text("virtual_address", &loc.VirtualAddress)
		case "pages":
			return r.pages(&loc.Pages)
		case "lines":
			return r.lines(&loc.Lines)
		case "bbox":
			return r.bbox(&loc.Box)
		case "start":
			return r.seconds("start", &loc.Time.Start)
		case "end":
			hasEnd = true
			return r.seconds("end", &loc.Time.End)
		}
		r.keep(&extra, key)
		return nil
	})
	if err == nil && hasEnd && loc.Time.End <= loc.Time.Start {
		err = syntaxError("start %s, end %s; the end must be after the start",
			decimal.Format(loc.Time.Start), decimal.Format(loc.Time.End))
	}
	return loc, extra, err
}

var locationKeys = map[string]bool{
	"modality": true, "virtual_address": true, "pages": true, "lines": true, "bbox": true, "start": true, "end": true,
}

func (r mapReader) numbers(name string, yield func(text string) error) error {
	if kind := r.Kind(); kind != '[' {
		return syntaxError("%s is %s, not an array", name, strictjson.KindName(kind))
	}
	return r.Array(func(i int) error {
		kind, text := r.Kind(), r.Skip()
		if strictjson.KindName(kind) != "a number" {
			return syntaxError("%s[%d] is %s, not a number", name, i, strictjson.KindName(kind))
		}
		if err := yield(text); err != nil {
			return fmt.Errorf("%s[%d]: %w", name, i, err)
		}
		return nil
	})
}

// pages reads a list of page numbers as runs. A list that is in order, as
// nearly all are, needs no memory for each page.
func (r mapReader) pages(pages *[]Range) error {
	var runs []Range
	err := r.numbers("pages", func(text string) error {
		n, ok := parseWhole(text)
		if !ok || n < 1 {
			return syntaxError("page %s; pages are whole numbers from 1", message.Clip(text))
		}
		if k := len(runs) - 1; k >= 0 && n-1 == runs[k].Last {
			runs[k].Last = n
			return nil
		}
		runs = append(runs, Range{n, n})
		return nil
	})
	if err == nil && len(runs) == 0 {
		return syntaxError("pages is empty; leave it out for the whole document")
	}
	*pages = PageRuns(runs...)
	return err
}

func (r mapReader) lines(lines *Range) error {
	var v []int
	err := r.numbers("lines", func(text string) error {
		n, ok := parseWhole(text)
		if !ok || n < 1 {
			return syntaxError("line %s; lines are whole numbers from 1", message.Clip(text))
		}
		v = append(v, n)
		return nil
	})
	if err != nil {
		return err
	}
	if len(v) != 2 {
		return syntaxError("lines has %d numbers; it is [first, last]", len(v))
	}
	if v[1] < v[0] {
		return syntaxError("lines [%d, %d] end before they begin", v[0], v[1])
	}
	*lines = Range{v[0], v[1]}
	return nil
}

func (r mapReader) bbox(box *Box) error {
	var v []float64
	err := r.numbers("bbox", func(text string) error {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return syntaxError("%s", message.Clip(text))
		}
		v = append(v, n)
		return nil
	})
	if err != nil {
		return err
	}
	if len(v) != 4 {
		return syntaxError("bbox has %d numbers; it is [x1, y1, x2, y2]", len(v))
	}
	*box = Box{v[0], v[1], v[2], v[3]}
	if box.IsZero() {
		return syntaxError("bbox [0, 0, 0, 0] is empty; x2 and y2 are the far edges")
	}
	return nil
}

func (r mapReader) seconds(name string, field *float64) error {
	kind, text := r.Kind(), r.Skip()
	v, err := strconv.ParseFloat(text, 64)
	if strictjson.KindName(kind) != "a number" || err != nil {
		return syntaxError("%s is not a number of seconds", name)
	}
	*field = v
	return nil
}

// parseWhole parses a JSON number that is whole, also when written as 12.0.
func parseWhole(text string) (int, bool) {
	if n := decimal.Whole(text); n >= 0 {
		return n, true
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v != float64(int(v)) || v < -1<<53 || v > 1<<53 {
		return 0, false
	}
	return int(v), true
}

// wholeNumber converts a metadata value.
func wholeNumber(v any) (int64, bool) {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Int64()
		return n, err == nil
	case int:
		return int64(v), true
	case int64:
		return v, true
	case float64:
		return int64(v), v == float64(int64(v))
	}
	return 0, false
}
