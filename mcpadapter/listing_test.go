package mcpadapter_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// TestListResourcesInParts checks that a long list comes in parts that fit into
// a page, that each resource is described once, that a map that cannot be read
// says so, and that one of a type that nothing resolves, or without one, has no
// address.
func TestListResourcesInParts(t *testing.T) {
	sharedtest.Once(t)
	ws := workspace.NewMemory(nil)
	for i := range 500 {
		id := fmt.Sprintf("r%03d", i)
		data := fmt.Sprintf(`{"resource_id":%q,"type":"text","title":%q,"source_path":"a.pdf","nodes":[],"metadata":{"lines":%d}}`, id, strings.Repeat("é", 1000), i+1)
		switch i {
		case 3:
			data = "{"
		case 4:
			data = `{"resource_id":"r004","nodes":[]}`
		case 5:
			data = strings.Replace(data, `"type":"text"`, `"type":"hologram"`, 1)
		}
		if err := ws.WriteMap(t.Context(), id, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
	t.Cleanup(func() { lib.Close() })
	const page = 4000
	session := mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{PageBytes: page}), nil)
	type answer struct {
		Resources []string
		Items     []struct {
			ResourceID string `json:"resource_id"`
			Lines      int
			Address    string
			Error      string
		}
		NextCursor string `json:"next_cursor"`
	}
	list := func(arguments map[string]any) (a answer) {
		text, result := mcptest.CallTool(t, session, "listResources", arguments)
		if err := json.Unmarshal([]byte(text), &a); err != nil || result.IsError {
			t.Fatalf("%.300s, %v", text, err)
		}
		if len(arguments) > 0 && len(text) > 2*page {
			t.Fatalf("a part of %d bytes", len(text))
		}
		return a
	}
	all := list(nil)
	if len(all.Resources) != 500 || len(all.Items) == 0 || all.NextCursor == "" {
		t.Fatalf("%d resources, %d items, cursor %q", len(all.Resources), len(all.Items), all.NextCursor)
	}
	if all.Items[3].Error == "" || all.Items[4].Address != "" || all.Items[5].Address != "" || all.Items[0].Address != "text://r000" || all.Items[0].Lines != 1 {
		t.Errorf("items %+v", all.Items[:6])
	}
	var seen []string
	for cursor, calls := "", 0; ; calls++ {
		part := list(map[string]any{"cursor": cursor})
		if len(part.Items) != len(part.Resources) || calls > 500 {
			t.Fatalf("call %d: %d items for %d resources", calls, len(part.Items), len(part.Resources))
		}
		for _, item := range part.Items {
			seen = append(seen, item.ResourceID)
		}
		if cursor = part.NextCursor; cursor == "" {
			break
		}
	}
	if !slices.Equal(seen, all.Resources) {
		t.Errorf("the parts have %d resources: %v", len(seen), seen[:5])
	}
	if _, result := mcptest.CallTool(t, session, "listResources", map[string]any{"cursor": "!"}); !result.IsError {
		t.Error("a cursor that is none is taken")
	}
}

// TestListTotal checks that the first part of a list that comes in parts says of how
// many, and that later parts do not count again.
func TestListTotal(t *testing.T) {
	ws := workspace.NewMemory(nil)
	for i := range 1200 {
		id := fmt.Sprintf("a-resource-with-a-rather-long-id-so-that-not-all-fit-%04d", i)
		kind := []string{"text", "video", "audio"}[i%3]
		if err := ws.WriteMap(t.Context(), id, fmt.Appendf(nil, `{"resource_id":%q,"type":%q,"title":"x","source_path":"a.txt","nodes":[]}`, id, kind)); err != nil {
			t.Fatal(err)
		}
	}
	lib := citekit.New(ws, nil, nil)
	t.Cleanup(func() { lib.Close() })
	session := mcptest.Connect(t, mcpadapter.NewServer(lib, nil), nil)
	for _, test := range []struct {
		arguments map[string]any
		total     any
	}{{nil, 1200.}, {map[string]any{"limit": 7}, 1200.}, {map[string]any{"type": "video"}, 400.}, {map[string]any{"query": "0001 fit", "type": "video"}, nil}} {
		text, _ := mcptest.CallTool(t, session, "listResources", test.arguments)
		var list map[string]any
		if err := json.Unmarshal([]byte(text), &list); err != nil || list["total"] != test.total {
			t.Errorf("%v: total %v of %.200s", test.arguments, list["total"], text)
		}
		if cursor, ok := list["next_cursor"]; ok {
			next := map[string]any{"cursor": cursor}
			for name, value := range test.arguments {
				next[name] = value
			}
			if text, _ := mcptest.CallTool(t, session, "listResources", next); strings.Contains(text, `"total"`) || !strings.Contains(text, `"items"`) {
				t.Errorf("behind the cursor: %.200s", text)
			}
		}
	}
}

