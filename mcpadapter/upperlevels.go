package mcpadapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/plain"
)

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

// encodeUpperLevels returns a map's JSON in which "nodes" holds the upper levels
// of the tree: level by level, each in document order, as many nodes as fit in
// size bytes, but at least one. Fields longer than size are left out. "hint" says
// how to see the rest, and "next_cursor" continues with the first incomplete
// level. The hint for a map of one level has search in it.
func encodeUpperLevels(m *citekit.ResourceMap, size int, search string) (json.RawMessage, error) {
	head, shortened, err := headMembers(m, size, "omitted", "hint")
	if err != nil {
		return nil, err
	}
	u := &upperLevels{size: size, shown: make(map[*citekit.Node][]member), shortened: shortened, search: search}
	if err := u.choose(m.Nodes, roomBeside(head, size)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for _, member := range head {
		if member.key == "nodes" { // clients may cut what follows
			u.writeRest(&b, m)
			writeMember(&b, "nodes", []byte("["))
			u.write(&b, m.Nodes)
			b.WriteByte(']')
			continue
		}
		writeMember(&b, member.key, member.value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

const longFieldsHint = "Long fields are left out. full true gives the whole map, for programs."

// upperLevels are the nodes of a map that are shown first.
type upperLevels struct {
	size      int // of the longest field, in bytes
	shown     map[*citekit.Node][]member
	cut       bool // a node did not fit
	cutLevel  int  // its level, from 0
	shortened bool // a field was left out

	search string // what a hint says of the tool search; "" without it
}

// isFlat reports whether no node of a map has children.
func isFlat(m *citekit.ResourceMap) bool {
	return !slices.ContainsFunc(m.Nodes, func(n *citekit.Node) bool { return len(n.Children) > 0 })
}

// choose selects the nodes to show in room bytes.
func (u *upperLevels) choose(level []*citekit.Node, room int) error {
	for depth := 0; len(level) > 0; depth++ {
		var below []*citekit.Node
		for _, n := range level {
			all, err := nodeMembersForPage(n)
			if err != nil {
				return err
			}
			fields := shortOnes(all, u.size)
			room -= nodeSize(fields) + len(`"child_count":0000,`)
			if room < 0 && len(u.shown) > 0 {
				u.cut, u.cutLevel = true, depth
				return nil
			}
			u.shortened = u.shortened || len(fields) < len(all)
			u.shown[n] = fields
			below = append(below, n.Children...)
		}
		level = below
	}
	return nil
}

// write writes the selected nodes, which come first, and returns their number.
func (u *upperLevels) write(b *bytes.Buffer, nodes []*citekit.Node) (written int) {
	for i, n := range nodes {
		fields, ok := u.shown[n]
		if !ok {
			return i
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('{')
		for _, m := range fields {
			writeMember(b, m.key, m.value)
		}
		writeMember(b, "children", []byte("["))
		shown := u.write(b, n.Children)
		b.WriteByte(']')
		if shown < len(n.Children) {
			writeMember(b, "child_count", []byte(strconv.Itoa(len(n.Children))))
		}
		b.WriteByte('}')
	}
	return len(nodes)
}

// writeRest writes how many nodes are missing, and how to see them.
func (u *upperLevels) writeRest(b *bytes.Buffer, m *citekit.ResourceMap) {
	all, before := 0, 0
	passed := false // a node of level cutLevel is not shown
	for n, depth := range m.All() {
		all++
		if passed = passed || depth == u.cutLevel && u.shown[n] == nil; !passed && depth <= u.cutLevel {
			before++
		}
	}
	hint := ""
	switch {
	case u.cut && isFlat(m):
		writeMember(b, "omitted", []byte(strconv.Itoa(all-len(u.shown))))
		hint = fmt.Sprintf("Shown are the first %d of %d nodes, which are all on one level. next_cursor goes on. "+
			"getNode with the address of a place finds its node%s. full true gives the whole map, for programs.", len(u.shown), all, u.search)
	case u.cut:
		writeMember(b, "omitted", []byte(strconv.Itoa(all-len(u.shown))))
		hint = fmt.Sprintf("Shown are %d of %d nodes, upper levels first. A node with child_count has more children: pass its id as node_id. "+
			"next_cursor goes on with the level that is cut. full true gives the whole map, for programs.", len(u.shown), all)
	case u.shortened:
		hint = longFieldsHint
	default:
		return
	}
	writeMember(b, "hint", appendString(nil, hint))
	if u.cut {
		next := view{Resource: m.ResourceID, Depth: &u.cutLevel, Offset: before, Tree: fingerprint(m)}
		writeMember(b, "next_cursor", []byte(`"`+next.cursor()+`"`))
	}
}

// An outline is the answer of getStructure in the compact form.
type outline struct {
	ResourceID string `json:"resource_id"`
	Outline    string `json:"outline"`
	Omitted    int    `json:"omitted,omitempty"`
	Hint       string `json:"hint,omitempty"`
}

// outlineHint is how many bytes the hint behind an outline takes at most.
const outlineHint = 200

// encodeOutline returns the outline of a map as text and as JSON, in at most size
// bytes.
func encodeOutline(m *citekit.ResourceMap, size int) (answer, error) {
	text, omitted, err := digestOf(m, size-min(size/50, outlineHint))
	if err != nil {
		return answer{}, err
	}
	o := outline{ResourceID: m.ResourceID, Outline: text, Omitted: omitted}
	if omitted > 0 {
		o.Hint = fmt.Sprintf("Nodes left out: %d. Pass node_id for one branch, or full true for all.", omitted)
		if isFlat(m) {
			o.Hint = fmt.Sprintf("Nodes left out: %d, all on one level. cursor \"\" with format json gives them in parts, and full true all.", omitted)
		}
		text += o.Hint + "\n"
	}
	hidden := 0 // in ids, as titles and summaries are shown without
	for n := range m.All() {
		if shown, count := plain.ShowHidden(n.ID); count > 0 && strings.Contains(text, shown) {
			hidden += count
		}
	}
	data, err := json.Marshal(o)
	return answer{data: data, text: text, hidden: hidden}, err
}

// digestOf returns a map in the compact form for agents, in at most size bytes,
// and the number of nodes left out.
func digestOf(m *citekit.ResourceMap, size int) (text string, omitted int, err error) {
	d, err := contents.DigestMaps([]*citekit.ResourceMap{m}, &contents.DigestOptions{
		MaxTokens: size, CountTokens: func(text string) int { return len(text) },
	})
	if err != nil {
		return "", 0, err
	}
	return d.Text, d.Omitted, nil
}
