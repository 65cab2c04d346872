package citekit

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	form "github.com/citekit/citekit/internal/selector"
	"github.com/citekit/citekit/internal/sniff"
)

// A ResourceMap describes one source as a tree of nodes. Its JSON form has the fields
// in the order given here, by the names given in quotation marks. Unknown fields
// survive a load and save.
type ResourceMap struct {
	ResourceID string   // "resource_id"
	Type       Modality // "type"
	Title      string   // "title"

	// SourcePath is "source_path": the path of the file that the locations refer to,
	// relative to the base directory of the workspace or absolute.
	SourcePath string

	Nodes []*Node // "nodes"; never null in JSON

	// Metadata is "metadata", with any keys. The keys "source_hash", the SHA-256 of the
	// source in hex, and "source_size", its size in bytes, say which version of the
	// source the map was made from. Numbers are [json.Number].
	Metadata map[string]any

	// CreatedAt is "created_at": when the map was made, in ISO 8601.
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

// All yields every node with its depth, parents before children, from depth 0.
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

// Node returns the first node with the id, parents before children, or nil. It searches
// all nodes; [Library.Node] uses an index.
func (m *ResourceMap) Node(id string) *Node {
	for n := range m.All() {
		if n.ID == id {
			return n
		}
	}
	return nil
}

// indexNodes returns the first node with each id.
func indexNodes(m *ResourceMap) map[string]*Node {
	index := make(map[string]*Node)
	for n := range m.All() {
		if _, taken := index[n.ID]; !taken {
			index[n.ID] = n
		}
	}
	return index
}

// Address returns the address of a node of the map, or, if n is nil, the address of the
// whole resource. The address of the whole resource is valid only if its modality is
// known from the type of the map, from its nodes, or from the extension of its source.
func (m *ResourceMap) Address(n *Node) Address {
	if n == nil {
		return Address{Resource: m.ResourceID, Location: Location{Modality: m.modality()}}
	}
	return Address{Resource: m.ResourceID, Location: n.Location}
}

// ModalityOf returns the modality of loc. If that is empty, it returns the modality of
// the resource, or, for a location in a member, that of the first node in the same
// member. It is "" if that is unknown.
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

// modality returns what the resource is: the type of the map, or where there is none,
// what all its nodes are, or what the name of the source stands for. It is "" if
// neither says it.
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
	return cmp.Or(common, Modality(sniff.ByName(m.SourcePath)))
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

// CheckResourceID returns an error matching [ErrSyntax] unless id can name a resource:
// 1 to 512 bytes of UTF-8 without control or invisible formatting characters, without
// "/" and "\", and not "." or "..".
func CheckResourceID(id string) error { return asSyntax(form.CheckID(id)) }

// SourceHash returns the SHA-256 of the source in lower-case hex, or "" if it is not known.
func (m *ResourceMap) SourceHash() string {
	hash, _ := m.Metadata["source_hash"].(string)
	return strings.ToLower(hash)
}

// SourceSize returns the size of the source in bytes and whether the metadata have it.
func (m *ResourceMap) SourceSize() (int64, bool) {
	return about.Whole(m.Metadata, "source_size")
}

// Extent returns the size of the source as recorded in the metadata. Fields that the
// metadata do not have, or that the type of the map does not use, are zero. The source
// is not opened.
func (m *ResourceMap) Extent() Extent {
	e := Extent{Modality: m.Type}
	count := func(key string) int { return about.Count(m.Metadata, key) }
	switch m.Type {
	case Document:
		e.Pages, e.Blocks, e.Sheets = count("pages"), count("blocks"), count("sheets")
		e.Parts, e.Tables, e.Members = count("parts"), count("tables"), count("members")
	case Text:
		e.Lines, e.Blocks, e.Rows = count("lines"), count("blocks"), count("rows")
		e.Parts, e.Messages = count("parts"), count("messages")
	case Image, Video:
		e.Width, e.Height = count("width"), count("height")
	}
	if m.Type == Video || m.Type == Audio {
		if v, _ := about.Number(m.Metadata, "duration"); v > 0 && v <= plain.MaxSeconds {
			e.Duration = v
		}
	}
	return e
}

// Transcript returns the path of the file with the words of a recording, in the form of
// SourcePath, and the SHA-256 that this file had when the recording was mapped, in
// lower-case hex. Both are "" if the metadata have no path of a transcript. The hash
// alone may be "".
func (m *ResourceMap) Transcript() (sourcePath, sourceHash string) {
	return about.Transcript(m.Metadata)
}

// Validate returns the first fault that [ResourceMap.Faults] finds, with the id of the
// map, or nil.
func (m *ResourceMap) Validate() (first error) {
	m.Faults(func(path string, n *Node, err error) {
		switch {
		case first != nil:
		case n != nil && n.ID != "":
			first = fmt.Errorf("map '%s': %s (node '%s'): %w", message.Clip(m.ResourceID), path, message.Clip(n.ID), err)
		default:
			first = fmt.Errorf("map '%s': %s: %w", message.Clip(m.ResourceID), path, err)
		}
	})
	return first
}

// Faults calls found for each fault of the map itself, in the order of the map. It
// passes the JSON path of the fault, such as "nodes[3].location", and the node at
// fault, or nil if no single node is. The source is not opened.
//
// The errors match [ErrSyntax]. For nodes nested more than 256 deep the error matches
// [ErrTooLarge], and those nodes are not checked.
func (m *ResourceMap) Faults(found func(path string, n *Node, err error)) {
	report := func(path string, n *Node, err error) {
		if err != nil {
			found(path, n, err)
		}
	}
	report("resource_id", nil, CheckResourceID(m.ResourceID))
	report("type", nil, m.Type.Validate())
	if m.SourcePath == "" && m.Type != Virtual {
		report("source_path", nil, syntaxError("empty; %s map needs the path of its source", message.Article(m.Type)))
	}
	report("metadata.source_hash", nil, m.checkSourceHash())
	first := make(map[string]string) // path of the first node with an id
	var check func(path string, nodes []*Node, depth int)
	check = func(path string, nodes []*Node, depth int) {
		if depth >= maxDepth {
			found(path, nil, fmt.Errorf("nodes nested more than %d deep: %w", maxDepth, ErrTooLarge))
			return
		}
		for i, n := range nodes {
			at := path + "[" + strconv.Itoa(i) + "]"
			if n.ID == "" {
				found(at+".id", n, syntaxError("empty; the node cannot be asked for"))
			}
			if there, taken := first[n.ID]; taken {
				found(at+".id", n, syntaxError("the id is taken by %s; only that node can be asked for", there))
			} else {
				first[n.ID] = at
			}
			report(at+".location", n, n.Location.Validate())
			check(at+".children", n.Children, depth+1)
		}
	}
	check("nodes", m.Nodes, 0)
}

// checkSourceHash returns an error unless the source hash is a SHA-256 or "".
func (m *ResourceMap) checkSourceHash() error {
	if hash := m.SourceHash(); hash != "" && !ctxio.IsHash(hash) {
		return syntaxError("%s is not a SHA-256 in hex; map the source again, or remove source_hash: the source is then pinned when it is first used", message.Quote(hash))
	}
	return nil
}
