package relations

import (
	"github.com/citekit/citekit"
)

// relationsKey is the key, in the metadata of a map, of the relations between
// its nodes: a list of objects with "from" and "to", the ids of nodes, and
// where known "kind", "text", "evidence" (ids of the nodes that prove it) and
// "origin", which is "adapter" or "model".
const relationsKey = "relations"

// maxEvidence is how many proofs of one relation are returned.
const maxEvidence = 100

// mapRelations returns the relations between nodes in the metadata of a map.
func mapRelations(m *citekit.ResourceMap) []Relation {
	list, _ := m.Metadata[relationsKey].([]any)
	if len(list) == 0 {
		return nil
	}
	nodes := make(map[string]*citekit.Node)
	for n := range m.All() {
		if nodes[n.ID] == nil && n.Location.Validate() == nil {
			nodes[n.ID] = n
		}
	}
	var all []Relation
	for _, v := range list {
		if stated, ok := v.(map[string]any); ok {
			if r, ok := mapRelation(m, nodes, stated); ok {
				all = append(all, r)
			}
		}
	}
	return all
}

func mapRelation(m *citekit.ResourceMap, nodes map[string]*citekit.Node, stated map[string]any) (Relation, bool) {
	text := func(key string) string {
		s, _ := stated[key].(string)
		return s
	}
	from, to := nodes[text("from")], nodes[text("to")]
	if from == nil || to == nil {
		return Relation{}, false
	}
	r := Relation{
		From: m.Address(from), FromNode: from.ID,
		To: m.Address(to), ToNode: to.ID,
		Kind: text("kind"), Text: text("text"), Origin: FromAdapter,
	}
	if r.Kind == "" {
		r.Kind = "relationship"
	}
	if text("origin") == string(FromModel) {
		r.Origin = FromModel
	}
	evidence, _ := stated["evidence"].([]any)
	for _, id := range evidence[:min(len(evidence), maxEvidence)] {
		if name, ok := id.(string); ok && nodes[name] != nil {
			r.Evidence = append(r.Evidence, m.Address(nodes[name]))
		}
	}
	return r, true
}
