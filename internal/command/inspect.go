package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/relations"
)

func inspectCommand(s *session) *cobra.Command {
	var resource string
	c := &cobra.Command{
		Use:         "inspect <node>",
		Annotations: anyMaps,
		Short:       "Show a node of a map",
		Long: `Shows what a map says about a node, without opening the source. <node> is
RESOURCE.NODE, or the id of a node with --resource. An address of a part, as a URL or
behind the name of the file, stands for the smallest node that holds the part.`,
		Example: lines("citekit inspect book.chapter-2", "citekit inspect --resource book chapter-2 --json", "citekit inspect 'book.pdf#page=12'"),
		Args:    between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.inspect(cmd.Context(), resource, args[0])
		},
	}
	f := c.Flags()
	f.StringVar(&resource, "resource", "", "`ID` of the resource")
	return c
}

func (s *session) inspect(ctx context.Context, resource, word string) error {
	lib, err := s.open()
	if err != nil {
		return err
	}
	defer lib.Close()
	name := nodeName{resource, word}
	if resource == "" {
		name, err = s.chooseNode(ctx, lib, word)
		if (err != nil || name.node == "") && (strings.Contains(word, "#") || strings.Contains(word, "://")) {
			name, err = s.nodeAt(ctx, lib, word)
		}
		if err != nil {
			return adviseNode(ctx, lib, word, err)
		}
	}
	m, err := lib.Map(ctx, name.resource)
	if err != nil {
		return err
	}
	if name.node == "" {
		return usagef("inspect", "'%s' is a resource; name one of its nodes, as in %s.NODE, or use 'citekit list %s'", word, name.resource, name.resource)
	}
	n, err := lib.Node(ctx, name.resource, name.node)
	if err != nil {
		return err
	}
	if s.json {
		return s.printNodeJSON(m, n)
	}
	s.printNode(m, n)
	return nil
}

// nodeAt returns the smallest node that holds the part at an address.
func (s *session) nodeAt(ctx context.Context, lib *citekit.Library, word string) (nodeName, error) {
	a, err := parseAddress(word)
	if !strings.Contains(word, "://") {
		var part lookup.Part
		if word, err = s.named(ctx, lib, word); err == nil {
			part, err = lookup.Find(ctx, lib, word)
		}
		a = part.Address
	} else if err != nil {
		err = adviseAddress(ctx, lib, word, err)
	}
	if err != nil {
		return nodeName{}, err
	}
	m, err := lib.Map(ctx, a.Resource)
	if err != nil || a.Location.IsWhole() {
		return nodeName{resource: a.Resource}, err
	}
	at := a.Location
	extent, measureErr := lib.Measure(ctx, a.Resource)
	if measureErr == nil && at.Time.Start > 0 && at.Time.End == 0 {
		at.Time.End = extent.Duration // up to the end
	}
	n := relations.NodeAt(m, at)
	switch {
	case n != nil:
		return nodeName{a.Resource, n.ID}, nil
	case at.Modality != m.Type && m.Type != citekit.Virtual && at.Member == "":
		return nodeName{}, a.Mismatch(m.Type)
	case measureErr == nil && at.Member == "":
		if err := extent.Check(at); err != nil {
			return nodeName{}, fmt.Errorf("%s: %w", a, err)
		}
	}
	return nodeName{}, hinted{fmt.Errorf("no node of '%s' holds all of %s%w", a.Resource, a, silent{fs.ErrNotExist}), "'citekit list " + shellWord(a.Resource) + "' shows its nodes, and 'citekit resolve' takes any address"}
}

// adviseNode returns a better error for a word that names no node, if the word is
// the name or path of a source.
func adviseNode(ctx context.Context, lib *citekit.Library, word string, err error) error {
	ids, findErr := resourcesWithSource(ctx, lib, word)
	if findErr != nil || len(ids) == 0 {
		return err
	}
	if len(ids) > 1 {
		return usagef("inspect", "'%s' is the source of %d resources: %s; name a node of one of them, as in %s.NODE", word, len(ids), someOf(ids), ids[0])
	}
	return usagef("inspect", "'%s' is the source of resource '%s'; name one of its nodes, as in %s.NODE, or use 'citekit list %s'", word, ids[0], ids[0], ids[0])
}

func (s *session) printNode(m *citekit.ResourceMap, n *citekit.Node) {
	rows := []row{{"id", n.ID}, {"title", n.Title}, {"type", n.Type}, {"resource", m.ResourceID + "  " + m.Title}}
	if address := m.Address(n); address.Validate() != nil {
		rows = append(rows, row{"location", address.Validate().Error()})
	} else {
		rows = append(rows, row{"address", address.String()})
	}
	rows = append(rows, row{"source", m.SourcePath}, row{"summary", n.Summary}, row{"children", childIDs(n)})
	shown := rows[:0]
	for _, r := range rows {
		if strings.TrimSpace(r.value) != "" {
			shown = append(shown, r)
		}
	}
	s.printRows(shown)
}

func childIDs(n *citekit.Node) string {
	ids := make([]string, len(n.Children))
	for i, child := range n.Children {
		ids[i] = child.ID
	}
	return strings.Join(ids, "\n")
}

// A childRef names a child of a node.
type childRef struct {
	ID string `json:"id"`
}

// printNodeJSON prints all members of a node, with only the ids of its children, and
// adds its resource and address.
func (s *session) printNodeJSON(m *citekit.ResourceMap, n *citekit.Node) error {
	alone := *n
	alone.Children = nil
	data, err := alone.MarshalJSON()
	if err != nil {
		return err
	}
	var own map[string]json.RawMessage
	if err := json.Unmarshal(data, &own); err != nil {
		return err
	}
	members := make(map[string]any, len(own)+2)
	for key, value := range own {
		members[key] = value
	}
	children := make([]childRef, len(n.Children))
	for i, child := range n.Children {
		children[i].ID = child.ID
	}
	members["children"], members["resource_id"] = children, m.ResourceID
	if address := m.Address(n); address.Validate() == nil {
		members["address"] = address
	}
	return s.printJSON(members)
}
