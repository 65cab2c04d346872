package mcpadapter

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/suggest"
)

// The toolsets, for [Options.Toolsets].
const (
	ToolsetRead   = "read"   // what is there, and what it says: listResources, getStructure, getNode, resolve, getContents, verify and info
	ToolsetSearch = "search" // what finds: search, findSimilar, getContext and answer
	ToolsetWrite  = "write"  // what makes maps: ingest and ingestStatus

	allToolsets = "all" // all of them
)

// toolsets has the tools of each toolset, in the order of the toolsets' names
// above.
var toolsets = []struct {
	name  string
	tools []string
}{
	{ToolsetRead, []string{"listResources", "getStructure", "getNode", "resolve", "getContents", "verify", "info"}},
	{ToolsetSearch, []string{"search", "findSimilar", "getContext", "answer"}},
	{ToolsetWrite, []string{"ingest", "ingestStatus"}},
}

// Toolsets returns the names of all toolsets.
func Toolsets() []string {
	var names []string
	for _, set := range toolsets {
		names = append(names, set.name)
	}
	return names
}

// ToolNames returns the names of all tools that a server can have, by toolset.
func ToolNames() []string {
	var names []string
	for _, set := range toolsets {
		names = append(names, set.tools...)
	}
	return names
}

// toolsetOf returns the toolset of a tool, or "" for one of another program.
func toolsetOf(tool string) string {
	for _, set := range toolsets {
		if slices.Contains(set.tools, tool) {
			return set.name
		}
	}
	return ""
}

// A choice is which tools there are. The zero value is all of them.
type choice struct {
	toolsets, tools []string // names; nil means all
	readOnly        bool
	within          *choice // has what is chosen too; nil means all
}

// has reports whether a tool is chosen. A tool of another program is in no
// toolset, and nothing tells whether it writes.
func (c choice) has(tool string) bool {
	set := toolsetOf(tool)
	switch {
	case c.within != nil && !c.within.has(tool):
		return false
	case c.tools != nil && !slices.Contains(c.tools, tool),
		c.readOnly && (set == ToolsetWrite || set == ""):
		return false
	}
	return c.toolsets == nil || slices.Contains(c.toolsets, set) || slices.Contains(c.toolsets, allToolsets)
}

// all reports whether the choice leaves out nothing.
func (c choice) all() bool {
	return c.toolsets == nil && c.tools == nil && !c.readOnly && (c.within == nil || c.within.all())
}

func (o *Options) choice() choice {
	return choice{toolsets: o.Toolsets, tools: o.Tools, readOnly: o.ReadOnly}
}

// Check returns an error if Toolsets or Tools have a name that there is not,
// or a tool that the other options leave out, such as ingest without an
// Ingester. [NewServer] passes over such names.
func (o *Options) Check() error {
	if err := CheckTools(o.Toolsets, o.Tools); err != nil {
		return err
	}
	for _, name := range o.Tools {
		if !o.provides(name) {
			return fmt.Errorf("tool '%s' needs options that are not set", name)
		}
	}
	return nil
}

// CheckTools returns an error if a server can have no toolset or tool of a name,
// or if a tool is in none of the toolsets. Nil means all of them.
func CheckTools(toolsets, tools []string) error {
	for _, name := range toolsets {
		if err := checkName("toolset", name, append(Toolsets(), allToolsets)); err != nil {
			return err
		}
	}
	for _, name := range tools {
		if err := checkName("tool", name, ToolNames()); err != nil {
			return err
		}
		if c := (choice{toolsets: toolsets}); !c.has(name) {
			return fmt.Errorf("tool '%s' is in toolset %s, which is not chosen", name, toolsetOf(name))
		}
	}
	return nil
}

// provides reports whether the options have what a tool works with.
func (o *Options) provides(tool string) bool {
	switch tool {
	case "search", "findSimilar":
		return o.Searcher != nil
	case "getContext":
		return o.Briefing != nil
	case "answer":
		return o.Answerer != nil
	case "getContents":
		return o.Contents != nil
	case "verify":
		return o.Verifier != nil
	case "ingest", "ingestStatus":
		return o.Ingester != nil
	}
	return true
}

// checkName returns an error that names what is alike if a name is not known.
func checkName(kind, name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	message := fmt.Sprintf("there is no %s %s; there are %s", kind, quote(name), strings.Join(known, ", "))
	if near := suggest.Closest(name, slices.Values(known), 1, 1); len(near) > 0 {
		message = fmt.Sprintf("there is no %s %s; did you mean '%s'?", kind, quote(name), near[0])
	}
	return errors.New(message)
}

// The headers by which a client narrows the tools that it is offered.
const (
	toolsetsHeader = "X-Mcp-Toolsets"
	toolsHeader    = "X-Mcp-Tools"
	readOnlyHeader = "X-Mcp-Readonly"
)

// choiceOf returns what the headers of a request choose. Names of tools are
// not checked: another program may have added tools to the server.
func choiceOf(header http.Header) (choice, error) {
	c := choice{toolsets: namesIn(header[toolsetsHeader]), tools: namesIn(header[toolsHeader])}
	for _, name := range c.toolsets {
		if err := checkName("toolset", name, append(Toolsets(), allToolsets)); err != nil {
			return c, fmt.Errorf("header X-MCP-Toolsets: %w", err)
		}
	}
	for _, value := range header[readOnlyHeader] {
		if value = strings.TrimSpace(value); value == "" {
			continue
		}
		on, err := strconv.ParseBool(value)
		if err != nil {
			return c, fmt.Errorf("header X-MCP-Readonly is %s; it is true or false", quote(value))
		}
		c.readOnly = c.readOnly || on
	}
	return c, nil
}

// namesIn returns the names in a header that has lists with commas, or nil if
// there is none. A header that is empty names nothing, and counts as none.
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
