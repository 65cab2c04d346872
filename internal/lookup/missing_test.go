package lookup_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// TestFindBySource checks that the name of a source leads to its resource.
func TestFindBySource(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	defer lib.Close()
	m := &citekit.ResourceMap{ResourceID: "notes", Type: citekit.Text, SourcePath: "notes.txt", Nodes: []*citekit.Node{
		{ID: "all", Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}}},
	}}
	if err := lib.Save(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	for id, meant := range map[string]string{
		"in/a/folder/notes.txt": "notes", "in/notes.txt#lines=1": "notes#lines=1",
		"notes.md": "", "other.txt": "", "notes.txt.txt": "",
	} {
		_, err := lookup.Find(t.Context(), lib, id)
		var missing *citekit.NotFoundError
		if meant == "" {
			if err == nil {
				t.Errorf("%s: found", id)
			}
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &missing) || len(missing.Suggestions) != 1 || missing.Suggestions[0] != meant {
			t.Errorf("%s: %v, want %s", id, err, meant)
		}
	}
}

// TestMeant checks what a text that is no address may mean.
func TestMeant(t *testing.T) {
	ws := workspace.NewMemory(nil)
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	defer lib.Close()
	for id, source := range map[string]string{"client": "client.py", "mail-announce": "mail/announce.eml", "old-announce": "old/announce.eml"} {
		ws.AddSource(source, []byte("one\ntwo\n"))
		m := &citekit.ResourceMap{ResourceID: id, Type: citekit.Text, SourcePath: source, Nodes: []*citekit.Node{
			{ID: id + "-top", Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}}},
		}}
		if err := lib.Save(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]string{
		"client": "[text://client]", "client.client-top": "[text://client#lines=1-1]", "client-top": "[text://client#lines=1-1]",
		"client.py": "[text://client]", "client.py#lines=2": "[text://client#lines=2-2]", `C:\work\client.py`: "[text://client]",
		"/home/me/mail/announce.eml": "[text://mail-announce]", "file:///home/me/mail/announce.eml": "[text://mail-announce]",
		"file:///a%20b/client.py#lines=1": "[text://client#lines=1-1]",
		"announce.eml":                    "[text://mail-announce text://old-announce]", "announce": "[]", "": "[]", "/": "[]",
	} {
		if got := fmt.Sprint(lookup.Meant(t.Context(), lib, id)); got != want {
			t.Errorf("%s: %s; want %s", id, got, want)
		}
	}
	for id, want := range map[string]string{
		"client-top":             "no node 'client-top'; did you mean 'client.client-top'?",
		"file:///x/client.py":    "did you mean text://client?: invalid syntax",
		"in/mail/announce.eml":   "did you mean 'mail-announce'?",
		"announce.eml#lines=1-2": "did you mean 'mail-announce#lines=1-2', 'old-announce#lines=1-2'?",
	} {
		if _, err := lookup.Find(t.Context(), lib, id); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v; want %s", id, err, want)
		}
	}
}

// TestFragmentOfOwnModality checks that a fragment behind a resource of a modality
// that is not built in, or behind the name of its source, is of that modality.
func TestFragmentOfOwnModality(t *testing.T) {
	lib := citekit.New(workspace.NewMemory(nil), citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	defer lib.Close()
	if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: "plant", Type: "chat", SourcePath: "plant.jsonl"}); err != nil {
		t.Fatal(err)
	}
	p, err := lookup.Find(t.Context(), lib, "plant#message=1")
	if err != nil || p.Address.String() != "chat://plant#message=1" {
		t.Errorf("%v, %v", p.Address, err)
	}
	if got := fmt.Sprint(lookup.Meant(t.Context(), lib, "plant.jsonl#message=1&pages=2")); got != "[chat://plant#message=1&pages=2]" {
		t.Errorf("meant %s", got)
	}
}
