package lookup_test

import (
	"errors"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// TestPaths checks that the path of a source, and its name if no other has it, means
// its resource, wherever an id is taken.
func TestPaths(t *testing.T) {
	ws := workspace.NewMemory(nil)
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	defer lib.Close()
	for id, source := range map[string]string{"client": "src/client.py", "a": "a/notes.md", "b": "b/notes.md", "odd": "x #1.md", "md": "notes"} {
		ws.AddSource(source, []byte("one\ntwo\n"))
		if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: id, Type: citekit.Text, SourcePath: source}); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"src/client.py": "client", "./src/client.py": "client", `src\client.py`: "client", "client.py": "client", "client": "client",
		"a/notes.md": "a", "b/notes.md": "b", "x #1.md": "odd", "notes": "md", "text://client": "client",
		"notes.md": "", "other/client.py": "", "none.md": "", "text://client#lines=1": "", ".": "", "": "", "a": "a",
	} {
		id, err := lookup.Resource(t.Context(), lib, name)
		if id != want || (err == nil) != (want != "") {
			t.Errorf("Resource(%q): %q, %v; want %q", name, id, err, want)
		}
	}
	for name, want := range map[string]string{
		"src/client.py": "text://client", "client.py#lines=2": "text://client#lines=2-2", "x #1.md#lines=1": "text://odd#lines=1-1",
		"a/notes.md#lines=1-2": "text://a#lines=1-2", "notes.md": "", "client.py#lines=x": "", "client.py#": "text://client",
	} {
		p, err := lookup.Find(t.Context(), lib, name)
		if want == "" && err == nil || want != "" && (err != nil || p.Address.String() != want) {
			t.Errorf("Find(%q): %s, %v; want %q", name, p.Address, err, want)
		}
	}
	_, err := lookup.Resource(t.Context(), lib, "notes.md")
	if missing := new(citekit.NotFoundError); !errors.As(err, &missing) || len(missing.Suggestions) != 2 {
		t.Error(err)
	}
}
