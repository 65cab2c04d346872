package mcpadapter

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/citekit/citekit"
)

// encodePage returns a map's JSON in which "nodes" holds part of the tree below
// top: nodes in document order from number view.Offset on, as many as fit in size
// bytes, but at least one. Fields that do not fit are left out, and "hint" says
// so.
//
// A node whose parent is on the page is in its parent's children. A node whose
// parent was on an earlier page is in "nodes", with "parent_id".
func encodePage(m *citekit.ResourceMap, top []*citekit.Node, v view, size int) (json.RawMessage, error) {
	head, shortened, err := headMembers(m, size, "hint")
	if err != nil {
		return nil, err
	}
	p := &pager{view: v, size: size, room: roomBeside(head, size), shortened: shortened}
	p.nodes.WriteByte('[')
	if err := p.list(top, nil, 0); err != nil {
		return nil, err
	}
	p.nodes.WriteByte(']')
	if v.Offset > 0 && v.Offset >= p.next {
		return nil, badCursor("it points past the last node; leave it out to begin")
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for _, member := range head {
		if member.key == "nodes" {
			if p.shortened { // clients may cut what follows
				writeMember(&b, "hint", appendString(nil, longFieldsHint))
			}
			member.value = p.nodes.Bytes()
		}
		writeMember(&b, member.key, member.value)
	}
	if p.full {
		v.Offset = p.next
		writeMember(&b, "next_cursor", []byte(`"`+v.cursor()+`"`))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// headMembers returns the members of a map's JSON except its nodes and the
// members with the keys. It leaves out long ones, so that an eighth of size
// remains for nodes, and reports whether it did.
func headMembers(m *citekit.ResourceMap, size int, keys ...string) (_ []member, shortened bool, _ error) {
	head := *m
	head.Nodes = nil
	list, err := membersWithout(&head, append(keys, "next_cursor")...)
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
func roomBeside(head []member, size int) int {
	if size < 2*minOmitted {
		return size - max(0, nodeSize(head)-minOmitted)
	}
	return size - nodeSize(head) - adviceRoom
}

// adviceRoom is about how many bytes a hint and a cursor take.
const adviceRoom = 600

// longest returns the index of the longest member that may be left out, or -1.
func longest(list []member) int {
	at := -1
	for i, m := range list {
		if !m.isNeeded() && (at < 0 || len(m.value) > len(list[at].value)) {
			at = i
		}
	}
	return at
}

// isNeeded reports whether a map or a node is useless without the member.
func (m member) isNeeded() bool {
	return m.key == "id" || m.key == "resource_id" || m.key == "nodes"
}

// shortOnes leaves out members that are longer than a page, such as a summary
// that contains a book. Ids stay.
func shortOnes(list []member, size int) []member {
	return slices.DeleteFunc(list, func(m member) bool {
		return len(m.value) > max(size, minOmitted) && !m.isNeeded()
	})
}

// minOmitted is the length of the shortest member that is ever left out, in
// bytes.
const minOmitted = 4 << 10

// A pager writes the nodes of one page.
type pager struct {
	view  view
	size  int // of a page, in bytes
	room  int // bytes that may still be written
	nodes bytes.Buffer
	next  int  // number of the next node, in document order
	full  bool // the page ends before node number next
	some  bool // a node has been written

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
	if p.next < p.view.Offset {
		p.next++
		if level < p.view.depth() {
			return p.list(n.Children, n, level+1)
		}
		return nil
	}
	fields, err := nodeMembersForPage(n)
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
func (p *pager) write(n, parent *citekit.Node, level int, fields []member) error {
	if last := p.nodes.Bytes()[p.nodes.Len()-1]; last != '[' {
		p.nodes.WriteByte(',')
	}
	p.nodes.WriteByte('{')
	for _, m := range fields {
		writeMember(&p.nodes, m.key, m.value)
	}
	writeMember(&p.nodes, "children", []byte("["))
	shown := 0
	if level < p.view.depth() {
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
	p.nodes.WriteByte(']')
	if shown < len(n.Children) {
		writeMember(&p.nodes, "child_count", []byte(strconv.Itoa(len(n.Children))))
	}
	if parent != nil {
		id, err := json.Marshal(parent.ID)
		if err != nil {
			return err
		}
		writeMember(&p.nodes, "parent_id", id)
	}
	p.nodes.WriteByte('}')
	return nil
}

// nodeSize returns the size in bytes of a node with the fields and no children.
func nodeSize(fields []member) int {
	size := len(`{"children":[]},`)
	for _, m := range fields {
		size += len(m.key) + len(m.value) + len(`"":,`)
	}
	return size
}

func nodeMembersForPage(n *citekit.Node) ([]member, error) {
	alone := *n
	alone.Children = nil
	return membersWithout(&alone, "children", "child_count", "parent_id")
}
