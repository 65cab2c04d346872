package corpus_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/test/mcptest"
)

// TestSAGE checks that a server offers the dialect by its name and with its options, and
// beside that of this module.
func TestSAGE(t *testing.T) {
	for _, test := range []struct {
		dialects []string
		options  *corpus.SAGEOptions
		tools    string
	}{
		{[]string{"sage"}, nil, "sage_get_context sage_get_knowledge sage_info sage_search"},
		{[]string{"sage"}, &corpus.SAGEOptions{Timeout: time.Second, Capabilities: []string{"search"}}, "sage_info sage_search"},
		{[]string{"citekit", "sage"}, nil, "answer findSimilar getContents getContext getNode getStructure info listResources resolve sage_get_context sage_get_knowledge sage_info sage_search search verify"},
	} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "core"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "core", "one.md"), []byte("# One\n\nA zebra.\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := corpus.Open(dir, &corpus.Options{Dialects: test.dialects, SAGE: test.options})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Ingest(t.Context()); err != nil {
			t.Fatal(err)
		}
		session := mcptest.Connect(t, c.Server(), nil)
		var names []string
		for tool, err := range session.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != test.tools {
			t.Errorf("%v: %s, want %s", test.dialects, got, test.tools)
		}
		if got, result := mcptest.CallTool(t, session, "sage_search", map[string]any{"query": "zebra", "layer": "core"}); result.IsError || !strings.Contains(got, `"path":"core/one.md"`) {
			t.Errorf("%v: %s", test.dialects, got)
		}
	}
}
