package relations

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
)

// A placer finds the places that the links of one resource lead to.
type placer struct {
	g   *Graph
	ctx context.Context
	m   *citekit.ResourceMap
	own *atlasMap

	path string // of the source, clean

	others map[string]*atlasMap // by id; nil for an unreadable map
}

// maxOthers is how many maps that links lead to a placer holds.
const maxOthers = 64

// relation returns the relation of a link.
func (p *placer) relation(l Link) Relation {
	r := Relation{
		From:   citekit.Address{Resource: p.m.ResourceID, Location: l.From},
		Kind:   l.Kind,
		Text:   l.Text,
		Target: l.Target,
		Origin: FromSource,
	}
	r.FromNode = p.own.nodeAt(l.From)
	if l.To.Modality != "" {
		r.To = citekit.Address{Resource: p.m.ResourceID, Location: l.To}
		r.ToNode = p.own.nodeAt(l.To)
		return r
	}
	t := targetOf(l, p.path)
	to := p.mapAt(t)
	if to == nil {
		return r
	}
	loc := t.address.Location
	if t.resource == "" {
		found := false
		if loc, found = to.place(t.fragment); t.same && !found {
			return r // a name that does not exist here
		}
	} else if loc.Modality != to.m.Address(nil).Location.Modality {
		return r
	}
	r.To = citekit.Address{Resource: to.m.ResourceID, Location: loc, Version: t.address.Version}
	r.ToNode = to.nodeAt(loc)
	return r
}

