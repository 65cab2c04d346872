package api_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/api"
)

// TestSeenMaps checks what callers see of maps: of a source elsewhere only its name, and
// of a map that is damaged that it is not their fault.
func TestSeenMaps(t *testing.T) {
	dir := t.TempDir()
	c := openIn(t, dir, map[string]string{"tea.md": tea}, nil)
	m, err := c.Library.Map(t.Context(), "tea")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := *m
	elsewhere.ResourceID, elsewhere.SourcePath = "far", filepath.Join(t.TempDir(), "hidden", "far.md")
	if err := c.Library.Save(t.Context(), &elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".resource_maps", "broken.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(api.New(c.Service(nil), nil))
	defer h.Close()
	server := client{t, h.URL}
	if status, got := server.send("GET", "/v1/resources/far", ""); status != 200 || strings.Contains(got, "hidden") || !strings.Contains(got, `"source_path":"far.md"`) {
		t.Errorf("a source elsewhere: %d %.300s", status, got)
	}
	if status, got := server.send("GET", "/v1/resources/broken", ""); status != 500 || strings.Contains(got, `"parameter"`) || strings.Contains(got, "JSON") {
		t.Errorf("a damaged map: %d %s", status, got)
	}
}

// TestFewEntities asks for the entities alone around many documents with many links: as
// many places are followed as with the relationships.
func TestFewEntities(t *testing.T) {
	files := make(map[string]string)
	for i := range 6 {
		var b strings.Builder
		for j := range 60 {
			fmt.Fprintf(&b, "See [note](note%02d.md).\n\n", j)
		}
		files[fmt.Sprintf("from%d.md", i)] = "# From\n\n" + b.String()
	}
	for j := range 60 {
		files[fmt.Sprintf("note%02d.md", j)] = fmt.Sprintf("# Note %d\n\nText.\n", j)
	}
	s := open(t, files, nil).Service(nil)
	req := &api.ContentsRequest{Expand: api.Expand{Graph: &api.Graph{Include: []string{"entities"}}}}
	for i := range 6 {
		req.IDs = append(req.IDs, api.ID{Kind: "document", ID: fmt.Sprintf("from%d", i)})
	}
	entities, err := s.Contents(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if entities.Complete || len(entities.Entities) == 0 {
		t.Errorf("complete: %t, %d entities", entities.Complete, len(entities.Entities))
	}
}
