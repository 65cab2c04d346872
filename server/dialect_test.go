package server_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
)

// TestDialectWorkspaces calls tools of a dialect with the name of a workspace. A caller
// reaches it with a key for it, if it offers the tool. The logs name that workspace.
func TestDialectWorkspaces(t *testing.T) {
	services := make(map[string]*api.Service)
	var tools transport.Tools
	serve := func(name, text string, offered []string) server.Workspace {
		p, _ := newPlace(t, modality.All(), name, map[string]string{"note.md": text})
		c := corpus.New(p.lib, &corpus.Options{
			Dialects: []string{"lightfast"}, Named: func(name string) *api.Service { return services[name] },
			Server: &mcpadapter.Options{Tools: offered},
		})
		t.Cleanup(func() { c.Close() })
		opts := c.ServerOptions()
		services[name], tools = c.Service(opts), mcpadapter.ToolsOf(opts)
		return server.Workspace{Name: name, Hosted: transport.Hosted{Server: mcpadapter.NewServer(p.lib, opts)}}
	}
	all := []server.Workspace{serve("red", "# Scarlet\n\nHarvest of scarlet.\n", nil), serve("blue", "# Cobalt\n\nHarvest of cobalt.\n", []string{"search"})}
	known := &keys{grants: map[string]*access.Grant{
		redKey:  {ID: "k-red", Workspaces: []string{"red"}},
		blueKey: {ID: "k-both", Workspaces: []string{"red", "blue"}},
		"plain": {ID: "k-plain", Workspaces: []string{"red", "blue"}, Tools: []string{"get_contents"}},
	}}
	seen := new(journal)
	s := start(t, all, &server.Options{Authenticator: known, Observer: seen, Handler: transport.HandlerOptions{Tools: tools}})
	document := []any{map[string]any{"kind": "document", "id": "note"}}
	for _, test := range []struct {
		key, tool string
		arguments map[string]any
		want      string
	}{
		{redKey, "search", map[string]any{"q": "harvest"}, "scarlet"},
		{redKey, "search", map[string]any{"q": "harvest", "workspaceId": "red"}, "scarlet"},
		{redKey, "search", map[string]any{"q": "harvest", "workspaceId": "blue"}, "no such workspace"},
		{redKey, "search", map[string]any{"q": "harvest", "workspaceId": "nought"}, "no such workspace"},
		{blueKey, "search", map[string]any{"q": "harvest"}, "scarlet"},
		{blueKey, "search", map[string]any{"q": "harvest", "workspaceId": "blue"}, "cobalt"},
		{blueKey, "get_contents", map[string]any{"ids": document}, "scarlet"},
		{blueKey, "get_contents", map[string]any{"ids": document, "workspaceId": "blue"}, "no such workspace"},
		{"plain", "get_contents", map[string]any{"ids": document, "workspaceId": "red"}, "scarlet"},
		{"plain", "search", map[string]any{"q": "harvest", "workspaceId": "blue"}, "unknown tool"},
	} {
		c := s.as(test.key).session()
		r := c.request("tools/call", map[string]any{"name": test.tool, "arguments": test.arguments})
		if got := string(r.Result) + string(r.Error); !strings.Contains(strings.ToLower(got), test.want) {
			t.Errorf("%s %s %v: %.400s; want %s", test.key, test.tool, test.arguments, got, test.want)
		}
	}
	anybody := start(t, all, &server.Options{Handler: transport.HandlerOptions{Tools: tools}}).as("").session()
	for workspace, want := range map[string]string{"blue": "cobalt", "red": "scarlet", "nought": "no such workspace"} {
		if got, _ := anybody.tool("search", map[string]any{"q": "harvest", "workspaceId": workspace}); !strings.Contains(got, want) {
			t.Errorf("without keys in %s: %.300s", workspace, got)
		}
	}
	seen.await(t, "a search in blue", func(e server.Event) bool {
		return e.Caller == "k-both" && e.Tool == "search" && e.Workspace == "blue" && e.Outcome == "ok"
	})
	seen.await(t, "a refused search", func(e server.Event) bool {
		return e.Caller == "k-red" && e.Tool == "search" && e.Workspace == "red" && e.Outcome == "NOT_FOUND"
	})
	seen.await(t, "a document", func(e server.Event) bool {
		return e.Caller == "k-plain" && e.Tool == "get_contents" && e.Resource == "note" && e.Outcome == "ok"
	})
}
