package mapadapter

import (
	"cmp"
	"context"
	"maps"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
)

// GraphRAG reads the tables that GraphRAG writes, as Parquet, JSON or JSON
// lines: communities, community_reports, entities, relationships, text_units
// and documents. The input is the folder with the tables, or one of the tables;
// the tables beside it with the same prefix are then read too. Any table may be
// missing. A table that cannot be read is left out, with a warning, unless it
// is the input.
//
// Communities are nested by their hierarchy. Entities, relationships and text
// units stand below the smallest community that has them. A report gives a
// community its title and summary. If the graph is of a single document, and
// the adapter can open that as text, a text unit that occurs there word for
// word gets its lines. All other nodes have a virtual address.
//
// The metadata list the relationships between entities that are nodes in
// "relations", a list of objects: "from" and "to" are the ids of the entities,
// "text" describes the relationship, and "evidence" has the ids of the text
// units in which it was found.
//
// If there would be too many nodes, relationships are left out first, then text
// units, then entities; the metadata name them in "omitted".
type GraphRAG struct{}

// Adapt implements [Adapter].
func (GraphRAG) Adapt(ctx context.Context, in Input, opts *Options) ([]*citekit.ResourceMap, error) {
	j, err := newJob(ctx, in, opts, "graphrag")
	if err != nil {
		return nil, err
	}
	tables, unread, err := readTables(ctx, in, j.opts.warn)
	if err != nil {
		return nil, err
	}
	source, err := j.find(tables.document())
	if err != nil {
		return nil, err
	}
	g := newGraph(tables, source)
	g.leftOut = unread
	nodes, err := g.nodes(ctx)
	if err != nil {
		source.close()
		return nil, err
	}
	d := &draft{title: tables.document(), nodes: nodes, source: source, metadata: map[string]any{}}
	if source != nil && source.text != nil {
		d.modality = citekit.Text
	}
	if len(g.leftOut) > 0 {
		d.metadata["omitted"] = g.leftOut
	}
	made, err := j.finishOnly(d)
	if err == nil {
		g.relate(made[0])
	}
	return made, err
}

// document returns the title of the document, if the graph is of a single
// document.
func (t graphTables) document() string {
	if len(t[tableDocuments]) == 1 {
		return t[tableDocuments][0].text("title")
	}
	return ""
}

// A graph makes nodes from the tables.
type graph struct {
	communities []*community
	reports     map[string]record // by community
	tables      [kinds]*graphTable

	made [kinds]map[string]*citekit.Node // by id: see relate

	source  *sourceText
	after   int // start of the search for the next text unit
	leftOut []string
}

// A community is a community of the hierarchy.
type community struct {
	record   record
	children []*community
	placed   bool

	rows [kinds][]string // ids of those that none of its children has
}

// A kind is one of the kinds of rows that communities have.
type kind int

const (
	entity kind = iota
	relation
	unit
	kinds // their number
)

// graphKinds has the table of each kind, and the member of a community with the ids
// of its rows.
var graphKinds = [kinds]struct{ table, ids string }{
	entity:   {tableEntities, "entity_ids"},
	relation: {tableRelationships, "relationship_ids"},
	unit:     {tableTextUnits, "text_unit_ids"},
}

// A graphTable holds the rows of a table from which nodes are made.
type graphTable struct {
	rows   []record
	byID   map[string]record
	placed map[string]bool // by id: it has a place below a community
}

func newGraphTable(rows []record) *graphTable {
	t := &graphTable{rows: rows, byID: make(map[string]record, len(rows)), placed: make(map[string]bool)}
	for _, r := range rows {
		if id := r.text("id"); id != "" && t.byID[id] == nil {
			t.byID[id] = r
		}
	}
	return t
}

// take returns the ids that have rows, each once, and marks them as placed.
func (t *graphTable) take(ids []string, covered map[string]bool) []string {
	var own []string
	for _, id := range ids {
		if !covered[id] && t.byID[id] != nil {
			covered[id] = true
			t.placed[id] = true
			own = append(own, id)
		}
	}
	return own
}

