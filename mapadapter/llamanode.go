package mapadapter

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lenient"
	"github.com/citekit/citekit/internal/plain"
)

// The relations between nodes, first as the releases for Python write them,
// then as those for JavaScript do.
var (
	relationSource = [2]string{"1", "SOURCE"}
	relationParent = [2]string{"4", "PARENT"}
	relationChild  = [2]string{"5", "CHILD"}
)

// A llamaNode is a node or document of LlamaIndex.
type llamaNode struct {
	id, text   string
	origin     string // id of the source, or ""
	meta       record
	relations  record
	start, end int // characters of the source, if ranged
	ranged     bool
	document   bool
}

// readLlamaNodes returns the nodes from any of the forms in which they are
// stored.
func readLlamaNodes(data []byte) ([]*llamaNode, error) {
	data = bytes.TrimSpace(trimBOM(data))
	if bytes.HasPrefix(data, []byte("[")) {
		var list []any
		if err := decode(data, &list); err != nil {
			return nil, err
		}
		return llamaList(recordsOf(list))
	}
	var top map[string]json.RawMessage
	if err := decode(data, &top); err != nil {
		return nil, err
	}
	for _, key := range []string{"docstore", "doc_store"} { // a storage context
		var inner map[string]json.RawMessage
		if top[key] != nil && json.Unmarshal(top[key], &inner) == nil && inner["docstore/data"] != nil {
			top = inner
		}
	}
	switch {
	case top["docstore/data"] != nil:
		nodes, err := llamaStore(top["docstore/data"])
		if err == nil {
			err = noteOrigins(nodes, top["docstore/metadata"], top["docstore/ref_doc_info"])
		}
		return nodes, err
	case top["docstore/metadata"] != nil || top["docstore/ref_doc_info"] != nil:
		return nil, formatError("the docstore has no nodes (docstore/data): they are in another store, such as a vector database; write the nodes as a list")
	case top["index_store/data"] != nil || top["embedding_dict"] != nil || top["graph_dict"] != nil:
		return nil, formatError("the input is a store of LlamaIndex without nodes; give docstore.json")
	case top["nodes"] != nil:
		var list []any
		if err := decode(top["nodes"], &list); err != nil {
			return nil, err
		}
		return llamaList(recordsOf(list))
	}
	var one record
	if err := decode(data, &one); err != nil {
		return nil, err
	}
	return llamaList([]record{one})
}

func llamaStore(data []byte) ([]*llamaNode, error) {
	entries, err := members(data)
	if err != nil {
		return nil, err
	}
	nodes, err := newLlamaNodes(entries)
	if err == nil && len(nodes) == 0 {
		err = formatError("the docstore is empty")
	}
	return nodes, err
}

// noteOrigins gives nodes that do not name their source the source that the
// store names for them.
func noteOrigins(nodes []*llamaNode, metadata, info []byte) error {
	byID := make(map[string]*llamaNode, len(nodes))
	for _, n := range nodes {
		if n.origin == "" && !n.document {
			byID[n.id] = n
		}
	}
	note := func(id, origin string) {
		if n := byID[id]; n != nil && origin != "" {
			n.origin = origin
		}
	}
	taken := 0
	for _, part := range [][]byte{metadata, info} {
		if len(byID) == 0 || len(part) == 0 {
			continue
		}
		if err := checkValues(part, &taken); err != nil {
			return err
		}
		entries, err := members(part)
		if err != nil {
			return nil // useless here, but harmless
		}
		for _, m := range entries {
			note(m.key, m.value.text("ref_doc_id"))
			for _, id := range append(m.value.texts("node_ids"), m.value.texts("doc_ids")...) {
				note(id, m.key)
			}
		}
	}
	return nil
}

func llamaList(list []record) ([]*llamaNode, error) {
	entries := make([]member, len(list))
	for i, r := range list {
		entries[i].value = r
	}
	nodes, err := newLlamaNodes(entries)
	if err == nil && len(nodes) == 0 {
		err = formatError("the input has no nodes of LlamaIndex, which have an id_ and a text")
	}
	return nodes, err
}

// newLlamaNodes returns the nodes among the entries.
func newLlamaNodes(entries []member) ([]*llamaNode, error) {
	var nodes []*llamaNode
	taken := 0
	for _, m := range entries {
		if n := newLlamaNode(m.value, m.key, &taken); n != nil {
			nodes = append(nodes, n)
		}
		if taken > maxValues {
			return nil, tooLarge("the nodes hold JSON with values that take more than %d MiB", maxValues>>20)
		}
	}
	return nodes, nil
}

