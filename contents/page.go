package contents

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/strictjson"
)

// A MapPageRequest says which part of a map [MapPage] returns.
type MapPageRequest struct {
	NodeID string // only this node and what is below it; "" means all
	Depth  *int   // levels shown below the topmost; nil means all
	Cursor string // next_cursor of the page before; "" begins

	// MaxBytes is about how many bytes the JSON may have. It always has one node.
	MaxBytes int

	// LongFields is the hint of a page on which fields are left out, as they are too long.
	LongFields string
}

// MapPage returns the JSON of a map in which "nodes" holds a part of the tree: nodes in
// document order, as many as fit, with "next_cursor" if there are more. Fields that do
// not fit are left out, and "hint" says so.
//
// A node whose parent is on the page is in its parent's children. A node whose parent
// was on an earlier page is in "nodes", with "parent_id". A node has "child_count" if
// not all its children are shown.
//
// The error matches [citekit.ErrSyntax] if the cursor is not of this map and this
// request, and wraps a [*citekit.NotFoundError] if there is no such node.
func MapPage(ctx context.Context, lib *citekit.Library, m *citekit.ResourceMap, req MapPageRequest) (json.RawMessage, error) {
	c, err := cursorOf(m, req)
	if err != nil {
		return nil, err
	}
	top := m.Nodes
	if c.NodeID != nil {
		n, err := lib.Node(ctx, m.ResourceID, *c.NodeID)
		if err != nil {
			return nil, err
		}
		top = []*citekit.Node{n}
	}
	head, shortened, err := headMembers(m, req.MaxBytes, "hint")
	if err != nil {
		return nil, err
	}
	p := &pager{cursor: c, size: req.MaxBytes, room: roomBeside(head, req.MaxBytes), shortened: shortened}
	if err := p.list(top, nil, 0); err != nil {
		return nil, err
	}
	if c.Offset > 0 && c.Offset >= p.next {
		return nil, badCursor("it points past the last node; leave it out to begin")
	}
	w := new(strictjson.Writer)
	w.Open()
	for _, member := range head {
		if member.Key == "nodes" {
			if p.shortened { // clients may cut what follows
				w.Text("hint", req.LongFields)
			}
			member.Value = slices.Concat([]byte("["), p.nodes.Bytes(), []byte("]"))
		}
		w.Raw(member.Key, member.Value)
	}
	if p.full {
		c.Offset = p.next
		w.Text("next_cursor", c.String())
	}
	w.Close()
	return w.Bytes(), nil
}

// headMembers returns the members of a map's JSON except its nodes and the
// members with the keys. It leaves out long ones, so that an eighth of size
// remains for nodes, and reports whether it did.
func headMembers(m *citekit.ResourceMap, size int, keys ...string) (_ []strictjson.Member, shortened bool, _ error) {
	head := *m
	head.Nodes = nil
	list, err := strictjson.Without(&head, append(keys, "next_cursor")...)
	all := len(list)
	list = shortOnes(list, size)
	for nodeSize(list) > max(size-size/8, minOmitted) {
		i := longest(list)
		if i < 0 {
			break
		}
		list = slices.Delete(list, i, i+1)
	}
	return list, len(list) < all, err
}

// roomBeside returns how many of size bytes nodes may take, given the other
// members of a map. The first minOmitted bytes of these do not count if that is
// most of size.
func roomBeside(head []strictjson.Member, size int) int {
	if size < 2*minOmitted {
		return size - max(0, nodeSize(head)-minOmitted)
	}
	return size - nodeSize(head) - adviceRoom
}

// adviceRoom is about how many bytes a hint and a cursor take.
const adviceRoom = 600

// longest returns the index of the longest member that may be left out, or -1.
func longest(list []strictjson.Member) int {
	at := -1
	for i, m := range list {
		if !isNeeded(m) && (at < 0 || len(m.Value) > len(list[at].Value)) {
			at = i
		}
	}
	return at
}

// isNeeded reports whether a map or a node is useless without the member.
func isNeeded(m strictjson.Member) bool {
	return m.Key == "id" || m.Key == "resource_id" || m.Key == "nodes"
}

// shortOnes leaves out members that are longer than a page, such as a summary
// that contains a book. Ids stay.
func shortOnes(list []strictjson.Member, size int) []strictjson.Member {
	return slices.DeleteFunc(list, func(m strictjson.Member) bool {
		return len(m.Value) > max(size, minOmitted) && !isNeeded(m)
	})
}

// minOmitted is the length of the shortest member that is ever left out, in
// bytes.
const minOmitted = 4 << 10

// A pager writes the nodes of one page.
type pager struct {
	cursor cursor
	size   int // of a page, in bytes
	room   int // bytes that may still be written
	nodes  strictjson.Writer
	next   int  // number of the next node, in document order
	full   bool // the page ends before node number next
	some   bool // a node has been written

	shortened bool // a field was left out
}

// list writes those nodes of a list that are on the page, level levels below the
// top. The parent is nil for the top level.
func (p *pager) list(nodes []*citekit.Node, parent *citekit.Node, level int) error {
	for _, n := range nodes {
		if p.full {
			return nil
		}
		if err := p.node(n, parent, level); err != nil {
			return err
		}
	}
	return nil
}

func (p *pager) node(n, parent *citekit.Node, level int) error {
	if p.next < p.cursor.Offset {
		p.next++
		if level < p.cursor.depth() {
			return p.list(n.Children, n, level+1)
		}
		return nil
	}
	fields, err := nodeMembers(n)
	if err != nil {
		return err
	}
	all := len(fields)
	fields = shortOnes(fields, p.size)
	p.shortened = p.shortened || len(fields) < all
	cost := nodeSize(fields) + len(`,"child_count":100000`)
	if parent != nil {
		cost += len(`,"parent_id":""`) + len(parent.ID)*5/4 // part of it is escaped
	}
	if p.some && cost > p.room {
		p.full = true
		return nil
	}
	p.some = true
	p.room -= cost
	p.next++
	return p.write(n, parent, level, fields)
}

// write writes a node and the nodes below it. Its place follows from the last
// byte written, so it needs no argument for it.
func (p *pager) write(n, parent *citekit.Node, level int, fields []strictjson.Member) error {
	w := &p.nodes
	if at := w.Len() - 1; at >= 0 && w.Bytes()[at] != '[' {
		w.WriteByte(',')
	}
	w.Open()
	for _, m := range fields {
		w.Raw(m.Key, m.Value)
	}
	w.Raw("children", []byte("["))
	shown := 0
	if level < p.cursor.depth() {
		for _, child := range n.Children {
			if err := p.node(child, nil, level+1); err != nil {
				return err
			}
			if p.full {
				break
			}
			shown++
		}
	}
	w.WriteByte(']')
	if shown < len(n.Children) {
		w.Value("child_count", len(n.Children))
	}
	if parent != nil {
		w.Text("parent_id", parent.ID)
	}
	w.Close()
	return w.Err
}

// nodeSize returns the size in bytes of a node with the fields and no children.
func nodeSize(fields []strictjson.Member) int {
	size := len(`{"children":[]},`)
	for _, m := range fields {
		size += len(m.Key) + len(m.Value) + len(`"":,`)
	}
	return size
}

// nodeMembers returns the members of the JSON of a node without what a part says
// of its neighbours.
func nodeMembers(n *citekit.Node) ([]strictjson.Member, error) {
	alone := *n
	alone.Children = nil
	return strictjson.Without(&alone, "children", "child_count", "parent_id")
}
