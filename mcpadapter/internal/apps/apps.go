// Package apps has what MCP Apps need of a server: the page that shows evidence in a
// client, and the extension with which clients say that they can show it. See the
// specification of 2026-01-26 (SEP-1865).
package apps

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	Extension = "io.modelcontextprotocol/ui" // its name in capabilities
	URI       = "ui://citekit/evidence"      // of the page
	MediaType = "text/html;profile=mcp-app"  // of the page
	Tool      = "viewEvidence"               // the tool that the page calls, unless it has another name here
)

// evidence is made of viewer/assets/evidence.js.
//
//go:generate go run ../../../internal/tool/bundle evidence.html
//go:embed evidence.html
var evidence string

// named is the attribute of the page that says how the tool is called.
const named = `data-tool="`

// Page returns the HTML of the page, which calls a tool of this name.
func Page(tool string) string {
	return strings.Replace(evidence, named+Tool+`"`, named+tool+`"`, 1)
}

// Announced reports whether the client of a request can show pages.
func Announced(req mcp.Request) bool {
	var can *mcp.ClientCapabilities
	switch r := req.(type) {
	case *mcp.ServerRequest[*mcp.InitializeParams]: // the session does not have them yet
		if r.Params != nil {
			can = r.Params.Capabilities
		}
	case interface {
		ClientCapabilities() *mcp.ClientCapabilities
	}:
		can = r.ClientCapabilities()
	}
	if can == nil {
		return false
	}
	settings, ok := can.Extensions[Extension].(map[string]any)
	types, _ := settings["mimeTypes"].([]any)
	return ok && slices.ContainsFunc(types, func(t any) bool { return t == MediaType })
}

// A Server says what of a server the page may use.
type Server struct {
	Tool  string                     // the name of the tool that the page calls
	Shows func(tool string) bool     // whether the page shows the results of a tool
	May   func(context.Context) bool // whether the caller may call Tool
	Wrong func(tool string) error    // the error for an unknown tool
}

// Middleware offers the page and its tool to clients that can show it. Others get what
// they would get without.
func (s *Server) Middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		can := Announced(req) && s.May(ctx)
		switch r := req.(type) {
		case *mcp.CallToolRequest:
			if r.Params.Name == s.Tool && !can {
				return nil, s.Wrong(s.Tool)
			}
		case *mcp.ReadResourceRequest:
			if r.Params.URI == URI && can {
				return s.page(), nil
			}
		}
		result, err := next(ctx, method, req)
		if err != nil {
			return result, err
		}
		switch r := result.(type) {
		case *mcp.ListToolsResult:
			return s.tools(r, can), nil
		case *mcp.InitializeResult:
			if can {
				shown := *r
				shown.Capabilities = announcing(r.Capabilities)
				return &shown, nil
			}
		case *mcp.DiscoverResult:
			if can {
				shown := *r
				shown.Capabilities = announcing(r.Capabilities)
				return &shown, nil
			}
		}
		return result, nil
	}
}

// announcing returns the capabilities with the extension.
func announcing(c *mcp.ServerCapabilities) *mcp.ServerCapabilities {
	var all mcp.ServerCapabilities
	if c != nil {
		all = *c
	}
	given := all.Extensions
	all.Extensions = nil
	for name, settings := range given {
		set, _ := settings.(map[string]any)
		all.AddExtension(name, set)
	}
	all.AddExtension(Extension, nil)
	return &all
}

// page returns the page as a resource. What it may load it says itself: nothing.
func (s *Server) page() *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{
		Cacheable: mcp.Cacheable{CacheScope: "private"}, // with keys, not all may have it
		Contents: []*mcp.ResourceContents{{
			URI: URI, MIMEType: MediaType, Text: Page(s.Tool),
			Meta: mcp.Meta{"ui": map[string]any{"prefersBorder": true}},
		}},
	}
}

// tools returns a list in which tools name the page, or without the tool of the page.
func (s *Server) tools(list *mcp.ListToolsResult, can bool) *mcp.ListToolsResult {
	shown := *list
	shown.Tools = []*mcp.Tool{}
	for _, t := range list.Tools {
		if t.Name != s.Tool && !(can && s.Shows(t.Name)) {
			shown.Tools = append(shown.Tools, t)
			continue
		}
		if !can {
			continue
		}
		ui := map[string]any{"resourceUri": URI}
		if t.Name == s.Tool {
			ui["visibility"] = []string{"app"}
		}
		one := *t
		one.Meta = mcp.Meta{"ui": ui, "ui/resourceUri": URI} // the second is for older hosts
		shown.Tools = append(shown.Tools, &one)
	}
	return &shown
}
