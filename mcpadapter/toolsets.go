package mcpadapter

import (
	"cmp"
	"fmt"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/mcpadapter/internal/apps"
)

// The toolsets, for [Options.Toolsets].
const (
	ToolsetRead   = "read"   // reading and checking: listResources, getStructure, getNode, resolve, getContents, verify and info
	ToolsetSearch = "search" // finding: search, findSimilar, getContext and answer
	ToolsetWrite  = "write"  // making maps: ingest and ingestStatus
)

var toolsets = access.Toolsets{
	{Name: ToolsetRead, Tools: []string{"listResources", "getStructure", "getNode", "resolve", "getContents", "verify", "info"}},
	{Name: ToolsetSearch, Tools: []string{"search", "findSimilar", "getContext", "answer"}},
	{Name: ToolsetWrite, Tools: []string{"ingest", "ingestStatus"}, Writes: true},
}

// Toolsets returns the names of all toolsets.
func Toolsets() []string { return toolsets.Names() }

// ToolNames returns the names of all tools that a server can have, by toolset.
func ToolNames() []string { return toolsets.Tools() }

// CheckTools returns an error if a name is not the name of a toolset or tool, or
// if a tool is in none of the toolsets. Nil means all of them.
func CheckTools(sets, tools []string) error { return toolsets.Check(sets, tools) }

// choice returns the tools that the options choose.
func (a *adapter) choice() access.Choice {
	return access.Choice{Of: a.toolsets, Toolsets: a.opts.Toolsets, Tools: a.opts.Tools, ReadOnly: a.opts.ReadOnly}
}

// Check returns an error if Toolsets or Tools have an unknown name, or a tool
// that the other options leave out, such as ingest without an Ingester, or if a
// dialect has a fault. [NewServer] ignores such names, and leaves out what is faulty.
func (o *Options) Check() error {
	all, err := interfacesOf(o.Dialects)
	if err = cmp.Or(err, all.checkSchemas()); err != nil {
		return err
	}
	if err := all.toolsets.Check(o.Toolsets, o.Tools); err != nil {
		return err
	}
	for _, name := range o.Tools {
		if !o.provides(all.meant(name)) {
			return fmt.Errorf("tool '%s' needs options that are not set", name)
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
	case apps.Tool:
		return o.Contents != nil && o.Viewer != nil
	case "verify":
		return o.Verifier != nil
	case "ingest", "ingestStatus":
		return o.Ingester != nil
	}
	return true
}
