package mapadapter

import (
	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

const (
	maxRelations    = 50_000  // of a map
	maxRelationText = 300     // bytes of the text of one relationship
	maxUnits        = 100     // text units that prove one relationship
	maxRelated      = 8 << 20 // bytes of all relations of a map, roughly
)

// make records the node made from a row, and returns it.
func (g *graph) make(k kind, id string, n *citekit.Node) *citekit.Node {
	if g.made[k] == nil {
		g.made[k] = make(map[string]*citekit.Node)
	}
	g.made[k][id] = n
	return n
}

// relate adds the relationships between entities to the metadata of the map
// that has their nodes, with the text units in which each was found.
func (g *graph) relate(m *citekit.ResourceMap) {
	byTitle := make(map[string]*citekit.Node)
	for _, r := range g.tables[entity].rows {
		n := g.made[entity][r.text("id")]
		if title := r.text("title", "name"); n != nil && byTitle[title] == nil {
			byTitle[title] = n
		}
	}
	var relations []any
	size := 0
	for _, r := range g.tables[relation].rows {
		from, to := byTitle[r.text("source")], byTitle[r.text("target")]
		if from == nil || to == nil {
			continue
		}
		stated := map[string]any{"from": from.ID, "to": to.ID, "kind": "relationship"}
		if text := plain.Words(r.text("description"), maxRelationText); text != "" {
			stated["text"] = text
		}
		units := g.unitsOf(r)
		if len(units) > 0 {
			stated["evidence"] = units
		}
		size += maxRelationText + len(from.ID) + len(to.ID) + 40*len(units)
		if len(relations) >= maxRelations || size > maxRelated {
			g.leftOut = append(g.leftOut, "relations")
			m.Metadata["omitted"] = g.leftOut
			break
		}
		relations = append(relations, stated)
	}
	if len(relations) > 0 {
		m.Metadata["relations"] = relations
	}
}

// unitsOf returns the ids of the nodes of the text units in which a
// relationship was found.
func (g *graph) unitsOf(r record) []any {
	var ids []any
	for _, id := range r.texts("text_unit_ids") {
		if n := g.made[unit][id]; n != nil && len(ids) < maxUnits {
			ids = append(ids, n.ID)
		}
	}
	return ids
}
