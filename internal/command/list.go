package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/command/internal/term"
)

// listFlags are the flags of list.
type listFlags struct {
	long, one bool
	depth     int
}

func (l *listFlags) register(f *pflag.FlagSet) {
	f.BoolVarP(&l.long, "long", "l", false, "show columns even if the output is not a terminal")
	f.BoolVarP(&l.one, "1", "1", false, "show only ids, one per line, even on a terminal")
	f.IntVar(&l.depth, "depth", 0, "show the nodes of a resource down to level `N`, from 1 (default all)")
}

func listCommand(s *session) *cobra.Command {
	var flags listFlags
	c := &cobra.Command{
		Use:         "list [resource]",
		Annotations: anyMaps,
		Short:       "List resources, or the nodes of one",
		Long: `Without an argument, lists all resources. On a terminal, and with --long, there
are columns: id, type, title, size of the source when it was mapped, number of
nodes, and state. The state is ok; stale if the source has changed since it was
mapped; vanished if its file no longer exists; or unreadable if the map or the
source cannot be read or no resolver handles the type: the standard error then
says why. In a pipe or a file, and with -1, there are only the ids, one per
line. On a terminal, titles are cut to its width. --json prints the ids, and as
items their types and titles; --json --long the other columns too. The exit code is 1 if columns are shown and a map
cannot be read.

With a resource, shows the tree of its nodes: id, title and location; with -1
only the ids of the nodes.`,
		Example: lines("citekit list", "citekit list --long | less", "citekit list book"),
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.list(cmd.Context(), args, flags)
		},
	}
	flags.register(c.Flags())
	return c
}

func (s *session) list(ctx context.Context, args []string, flags listFlags) error {
	if flags.one && flags.long {
		return usagef("list", "-1 gives only ids and --long gives columns; choose one")
	}
	if flags.depth < 0 {
		return usagef("list", "--depth %d; it is at least 1", flags.depth)
	}
	lib, err := s.open()
	if err != nil {
		return err
	}
	defer lib.Close()
	if len(args) == 1 {
		return s.listNodes(ctx, lib, args[0], flags)
	}
	if flags.depth > 0 {
		return usagef("list", "--depth is for the nodes of a resource; name one")
	}
	ids, err := lib.Resources(ctx)
	if err != nil {
		return err
	}
	if len(ids) == 0 && !s.json {
		s.hintAtIngest()
		return nil
	}
	if flags.long || !flags.one && !s.json && term.IsTTY(s.stdout) {
		return s.listMaps(ctx, lib, ids)
	}
	return s.listIDs(ctx, lib, ids)
}

// hintAtIngest tells a person how to start.
func (s *session) hintAtIngest() {
	where, flag, what := "here", "", "."
	switch {
	case s.storeURL != "":
		where, what = "in the workspace", "FILE..."
	case s.dir != ".":
		where = "in " + s.dir
		flag = " --dir " + shellWord(s.dir)
	}
	s.warn(fmt.Sprintf("there are no maps %s yet; 'citekit ingest%s %s' makes them", where, flag, what))
}

// A listedMap is the entry of list --json for a resource.
type listedMap struct {
	ResourceID string           `json:"resource_id"`
	Type       citekit.Modality `json:"type,omitempty"`
	Title      string           `json:"title,omitempty"`
	Error      *errorDetail     `json:"error,omitempty"` // why the map cannot be read
}

func (s *session) listIDs(ctx context.Context, lib *citekit.Library, ids []string) error {
	if s.json {
		items := make([]listedMap, len(ids))
		for i, id := range ids {
			items[i].ResourceID = id
			if m, err := lib.Map(ctx, id); err != nil {
				items[i].Error = detail(err)
			} else {
				items[i].Type, items[i].Title = m.Type, m.Title
			}
		}
		return cmp.Or(s.printJSON(struct {
			Resources []string    `json:"resources"`
			Items     []listedMap `json:"items"`
		}{append([]string{}, ids...), items}), ctx.Err())
	}
	for _, id := range ids {
		s.printf("%s\n", term.Line(id))
	}
	return nil
}

// A mapSummary is the entry of list --long for a resource.
type mapSummary struct {
	ResourceID string           `json:"resource_id"`
	Type       citekit.Modality `json:"type,omitempty"`
	Title      string           `json:"title,omitempty"`
	Extent     *citekit.Extent  `json:"extent,omitempty"`
	Nodes      int              `json:"nodes"`
	State      ingest.State     `json:"state"`
	Reason     string           `json:"reason,omitempty"` // why the state is not ok
	Error      *errorDetail     `json:"error,omitempty"`  // why the map cannot be read
}

