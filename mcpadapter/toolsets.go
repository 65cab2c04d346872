package mcpadapter

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/message"
)

// The toolsets, for [Options.Toolsets].
const (
	ToolsetRead   = "read"   // reading and checking: listResources, getStructure, getNode, resolve, getContents, verify and info
	ToolsetSearch = "search" // finding: search, findSimilar, getContext and answer
	ToolsetWrite  = "write"  // making maps: ingest and ingestStatus

	allToolsets = "all" // all of the above
)

// toolsets has the tools of each toolset, in the order of the constants above.
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

// toolsetOf returns the toolset of a tool, or "" for a tool of another program.
func toolsetOf(tool string) string {
	for _, set := range toolsets {
		if slices.Contains(set.tools, tool) {
			return set.name
		}
	}
	return ""
}

// A choice selects tools. The zero value selects all.
type choice struct {
	toolsets, tools []string // names; nil means all
	readOnly        bool
	within          *choice // must select a tool as well; nil means all
}

// has reports whether a tool is selected. A tool of another program is in no
// toolset, and it is unknown whether it writes.
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

// Check returns an error if Toolsets or Tools have an unknown name, or a tool
// that the other options leave out, such as ingest without an Ingester.
// [NewServer] ignores such names.
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

// CheckTools returns an error if a name is not the name of a toolset or tool, or
// if a tool is in none of the toolsets. Nil means all of them.
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

// provides reports whether the options have what a tool needs.
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

// checkName returns an error, with a suggestion, if a name is unknown.
func checkName(kind, name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	text := fmt.Sprintf("unknown %s %s; known: %s", kind, quote(name), strings.Join(known, ", "))
	if near := message.Closest(name, slices.Values(known), 1, 1); len(near) > 0 {
		text = fmt.Sprintf("unknown %s %s; did you mean '%s'?", kind, quote(name), near[0])
	}
	return errors.New(text)
}

// The headers with which a client narrows the tools that it is offered.
const (
	toolsetsHeader = "X-Mcp-Toolsets"
	toolsHeader    = "X-Mcp-Tools"
	readOnlyHeader = "X-Mcp-Readonly"
)

// choiceOf returns the choice in the headers of a request. It does not check
// names of tools, as another program may have added tools to the server.
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
			return c, fmt.Errorf("header X-MCP-Readonly is %s; it must be true or false", quote(value))
		}
		c.readOnly = c.readOnly || on
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
