package contents

import (
	"encoding/json"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/strictjson"
)

// ShownLevels is how much of a map there is in a part of it.
type ShownLevels struct {
	Nodes, All int  // nodes shown, and of the map
	Flat       bool // no node of the map has children
	Shortened  bool // fields are left out, as they are too long
}

// IsFlat reports whether no node of a map has children.
func IsFlat(m *citekit.ResourceMap) bool {
	return !slices.ContainsFunc(m.Nodes, func(n *citekit.Node) bool { return len(n.Children) > 0 })
}

// UpperLevels returns the JSON of a map: all of it if that has at most size bytes. Else
// "nodes" holds the upper levels of the tree: level by level, each in document order, as
// many nodes as fit in size bytes, but at least one. Fields longer than size are left
// out. "omitted" counts the nodes that are not shown, "next_cursor" continues with the
// first incomplete level as [MapPage] does, and "hint" is what hint says of the part.
func UpperLevels(m *citekit.ResourceMap, size int, hint func(ShownLevels) string) (json.RawMessage, error) {
	if !longerThan(m, size) {
		if data, err := strictjson.Compact(m.MarshalJSON()); err != nil || len(data) <= size {
			return data, err
		}
	}
	head, shortened, err := headMembers(m, size, "omitted", "hint")
	if err != nil {
		return nil, err
	}
	u := &upperLevels{size: size, shown: make(map[*citekit.Node][]strictjson.Member), shortened: shortened}
	if err := u.choose(m.Nodes, roomBeside(head, size)); err != nil {
		return nil, err
	}
	w := new(strictjson.Writer)
	w.Open()
	for _, member := range head {
		if member.Key == "nodes" { // clients may cut what follows
			u.writeRest(w, m, hint)
			w.Raw("nodes", []byte("["))
			u.write(w, m.Nodes)
			w.WriteByte(']')
			continue
		}
		w.Raw(member.Key, member.Value)
	}
	w.Close()
	return w.Bytes(), w.Err
}

// longerThan reports whether the JSON of a map certainly has more than size
// bytes. It encodes nothing.
func longerThan(m *citekit.ResourceMap, size int) bool {
	const least = len(`{"id":"","type":"","location":{},"children":[]}`)
	for n := range m.All() {
		if size -= least + len(n.ID) + len(n.Title) + len(n.Summary); size < 0 {
			return true
		}
	}
	return false
}

// upperLevels are the nodes of a map that are shown first.
type upperLevels struct {
	size      int // of the longest field, in bytes
	shown     map[*citekit.Node][]strictjson.Member
	cut       bool // a node did not fit
	cutLevel  int  // its level, from 0
	shortened bool // a field was left out
}

// choose selects the nodes to show in room bytes.
func (u *upperLevels) choose(level []*citekit.Node, room int) error {
	for depth := 0; len(level) > 0; depth++ {
		var below []*citekit.Node
		for _, n := range level {
			all, err := nodeMembers(n)
			if err != nil {
				return err
			}
			count := len(all)
			fields := shortOnes(all, u.size)
			room -= nodeSize(fields) + len(`"child_count":0000,`)
			if room < 0 && len(u.shown) > 0 {
				u.cut, u.cutLevel = true, depth
				return nil
			}
			u.shortened = u.shortened || len(fields) < count
			u.shown[n] = fields
			below = append(below, n.Children...)
		}
		level = below
	}
	return nil
}

// write writes the selected nodes, which come first, and returns their number.
func (u *upperLevels) write(w *strictjson.Writer, nodes []*citekit.Node) (written int) {
	for i, n := range nodes {
		fields, ok := u.shown[n]
		if !ok {
			return i
		}
		if i > 0 {
			w.WriteByte(',')
		}
		w.Open()
		for _, m := range fields {
			w.Raw(m.Key, m.Value)
		}
		w.Raw("children", []byte("["))
		shown := u.write(w, n.Children)
		w.WriteByte(']')
		if shown < len(n.Children) {
			w.Value("child_count", len(n.Children))
		}
		w.Close()
	}
	return len(nodes)
}

// writeRest writes how many nodes are missing, and how to see them.
func (u *upperLevels) writeRest(w *strictjson.Writer, m *citekit.ResourceMap, hint func(ShownLevels) string) {
	all, before := 0, 0
	passed := false // a node of level cutLevel is not shown
	for n, depth := range m.All() {
		all++
		if passed = passed || depth == u.cutLevel && u.shown[n] == nil; !passed && depth <= u.cutLevel {
			before++
		}
	}
	if !u.cut && !u.shortened {
		return
	}
	if u.cut {
		w.Value("omitted", all-len(u.shown))
	}
	w.Text("hint", hint(ShownLevels{Nodes: len(u.shown), All: all, Flat: IsFlat(m), Shortened: u.shortened}))
	if u.cut {
		next := cursor{Resource: m.ResourceID, Depth: &u.cutLevel, Offset: before, Tree: fingerprint(m)}
		w.Text("next_cursor", next.String())
	}
}