// A countedSources counts which sources are opened, and has stamps that a test sets.
type countedSources struct {
	*workspace.Memory
	opened atomic.Int64
	maps   citekit.Stamp
	stamps map[string]string
}

func (s *countedSources) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	s.opened.Add(1)
	return s.Memory.OpenSource(ctx, path)
}

func (s *countedSources) MapsStamp(context.Context) (citekit.Stamp, error) { return s.maps, nil }

func (s *countedSources) SourceStamp(_ context.Context, path string) string { return s.stamps[path] }

// TestListKnown lists twice: the second time no source is opened but those that may
// have changed, were not as mapped, or have no stamp, and each state is right.
func TestListKnown(t *testing.T) {
	ws := &countedSources{Memory: workspace.NewMemory(nil), maps: citekit.Stamp{Identity: "1"}, stamps: make(map[string]string)}
	write := func(i int, hash string) {
		t.Helper()
		name := fmt.Sprintf("s%d.txt", i)
		data := fmt.Sprintf(`{"resource_id":"r%d","type":"text","title":"T","source_path":%q,"nodes":[],"metadata":{"source_hash":%q}}`, i, name, hash)
		if err := ws.WriteMap(t.Context(), fmt.Sprintf("r%d", i), []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	hash := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	for i := range 50 {
		ws.AddSource(fmt.Sprintf("s%d.txt", i), []byte("text"))
		ws.stamps[fmt.Sprintf("s%d.txt", i)] = "1"
		write(i, hash("text"))
	}
	write(7, hash("other"))      // stale
	ws.stamps["s8.txt"] = ""     // not known
	write(50, hash("elsewhere")) // vanished
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
	t.Cleanup(func() { lib.Close() })
	session := mcptest.Connect(t, mcpadapter.NewServer(lib, nil), nil)
	states := func() (states string, opened int64) {
		t.Helper()
		before := ws.opened.Load()
		answer, _ := mcptest.CallTool(t, session, "listResources", nil)
		var list struct {
			Items []struct {
				ResourceID string `json:"resource_id"`
				State      string
			}
		}
		if err := json.Unmarshal([]byte(answer), &list); err != nil || len(list.Items) != 51 {
			t.Fatal(err, answer)
		}
		for _, item := range list.Items {
			if item.State != "" {
				states += item.ResourceID + " " + item.State + ", "
			}
		}
		return states, ws.opened.Load() - before
	}
	for _, test := range []struct {
		change func()
		states string
		opened int64
	}{
		{func() {}, "r50 vanished, r7 stale, ", 51},
		{func() {}, "r50 vanished, r7 stale, ", 3},
		{func() { ws.AddSource("s3.txt", []byte("new!")); ws.stamps["s3.txt"] = "2" }, "r3 stale, r50 vanished, r7 stale, ", 4},
		{func() { write(3, hash("new!")); ws.maps.Identity = "2" }, "r50 vanished, r7 stale, ", 51},
		{func() {}, "r50 vanished, r7 stale, ", 3},
	} {
		test.change()
		if states, opened := states(); states != test.states || opened < test.opened || opened > 2*test.opened {
			t.Errorf("%s opened %d sources; want %s %d", states, opened, test.states, test.opened)
		}
	}
}
