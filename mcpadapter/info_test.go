package mcpadapter_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

func TestInfo(t *testing.T) {
	sharedtest.NotShort(t)
	session := findingServer(t)
	info := func() (got struct {
		Version string
		Counts  struct {
			Resources  int
			Modalities map[string]int
		}
		Index    struct{ Resources, Entries int }
		Cache    struct{ Hits, Misses int }
		Programs []struct{ Name string }
		Uptime   *float64
		Complete bool
	}) {
		t.Helper()
		text, result := mcptest.CallTool(t, session, "info", map[string]any{})
		if err := json.Unmarshal([]byte(text), &got); err != nil || result.IsError || result.StructuredContent == nil {
			t.Fatal(text, err)
		}
		return got
	}
	before := info()
	if before.Version == "" || before.Counts.Resources != 3 || before.Counts.Modalities["image"] != 1 || before.Counts.Modalities["text"] != 2 ||
		before.Index.Entries != 0 || len(before.Programs) != 3 || before.Uptime == nil || !before.Complete {
		t.Errorf("at first: %+v", before)
	}
	mcptest.CallTool(t, session, "search", map[string]any{"query": "four"})
	for range 2 {
		mcptest.CallTool(t, session, "resolve", map[string]any{"resource_id": "poem", "node_id": "first"})
	}
	if after := info(); after.Index.Resources != 3 || after.Index.Entries == 0 || after.Cache.Hits != 1 || after.Cache.Misses != 1 {
		t.Errorf("afterwards: %+v", after)
	}
	if text, result := mcptest.CallTool(t, session, "info", map[string]any{"x": 1}); !result.IsError || !strings.Contains(text, "takes none") {
		t.Error(text)
	}
}
