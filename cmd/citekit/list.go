package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/term"
)

func listCommand() *command {
	var long bool
	return &command{
		name:    "list",
		args:    "[resource]",
		summary: "List resources, or the nodes of one",
		about: `Without an argument, lists the ids of all resources, one on a line; with
--long also what their maps say of them. With a resource, shows the tree of
its nodes: id, title and location.`,
		example: []string{"citekit list", "citekit list --long", "citekit list book"},
		maxArgs: 1,
		flags: func(f *flagSet) {
			f.BoolVar(&long, "long", false, "show type, number of nodes and title of each resource")
			f.alias("l", "long")
		},
		run: func(ctx context.Context, s *session, args []string) error {
			lib, err := s.open()
			if err != nil {
				return err
			}
			defer lib.Close()
			switch {
			case len(args) == 1:
				return s.listNodes(ctx, lib, args[0])
			case long:
				return s.listMaps(ctx, lib)
			}
			return s.listResources(ctx, lib)
		},
	}
}

func (s *session) listResources(ctx context.Context, lib *library) error {
	ids, err := lib.Resources(ctx)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(map[string][]string{"resources": append([]string{}, ids...)})
	}
	for _, id := range ids {
		s.printf("%s\n", term.Line(id))
	}
	return nil
}

// A mapSummary is what list --long says of a map.
type mapSummary struct {
	ResourceID string           `json:"resource_id"`
	Type       citekit.Modality `json:"type,omitempty"`
	Title      string           `json:"title,omitempty"`
	Nodes      int              `json:"nodes"`
	Error      *errorDetail     `json:"error,omitempty"`
}

// listMaps lists all maps. One that cannot be read is told of among the
// others and makes the command fail.
func (s *session) listMaps(ctx context.Context, lib *library) error {
	ids, err := lib.Resources(ctx)
	if err != nil {
		return err
	}
	var failed error
	summaries := make([]mapSummary, 0, len(ids))
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := lib.Map(ctx, id)
		if err != nil {
			failed = errReported
			summaries = append(summaries, mapSummary{ResourceID: id, Error: detail(err)})
			continue
		}
		summaries = append(summaries, mapSummary{ResourceID: id, Type: m.Type, Title: m.Title, Nodes: countNodes(m)})
	}
	if s.json {
		if err := s.printJSON(map[string][]mapSummary{"resources": summaries}); err != nil {
			return err
		}
		return failed
	}
	s.printSummaries(summaries)
	return failed
}

func (s *session) printSummaries(summaries []mapSummary) {
	for _, m := range summaries {
		if m.Error != nil {
			s.printf("%s  unreadable\n", term.Line(m.ResourceID))
			s.warn(m.Error.Message)
			continue
		}
		line := fmt.Sprintf("%s  %-8s  %s  %s", m.ResourceID, m.Type, counted(m.Nodes, "node"), m.Title)
		s.printf("%s\n", term.Line(strings.TrimRight(line, " ")))
	}
}

func countNodes(m *citekit.ResourceMap) int {
	count := 0
	for range m.All() {
		count++
	}
	return count
}

// counted returns such as "1 node" or "3 nodes".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// A listedNode is what list says of a node.
type listedNode struct {
	ID      string           `json:"id"`
	Title   string           `json:"title,omitempty"`
	Type    string           `json:"type"`
	Depth   int              `json:"depth"`
	Address *citekit.Address `json:"address,omitempty"` // left out if the location means nothing
}

func (s *session) listNodes(ctx context.Context, lib *library, id string) error {
	m, err := lib.Map(ctx, id)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(map[string]any{"resource_id": m.ResourceID, "nodes": listedNodes(m)})
	}
	s.printf("%s\n", term.Line(strings.TrimRight(fmt.Sprintf("%s  %s  %s", m.ResourceID, m.Type, m.Title), " ")))
	for n, depth := range m.All() {
		line := titled(n) + "  [" + place(n.Location) + "]"
		s.printf("%s%s\n", strings.Repeat("  ", depth+1), term.Line(line))
	}
	return nil
}

func listedNodes(m *citekit.ResourceMap) []listedNode {
	nodes := []listedNode{}
	for n, depth := range m.All() {
		listed := listedNode{ID: n.ID, Title: n.Title, Type: n.Type, Depth: depth}
		if n.Location.Validate() == nil {
			address := m.Address(n)
			listed.Address = &address
		}
		nodes = append(nodes, listed)
	}
	return nodes
}
