package citekit

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
)

// extraFields are the JSON members of an object that we do not know, by key.
type extraFields = map[string]json.RawMessage

// maxDepth is the deepest nesting of nodes that is read: clients refuse JSON nested a
// thousand deep, and each node takes two levels.
const maxDepth = 256

// ParseMap parses the JSON form of a map. It takes what the older implementations
// wrote: null for a field that is absent, and fields it does not know, which it keeps.
// A location that means nothing does not fail the map; [Location.Validate] and
// [ResourceMap.Validate] report it.
//
// The error matches [ErrSyntax] and names the field at fault, which may be one that is
// given twice, or [ErrTooLarge] if nodes are nested more than 256 deep.
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

// UnmarshalJSON implements [json.Unmarshaler]. A location that means nothing is an
// error only in [Location.Validate].
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
	return asSyntax(err)
}

// A mapReader reads the parts of a map. Null is as good as a field that is absent,
// except for a location.
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
	extra   extraFields
	problem error  // why the JSON means nothing
	raw     string // the JSON itself, where there is a problem
	cells   string // what was given to [Modality.Sheet] and is not in A1 notation
}

func (o *oddLocation) issue() error {
	if o == nil {
		return nil
	}
	return o.problem
}

// oddCells returns what [Modality.Sheet] was given that is not in A1 notation, or "".
func (l Location) oddCells() string {
	if l.odd == nil || l.Cells.First.Col > 0 {
		return ""
	}
	return l.odd.cells
}

func (r mapReader) location() Location {
	start := r.Pos()
	loc, extra, err := r.selectors()
	if err != nil {
		r.Reset(start)
		return Location{odd: &oddLocation{problem: asSyntax(err), raw: r.Skip()}}
	}
	if extra != nil {
		loc.odd = &oddLocation{extra: extra}
	}
	return loc
}

func (r mapReader) selectors() (loc Location, extra extraFields, err error) {
	var hasEnd bool
	err = r.Members(func(key string) (err error) {
		switch s := selectorNamed(key); {
		case key == "modality":
			return r.Text((*string)(&loc.Modality))
		case key == "virtual_address":
			return r.Name(&loc.VirtualAddress)
		case key != "start" && key != "end" && (s == nil || key == "t"):
			return r.Keep(&extra, key)
		case r.Null():
			return nil
		case key == "start":
			loc.Time.Start, err = r.Float()
		case key == "end":
			hasEnd = true
			loc.Time.End, err = r.Float()
		default:
			return s.of(&loc).Read(key, r.Scanner)
		}
		return err
	})
	if err == nil && hasEnd && loc.Time.End <= loc.Time.Start {
		err = fmt.Errorf("start %s, end %s; the end must be after the start",
			plain.FormatDecimal(loc.Time.Start), plain.FormatDecimal(loc.Time.End))
	}
	return loc, extra, err
}

// MarshalJSON implements [json.Marshaler]. Nodes, children and metadata are never null.
func (m *ResourceMap) MarshalJSON() ([]byte, error) {
	w := new(jsonWriter)
	w.Open()
	w.Text("resource_id", m.ResourceID)
	w.Text("type", string(m.Type))
	w.Text("title", m.Title)
	w.Text("source_path", m.SourcePath)
	w.Key("nodes")
	w.nodes(m.Nodes)
	if m.Metadata == nil {
		w.Raw("metadata", json.RawMessage("{}"))
	} else {
		w.Value("metadata", m.Metadata)
	}
	w.Text("created_at", m.CreatedAt)
	w.Extras(m.extra)
	w.Close()
	return w.Bytes(), w.Err
}

// MarshalJSON implements [json.Marshaler], children included.
func (n *Node) MarshalJSON() ([]byte, error) {
	w := new(jsonWriter)
	w.node(n, true)
	return w.Bytes(), w.Err
}

// MarshalJSON implements [json.Marshaler]. Pages are listed one by one; for more than a
// million the error matches [ErrTooLarge].
func (l Location) MarshalJSON() ([]byte, error) {
	w := new(jsonWriter)
	w.location(l)
	return w.Bytes(), w.Err
}

// A jsonWriter writes the parts of a map. The zero value is ready to use.
type jsonWriter struct{ strictjson.Writer }

func (w *jsonWriter) nodes(nodes []*Node) {
	w.WriteByte('[')
	for i, n := range nodes {
		if i > 0 {
			w.WriteByte(',')
		}
		w.node(n, true)
	}
	w.WriteByte(']')
}

func (w *jsonWriter) node(n *Node, children bool) {
	w.Open()
	w.Text("id", n.ID)
	w.Optional("title", n.Title)
	w.Text("type", n.Type)
	w.Key("location")
	w.location(n.Location)
	w.Optional("summary", n.Summary)
	if children {
		w.Key("children")
		w.nodes(n.Children)
	}
	w.Extras(n.extra)
	w.Close()
}

// maxListedPages bounds the memory that a location of a few bytes, such as
// pages=1-2000000000, can take as JSON.
const maxListedPages = 1_000_000

func (w *jsonWriter) location(l Location) {
	if l.odd.issue() != nil {
		w.WriteString(l.odd.raw)
		return
	}
	if n := l.PageCount(); n > maxListedPages {
		w.Err = errors.Join(w.Err, fmt.Errorf("%d pages in one location; at most %d: %w", n, maxListedPages, ErrTooLarge))
		l.Pages = nil
	}
	w.Open()
	w.Text("modality", string(l.Modality))
	for _, s := range jsonOrder {
		if v := s.of(&l); !v.IsZero() {
			v.Write(s.name, &w.Writer)
		}
	}
	w.Optional("virtual_address", l.VirtualAddress)
	if l.odd != nil {
		w.Extras(l.odd.extra)
	}
	w.Close()
}
