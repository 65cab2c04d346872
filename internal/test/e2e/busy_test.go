package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/pdftest"
)

// TestBusyWithDocuments asks for a text while hostile documents are being
// resolved, gives the documents up, and ends the server.
func TestBusyWithDocuments(t *testing.T) {
	base := t.TempDir()
	hostile := pdftest.Within(12_000)
	const documents = 8
	for i := range documents {
		name := fmt.Sprintf("d%d", i)
		writeFile(t, filepath.Join(base, name+".pdf"), append(hostile[:len(hostile):len(hostile)], strings.Repeat("%\n", i+1)...))
		writeMap(t, base, name, "document", name+".pdf", map[string]any{"modality": "document", "pages": []int{1}})
	}
	writeFile(t, filepath.Join(base, "poem.txt"), []byte(strings.Repeat("a line\n", 100)))
	writeMap(t, base, "poem", "text", "poem.txt", map[string]any{"modality": "text", "lines": []int{1, 10}})
	s := serve(t, base)
	var ids []int
	for i := range documents {
		id, err := s.Post("tools/call", map[string]any{"name": "resolve", "arguments": map[string]any{"resource_id": fmt.Sprintf("d%d", i), "node_id": "n0"}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	begin := time.Now()
	data, failure := s.resolve("poem", "n0")
	if failure != "" || len(data) != 70 {
		t.Errorf("%d bytes of the poem; %s", len(data), failure)
	}
	t.Logf("a text after %v", time.Since(begin))
	if r := s.call("listResources", map[string]any{}); r.IsError {
		t.Errorf("listResources: %s", r.Text)
	}
	if r := s.call("getStructure", map[string]any{"resource_id": "poem"}); r.IsError {
		t.Errorf("getStructure: %s", r.Text)
	}
	t.Logf("all three after %v", time.Since(begin))
	for _, id := range ids {
		if err := s.Notify("notifications/cancelled", map[string]any{"requestId": id}); err != nil {
			t.Fatal(err)
		}
	}
	if data, failure := s.resolve("poem", "n0"); len(data) != 70 {
		t.Errorf("after giving up: %s", failure)
	}
}