// left returns the ids of the rows that have no place, in order.
func (t *graphTable) left() []string {
	var ids []string
	for _, r := range t.rows {
		if id := r.text("id"); id != "" && !t.placed[id] {
			t.placed[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

func newGraph(t graphTables, source *found) *graph {
	g := &graph{reports: make(map[string]record)}
	for k, of := range graphKinds {
		g.tables[k] = newGraphTable(t[of.table])
	}
	if source != nil {
		g.source = source.text
	}
	for _, r := range t[tableReports] {
		g.reports[r.text("community", "community_id")] = r
	}
	rows := t[tableCommunities]
	if len(rows) == 0 {
		rows = t[tableReports] // the reports have the hierarchy too
	}
	g.communities = hierarchy(rows)
	for _, c := range g.communities {
		g.share(c)
	}
	return g
}

// hierarchy returns the communities that have no parent, with those below them.
// A missing parent is ignored, and so is a parent that is below the community
// itself.
func hierarchy(rows []record) []*community {
	byKey := make(map[string]*community)
	var all []*community
	for _, r := range rows {
		c := &community{record: r}
		all = append(all, c)
		if key := keyOf(r); key != "" && byKey[key] == nil {
			byKey[key] = c
		}
	}
	below := make(map[*community][]*community)
	var roots []*community
	for _, c := range all {
		if parent := byKey[c.record.text("parent")]; parent != nil && parent != c {
			below[parent] = append(below[parent], c)
			continue
		}
		roots = append(roots, c)
	}
	if len(roots) == len(all) { // no parents are given: children may be
		roots = nestByChildren(all, byKey, below)
	}
	var tops []*community
	for _, c := range append(roots, all...) { // the rest of all is in cycles
		if !c.placed {
			tops = append(tops, nest(c, below, 0)...)
		}
	}
	return tops
}

func keyOf(r record) string { return r.text("community", "human_readable_id", "id") }

func nestByChildren(all []*community, byKey map[string]*community, below map[*community][]*community) (roots []*community) {
	child := make(map[*community]bool)
	for _, c := range all {
		for _, key := range c.record.texts("children") {
			if other := byKey[key]; other != nil && other != c && !child[other] {
				child[other] = true
				below[c] = append(below[c], other)
			}
		}
	}
	for _, c := range all {
		if !child[c] {
			roots = append(roots, c)
		}
	}
	return roots
}

// maxCommunityDepth is the depth to which communities are nested; other nodes
// stand below them.
const maxCommunityDepth = maxDepth - 2

// nest places a community with those below it. Communities that would be too
// deep are placed side by side.
func nest(c *community, below map[*community][]*community, depth int) []*community {
	c.placed = true
	if depth == maxCommunityDepth {
		level := []*community{c}
		for i := 0; i < len(level); i++ {
			for _, child := range below[level[i]] {
				if !child.placed {
					child.placed = true
					level = append(level, child)
				}
			}
		}
		return level
	}
	for _, child := range below[c] {
		if !child.placed {
			c.children = append(c.children, nest(child, below, depth+1)...)
		}
	}
	return []*community{c}
}

// share gives each community the rows that no community below it has. It returns
// the ids of those that it and those below it have.
func (g *graph) share(c *community) (all [kinds]map[string]bool) {
	for k := range all {
		all[k] = make(map[string]bool)
	}
	for _, child := range c.children {
		for k, ids := range g.share(child) {
			maps.Copy(all[k], ids)
		}
	}
	for k, of := range graphKinds {
		c.rows[k] = g.tables[k].take(c.record.texts(of.ids), all[k])
	}
	return all
}

// nodes makes the nodes, up to the limit.
func (g *graph) nodes(ctx context.Context) ([]*citekit.Node, error) {
	top := &community{children: g.communities}
	for k, table := range g.tables {
		top.rows[k] = table.left()
	}
	for _, k := range []kind{relation, unit, entity} {
		if top.count() > about.MaxMappedNodes {
			top.each(func(c *community) { c.rows[k] = nil })
			g.leftOut = append(g.leftOut, graphKinds[k].table)
		}
	}
	left := about.MaxMappedNodes
	nodes := g.below(ctx, top, &left)
	return nodes, ctx.Err()
}

func (c *community) each(visit func(*community)) {
	visit(c)
	for _, child := range c.children {
		child.each(visit)
	}
}

// count returns the number of nodes below a community.
func (c *community) count() (n int) {
	c.each(func(c *community) {
		n += len(c.children)
		for _, ids := range c.rows {
			n += len(ids)
		}
	})
	return n
}

// below makes the nodes below a community, at most left of them, and none once
// ctx is done.
func (g *graph) below(ctx context.Context, c *community, left *int) []*citekit.Node {
	var nodes []*citekit.Node
	add := func(make func() *citekit.Node) {
		if *left > 0 && ctx.Err() == nil {
			*left--
			nodes = append(nodes, make())
		}
	}
	for _, child := range c.children {
		add(func() *citekit.Node {
			n := g.communityNode(child)
			n.Children = g.below(ctx, child, left)
			return n
		})
	}
	for k, ids := range c.rows {
		for _, id := range ids {
			add(func() *citekit.Node { return g.make(kind(k), id, g.rowNode(kind(k), g.tables[k].byID[id])) })
		}
	}
	return nodes
}

func (g *graph) rowNode(k kind, r record) *citekit.Node {
	switch k {
	case entity:
		return entityNode(r)
	case relation:
		return relationNode(r)
	}
	return g.unitNode(r)
}

func (g *graph) communityNode(c *community) *citekit.Node {
	report := g.reports[keyOf(c.record)]
	n := newNode(c.record.text("id", "community"))
	n.Type = "community"
	n.Title = title(cmp.Or(report.text("title"), c.record.text("title")))
	n.Summary = plain.Words(cmp.Or(report.text("summary"), c.record.text("summary")), maxSummary)
	return n
}

func entityNode(r record) *citekit.Node {
	n := newNode(r.text("id"), "entity_type", r.text("type"))
	n.Type = "entity"
	n.Title = title(r.text("title", "name"))
	n.Summary = plain.Words(r.text("description"), maxSummary)
	return n
}

func relationNode(r record) *citekit.Node {
	n := newNode(r.text("id"))
	n.Type = "relationship"
	n.Title = title(r.text("source") + " → " + r.text("target"))
	n.Summary = plain.Words(r.text("description"), maxSummary)
	return n
}

// unitNode makes a node from a text unit, with its lines in the source.
func (g *graph) unitNode(r record) *citekit.Node {
	text := r.text("text")
	n := newNode(r.text("id"))
	n.Type = "text_unit"
	n.Title = firstLine(text)
	n.Summary = plain.Words(text, maxLead)
	if at, size, ok := g.source.search(text, g.after); ok {
		n.Location = g.source.lines(at, at+size)
		g.after = at // the next unit may overlap
	}
	return n
}
