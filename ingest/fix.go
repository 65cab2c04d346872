package ingest

import (
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
)

// A Fix is one repair of a map.
type Fix struct {
	Path string `json:"path"` // JSON path, such as "nodes[3].id"
	What string `json:"what"` // the repair, in words
}

// Repair repairs the faults of a map that have a single right answer and need
// no source, and returns the repairs. It does not change a valid location:
//
//   - a node without an id gets one from its title, as by [NameNodes];
//   - a node with the id of an earlier node gets a number, because it could
//     not be requested by that id;
//   - a missing type becomes the type that all nodes have;
//   - a location without a modality gets that of the map, if the location
//     is then valid;
//   - two pages of a document that are the first and the last become a run of pages, if
//     the node has its address and that says so, a child lies between them, or the
//     nodes before and after lie directly around them;
//   - an address in the location of a document that says the same is removed;
//   - a hash in upper case becomes lower case.
//
// The map must not be shared; see [citekit.ResourceMap.Clone].
func Repair(m *citekit.ResourceMap) []Fix {
	f := fixer{m: m, taken: make(map[string]bool), last: make(map[string]int)}
	for n := range m.All() {
		f.taken[n.ID] = f.taken[n.ID] || n.ID != ""
	}
	f.fixType()
	eachList(m, f.pages)
	f.seen = make(map[string]bool, len(f.taken))
	eachNode(m, f.node)
	if hash, ok := m.Metadata["source_hash"].(string); ok && hash != strings.ToLower(hash) && ctxio.IsHash(strings.ToLower(hash)) {
		m.Metadata["source_hash"] = strings.ToLower(hash)
		f.did("metadata.source_hash", "written in lower case")
	}
	return f.fixes
}

type fixer struct {
	m     *citekit.ResourceMap
	fixes []Fix
	taken map[string]bool // ids of all nodes
	seen  map[string]bool // ids passed so far
	last  map[string]int
}

func (f *fixer) did(path, format string, args ...any) {
	f.fixes = append(f.fixes, Fix{Path: path, What: fmt.Sprintf(format, args...)})
}

// fixType gives the map the modality that all its nodes have.
func (f *fixer) fixType() {
	if f.m.Type != "" {
		return
	}
	var common citekit.Modality
	for n := range f.m.All() {
		if !n.Location.Modality.Valid() || common != "" && n.Location.Modality != common {
			return
		}
		common = n.Location.Modality
	}
	if common != "" {
		f.m.Type = common
		f.did("type", "set to %s, which every node has", common)
	}
}

func (f *fixer) node(at string, n, parent *citekit.Node) {
	within := ""
	if parent != nil {
		within = parent.ID
	}
	f.id(at, within, n)
	f.modality(at, n)
}

func (f *fixer) id(at, parent string, n *citekit.Node) {
	switch {
	case n.ID == "":
		n.ID = freeID(childID(parent, n), f.taken, f.last)
		f.did(at+".id", "'%s', from the title", message.Clip(n.ID))
	case f.seen[n.ID]:
		old := n.ID
		n.ID = freeID(old, f.taken, f.last)
		f.did(at+".id", "'%s', because an earlier node is '%s'", message.Clip(n.ID), message.Clip(old))
	}
	f.seen[n.ID] = true
}

func (f *fixer) modality(at string, n *citekit.Node) {
	if n.Location.Modality != "" || !f.m.Type.Valid() {
		return
	}
	loc := n.Location
	loc.Modality = f.m.Type
	if loc.Validate() == nil {
		n.Location = loc
		f.did(at+".location.modality", "set to %s, the type of the map", loc.Modality)
	}
}
