package citekit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/fserror"
	"github.com/citekit/citekit/internal/message"
)

// A Problem is one thing wrong with a map.
type Problem struct {
	Path    string // JSON path, such as "nodes[3].children[0].location"
	Node    string // id of the node at fault, or ""
	Warning bool   // the map can be used all the same
	Err     error
}

func (p Problem) Error() string {
	if p.Node == "" {
		return p.Path + ": " + p.Err.Error()
	}
	return p.Path + " (node '" + message.Clip(p.Node) + "'): " + p.Err.Error()
}

func (p Problem) Unwrap() error { return p.Err }

// Check returns what is wrong with the map by itself; [Library.Check] also
// looks at its source.
func (m *ResourceMap) Check() []Problem {
	c := checker{first: make(map[string]string)}
	c.add("resource_id", "", CheckResourceID(m.ResourceID))
	c.add("type", "", m.Type.Validate())
	if m.SourcePath == "" && m.Type != Virtual {
		c.add("source_path", "", syntaxError("empty; a %s map needs the path of its source", m.Type))
	}
	if hash := m.SourceHash(); hash != "" && !isSHA256(hash) {
		c.add("metadata.source_hash", "", syntaxError("%s is not a SHA-256 in hex", message.Quote(hash)))
	}
	if _, err := m.Created(); m.CreatedAt != "" && err != nil {
		c.warn("created_at", "", err)
	}
	c.nodes("nodes", m.Nodes, nil, 0)
	return c.problems
}

func isSHA256(hash string) bool {
	return len(hash) == maxVersion && strings.Trim(hash, "0123456789abcdef") == ""
}

// Validate returns the first problem of [ResourceMap.Check] that is not a
// warning, naming the map, or nil.
func (m *ResourceMap) Validate() error {
	for _, p := range m.Check() {
		if !p.Warning {
			return fmt.Errorf("map '%s': %w", message.Clip(m.ResourceID), p)
		}
	}
	return nil
}

// A checker gathers problems.
type checker struct {
	problems []Problem
	first    map[string]string // path of the first node with an id
}

func (c *checker) add(path, node string, err error) {
	if err != nil {
		c.problems = append(c.problems, Problem{Path: path, Node: node, Err: err})
	}
}

func (c *checker) warn(path, node string, err error) {
	c.problems = append(c.problems, Problem{Path: path, Node: node, Err: err, Warning: true})
}

func (c *checker) nodes(path string, nodes []*Node, parent *Node, depth int) {
	if depth >= maxDepth {
		c.add(path, "", fmt.Errorf("nodes nested more than %d deep: %w", maxDepth, ErrTooLarge))
		return
	}
	for i, n := range nodes {
		at := path + "[" + strconv.Itoa(i) + "]"
		c.id(at, n.ID)
		c.location(at+".location", n, parent)
		c.nodes(at+".children", n.Children, n, depth+1)
	}
}

func (c *checker) id(at, id string) {
	switch {
	case id == "":
		c.add(at+".id", id, syntaxError("empty; the node cannot be asked for"))
	case !message.IsPlain(id):
		c.warn(at+".id", id, syntaxError("control or invisible characters"))
	}
	if first, taken := c.first[id]; taken {
		c.add(at+".id", id, syntaxError("the id is taken by %s; only that node can be asked for", first))
		return
	}
	c.first[id] = at
}

func (c *checker) location(at string, n, parent *Node) {
	if err := n.Location.Validate(); err != nil {
		c.add(at, n.ID, err)
		return
	}
	if parent != nil && parent.Location.Validate() == nil && !parent.Location.Contains(n.Location) {
		c.warn(at, n.ID, fmt.Errorf("%s is not inside its parent '%s', which is %s",
			describePlace(n.Location), message.Clip(parent.ID), describePlace(parent.Location)))
	}
	if looksLikeRange(n.Location.Pages) {
		c.warn(at+".pages", n.ID, fmt.Errorf("[%d, %d] are two pages; for the run of pages between them list every page",
			n.Location.Pages[0].First, n.Location.Pages[1].First))
	}
}