// mapAt returns the map that contains a target, or nil.
func (p *placer) mapAt(t target) *atlasMap {
	switch {
	case t.outside:
		return nil
	case t.same:
		return p.own
	case t.resource != "":
		return p.other(t.resource)
	case t.goPath != "":
		return p.other(p.g.goPackage(t.goPath))
	}
	for _, file := range t.files {
		if id := p.g.at(file); id != "" {
			return p.other(id)
		}
	}
	for dir := path.Dir(p.path); len(t.module) > 0; dir = path.Dir(dir) {
		for _, file := range t.module {
			if id := p.g.at(path.Join(dir, file)); id != "" {
				return p.other(id)
			}
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	return nil
}

// other returns a map by its id, or nil.
func (p *placer) other(id string) *atlasMap {
	if id == "" || !p.g.has(id) {
		return nil
	}
	if id == p.m.ResourceID {
		return p.own
	}
	if known, ok := p.others[id]; ok {
		return known
	}
	if p.others == nil || len(p.others) >= maxOthers {
		p.others = make(map[string]*atlasMap)
	}
	var found *atlasMap
	if m, err := p.g.lib.Map(p.ctx, id); err == nil {
		found = newAtlasMap(m, nil)
		found.read = func() []Link {
			links, _ := p.g.links(p.ctx, m)
			return links
		}
	}
	p.others[id] = found
	return found
}

// goPackage returns the id of the map that stands for a Go package: the map of
// its file doc.go, else of the file with the name of the folder, else of the
// first file that is not a test.
func (g *Graph) goPackage(name string) string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, dir := range g.goFolders(name) {
		files := g.goFiles[dir]
		if len(files) == 0 {
			continue
		}
		for _, base := range []string{"doc.go", path.Base(dir) + ".go"} {
			if same := g.byPath[path.Join(dir, base)]; len(same) > 0 {
				return g.known[same[0]].id
			}
		}
		return g.known[files[0]].id
	}
	return ""
}

// goFolders returns the possible folders of an import path: the folder below
// the module whose path is its longest prefix, else folders with its name.
func (g *Graph) goFolders(name string) []string {
	best, folder := "", ""
	for dir, module := range g.modules {
		below, ok := strings.CutPrefix(name, module)
		if ok && (below == "" || below[0] == '/') && (len(module) > len(best) || len(module) == len(best) && dir < folder) {
			best, folder = module, dir
		}
	}
	if best != "" {
		return []string{path.Join(folder, strings.TrimPrefix(name, best))}
	}
	var folders []string
	for _, dir := range []string{name, "src/" + name} {
		if slices.Contains(goPaths(dir, g.modules), name) {
			folders = append(folders, dir)
		}
	}
	return folders
}

// An atlasMap finds places in one map.
type atlasMap struct {
	m     *citekit.ResourceMap
	read  func() []Link // to find its anchors
	names map[string]citekit.Location
	ids   map[string]citekit.Location // of nodes, by their ids
	nodes nodeFinder
}

func newAtlasMap(m *citekit.ResourceMap, links []Link) *atlasMap {
	return &atlasMap{m: m, read: func() []Link { return links }, nodes: nodeFinder{m: m}}
}

// place returns the location that a fragment names. If the fragment names none,
// it returns the whole resource and false.
func (a *atlasMap) place(fragment string) (citekit.Location, bool) {
	whole := a.m.Address(nil).Location
	if fragment == "" {
		return whole, true
	}
	if loc, ok := a.named(fragment); ok {
		return loc, true
	}
	loc, ok := selector(fragment)
	if !ok {
		return whole, false
	}
	loc.Modality = whole.Modality
	return loc, loc.Validate() == nil
}

// selector returns the lines or pages that a fragment gives by number, such as
// "L10-L20" or "page=3".
func selector(fragment string) (citekit.Location, bool) {
	if page, ok := strings.CutPrefix(fragment, "page="); ok {
		page, _, _ = strings.Cut(page, "&")
		n, err := strconv.Atoi(page)
		return citekit.Document.Pages(n, n), err == nil && n > 0
	}
	if lines, ok := strings.CutPrefix(fragment, "L"); ok {
		first, last, ranged := strings.Cut(lines, "-")
		if !ranged {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(strings.TrimPrefix(last, "L"))
		return citekit.Text.Lines(from, to), err == nil && err2 == nil && from > 0 && to >= from
	}
	loc, _, err := citekit.ParseFragment(fragment)
	return loc, err == nil && !loc.IsWhole()
}

// named returns the place with a name: an anchor in the source, a heading as
// GitHub names it, or a node by its id.
func (a *atlasMap) named(name string) (citekit.Location, bool) {
	if a.names == nil {
		a.index()
	}
	name = strings.TrimPrefix(name, "nameddest=")
	for _, key := range []string{"#" + name, name, "slug " + strings.ToLower(name), "slug " + slugOf(name)} {
		if loc, ok := a.names[key]; ok {
			return loc, true
		}
	}
	if loc, ok := a.ids[name]; ok && loc.Validate() == nil {
		return loc, true
	}
	return citekit.Location{}, false
}

// index collects the names of places.
func (a *atlasMap) index() {
	a.names, a.ids = make(map[string]citekit.Location), make(map[string]citekit.Location)
	add := func(name string, loc citekit.Location) {
		if _, taken := a.names[name]; !taken {
			a.names[name] = loc
		}
	}
	for _, l := range a.read() {
		if l.Kind == anchor {
			add(l.Target, l.From)
		}
	}
	seen := make(map[string]int)
	for n := range a.m.All() {
		if _, taken := a.ids[n.ID]; !taken {
			a.ids[n.ID] = n.Location
		}
		if n.Title == "" || n.Location.Validate() != nil || n.Location.Modality == citekit.Virtual {
			continue
		}
		slug := slugOf(n.Title)
		name := slug
		if seen[slug] > 0 {
			name = fmt.Sprintf("%s-%d", slug, seen[slug])
		}
		seen[slug]++
		add("slug "+name, n.Location)
	}
}

// slugOf returns the fragment that GitHub gives a heading.
func slugOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.M, r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// nodeAt returns the id of the smallest node that contains a location, or "".
func (a *atlasMap) nodeAt(loc citekit.Location) string {
	if n := a.nodes.at(loc); n != nil {
		return n.ID
	}
	return ""
}

// NodeAt returns the smallest node of a map that contains a location: on each
// level it follows the node that lies within the others, and if none does, the
// first of them. It returns nil if no node contains the location, or if the location is
// the whole source.
func NodeAt(m *citekit.ResourceMap, loc citekit.Location) *citekit.Node {
	if loc.IsWhole() {
		return nil
	}
	var found *citekit.Node
	for nodes := m.Nodes; ; nodes = found.Children {
		inner := nodeWith(nodes, loc)
		if inner == nil {
			return found
		}
		found = inner
	}
}

// comparable reports whether one location can contain another: they have the
// same modality, or the inner one is in a member of the outer one.
func comparable(outer, inner citekit.Location) bool {
	return outer.Modality == inner.Modality || outer.Member != "" && outer.Member != inner.Member
}

// nodeWith returns the node with the smallest location that contains loc; among
// nodes of the same size, the first.
func nodeWith(nodes []*citekit.Node, loc citekit.Location) *citekit.Node {
	var best *citekit.Node
	for _, n := range nodes {
		if !comparable(n.Location, loc) || n.Location.VirtualAddress != loc.VirtualAddress || !n.Location.Contains(loc) {
			continue
		}
		if best == nil || best.Location.Contains(n.Location) && !n.Location.Contains(best.Location) {
			best = n
		}
	}
	return best
}
