package mcpadapter_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

func zipOf(t *testing.T, name, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = io.WriteString(w, content)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func tgzOf(t *testing.T, name, content string) string {
	t.Helper()
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	w := tar.NewWriter(packed)
	err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Typeflag: tar.TypeReg})
	if err == nil {
		_, err = io.WriteString(w, content)
	}
	for _, close := range []func() error{w.Close, packed.Close} {
		if err == nil {
			err = close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestMembers resolves members of archives: one and two deep, and no deeper.
func TestMembers(t *testing.T) {
	archives := new(document.Archive)
	archives.Members = citekit.Resolvers{citekit.Document: archives, citekit.Text: new(text.Resolver)}
	ws := workspace.NewMemory(nil)
	deep := tgzOf(t, "deep.txt", "deep\ndown\n")
	ws.AddSource("one.tgz", []byte(deep))
	ws.AddSource("two.zip", []byte(zipOf(t, "in/one.tgz", deep)))
	ws.AddSource("three.zip", []byte(zipOf(t, "two.zip", zipOf(t, "one.tgz", deep))))
	lib := citekit.New(ws, archives.Members, nil)
	t.Cleanup(func() { lib.Close() })
	if _, err := ingest.Run(t.Context(), lib, []string{"one.tgz", "two.zip", "three.zip"}, nil); err != nil {
		t.Fatal(err)
	}
	session := mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Contents: contents.New(lib, nil)}), nil)
	for _, a := range []string{
		"text://one#member=deep.txt&lines=2-2",
		"text://two#member=in/one.tgz!/deep.txt&lines=2-2",
	} {
		got, answer, _ := resolveRead(t, session, map[string]any{"address": a, "include": []any{"text"}})
		if got.Text == nil || *got.Text != "down\n" || !strings.HasPrefix(got.Address, a) {
			t.Error(answer)
		}
	}
	for a, want := range map[string]string{
		"text://three#member=two.zip!/one.tgz!/deep.txt": "3 deep; at most 2",
		"text://one#member=deep.text":                    "did you mean 'deep.txt'",
		"image://one#member=deep.txt":                    "text://one#member=deep.txt",
	} {
		answer, result := mcptest.CallTool(t, session, "resolve", map[string]any{"address": a})
		if !result.IsError || !strings.Contains(answer, want) {
			t.Errorf("%s: %s", a, answer)
		}
	}
	outline, _ := mcptest.CallTool(t, session, "getStructure", map[string]any{"resource_id": "two", "full": true})
	if !strings.Contains(outline, "in/one.tgz!/deep.txt") {
		t.Errorf("the map: %s", outline)
	}
	read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "citekit://map/two"})
	if err != nil || !strings.Contains(read.Contents[0].Text, "in/one.tgz!/deep.txt") {
		t.Errorf("the map as a resource: %+v, %v", read, err)
	}
}
