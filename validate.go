package citekit

import (
	"fmt"
	"strconv"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
)

// Validate returns the first fault that [ResourceMap.Faults] finds, with the id
// of the map, or nil.
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

// Faults calls found for each fault of the map itself, in the order of the map.
// It passes the JSON path of the fault, such as "nodes[3].location", and the
// node at fault, or nil if no single node is. The source is not opened.
//
// The errors match [ErrSyntax]. For nodes nested more than 256 deep the error
// matches [ErrTooLarge], and those nodes are not checked.
func (m *ResourceMap) Faults(found func(path string, n *Node, err error)) {
	c := checker{found, make(map[string]string)}
	c.report("resource_id", nil, CheckResourceID(m.ResourceID))
	c.report("type", nil, m.Type.Validate())
	if m.SourcePath == "" && m.Type != Virtual {
		c.report("source_path", nil, syntaxError("empty; %s map needs the path of its source", message.Article(m.Type)))
	}
	if m.SourceHash() != "" {
		c.report("metadata.source_hash", nil, m.checkSourceHash())
	}
	c.nodes("nodes", m.Nodes, 0)
}

// checkSourceHash returns an error unless the source hash is a SHA-256.
func (m *ResourceMap) checkSourceHash() error {
	if hash := m.SourceHash(); !ctxio.IsHash(hash) {
		return syntaxError("%s is not a SHA-256 in hex", message.Quote(hash))
	}
	return nil
}

type checker struct {
	found func(path string, n *Node, err error)
	first map[string]string // path of the first node with an id
}

func (c *checker) report(path string, n *Node, err error) {
	if err != nil {
		c.found(path, n, err)
	}
}

func (c *checker) nodes(path string, nodes []*Node, depth int) {
	if depth >= maxDepth {
		c.found(path, nil, fmt.Errorf("nodes nested more than %d deep: %w", maxDepth, ErrTooLarge))
		return
	}
	for i, n := range nodes {
		at := path + "[" + strconv.Itoa(i) + "]"
		c.id(at, n)
		c.report(at+".location", n, n.Location.Validate())
		c.nodes(at+".children", n.Children, depth+1)
	}
}

func (c *checker) id(at string, n *Node) {
	if n.ID == "" {
		c.found(at+".id", n, syntaxError("empty; the node cannot be asked for"))
	}
	if first, taken := c.first[n.ID]; taken {
		c.found(at+".id", n, syntaxError("the id is taken by %s; only that node can be asked for", first))
		return
	}
	c.first[n.ID] = at
}