// listMaps lists resources in columns. A map that cannot be read is listed too, and
// makes the command fail.
func (s *session) listMaps(ctx context.Context, lib *citekit.Library, ids []string) error {
	states, err := ingest.States(ctx, lib, ids)
	if err != nil {
		return err
	}
	var failed error
	summaries := make([]mapSummary, len(states))
	for i, state := range states {
		summaries[i] = summarizeState(state)
		if state.State != ingest.StateUnreadable {
			continue
		}
		if _, err := lib.Map(ctx, state.ResourceID); err != nil {
			failed, summaries[i].Error = errReported, detail(err)
		}
	}
	if s.json {
		return cmp.Or(s.printJSON(map[string][]mapSummary{"resources": summaries}), failed)
	}
	s.printSummaries(summaries)
	return failed
}

func summarizeState(r ingest.ResourceState) mapSummary {
	m := mapSummary{ResourceID: r.ResourceID, Type: r.Type, Title: r.Title, Nodes: r.Nodes, State: r.State}
	if describeExtent(r.Extent) != "" {
		m.Extent = &r.Extent
	}
	if r.Err != nil {
		m.Reason = detail(r.Err).Message
	}
	return m
}

func (s *session) printSummaries(summaries []mapSummary) {
	rows := [][]string{{"ID", "TYPE", "TITLE", "EXTENT", "NODES", "STATE"}}
	for _, m := range summaries {
		extent, nodes := "", ""
		if m.Extent != nil {
			extent = describeExtent(*m.Extent)
		}
		if m.Error == nil {
			nodes = thousands(m.Nodes)
		}
		rows = append(rows, []string{m.ResourceID, describeType(m.Type), m.Title, extent, nodes, string(m.State)})
	}
	const title, nodes = 2, 4
	s.printTable(rows, title, nodes)
	for _, m := range summaries {
		switch {
		case m.Error != nil:
			s.warn(m.Error.Message)
		case m.State == ingest.StateUnreadable:
			s.warn(m.ResourceID + ": " + m.Reason)
		}
	}
}

// describeType returns the type of a map for a column. An invalid type is cut, as it
// may be very long.
func describeType(kind citekit.Modality) string {
	const most = 32 // columns, the length of the longest valid type
	return term.Cut(term.Line(string(kind)), most)
}

// A listedNode is the entry of list for a node.
type listedNode struct {
	ID      string           `json:"id"`
	Title   string           `json:"title,omitempty"`
	Type    string           `json:"type"`
	Depth   int              `json:"depth"`
	Address *citekit.Address `json:"address,omitempty"` // omitted if the location is invalid
}

func (s *session) listNodes(ctx context.Context, lib *citekit.Library, id string, flags listFlags) error {
	ids, err := s.resources(ctx, lib, []string{id})
	if err != nil {
		return err
	}
	m, err := lib.Map(ctx, ids[0])
	if err != nil {
		return adviseResource(ctx, lib, err, id)
	}
	shown := func(depth int) bool { return flags.depth == 0 || depth < flags.depth }
	if flags.one && !s.json {
		for n, depth := range m.All() {
			if !shown(depth) {
				continue
			}
			s.printf("%s\n", term.Line(n.ID))
		}
		return nil
	}
	if s.json {
		return s.printJSON(map[string]any{"resource_id": m.ResourceID, "nodes": listedNodes(m, shown)})
	}
	s.printf("%s\n", term.Line(strings.TrimRight(fmt.Sprintf("%s  %s  %s", m.ResourceID, m.Type, m.Title), " ")))
	for n, depth := range m.All() {
		if !shown(depth) {
			continue
		}
		line := titled(n) + "  [" + place(m, n) + "]"
		s.printf("%s%s\n", strings.Repeat("  ", depth+1), term.Line(line))
	}
	return nil
}

func listedNodes(m *citekit.ResourceMap, shown func(depth int) bool) []listedNode {
	nodes := []listedNode{}
	for n, depth := range m.All() {
		if !shown(depth) {
			continue
		}
		listed := listedNode{ID: n.ID, Title: n.Title, Type: n.Type, Depth: depth}
		if address := m.Address(n); address.Validate() == nil {
			listed.Address = &address
		}
		nodes = append(nodes, listed)
	}
	return nodes
}
