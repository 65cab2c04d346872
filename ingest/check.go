package ingest

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
)

// A Problem is one fault of a map, or a warning.
type Problem struct {
	Path    string // JSON path, such as "nodes[3].children[0].location"
	Node    string // id of the node at fault, or ""
	Warning bool   // the map is usable nevertheless
	Err     error
}

func (p Problem) Error() string {
	if p.Node == "" {
		return p.Path + ": " + p.Err.Error()
	}
	return p.Path + " (node '" + message.Clip(p.Node) + "'): " + p.Err.Error()
}

func (p Problem) Unwrap() error { return p.Err }

// Check returns the problems of a map: first the faults that
// [citekit.ResourceMap.Faults] reports, then warnings, then problems with its
// source, if it has one. If there are only warnings, every node should resolve;
// Check extracts nothing. A nil Library means that the source is not checked.
func Check(ctx context.Context, lib *citekit.Library, m *citekit.ResourceMap) []Problem {
	problems := append(faultsOf(m), warningsOf(m)...)
	if m.SourcePath == "" || lib == nil {
		return problems
	}
	src, err := lib.Workspace().OpenSource(ctx, m.SourcePath)
	if err != nil {
		return append(problems, Problem{Path: "source_path", Err: localfile.WithoutPath(err)})
	}
	defer src.Close()
	src.Declare(m.Type)
	err = lib.CheckFresh(ctx, m, src)
	if err != nil && !errors.Is(err, citekit.ErrSyntax) { // a malformed hash is a fault
		problems = append(problems, Problem{Path: "metadata.source_hash", Err: err})
	}
	bounds := newBounds(lib, src, m)
	defer bounds.close()
	eachNode(m, func(path string, n, _ *citekit.Node) {
		if err := bounds.check(ctx, n.Location); err != nil {
			problems = append(problems, Problem{Path: path + ".location", Node: n.ID, Err: err})
		}
	})
	return problems
}

func faultsOf(m *citekit.ResourceMap) (faults []Problem) {
	m.Faults(func(path string, n *citekit.Node, err error) {
		p := Problem{Path: path, Err: err}
		if n != nil {
			p.Node = n.ID
		}
		faults = append(faults, p)
	})
	return faults
}

// warningsOf returns suspicious but valid parts of a map; it does not read the
// source.
func warningsOf(m *citekit.ResourceMap) (warnings []Problem) {
	warn := func(path, node string, err error) {
		warnings = append(warnings, Problem{Path: path, Node: node, Err: err, Warning: true})
	}
	if _, err := about.Created(m.CreatedAt); m.CreatedAt != "" && err != nil {
		warn("created_at", "", syntaxError("%w", err))
	}
	eachNode(m, func(path string, n, parent *citekit.Node) {
		if !message.IsPlain(n.ID) {
			warn(path+".id", n.ID, syntaxError("control or invisible characters"))
		}
		if n.Location.Validate() != nil {
			return
		}
		if parent != nil && parent.Location.Validate() == nil && !parent.Location.Contains(n.Location) {
			warn(path+".location", n.ID, fmt.Errorf("%s is not inside its parent '%s', which is %s",
				describePlace(n.Location), message.Clip(parent.ID), describePlace(parent.Location)))
		}
		if pages := n.Location.Pages; looksLikeRange(pages) {
			warn(path+".location.pages", n.ID, fmt.Errorf("[%d, %d] means two pages; to include the pages between them, list every page, or give the node its \"address\", such as %s, and repair the map",
				pages[0].First, pages[1].First, runAddress(m, pages)))
		}
	})
	return warnings
}

func describePlace(loc citekit.Location) string {
	if loc.IsWhole() {
		return "the whole " + string(loc.Modality)
	}
	return loc.String()
}

// runAddress returns the address of the pages from the first to the last of some.
func runAddress(m *citekit.ResourceMap, pages []citekit.Range) string {
	loc := citekit.Document.Pages(pages[0].First, pages[1].First)
	return message.Clip(citekit.Address{Resource: m.ResourceID, Location: loc}.String())
}

// looksLikeRange reports whether pages are two separate single pages: such
// lists are often meant as first and last.
func looksLikeRange(pages []citekit.Range) bool {
	return len(pages) == 2 && pages[0].Len() == 1 && pages[1].Len() == 1
}

// maxDepth is the deepest nesting of nodes that a map may have.
const maxDepth = 256

// eachNode calls visit with every node, parents before children, with its JSON
// path and its parent, which is nil at the top. It skips nodes that are nested
// too deep.
func eachNode(m *citekit.ResourceMap, visit func(path string, n, parent *citekit.Node)) {
	eachList(m, func(path string, nodes []*citekit.Node, parent *citekit.Node, i int) { visit(path, nodes[i], parent) })
}

// eachList is eachNode for a function that also needs the nodes beside each one.
func eachList(m *citekit.ResourceMap, visit func(path string, nodes []*citekit.Node, parent *citekit.Node, i int)) {
	var walk func(path string, nodes []*citekit.Node, parent *citekit.Node, depth int)
	walk = func(path string, nodes []*citekit.Node, parent *citekit.Node, depth int) {
		if depth >= maxDepth {
			return
		}
		for i, n := range nodes {
			at := path + "[" + strconv.Itoa(i) + "]"
			visit(at, nodes, parent, i)
			walk(at+".children", n.Children, n, depth+1)
		}
	}
	walk("nodes", m.Nodes, nil, 0)
}