func describePlace(loc Location) string {
	if loc.IsWhole() {
		return "the whole " + string(loc.Modality)
	}
	return Address{Location: loc}.Fragment()
}

// looksLikeRange reports whether pages are two single pages apart: lists that
// were meant as first and last are common.
func looksLikeRange(pages []Range) bool {
	return len(pages) == 2 && pages[0].Len() == 1 && pages[1].Len() == 1
}

// Check returns what is wrong with a map: first by itself, then against its
// source, if there is one. No errors and only warnings means that every node
// resolves, as far as can be told without extracting.
func (l *Library) Check(ctx context.Context, m *ResourceMap) []Problem {
	problems := m.Check()
	if m.SourcePath == "" {
		return problems
	}
	src, err := l.workspace.OpenSource(ctx, m.SourcePath)
	if err != nil {
		return append(problems, Problem{Path: "source_path", Err: fserror.WithoutPath(err)})
	}
	defer src.Close()
	src.Declare(m.Type)
	why, err := l.freshness(ctx, m, "", src)
	if err = errors.Join(why, err); err != nil && (m.SourceHash() == "" || isSHA256(m.SourceHash())) { // a malformed hash was reported above
		problems = append(problems, Problem{Path: "metadata.source_hash", Err: err})
	}
	return append(problems, l.checkExtents(ctx, m, src, problems)...)
}

// checkExtents checks every location that means something against the source.
func (l *Library) checkExtents(ctx context.Context, m *ResourceMap, src *Source, known []Problem) []Problem {
	var problems []Problem
	extents := make(map[Modality]Extent)
	failed := make(map[Modality]error)
	var check func(path string, nodes []*Node)
	check = func(path string, nodes []*Node) {
		for i, n := range nodes {
			at := path + "[" + strconv.Itoa(i) + "]"
			if err := l.checkExtent(ctx, src, n.Location, extents, failed); err != nil {
				problems = append(problems, Problem{Path: at + ".location", Node: n.ID, Err: err})
			}
			check(at+".children", n.Children)
		}
	}
	if !slices.ContainsFunc(known, func(p Problem) bool { return errors.Is(p.Err, ErrTooLarge) }) {
		check("nodes", m.Nodes)
	}
	return problems
}

// CheckLocations checks that every location of a map lies inside an open
// source, wherever a resolver can measure it, and returns the extent of the
// source in the modality of the map, or a zero Extent if that is not known. The
// error names the node.
func (l *Library) CheckLocations(ctx context.Context, m *ResourceMap, src *Source) (Extent, error) {
	extents, failed := make(map[Modality]Extent), make(map[Modality]error)
	for n := range m.All() {
		if err := l.checkExtent(ctx, src, n.Location, extents, failed); err != nil {
			return Extent{}, fmt.Errorf("node '%s': %w", message.Clip(n.ID), err)
		}
	}
	if _, measured := extents[m.Type]; !measured && m.Type != Virtual {
		if extent, err := l.MeasureSource(ctx, m.Type, src); err == nil {
			extents[m.Type] = extent
		}
	}
	return extents[m.Type], nil
}

func (l *Library) checkExtent(ctx context.Context, src *Source, loc Location, extents map[Modality]Extent, failed map[Modality]error) error {
	if loc.Modality == Virtual || loc.Validate() != nil || failed[loc.Modality] != nil {
		return nil // has been said, or says nothing of the source
	}
	extent, ok := extents[loc.Modality]
	if !ok {
		var err error
		if extent, err = l.MeasureSource(ctx, loc.Modality, src); err != nil {
			if loc.IsWhole() && l.resolvers[loc.Modality] != nil && errors.Is(err, errors.ErrUnsupported) {
				return nil // the whole needs no measure
			}
			failed[loc.Modality] = err
			return err
		}
		extents[loc.Modality] = extent
	}
	if extent.Modality == "" { // the resolver does not measure
		return nil
	}
	return extent.Check(loc)
}
