package mcpadapter_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/reanchor"
	"github.com/citekit/citekit/workspace"
)

// TestStaleAddressesSayWhereItIsNow pins a version whose text is kept, of a source
// that has changed and was mapped again.
func TestStaleAddressesSayWhereItIsNow(t *testing.T) {
	const before = "Fill the kettle.\nChalk settles where water boils away.\nVinegar dissolves chalk within an hour.\n"
	const after = "New.\n\nChalk settles where water boils away.\nVinegar dissolves no chalk within an hour.\n"
	ws := workspace.NewMemory(nil)
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
	t.Cleanup(func() { lib.Close() })
	version := func(source string) string {
		sum := sha256.Sum256([]byte(source))
		hash := hex.EncodeToString(sum[:])
		ws.AddSource("guide.txt", []byte(source))
		data := fmt.Sprintf(`{"resource_id": "guide", "type": "text", "title": "", "source_path": "guide.txt", "nodes": [], "metadata": {"source_hash": %q}}`, hash)
		if err := ws.WriteMap(t.Context(), "guide", []byte(data)); err != nil {
			t.Fatal(err)
		}
		return hash[:16]
	}
	finder := reanchor.New(lib, nil)
	old := version(before)
	if err := finder.Keep(t.Context(), "guide"); err != nil {
		t.Fatal(err)
	}
	now := version(after)
	session := mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Contents: contents.New(lib, nil), Reanchorer: finder}), nil)
	for _, c := range []struct{ lines, how, address string }{
		{"2", "unique", "text://guide#lines=3-3&v=" + now},
		{"3", "similar", "text://guide#lines=4-4&v=" + now},
		{"1", "", ""},
	} {
		address := "text://guide#lines=" + c.lines + "&v=" + old
		message, result := mcptest.CallTool(t, session, "resolve", map[string]any{"address": address})
		if !result.IsError || !strings.Contains(message, "STALE") || c.address != "" && !strings.Contains(message, c.address) {
			t.Errorf("resolve: %s", message)
		}
		place, _ := result.Meta["reanchored"].(map[string]any)
		if c.how == "" && place != nil || c.how != "" && (place["how"] != c.how || place["address"] != c.address) {
			t.Errorf("lines %s: %v", c.lines, result.Meta)
		}
		read, _ := mcptest.CallTool(t, session, "getContents", map[string]any{"ids": []any{address}})
		if !strings.Contains(read, "STALE") || !strings.Contains(read, c.address) {
			t.Errorf("getContents: %s", read)
		}
	}
}

// TestUnknownPin checks that an address with a version that nothing has is not
// answered as if the source had changed.
func TestUnknownPin(t *testing.T) {
	const source = "one\ntwo\n"
	sum := sha256.Sum256([]byte(source))
	hash := hex.EncodeToString(sum[:])
	ws := workspace.NewMemory(nil)
	ws.AddSource("count.txt", []byte(source))
	if err := ws.WriteMap(t.Context(), "count", []byte(`{"resource_id": "count", "type": "text", "source_path": "count.txt", "nodes": [], "metadata": {"source_hash": "`+hash+`"}}`)); err != nil {
		t.Fatal(err)
	}
	session := finding(t, ws)
	const address = "text://count#lines=2-2&v=00000000"
	right := "cite text://count#lines=2-2&v=" + hash[:16]
	message, result := mcptest.CallTool(t, session, "resolve", map[string]any{"address": address})
	if !result.IsError || !strings.Contains(message, right) || !strings.Contains(message, "Code: STALE") || strings.Contains(message, "has changed") || strings.Contains(message, "mapped again") {
		t.Errorf("resolve: %s", message)
	}
	if read, _ := mcptest.CallTool(t, session, "getContents", map[string]any{"ids": []any{address}}); !strings.Contains(read, right) || strings.Contains(read, "has changed") {
		t.Errorf("getContents: %s", read)
	}
}
