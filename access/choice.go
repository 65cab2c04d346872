package access

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// A Toolset is a named group of tools.
type Toolset struct {
	Name   string
	Tools  []string
	Writes bool // its tools make maps
}

// Toolsets are the toolsets of a server. Each tool is in one at most.
type Toolsets []Toolset

// AllToolsets is the name of all toolsets together.
const AllToolsets = "all"

// Names returns the names of the toolsets.
func (all Toolsets) Names() []string {
	var names []string
	for _, set := range all {
		names = append(names, set.Name)
	}
	return names
}

// Tools returns the names of the tools of all toolsets.
func (all Toolsets) Tools() []string {
	var names []string
	for _, set := range all {
		names = append(names, set.Tools...)
	}
	return names
}

// Of returns the toolset of a tool, or one without a name for a tool of another program.
func (all Toolsets) Of(tool string) Toolset {
	for _, set := range all {
		if slices.Contains(set.Tools, tool) {
			return set
		}
	}
	return Toolset{}
}

// Check returns an error if a name is not the name of a toolset or tool, or if a tool is
// in none of the named toolsets. Nil means all of them.
func (all Toolsets) Check(toolsets, tools []string) error {
	if err := all.checkToolsets(toolsets); err != nil {
		return err
	}
	for _, name := range tools {
		if err := CheckName("tool", name, all.Tools()); err != nil {
			return err
		}
		if c := (Choice{Of: all, Toolsets: toolsets}); !c.Has(name) {
			return fmt.Errorf("tool '%s' is in toolset %s, which is not chosen", name, all.Of(name).Name)
		}
	}
	return nil
}

func (all Toolsets) checkToolsets(names []string) error {
	for _, name := range names {
		if err := CheckName("toolset", name, append(all.Names(), AllToolsets)); err != nil {
			return err
		}
	}
	return nil
}

// CheckName returns an error, with a suggestion, if the name of a thing of some kind is
// none of the known ones.
func CheckName(kind, name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	text := fmt.Sprintf("unknown %s '%s'", kind, plain.ShowLine(name, maxQuoted))
	if near := message.Closest(name, slices.Values(known), 1, 1); len(near) > 0 {
		return errors.New(text + "; did you mean '" + near[0] + "'?")
	}
	return errors.New(text + "; known: " + strings.Join(known, ", "))
}

// maxQuoted is how many bytes of a value an error shows.
const maxQuoted = 100

// A Choice selects tools of toolsets. The zero value selects all.
type Choice struct {
	Of              Toolsets
	Toolsets, Tools []string // names; nil means all
	ReadOnly        bool     // no toolset that makes maps
	Within          *Choice  // must select a tool as well; nil means all
}

// Has reports whether a tool is selected. A tool of another program is in no toolset,
// and it is unknown whether it writes.
func (c Choice) Has(tool string) bool {
	set := c.Of.Of(tool)
	switch {
	case c.Within != nil && !c.Within.Has(tool),
		c.Tools != nil && !slices.Contains(c.Tools, tool),
		c.ReadOnly && (set.Writes || set.Name == ""):
		return false
	}
	return c.Toolsets == nil || slices.Contains(c.Toolsets, set.Name) || slices.Contains(c.Toolsets, AllToolsets)
}

// HasAny reports whether one of some tools is selected.
func (c Choice) HasAny(tools ...string) bool { return slices.ContainsFunc(tools, c.Has) }

// IsAll reports whether the choice leaves out nothing.
func (c Choice) IsAll() bool {
	return c.Toolsets == nil && c.Tools == nil && !c.ReadOnly && (c.Within == nil || c.Within.IsAll())
}

// The headers with which a client narrows the tools that it is offered.
const (
	toolsetsHeader = "X-Mcp-Toolsets"
	toolsHeader    = "X-Mcp-Tools"
	readOnlyHeader = "X-Mcp-Readonly"
)

// FromHeader returns the choice in the headers of a request. It does not check names of
// tools, as another program may have added tools to the server.
func (all Toolsets) FromHeader(header http.Header) (Choice, error) {
	c := Choice{Of: all, Toolsets: namesIn(header[toolsetsHeader]), Tools: namesIn(header[toolsHeader])}
	if err := all.checkToolsets(c.Toolsets); err != nil {
		return c, fmt.Errorf("header X-MCP-Toolsets: %w", err)
	}
	for _, value := range header[readOnlyHeader] {
		if value = strings.TrimSpace(value); value == "" {
			continue
		}
		on, err := strconv.ParseBool(value)
		if err != nil {
			return c, fmt.Errorf("header X-MCP-Readonly is '%s'; it must be true or false", plain.ShowLine(value, maxQuoted))
		}
		c.ReadOnly = c.ReadOnly || on
	}
	return c, nil
}

// namesIn returns the names in the comma-separated lists of a header, or nil if
// there are none. An empty header counts as absent.
func namesIn(values []string) []string {
	var names []string
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// MayUse returns the tools of toolsets that a grant allows.
func (g *Grant) MayUse(all Toolsets) Choice {
	return Choice{Of: all, Toolsets: g.Toolsets, Tools: g.Tools, ReadOnly: g.ReadOnly}
}