// newLlamaNode returns the node that r describes, or nil if it does not
// describe a node. A node without an id gets the key as its id. For taken see
// [checkValues].
func newLlamaNode(r record, key string, taken *int) *llamaNode {
	kind := r.text("__type__")
	r = unwrapped(r, taken)
	n := &llamaNode{
		id:        cmp.Or(r.text("id_", "node_id", "id", "doc_id"), key),
		text:      cmp.Or(r.text("text"), r.sub("text_resource").text("text")),
		meta:      r.sub("metadata"),
		relations: r.sub("relationships"),
		document:  kind == "4" || strings.HasSuffix(r.text("class_name"), "Document"),
	}
	if n.meta == nil {
		n.meta = r.sub("extra_info")
	}
	if n.id == "" || n.text == "" && n.meta == nil && n.relations == nil {
		return nil
	}
	if origin := n.related(relationSource); len(origin) > 0 {
		n.origin = origin[0]
	} else {
		n.origin = r.text("ref_doc_id")
	}
	if kind == "4" && n.related(relationSource) != nil {
		n.document = false
	}
	info := r.sub("node_info") // releases before 0.7
	start, ok := r.whole("start_char_idx", "startCharIdx")
	if !ok {
		start, ok = info.whole("start")
	}
	end, okEnd := r.whole("end_char_idx", "endCharIdx")
	if !okEnd {
		end, okEnd = info.whole("end")
	}
	n.start, n.end, n.ranged = start, end, ok && okEnd
	return n
}

// unwrapped returns the node inside its wrapper.
func unwrapped(r record, taken *int) record {
	const maxWraps = 4
	for range maxWraps {
		inner := r.sub("__data__")
		if inner == nil {
			inner = r.sub("node")
		}
		if inner == nil {
			inner = embedded(r.text("__data__"), taken)
		}
		if inner == nil {
			inner = embedded(cmp.Or(r.text("_node_content"), r.sub("metadata").text("_node_content")), taken)
		}
		if inner == nil {
			return r
		}
		r = inner
	}
	return r
}

// embedded parses an object stored as text, or returns nil.
func embedded(text string, taken *int) record {
	var r record
	if text == "" || checkValues([]byte(text), taken) != nil || decode([]byte(text), &r) != nil {
		return nil
	}
	return r
}

// related returns the ids of the nodes to which a node has a relation.
func (n *llamaNode) related(relation [2]string) []string {
	value, ok := n.relations[relation[0]]
	if !ok {
		value = n.relations[relation[1]]
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var ids []string
	for _, v := range list {
		id := lenient.Text(v)
		if r, ok := v.(map[string]any); ok {
			id = record(r).text("node_id", "nodeId")
		}
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// file returns the path of the source that the metadata name, or "".
func (n *llamaNode) file() string {
	if file := n.meta.text("file_path", "filepath", "source_path", "file_name", "filename"); file != "" {
		return file
	}
	source := n.meta.text("source")
	if _, err := strconv.Atoi(source); err == nil {
		return "" // some readers store the page there
	}
	return source
}

// url returns the address that the metadata give the source, or "".
func (n *llamaNode) url() string {
	return n.meta.text("url", "URL", "source_url", "link")
}

// page returns the page that the metadata name, counted from 1.
func (n *llamaNode) page(trustLabels bool) (int, bool) {
	page, ok := n.meta.whole("page_number")
	if !ok && trustLabels {
		page, ok = n.meta.whole("page_label")
	}
	if _, paged := n.meta["total_pages"]; !ok && paged {
		page, ok = n.meta.whole("source")
	}
	return page, ok && page > 0
}

// node makes a node for a map.
func (n *llamaNode) node(p *llamaPlacer) *citekit.Node {
	node := newNode(n.id)
	node.Type = "passage"
	node.Title = title(n.heading())
	if node.Title == "" {
		node.Title = firstLine(n.text)
	}
	node.Summary = plain.Words(n.meta.text("section_summary"), maxSummary)
	if node.Summary == "" {
		node.Summary = plain.Words(n.text, maxLead)
	}
	if node.Summary == node.Title {
		node.Summary = ""
	}
	node.Location = p.place(n)
	return node
}

// heading returns the heading that the metadata name, or "".
func (n *llamaNode) heading() string {
	path := strings.Split(strings.Trim(n.meta.text("header_path"), "/"), "/")
	if last := path[len(path)-1]; last != "" {
		return last
	}
	for level := 6; level > 0; level-- {
		number := strconv.Itoa(level)
		if text := n.meta.text("Header_"+number, "Header "+number); text != "" {
			return text
		}
	}
	return n.meta.text("section_title", "heading")
}
