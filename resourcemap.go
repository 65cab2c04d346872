package citekit

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/sniff"
)

// A ResourceMap describes one source as a tree of nodes. Its JSON form has the
// fields in the order given here, by the names given in quotation marks.
// Unknown fields survive a load and save.
type ResourceMap struct {
	ResourceID string   // "resource_id"
	Type       Modality // "type"
	Title      string   // "title"

	// SourcePath is "source_path": the path of the file that the locations
	// refer to, relative to the base directory of the workspace or absolute.
	SourcePath string

	Nodes []*Node // "nodes"; never null in JSON

	// Metadata is "metadata", with any keys. The keys "source_hash", the
	// SHA-256 of the source in hex, and "source_size", its size in bytes, say
	// which version of the source the map was made from. Numbers are
	// [json.Number].
	Metadata map[string]any

	// CreatedAt is "created_at": when the map was made, in ISO 8601.
	// [ResourceMap.Created] parses it.
	CreatedAt string

	extra extraFields
}

// A Node is one part of a resource.
type Node struct {
	ID       string   // "id"; unique in its map; by convention the ids of its ancestors and its own name, joined by dots
	Title    string   // "title"; left out of JSON if empty
	Type     string   // "type"; a free word such as "section"
	Location Location // "location"
	Summary  string   // "summary"; left out of JSON if empty
	Children []*Node  // "children"; never null in JSON

	extra extraFields
}

// Created parses CreatedAt. A time without a zone is taken as UTC.
func (m *ResourceMap) Created() (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", time.DateOnly} {
		if t, err := time.Parse(layout, m.CreatedAt); err == nil {
			return t, nil
		}
	}
	return time.Time{}, syntaxError("created_at %q is not an ISO 8601 time", m.CreatedAt)
}

// All yields every node with its depth, parents before children, from depth
// 0.
func (m *ResourceMap) All() iter.Seq2[*Node, int] {
	return func(yield func(*Node, int) bool) { walk(m.Nodes, 0, yield) }
}

func walk(nodes []*Node, depth int, yield func(*Node, int) bool) bool {
	for _, n := range nodes {
		if !yield(n, depth) || !walk(n.Children, depth+1, yield) {
			return false
		}
	}
	return true
}

// Len returns the number of nodes at all depths.
func (m *ResourceMap) Len() int {
	n := 0
	for range m.All() {
		n++
	}
	return n
}

// Node returns the first node with the id, parents before children, or nil. It
// searches all nodes; [Library.Node] uses an index.
func (m *ResourceMap) Node(id string) *Node {
	for n := range m.All() {
		if n.ID == id {
			return n
		}
	}
	return nil
}

// DuplicateIDs returns the ids that more than one node has, sorted. Only the
// first of such nodes can be found by its id.
func (m *ResourceMap) DuplicateIDs() []string {
	_, duplicates := indexNodes(m)
	return duplicates
}

func indexNodes(m *ResourceMap) (index map[string]*Node, duplicates []string) {
	index = make(map[string]*Node)
	seen := make(map[string]bool)
	for n := range m.All() {
		if _, taken := index[n.ID]; taken {
			seen[n.ID] = true
			continue
		}
		index[n.ID] = n
	}
	return index, slices.Sorted(maps.Keys(seen))
}

// Address returns the address of a node of the map, or, if n is nil, the
// address of the whole resource. The address of the whole resource is valid
// only if its modality is known from the type of the map, from its nodes, or
// from the extension of its source.
func (m *ResourceMap) Address(n *Node) Address {
	if n == nil {
		return Address{Resource: m.ResourceID, Location: Location{Modality: m.modality()}}
	}
	return Address{Resource: m.ResourceID, Location: n.Location}
}

// ModalityOf returns the modality of loc. If that is empty, it returns the
// modality of the resource, or, for a location in a member, that of the first
// node in the same member. It is "" if that is unknown.
func (m *ResourceMap) ModalityOf(loc Location) Modality {
	if loc.Modality != "" {
		return loc.Modality
	}
	if loc.Member == "" {
		return m.modality()
	}
	for n := range m.All() {
		if n.Location.Member == loc.Member {
			return n.Location.Modality
		}
	}
	return ""
}

// modality returns what the resource is: the type of the map, or where there
// is none, what all its nodes are, or what the name of the source stands for.
// It is "" if neither says it.
func (m *ResourceMap) modality() Modality {
	if m.Type != "" {
		if m.Type.Valid() {
			return m.Type
		}
		return ""
	}
	var common Modality
	for n := range m.All() {
		switch is := n.Location.Modality; {
		case n.Location.Validate() != nil || is == common:
		case common != "":
			return ""
		default:
			common = is
		}
	}
	if common == "" {
		common = Modality(sniff.ByName(m.SourcePath))
	}
	return common
}

// Clone returns a deep copy. Metadata values are shared.
func (m *ResourceMap) Clone() *ResourceMap {
	clone := *m
	clone.Nodes = cloneNodes(m.Nodes)
	clone.Metadata = maps.Clone(m.Metadata)
	clone.extra = maps.Clone(m.extra)
	return &clone
}

func cloneNodes(nodes []*Node) []*Node {
	if nodes == nil {
		return nil
	}
	clones := make([]*Node, len(nodes))
	for i, n := range nodes {
		clone := *n
		clone.Location.Pages = slices.Clone(n.Location.Pages)
		clone.Children = cloneNodes(n.Children)
		clone.extra = maps.Clone(n.extra)
		clones[i] = &clone
	}
	return clones
}

const maxResourceID = 512

// CheckResourceID returns an error matching [ErrSyntax] unless id can name a
// resource: 1 to 512 bytes of UTF-8 without control or invisible formatting
// characters, without "/" and "\", and not "." or "..".
func CheckResourceID(id string) error {
	switch {
	case id == "":
		return syntaxError("the resource id is empty")
	case len(id) > maxResourceID:
		return syntaxError("the resource id has %d bytes; at most %d", len(id), maxResourceID)
	case !message.IsPlain(id):
		return syntaxError("resource id %+q has control characters or is not UTF-8; write it in characters that can be seen", id)
	case strings.Contains(id, "://"):
		return syntaxError("resource id %q looks like an address; the id is between \"://\" and \"#\"", id)
	case strings.ContainsAny(id, `/\`) || id == "." || id == "..":
		return syntaxError("resource id %q looks like a path; an id has no slashes", id)
	}
	return nil
}
